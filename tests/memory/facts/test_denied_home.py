"""What is denied of a home or an employer limits nothing, and is told behind what holds."""

import pytest

from memory.facade import MemoryFacade
from memory.models import EndUser
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


def list_told(user: EndUser, clock: Clock, asked: str, *messages: str) -> list[str]:
    """The lines of the known context for a question, after some turns of one thread, a day apart."""
    for message in messages:
        memory.store_exchange(user, NewExchange("t", message, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=1)
    told = memory.compose_context(user, asked, now=clock(), thread_id="u").injection
    return [line for line in told.splitlines() if line.startswith("•")]


@pytest.mark.parametrize(
    ("messages", "asked", "current"),
    [
        (("I don't live in Leeds anymore", "moved to York"), "where do I live?", "York"),
        (("I live in York", "I don't live in Leeds"), "where do I live?", "York"),
        (("We never lived in Leeds", "I live in York"), "where do I live?", "York"),
        (("I work at Aldi", "I don't work at Lidl"), "where do I work?", "Aldi"),
        (("vivo en Lugo", "no vivo en Vigo"), "¿dónde vivo?", "Lugo"),
    ],
)
def test_what_holds_is_told_before_what_is_denied(
    user: EndUser, clock: Clock, messages: tuple[str, ...], asked: str, current: str
) -> None:
    told = list_told(user, clock, asked, *messages)
    assert current in told[0]
    assert "perhaps" not in told[0]


@pytest.mark.parametrize(
    "message",
    [
        "I don't live in Leeds anymore. I moved to York.",
        "I no longer live in Leeds. Moved to York last week.",
        "We never lived in Leeds. We live in York.",
        "I don't live in Leeds anymore",
    ],
)
def test_a_denied_home_limits_no_dinner(user: EndUser, clock: Clock, message: str) -> None:
    told = list_told(user, clock, "What could I cook for dinner tonight?", message)
    assert not [line for line in told if "Leeds" in line]
