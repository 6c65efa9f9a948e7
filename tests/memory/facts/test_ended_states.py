"""What a later turn ends of what was told before, and what it leaves as it was, in every language."""

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


def tell(user: EndUser, clock: Clock, *turns: str) -> None:
    """Each turn days after the one before, in a conversation of its own."""
    for number, turn in enumerate(turns):
        clock.advance(days=3)
        memory.store_exchange(user, NewExchange(f"thread-{number}", turn, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())


def list_held(user: EndUser, relation: str) -> list[str]:
    with user_scope(user):
        held = Fact.objects.for_user(user).active().filter(relation=relation, polarity=True)
        return sorted(held.values_list("object_key", flat=True))


@pytest.mark.parametrize(
    ("told", "later", "name"),
    [
        ("Mein Mann heißt Jürgen.", "Jürgen ist seit November in Rente.", "jurgen"),
        ("Mein Mann heißt Jürgen.", "Jürgen hat gekündigt.", "jurgen"),
        ("My husband is called Thierry.", "Thierry has been retired since November.", "thierry"),
        ("My husband Thierry works at Airbus.", "Thierry was laid off.", "thierry"),
        ("Mon mari s'appelle Thierry.", "Thierry est à la retraite depuis novembre.", "thierry"),
        ("Mi marido se llama Paco.", "Paco se ha jubilado en noviembre.", "paco"),
        ("Mio marito si chiama Aldo.", "Aldo è in pensione da novembre.", "aldo"),
        ("Meu marido se chama Caio.", "O Caio se aposentou em novembro.", "caio"),
        ("לבעלי קוראים אבי", "אבי יצא לפנסיה בנובמבר", "אבי"),
    ],
)
def test_who_retires_is_married_as_before(user: EndUser, clock: Clock, told: str, later: str, name: str) -> None:
    tell(user, clock, told, later)
    assert list_held(user, "husband") == [name]


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("My boss is Clive.", "Clive retired on Friday."),
        ("Mein Chef heißt Herr Wolff.", "Der Wolff ist in Rente gegangen."),
    ],
)
def test_a_boss_who_retires_is_one_no_more(user: EndUser, clock: Clock, told: str, later: str) -> None:
    tell(user, clock, told, later)
    assert list_held(user, "boss") == []
