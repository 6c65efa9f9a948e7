"""After a correction, by whatever door, the conversation that told the old value says so and stands below."""

from collections.abc import Callable

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from memory.models.facts import FactState
from memory.retrieval.results import SearchHit, SearchRequest
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
ASKED = "Who is my dentist?"


def tell(user: EndUser, clock: Clock, message: str) -> None:
    memory.store_exchange(user, NewExchange("t", message, "I see."), now=clock())
    profiling.profile_due_exchanges(user, now=clock())


def get_fact(user: EndUser, words: str, state: FactState = FactState.ACTIVE) -> Fact:
    with user_scope(user):
        return Fact.objects.for_user(user).get(statement__contains=words, state=state)


def find_hits(user: EndUser, clock: Clock, question: str = ASKED) -> list[SearchHit]:
    return list(memory.search(user, SearchRequest(question), now=clock()).hits)


def list_notes(user: EndUser, clock: Clock, words: str, question: str = ASKED) -> list[str | None]:
    """What each memory with those words says of what took its place; None where it says nothing."""
    hits = [hit for hit in find_hits(user, clock, question) if words in hit.item.text]
    return [hit.superseded_by.statement if hit.superseded_by else None for hit in hits]


def correct_fact(user: EndUser, fact: Fact, text: str, clock: Clock) -> None:
    memory.revise_fact(user, fact.pk, statement=text, now=clock())


def correct_item(user: EndUser, fact: Fact, text: str, clock: Clock) -> None:
    """As the console's Edit, PATCH of a memory, the tool update_memory and mem0's update do."""
    assert fact.bank_item_id is not None
    memory.revise(user, fact.bank_item_id, {"text": text}, now=clock())


@pytest.mark.parametrize("correct", [correct_fact, correct_item])
def test_what_told_the_wrong_value_is_marked_and_stands_below(
    user: EndUser, clock: Clock, correct: Callable[[EndUser, Fact, str, Clock], None]
) -> None:
    tell(user, clock, "My dentist is Dr. Peleg.")
    clock.advance(minutes=2)
    right = "My dentist is Dr. Amsalem."
    correct(user, get_fact(user, "Peleg"), right, clock)

    assert get_fact(user, "Amsalem").evidence_count == 1
    assert list_notes(user, clock, "Peleg") == [right]
    assert find_hits(user, clock)[0].item.text == right
    injection = memory.compose_context(user, ASKED, now=clock()).injection
    assert "Amsalem" in injection
    assert all("no longer so" in line for line in injection.splitlines() if "Peleg" in line)
    wrong = get_fact(user, "Peleg", FactState.RETRACTED)
    assert wrong.superseded_by == get_fact(user, "Amsalem").pk


def test_reading_the_turn_again_does_not_bring_the_wrong_value_back(user: EndUser, clock: Clock) -> None:
    tell(user, clock, "My dentist is Dr. Peleg.")
    correct_fact(user, get_fact(user, "Peleg"), "My dentist is Dr. Amsalem.", clock)
    memory.extract_facts(user, now=clock())
    with user_scope(user):
        assert [fact.statement for fact in Fact.objects.for_user(user).active()] == ["My dentist is Dr. Amsalem."]


def test_a_correction_taken_back_leaves_everything_as_it_was(user: EndUser, clock: Clock) -> None:
    tell(user, clock, "My dentist is Dr. Peleg.")
    fact = get_fact(user, "Peleg")
    correct_fact(user, fact, "My dentist is Dr. Amsalem.", clock)
    memory.undo_fact_change(user, fact.pk, now=clock())
    assert set(list_notes(user, clock, "Peleg")) == {None}
    with user_scope(user):
        assert not Fact.objects.for_user(user).filter(state=FactState.RETRACTED).exists()


@pytest.mark.parametrize("same", ["My dentist is Dr Peleg", "My dentist is Dr. Peleg, in Herzl Street."])
def test_other_words_for_the_same_mark_nothing(user: EndUser, clock: Clock, same: str) -> None:
    tell(user, clock, "My dentist is Dr. Peleg.")
    correct_fact(user, get_fact(user, "Peleg"), same, clock)
    assert set(list_notes(user, clock, "Peleg")) == {None}


def test_what_else_the_sentence_told_still_holds(user: EndUser, clock: Clock) -> None:
    tell(user, clock, "My sister Ida lives in Leeds.")
    with user_scope(user):
        before = {fact.relation: fact for fact in Fact.objects.for_user(user).active()}
    assert len(before) == len({fact.bank_item_id for fact in before.values()}) + 1
    right = "My sister Ida lives in York."
    correct_item(user, before["lives_in"], right, clock)
    with user_scope(user):
        held = {fact.relation: fact for fact in Fact.objects.for_user(user).active()}
        wrong = Fact.objects.for_user(user).get(state=FactState.RETRACTED)
    assert {relation: fact.pk for relation, fact in held.items()} == {
        relation: fact.pk for relation, fact in before.items()
    }
    assert {fact.statement for fact in held.values()} == {right}
    assert (wrong.relation, wrong.object.casefold()) == ("lives_in", "leeds")
    assert list_notes(user, clock, "Leeds", "Where does Ida live?") == [right]


def test_a_fact_that_a_person_stated_by_hand_leaves_no_second_one(user: EndUser, clock: Clock) -> None:
    stated = memory.state_fact(user, "My dentist is Dr. Peleg.", now=clock()).fact
    assert stated is not None
    correct_fact(user, stated, "My dentist is Dr. Amsalem.", clock)
    with user_scope(user):
        assert Fact.objects.for_user(user).count() == 1


def test_a_fact_corrected_to_what_another_says_gives_it_no_evidence_of_the_wrong_words(
    user: EndUser, clock: Clock
) -> None:
    tell(user, clock, "I'm allergic to pistachios.")
    clock.advance(days=1)
    tell(user, clock, "I'm allergic to cashews.")
    kept = get_fact(user, "cashews")
    correct_fact(user, get_fact(user, "pistachios"), "I'm allergic to cashews.", clock)
    assert set(list_notes(user, clock, "pistachios", "What am I allergic to?")) == {kept.statement}
