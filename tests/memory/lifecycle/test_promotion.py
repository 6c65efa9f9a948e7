"""Promotion: what moves up, what is let go, what stays, and that a second pass has nothing left to do."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.lifecycle import promotion
from memory.lifecycle.promotion import PromotionResult, promote_user
from memory.models import EndUser, MemoryEvent, MemoryItem
from memory.store import archiving, rows
from memory.tiers import Tier
from tests.at_once import run_at_once
from tests.conftest import Clock
from tests.factories import MemoryItemFactory
from tests.patience import PATIENCE_S

AGES = {Tier.WORKING: timedelta(hours=24), Tier.HISTORY: timedelta(days=30)}


def make_memory(user: EndUser, clock: Clock, **fields: Any) -> MemoryItem:
    """A row written now, with its tier's time to live, unless told otherwise."""
    lifetime = AGES.get(fields.get("tier", Tier.WORKING))
    expires_at = clock() + lifetime if lifetime else None
    return MemoryItemFactory.create(user=user, **{"created_at": clock(), "expires_at": expires_at, **fields})


def row(item: MemoryItem) -> MemoryItem:
    with user_scope(item.user):
        return MemoryItem.objects.for_user(item.user).get(pk=item.pk)


def state(item: MemoryItem) -> tuple[str, str]:
    now = row(item)
    return now.tier, now.status


def picture(user: EndUser) -> list[tuple[Any, ...]]:
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).order_by("pk")
        return list(rows.values_list("pk", "tier", "status", "score", "uses", "expires_at", "updated_at", "text"))


# --- thresholds --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("tier", "score", "uses", "becomes"),
    [
        (Tier.WORKING, 0.7, 2, Tier.HISTORY),
        (Tier.WORKING, 0.69, 2, Tier.WORKING),
        (Tier.WORKING, 0.7, 1, Tier.WORKING),
        (Tier.WORKING, 1.0, 0, Tier.WORKING),
        (Tier.WORKING, 0.9, 2, Tier.HISTORY),
        (Tier.WORKING, 0.9, 3, Tier.PATTERNS),
        (Tier.HISTORY, 0.9, 3, Tier.PATTERNS),
        (Tier.HISTORY, 0.89, 3, Tier.HISTORY),
        (Tier.HISTORY, 0.9, 2, Tier.HISTORY),
        (Tier.PATTERNS, 1.0, 9, Tier.PATTERNS),
        (Tier.MEMORY_BANK, 1.0, 9, Tier.MEMORY_BANK),
        (Tier.BOOKS, 1.0, 9, Tier.BOOKS),
    ],
)
def test_a_tier_is_left_at_its_thresholds_and_not_before(
    user: EndUser, clock: Clock, tier: Tier, score: float, uses: int, becomes: Tier
) -> None:
    item = make_memory(user, clock, tier=tier, score=score, uses=uses)
    promote_user(user, now=clock())
    assert state(item) == (becomes, "active")


def test_being_shown_promotes_nothing(user: EndUser, clock: Clock) -> None:
    item = make_memory(user, clock, score=0.9, retrieved=1000)
    assert promote_user(user, now=clock()).promoted == []
    assert state(item) == (Tier.WORKING, "active")


def test_a_step_up_gives_a_fresh_lifetime_an_event_and_a_place_in_the_queue(user: EndUser, clock: Clock) -> None:
    item = make_memory(user, clock, score=0.7, uses=2, indexing="ready")
    user.refresh_from_db()
    [move] = promote_user(user, now=clock.advance(hours=1)).promoted
    assert (move.source, move.target) == (Tier.WORKING, Tier.HISTORY)
    now = row(item)
    assert (now.expires_at, now.indexing) == (clock() + timedelta(days=30), "pending")
    with user_scope(user):
        [event] = MemoryEvent.objects.filter(kind="promoted")
    assert (event.before, event.after, event.actor) == ({"tier": "working"}, {"tier": "history"}, "promotion")
    assert event.reason == "score 0.70 >= 0.7 and uses 2 >= 2"
    user.refresh_from_db()
    assert user.index_due_since == clock()


def test_two_steps_earned_are_two_events_of_one_pass(user: EndUser, clock: Clock) -> None:
    item = make_memory(user, clock, score=0.9, uses=3)
    promote_user(user, now=clock())
    assert row(item).expires_at is None
    with user_scope(user):
        steps = list(MemoryEvent.objects.order_by("pk").values_list("before__tier", "after__tier"))
    assert steps == [("working", "history"), ("history", "patterns")]


# --- what is let go ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("tier", "score", "uses", "stays"),
    [
        (Tier.WORKING, 0.5, 0, False),
        (Tier.WORKING, 0.7, 1, False),
        (Tier.HISTORY, 0.5, 0, False),
        (Tier.HISTORY, 0.69, 2, False),
        (Tier.HISTORY, 0.7, 1, False),
        (Tier.HISTORY, 0.7, 2, True),
        (Tier.PATTERNS, 0.5, 0, True),
        (Tier.MEMORY_BANK, 0.5, 0, True),
        (Tier.BOOKS, 0.5, 0, True),
    ],
)
def test_what_outlived_its_tier_becomes_dormant_unless_it_is_proven(
    user: EndUser, clock: Clock, tier: Tier, score: float, uses: int, stays: bool
) -> None:
    item = make_memory(user, clock, tier=tier, score=score, uses=uses)
    promote_user(user, now=clock() + AGES.get(tier, timedelta()) - timedelta(seconds=1))
    assert state(item)[1] == "active"
    promote_user(user, now=clock() + AGES.get(tier, timedelta(days=9999)))
    assert state(item) == (tier, "active" if stays else "dormant")


def test_what_is_proven_moves_up_on_its_last_day(user: EndUser, clock: Clock) -> None:
    item = make_memory(user, clock, score=0.7, uses=2)
    promote_user(user, now=clock() + timedelta(days=3))
    assert state(item) == (Tier.HISTORY, "active")


@pytest.mark.parametrize(
    ("tier", "score", "uses", "status"),
    [
        (Tier.WORKING, 0.19, 1, "archived"),
        (Tier.HISTORY, 0.0, 4, "archived"),
        (Tier.PATTERNS, 0.1, 9, "archived"),
        (Tier.WORKING, 0.2, 1, "active"),
        (Tier.WORKING, 0.1, 0, "active"),
        (Tier.MEMORY_BANK, 0.1, 5, "active"),
        (Tier.BOOKS, 0.1, 5, "active"),
    ],
)
def test_what_keeps_failing_is_archived_and_not_deleted(
    user: EndUser, clock: Clock, tier: Tier, score: float, uses: int, status: str
) -> None:
    item = make_memory(user, clock, tier=tier, score=score, uses=uses)
    promote_user(user, now=clock())
    assert state(item) == (tier, status)
    assert row(item).text == item.text


def test_the_reason_is_told(user: EndUser, clock: Clock) -> None:
    failing = make_memory(user, clock, score=0.1, uses=2)
    old = make_memory(user, clock, tier=Tier.HISTORY)
    result = promote_user(user, now=clock.advance(days=31))
    reasons = {gone.memory_id: gone.reason for gone in (*result.archived, *result.dormant)}
    assert [gone.memory_id for gone in result.dormant] == [old.pk]
    assert reasons == {
        failing.pk: "score 0.10 < 0.2 after 2 uses",
        old.pk: "past its time in history (31 days old)",
    }
    with user_scope(user):
        assert dict(MemoryEvent.objects.values_list("item_id", "reason")) == reasons


def test_an_archived_row_is_left_alone(user: EndUser, clock: Clock) -> None:
    item = make_memory(user, clock, archived=True, score=0.9, uses=3)
    result = promote_user(user, now=clock.advance(days=60))
    assert (result.promoted, result.archived, result.unchanged) == ([], [], 0)
    assert state(item) == (Tier.WORKING, "archived")


# --- passes ------------------------------------------------------------------------------------------------------
def mixed(user: EndUser, clock: Clock) -> None:
    for score, uses in ((0.9, 3), (0.7, 2), (0.5, 0), (0.1, 2)):
        for tier in Tier:
            for age in (0, 1, 40):
                lifetime = AGES.get(tier)
                written = clock() - timedelta(days=age)
                expires_at = written + lifetime if lifetime else None
                fields: dict[str, Any] = {"tier": tier, "score": score, "uses": uses, "created_at": written}
                make_memory(user, clock, expires_at=expires_at, **fields)


@pytest.fixture
def small(settings: Settings) -> None:
    """Batches and a bank small enough that a mixed store passes their bounds."""
    limits = {**settings.MEMORY["LIMITS"], "bank_capacity": 5}
    settings.MEMORY = {**settings.MEMORY, "PROMOTION": {"batch": 7}, "LIMITS": limits}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("page", [promotion.PAGE, 3])
def test_a_dry_run_tells_what_the_run_does_in_its_order_and_changes_nothing(
    user: EndUser, clock: Clock, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promotion, "PAGE", page)
    mixed(user, clock)
    before = picture(user)
    reported = promote_user(user, now=clock(), dry_run=True)
    assert picture(user) == before
    with user_scope(user):
        assert MemoryEvent.objects.count() == 0
    done = promote_user(user, now=clock())
    assert replace(reported, longest_s=0) == replace(done, longest_s=0)
    assert done.promoted
    assert done.archived
    assert done.dormant
    retired = [gone.memory_id for gone in (*done.archived, *done.dormant)]
    assert len(retired) == len(set(retired))
    assert done.unchanged + len({move.memory_id for move in done.promoted}) + len(retired) == 60


@pytest.mark.usefixtures("small")
def test_a_second_pass_changes_nothing(user: EndUser, clock: Clock) -> None:
    mixed(user, clock)
    promote_user(user, now=clock())
    before = picture(user)
    again = promote_user(user, now=clock())
    assert (again.promoted, again.dormant, again.archived) == ([], [], [])
    assert picture(user) == before


def test_nobody_elses_memories_are_touched(user: EndUser, other_user: EndUser, clock: Clock) -> None:
    item = make_memory(other_user, clock, score=0.9, uses=3)
    assert promote_user(user, now=clock()).unchanged == 0
    assert state(item) == (Tier.WORKING, "active")


def test_promotion_can_be_switched_off(user: EndUser, clock: Clock, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "promotion": False}}
    item = make_memory(user, clock, score=0.9, uses=3)
    assert promote_user(user, now=clock.advance(days=90)) == PromotionResult()
    assert state(item) == (Tier.WORKING, "active")


def test_the_banks_weakest_go_first_and_the_longest_unused_of_equals(
    user: EndUser, clock: Clock, settings: Settings
) -> None:
    settings.MEMORY = {**settings.MEMORY, "LIMITS": {**settings.MEMORY["LIMITS"], "bank_capacity": 3}}
    fields: dict[str, Any] = {"banked": True, "expires_at": None}
    weak = make_memory(user, clock, importance=0.2, confidence=0.2, **fields)
    always = make_memory(user, clock, importance=0.0, always_injected=True, expires_at=None)
    never_used = make_memory(user, clock, importance=0.5, **fields)
    used = make_memory(user, clock, importance=0.5, last_used_at=clock(), **fields)
    strong = make_memory(user, clock, importance=1.0, confidence=1.0, **fields)
    result = promote_user(user, now=clock())
    assert {gone.memory_id for gone in result.archived} == {weak.pk, never_used.pk}
    assert {state(item)[1] for item in (always, used, strong)} == {"active"}


# --- at once and cut off -----------------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
def test_passes_at_once_do_each_step_once(user: EndUser, clock: Clock) -> None:
    mixed(user, clock)
    expected = promote_user(user, now=clock(), dry_run=True)
    results = run_at_once(*[lambda: promote_user(user, now=clock())] * 3)
    promote_user(user, now=clock())
    with user_scope(user):
        steps = list(MemoryEvent.objects.values_list("item_id", "kind", "before__tier"))
    assert len(steps) == len(set(steps)) == len(expected.promoted) + len(expected.dormant) + len(expected.archived)
    assert sum(len(result.promoted) for result in results) == len(expected.promoted)


@pytest.mark.django_db(transaction=True)
def test_a_pass_that_is_cut_off_leaves_whole_batches_and_is_taken_up_again(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.MEMORY = {**settings.MEMORY, "PROMOTION": {"batch": 2}}
    for _ in range(6):
        make_memory(user, clock, score=0.9, uses=3)
    carry_out, calls = promotion.apply_moves, []

    def fail_in_the_second(*asked: Any) -> None:
        carry_out(*asked)
        calls.append(asked)
        if len(calls) == 2:
            raise RuntimeError("cut off")

    with monkeypatch.context() as patch:
        patch.setattr(promotion, "apply_moves", fail_in_the_second)
        with pytest.raises(RuntimeError) as error:
            promote_user(user, now=clock())
        assert not connection.in_atomic_block, "the failed batch must not hold its transaction while the error lives"
        assert error.value
    with user_scope(user):
        assert MemoryItem.objects.filter(tier=Tier.PATTERNS).count() == 2
        assert MemoryEvent.objects.count() == 4
    assert len({move.memory_id for move in promote_user(user, now=clock()).promoted}) == 4


@pytest.mark.django_db(transaction=True)
def test_a_row_that_is_being_changed_is_left_for_the_next_pass(user: EndUser, clock: Clock) -> None:
    busy, free = make_memory(user, clock, score=0.9, uses=3), make_memory(user, clock, score=0.9, uses=3)

    def run() -> PromotionResult:
        try:
            return promote_user(user, now=clock())
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, user_scope(user):
        rows.lock_item(user, busy.pk)
        result = pool.submit(run).result(PATIENCE_S)
        archiving.archive_memory(user, busy.pk, now=clock())
    assert {move.memory_id for move in result.promoted} == {free.pk}
    assert state(busy) == (Tier.WORKING, "archived")
