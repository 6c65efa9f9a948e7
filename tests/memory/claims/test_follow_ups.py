"""What a person answers to a question about what they have just told fills what it left open, in every language."""

import pytest

from memory.access.scope import user_scope
from memory.claims import read_claims
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

FILLED = [
    ("we finally moved", "Where are you now?", "Cologne, near the river", "lives_in", "cologne"),
    ("we moved", "Where to?", "we're in York now", "lives_in", "york"),
    ("got a new job", "Where?", "it's at Aldi", "works_at", "aldi"),
    ("got a new job", "What will you do?", "nurse", "works_as", "nurse"),
    ("got a dog", "What's she called?", "Nala, she's tiny", "dog", "nala"),
    ("got a dog", "What's she called?", "we named her nala", "dog", "nala"),
    ("new phone", "Which one?", "it's a Pixel 9", "phone", "pixel 9"),
    ("my rent went up", "To how much?", "950", "rent", "950"),
    ("dose got changed", "What is it now?", "75 mcg", "takes_dose", "75 mcg"),
    ("help me plan a walk", "What's your dog's name?", "Nala", "dog", "nala"),
    ("wir sind umgezogen", "Wo wohnt ihr jetzt?", "Fürth, direkt am Park", "lives_in", "fürth"),
    ("ich hab einen neuen Hund", "Wie heißt er?", "er heißt Rex", "dog", "rex"),
    ("he cambiado de trabajo", "¿A dónde?", "a Correos", "works_at", "correos"),
    ("tenemos perro nuevo", "¿Cómo se llama?", "se llama Nala", "dog", "nala"),
    ("on a déménagé", "Vous êtes où maintenant ?", "Montreuil, près du métro", "lives_in", "montreuil"),
    ("on a un nouveau chat", "Il s'appelle comment ?", "Moka", "cat", "moka"),
    ("trasloco finito!!! schiena pure", "E adesso dove stai?", "Cologno, vicino alla metro", "lives_in", "cologno"),
    ("abbiamo preso un cane", "Come si chiama?", "si chiama Zorro", "dog", "zorro"),
    ("mudámo-nos", "Onde estão agora?", "Braga, perto do rio", "lives_in", "braga"),
    ("temos um cão novo", "Como se chama?", "Bolinha", "dog", "bolinha"),
    ("עברנו דירה", "איפה אתם גרים עכשיו?", "גבעתיים, ליד הפארק", "lives_in", "גבעתיים"),
    ("אימצנו כלבה", "איך קוראים לה?", "לולה", "dog", "לולה"),
]
LEFT_OPEN = [
    ("we moved", "What would you like to cook?", "pasta"),
    ("got a dog", "What can I do for you?", "recipes"),
    ("got a dog", "What's she called?", "not sure yet"),
    ("got a new job", "Where do you want to eat?", "Nando's"),
    ("got a new phone", "Which one?", "the cheap one"),
    ("my brother got a new job", "Where?", "Aldi"),
    ("my sister got a dog", "What's it called?", "Nala"),
    ("the cat is sick", "Since when?", "thursday"),
]


@pytest.mark.parametrize(("before", "asked", "said", "relation", "value"), FILLED)
def test_an_answer_fills_what_was_left_open(before: str, asked: str, said: str, relation: str, value: str) -> None:
    found = {(one.subject, one.relation, one.object) for one in read_claims(said, [before], asked=asked)}
    assert ("you", relation, value) in found
    # Nobody else is called so.
    assert {one[1] for one in found if one[2] == value} == {relation}


@pytest.mark.parametrize(("before", "asked", "said"), LEFT_OPEN)
def test_other_questions_fill_nothing(before: str, asked: str, said: str) -> None:
    assert not [one for one in read_claims(said, [before], asked=asked) if one.object]


def test_the_statement_says_what_the_value_is_of() -> None:
    (claim,) = read_claims("Nala, she's tiny", ["got a dog"], asked="What's she called?")
    assert claim.statement == "Dog: Nala, she's tiny."


@pytest.mark.django_db
def test_a_conversation_teaches_what_was_asked(user: EndUser, clock: Clock) -> None:
    facade = MemoryFacade("test")
    facade.store_exchange(user, NewExchange("t", "I live in Leeds", "Noted."), now=clock.now)
    clock.advance(days=30)
    facade.store_exchange(user, NewExchange("u", "we finally moved!", "Hooray! Where are you now?"), now=clock.now)
    clock.advance(minutes=1)
    facade.store_exchange(user, NewExchange("u", "York, near the river", "Lovely."), now=clock.now)
    profiling.profile_due_exchanges(user, now=clock.now)
    with user_scope(user):
        homes = dict(Fact.objects.filter(user=user, relation="lives_in").values_list("object", "state"))
    assert homes == {"leeds": "superseded", "york": "active"}
