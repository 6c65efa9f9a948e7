"""A conversation in which the assistant asks back: what is answered is known, as theirs whom it is about."""

from collections.abc import Callable

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")
TALK = [
    ("mum", "my mum's poorly", "Oh no. What does she take?"),
    ("mum", "metformin", "What dose?"),
    ("mum", "500 twice a day", "OK."),
    ("me", "i live in stroud and i've a cat called biscuit", "Nice! How is Biscuit?"),
    ("me", "oh she died last week :(", "So sorry. Are you still at Bosch?"),
    ("me", "nah, left in june", "Where are you now?"),
    ("me", "lidl", "Good luck there."),
]


@pytest.fixture
def told(user: EndUser, clock: Clock, index_now: Callable[[EndUser], None]) -> EndUser:
    memory = MemoryFacade("key:test")
    for thread, said, reply in TALK:
        memory.store_exchange(user, NewExchange(thread, said, reply), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(minutes=1)
    index_now(user)
    return user


def test_what_is_answered_is_theirs_whom_it_is_about(told: EndUser) -> None:
    with user_scope(told):
        facts = {
            (one.subject_key, one.relation, one.object)
            for one in Fact.objects.for_user(told).active().filter(polarity=True)
        }
    assert ("mum", "takes", "metformin") in facts
    assert ("you", "works_at", "lidl") in facts
    assert not [one for one in facts if one[0] == "you" and one[1] in {"takes", "takes_dose", "dose"}]
    assert ("you", "cat", "biscuit") not in facts


def test_a_context_tells_an_answer_with_its_question(told: EndUser, clock: Clock) -> None:
    context = MemoryFacade("key:test").compose_context(told, "what dose does mum take?", now=clock(), thread_id="new")
    assert "What dose? 500 twice a day." in context.injection
    context = MemoryFacade("key:test").compose_context(told, "how is biscuit?", now=clock(), thread_id="new")
    assert "asked: How is Biscuit?" in context.injection or "Biscuit died last week." in context.injection


def test_what_holds_of_a_sentence_is_told_though_the_rest_is_over(told: EndUser, clock: Clock) -> None:
    """The exchange that told of Stroud and of the cat says that it is over, as the cat is."""
    context = MemoryFacade("key:test").compose_context(told, "where do i live?", now=clock(), thread_id="new")
    known = next(part.text for part in context.sections if part.name == "known_context")
    assert "stroud" in known.casefold()
