"""What a person says of themselves in passing: found after the exchange, kept once, from their words only."""

import uuid
from typing import Any

import pytest
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.facts import profile
from memory.facts.profile import ProfileFact
from memory.models import EndUser, MemoryItem
from memory.tiers import SourceType, Tier, Trust
from outcomes import tasks, work
from outcomes.exchanges import listing, profiling
from outcomes.exchanges.storing import NewExchange
from outcomes.models import Exchange
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
FACT = "I am allergic to peanuts."


def record_exchange(user: EndUser, clock: Clock, message: str, answer: str = "Noted.", **fields: Any) -> uuid.UUID:
    new = NewExchange("t-1", message, answer, **fields)
    return memory.store_exchange(user, new, now=clock.advance(minutes=1)).exchange_id


def list_bank(user: EndUser) -> list[MemoryItem]:
    with user_scope(user):
        return list(MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK).order_by("created_at"))


def count_pending(user: EndUser) -> int:
    with user_scope(user):
        return Exchange.objects.filter(profiled_at=None).count()


def extract_facts(user: EndUser) -> None:
    tasks.look_at_conversations(user.pk)


def test_a_fact_in_passing_is_kept_with_where_it_comes_from(user: EndUser, clock: Clock) -> None:
    exchange_id = record_exchange(user, clock, f"Where can we eat tonight? {FACT}")
    assert (list_bank(user), count_pending(user)) == ([], 1)
    extract_facts(user)
    [item] = list_bank(user)
    assert "allergic to peanuts" in item.text
    reported = listing.find_exchange(user, exchange_id)
    assert reported is not None
    assert item.source == {"kind": "profile", "exchange": str(exchange_id)}
    assert item.parents == [reported.exchange.memory_id]
    assert (item.source_type, item.trust, item.principal) == (SourceType.USER, Trust.ASSISTANT, "profile")
    assert (item.always_inject, bool(item.tags), item.importance >= 0.6) == (False, True, True)
    assert count_pending(user) == 0
    assert work.list_due_users(clock.advance(days=1)) == []


def test_a_fact_is_trusted_no_more_than_its_exchange_and_those_who_worded_it(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept(message: str) -> int:
        reported = listing.find_exchange(user, record_exchange(user, clock, message))
        assert reported is not None
        assert reported.exchange.memory_id is not None
        memory.vouch(user, reported.exchange.memory_id, now=clock())
        extract_facts(user)
        return list_bank(user)[-1].trust

    # A person answers for the exchange, and nobody but them had a hand in the wording.
    assert kept(FACT) == Trust.USER
    fact = ProfileFact("preferences", "The user prefers answers in Italian.", "high", Trust.ASSISTANT)
    monkeypatch.setattr(profile, "detect_profile_facts", lambda message, deadline, previous: [fact])
    assert kept("Please, answer me in Italian from now on.") == Trust.ASSISTANT


def test_the_same_fact_again_is_the_same_item(user: EndUser, clock: Clock) -> None:
    for _ in range(3):
        record_exchange(user, clock, FACT)
        extract_facts(user)
    [item] = list_bank(user)
    assert item.mentions == 3


def test_the_assistants_words_are_not_the_persons(user: EndUser, clock: Clock) -> None:
    record_exchange(
        user, clock, "What can I cook for ten people?", answer="My name is Ben. I am allergic to shellfish."
    )
    extract_facts(user)
    assert list_bank(user) == []


@pytest.mark.parametrize(
    "message", ["thanks!", "hello", "My password is hunter2-Zq9!x", "What is the capital of Peru?"]
)
def test_what_is_not_lasting_or_not_allowed_is_not_kept(user: EndUser, clock: Clock, message: str) -> None:
    record_exchange(user, clock, message)
    extract_facts(user)
    assert (list_bank(user), count_pending(user)) == ([], 0)


def test_switched_off_nothing_is_looked_for_nor_waits(user: EndUser, clock: Clock, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "profile_detection": False}}
    record_exchange(user, clock, FACT)
    assert count_pending(user) == 0
    extract_facts(user)
    assert list_bank(user) == []


def test_a_killed_worker_loses_nothing_and_a_late_one_adds_nothing(user: EndUser, clock: Clock) -> None:
    record_exchange(user, clock, FACT)
    exchange = profiling.lease_next_exchange(user, clock())
    assert exchange is not None
    assert profiling.lease_next_exchange(user, clock()) is None, "under a lease"
    extract_facts(user)
    assert list_bank(user) == []
    clock.advance(minutes=6)
    extract_facts(user)
    assert len(list_bank(user)) == 1
    late = profiling.store_facts(user, exchange, profiling.draft_facts(user, exchange), clock())
    [item] = list_bank(user)
    assert (late, item.mentions) == (0, 1)


def test_what_ends_the_worker_each_time_is_left(user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*args: object) -> list[object]:
        raise SystemExit

    record_exchange(user, clock, FACT)
    with monkeypatch.context() as patched:
        patched.setattr(profile, "detect_profile_facts", killed)
        for _ in range(3):
            with pytest.raises(SystemExit):
                profiling.profile_due_exchanges(user, now=clock())
            clock.advance(minutes=6)
    extract_facts(user)
    assert (list_bank(user), count_pending(user)) == ([], 0)


def test_the_days_looks_are_limited(user: EndUser, clock: Clock, settings: Settings) -> None:
    limits = {**settings.MEMORY["CONVERSATIONS"], "profiles_a_day": 1}
    settings.MEMORY = {**settings.MEMORY, "CONVERSATIONS": limits}
    record_exchange(user, clock, FACT)
    record_exchange(user, clock, "My name is Ann.")
    extract_facts(user)
    assert (len(list_bank(user)), count_pending(user)) == (1, 0)


def test_an_exchange_that_was_deleted_meanwhile_leaves_nothing(user: EndUser, clock: Clock) -> None:
    exchange_id = record_exchange(user, clock, FACT)
    exchange = profiling.lease_next_exchange(user, clock())
    reported = listing.find_exchange(user, exchange_id)
    assert exchange is not None
    assert reported is not None
    assert reported.exchange.memory_id is not None
    memory.remove(user, reported.exchange.memory_id, now=clock())
    assert profiling.store_facts(user, exchange, profiling.draft_facts(user, exchange), clock()) == 0
    assert list_bank(user) == []
