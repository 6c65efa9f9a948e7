"""What a person answers with yes or no is theirs as if they had said it, in every language."""

import pytest

from memory.access.scope import user_scope
from memory.claims import read_claims
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

AGREED = [
    ("Are you vegetarian?", "yes", "diet", "vegetarian"),
    ("Do you still live in York?", "yep", "lives_in", "york"),
    ("Do you speak German?", "yes, a bit", "speaks", "german"),
    ("Do you have asthma?", "yes", "has_condition", "asthma"),
    ("Do you have a car?", "yes, a Skoda", "car", "skoda"),
    ("Do you have any pets?", "a cat, Mog", "cat", "mog"),
    ("Do you have kids?", "two, Mia and Max", "child", "max"),
    ("Are you married?", "yes, to Tom", "married_to", "tom"),
    ("Bist du Vegetarier?", "ja", "diet", "vegetarier"),
    ("Habt ihr Haustiere?", "ja, einen Kater, Tom", "cat", "tom"),
    ("¿Tienes mascotas?", "una gata, Luna", "cat", "luna"),
    ("¿Eres vegetariana?", "sí", "diet", "vegetariana"),
    ("Vous avez des enfants ?", "deux, Léa et Max", "child", "léa"),
    ("Tu es végétarienne ?", "oui", "diet", "végétarienne"),
    ("Hai la macchina?", "sì, una Panda", "car", "panda"),
    ("Tens filhos?", "dois, a Ana e o Rui", "child", "rui"),
    ("יש לך ילדים?", "שניים, נועה ויואב", "child", "נועה"),
    ("את צמחונית?", "כן", "diet", "צמחונית"),
]
PUT_RIGHT = [
    ("So you work at Aldi now?", "no, Lidl", "works_at", "lidl"),
    ("Are you still vegetarian?", "no, vegan now", "diet", "vegan"),
    ("Wohnst du noch in Ulm?", "nein, in Bonn", "lives_in", "bonn"),
]
DENIED = [
    ("Do you eat meat?", "no", "eats", "meat", "present"),
    ("Are you diabetic?", "nope", "has_condition", "diabetic", "present"),
    ("Do you still have a dog?", "no", "has", "dog", "over"),
    ("Lebst du noch in Ulm?", "nein", "lives_in", "ulm", "over"),
]
OF_THE_MOMENT = [
    ("Do you want a recipe?", "yes"),
    ("Would you like me to write it?", "yes please"),
    ("Are you sure?", "yes"),
    ("Are you free on Friday?", "yes"),
    ("Do you have a minute?", "no"),
    ("Do you have a budget in mind?", "yes, 500"),
    ("Do you eat fish or meat?", "yes"),
    ("Are you a beginner?", "yes"),
    ("Are you travelling with kids?", "yes, two"),
    ("Does she eat meat?", "yes"),
]


@pytest.mark.parametrize(("asked", "said", "relation", "value"), [*AGREED, *PUT_RIGHT])
def test_what_is_agreed_to_is_told(asked: str, said: str, relation: str, value: str) -> None:
    found = {(one.subject, one.relation, one.object) for one in read_claims(said, asked=asked) if one.polarity}
    assert ("you", relation, value) in found


@pytest.mark.parametrize(("asked", "said", "relation", "value", "tense"), DENIED)
def test_what_is_denied_is_not_so(asked: str, said: str, relation: str, value: str, tense: str) -> None:
    (claim,) = read_claims(said, asked=asked)
    assert (claim.subject, claim.relation, claim.object) == ("you", relation, value)
    assert (claim.polarity, claim.tense) == (False, tense)


@pytest.mark.parametrize(("asked", "said"), OF_THE_MOMENT)
def test_what_passes_is_told_by_no_yes(asked: str, said: str) -> None:
    assert not [one for one in read_claims(said, asked=asked) if one.object]


def test_the_statement_is_what_the_person_agreed_to() -> None:
    assert [one.statement for one in read_claims("yes", asked="Are you vegetarian?")] == ["I am vegetarian."]
    assert [one.statement for one in read_claims("no", asked="Do you eat meat?")] == ["Do you eat meat? no"]
    assert [one.statement for one in read_claims("no, Lidl", asked="So you work at Aldi?")] == ["I work at Lidl."]


def test_a_value_behind_no_says_what_it_replaces() -> None:
    (claim,) = read_claims("no, Lidl", asked="So you work at Aldi now?")
    assert claim.replaces == "aldi"


def tell(user: EndUser, clock: Clock, *turns: tuple[str, str]) -> set[tuple[str, str]]:
    """What is known after turns with their replies, all read at once."""
    for said, reply in turns:
        MemoryFacade("test").store_exchange(user, NewExchange("t", said, reply), now=clock())
        clock.advance(minutes=1)
    profiling.profile_due_exchanges(user, now=clock())
    with user_scope(user):
        return set(Fact.objects.filter(user=user).exclude(object="").values_list("relation", "object"))


@pytest.mark.django_db
def test_a_yes_alone_is_read_where_something_was_asked(user: EndUser, clock: Clock) -> None:
    told = tell(user, clock, ("Plan a dinner for six", "Gladly! Are you vegetarian?"), ("yes", "Noted."))
    assert told == {("diet", "vegetarian")}


@pytest.mark.django_db
def test_a_yes_answers_the_last_question_and_none_before_it(user: EndUser, clock: Clock) -> None:
    turns = [("Plan a dinner for six", "Are you vegetarian?"), ("thanks", "Shall I write it down?"), ("yes", "Done.")]
    assert not tell(user, clock, *turns)
