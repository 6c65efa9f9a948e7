"""What ranking is given of a row: read whole, cut to the question's words, and always in the same order."""

from collections.abc import Callable

import pytest

from memory.access.cursors import GENERIC_PLAN
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.models.conditions import RowConditions
from memory.retrieval.candidates import WORDS_AT_ONCE, RowFilter, read_rows
from memory.retrieval.pool import CandidateMemory
from memory.retrieval.query import understand_query
from memory.store.admission import NewMemory
from memory.tiers import Tier
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db

NINE = "alder birch cedar elm fir gum hazel juniper larch"


def read(user: EndUser, clock: Clock, question: str, rows: RowConditions | None = None) -> list[CandidateMemory]:
    words = understand_query(question, (), clock()).words
    with user_scope(user, settings=GENERIC_PLAN):
        ids = list(MemoryItem.objects.for_user(user).values_list("pk", flat=True))
        return read_rows(RowFilter(user, clock(), rows=rows or RowConditions()), ids[::-1], words)


def test_rows_come_in_the_order_of_their_ids(user: EndUser, clock: Clock) -> None:
    for number in range(12):
        memory.store(user, NewMemory(f"Note {number} is about trees.", tier=Tier.HISTORY), now=clock())
    found = [one.id for one in read(user, clock, "trees")]
    assert found == sorted(found)
    assert len(found) == 12


@pytest.mark.parametrize("words", [1, WORDS_AT_ONCE, WORDS_AT_ONCE + 1])
def test_each_word_of_a_question_is_looked_for_and_no_other(user: EndUser, clock: Clock, words: int) -> None:
    question = " ".join(NINE.split()[:words])
    memory.store(user, NewMemory(f"In the park grow {NINE.rpartition(' ')[0]}.", tier=Tier.HISTORY), now=clock())
    (one,) = read(user, clock, question)
    assert one.holds == tuple(word != "larch" for word in question.split())


def test_conditions_of_a_request_hold_in_what_is_read(user: EndUser, clock: Clock) -> None:
    for name in ("oak", "yew"):
        memory.store(user, NewMemory(f"The {name} is old.", tier=Tier.HISTORY, metadata={"tree": name}), now=clock())
    (one,) = read(user, clock, "old", RowConditions.of({"tree": "yew"}))
    assert one.text == "The yew is old."
    assert one.holds == (True,)


def test_what_was_said_in_an_exchange_is_told_from_a_note(user: EndUser, clock: Clock) -> None:
    memory.store(user, NewMemory("I live in Hull, near the docks.", tier=Tier.HISTORY), now=clock())
    memory.store_exchange(user, NewExchange("t", "I live in Leeds.", "I see."), now=clock())
    profiling.profile_due_exchanges(user, now=clock())
    spoken = {(one.is_spoken, one.is_published) for one in read(user, clock, "live")}
    assert spoken == {(False, False), (True, False), (True, True)}


def test_a_candidate_holds_what_its_row_does(user: EndUser, clock: Clock, index_now: Callable[[EndUser], None]) -> None:
    new = NewMemory("The oak is old.", tier=Tier.MEMORY_BANK, tags=("trees",), importance=0.9, confidence=0.8)
    stored = memory.store(user, new, now=clock()).item
    (waiting,) = read(user, clock, "oak")
    index_now(user)
    (one,) = read(user, clock, "oak")
    assert waiting == one._replace(is_waiting=True)
    assert (one.id, one.tier, one.tags, one.importance, one.confidence) == (
        stored.pk,
        Tier.MEMORY_BANK,
        ("trees",),
        0.9,
        0.8,
    )
    assert (one.occurred_at, one.speaker, one.thread_id, one.holds) == (clock(), "", "", (True,))
