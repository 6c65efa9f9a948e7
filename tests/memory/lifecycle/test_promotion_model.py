"""Random lives of memories, told alike to the product and to a small model of it: they never part.

Writes, outcomes, waiting, promotion, undo, archiving and restoring come in any order, some of them twice, and any of
them may be cut off at any statement. What was cut off happened not at all; a pass that was cut off is run again.
"""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError, connection
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.lifecycle import promotion
from memory.models import EndUser, MemoryEvent, MemoryItem, Organization
from memory.store.admission import NewMemory, WriteRefused
from memory.tiers import Outcome, SourceType, Tier, Trust
from tests.conftest import Clock
from tests.factories import EndUserFactory, MemoryItemFactory

memory = MemoryFacade("key:test")

DELTAS = {Outcome.WORKED: 0.2, Outcome.FAILED: -0.3, Outcome.PARTIAL: 0.05, Outcome.UNKNOWN: 0.0}
LIFETIMES = {Tier.WORKING: timedelta(hours=24), Tier.HISTORY: timedelta(days=30)}
STEPS = {Tier.WORKING: (Tier.HISTORY, 0.7, 2), Tier.HISTORY: (Tier.PATTERNS, 0.9, 3)}
SCORED = {Tier.WORKING, Tier.HISTORY, Tier.PATTERNS}
MOVES = {"promoted", "archived", "dormant"}
OUTCOME = "outcome_"
VERDICTS = {f"{OUTCOME}{outcome}" for outcome in Outcome}


@dataclass
class Entry:
    """One thing that happened; ``undoes`` is the place of the entry it takes back."""

    kind: str
    tier_before: Tier | None = None
    moved: float = 0.0
    undoes: int | None = None


@dataclass
class Life:
    """What should be known of one memory."""

    tier: Tier
    trust: Trust
    expires_at: datetime | None = None
    score: float = 0.5
    uses: int = 0
    overruled: int = 0
    status: str = "active"
    counts: dict[Outcome, int] = field(default_factory=lambda: dict.fromkeys(Outcome, 0))
    log: list[Entry] = field(default_factory=lambda: [Entry("stored")])

    def live_from(self, now: datetime) -> None:
        lifetime = LIFETIMES.get(self.tier)
        self.expires_at = now + lifetime if lifetime else None

    def judge(self, outcome: Outcome) -> None:
        if self.tier in SCORED:
            before, self.score = self.score, bounded(self.score + DELTAS[outcome])
            self.uses += outcome is not Outcome.UNKNOWN
            self.counts[outcome] += 1
            self.log.append(Entry(f"{OUTCOME}{outcome}", moved=self.score - before))

    def revive(self, now: datetime) -> None:
        if self.status == "dormant":
            self.status, self.tier = "active", Tier.HISTORY
            self.live_from(now)
            self.log.append(Entry("revived"))

    def promote(self, now: datetime) -> None:
        if self.status == "dormant" and self.is_garbage:
            self.archive_item()
        if self.status != "active":
            return
        rose = False
        while (step := STEPS.get(self.tier)) and self.may_rise(step):
            self.log.append(Entry("promoted", self.tier))
            self.tier, rose = step[0], True
        if rose:
            self.live_from(now)
        elif self.is_garbage:
            self.archive_item()
        elif self.is_over(now):
            self.status = "dormant"
            self.log.append(Entry("dormant"))

    def may_rise(self, step: tuple[Tier, float, int]) -> bool:
        _, score, uses = step
        return self.trust > Trust.EXTERNAL and self.uses > self.overruled and self.score >= score and self.uses >= uses

    @property
    def is_garbage(self) -> bool:
        return self.tier in SCORED and self.uses > self.overruled and self.score < 0.2

    def is_over(self, now: datetime) -> bool:
        proven = self.tier is Tier.HISTORY and self.score >= 0.7 and self.uses >= 2
        return self.expires_at is not None and self.expires_at <= now and not proven

    def archive_item(self) -> None:
        if self.status != "archived":
            self.status = "archived"
            self.log.append(Entry("archived"))

    def come_back(self, now: datetime, undoes: int | None = None) -> None:
        if self.status != "active":
            self.status = "active"
            self.live_from(now)
            if self.score < 0.2:
                self.overruled = self.uses
            self.log.append(Entry("restored", undoes=undoes))

    def may_undo(self, place: int) -> bool:
        taken_back = {entry.undoes for entry in self.log}
        later = range(place + 1, len(self.log))
        nothing_since = all(self.log[at].undoes is not None or at in taken_back for at in later)
        kind = self.log[place].kind
        may_come_back = kind in VERDICTS or (kind in MOVES and nothing_since)
        return may_come_back and place not in taken_back

    def undo(self, place: int, now: datetime) -> None:
        entry = self.log[place]
        if entry.kind in VERDICTS:
            self.withdraw(entry, place)
            return
        self.overruled = self.uses
        if entry.kind != "promoted":
            self.come_back(now, undoes=place)
        else:
            assert entry.tier_before is not None
            self.tier = entry.tier_before
            self.live_from(now)
            self.log.append(Entry("undone", undoes=place))

    def withdraw(self, entry: Entry, place: int) -> None:
        outcome = Outcome(entry.kind.removeprefix(OUTCOME))
        self.score = bounded(self.score - entry.moved)
        self.uses -= outcome is not Outcome.UNKNOWN
        self.counts[outcome] -= 1
        self.overruled = min(self.overruled, self.uses)
        self.log.append(Entry("outcome_withdrawn", undoes=place))


def bounded(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 6)


class Cut(RuntimeError):
    """The connection is gone in the middle of something."""


@contextmanager
def cut_off(after: int | None) -> Iterator[list[bool]]:
    """Lets so many statements through and none of what follows in the same go. Says whether it came to that."""
    left, came = after, []

    def count(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        nonlocal left
        if left is not None and "SAVEPOINT" not in sql:
            left -= 1
            if left < 0:
                left = None
                came.append(True)
                raise Cut("cut off")
        return execute(sql, *rest)

    with connection.execute_wrapper(count), suppress(Cut):
        yield came


NUMBER = st.integers(0, 7)
CUT = st.one_of(st.none(), st.none(), st.integers(0, 40))
TIMES = st.integers(1, 3)


class Lives(RuleBasedStateMachine):
    organization: Organization
    started: datetime

    def __init__(self) -> None:
        super().__init__()
        self.user = EndUserFactory.create(organization=self.organization)
        self.now = self.started
        self.lives: dict[uuid.UUID, Life] = {}
        self.written = 0

    @rule(tier=st.sampled_from(Tier), source=st.sampled_from([*SourceType, SourceType.USER]), cut=CUT)
    def write(self, tier: Tier, source: SourceType, cut: int | None) -> None:
        outside = source in {SourceType.TOOL, SourceType.DOCUMENT}
        tier = Tier.WORKING if outside else tier
        trust = Trust.EXTERNAL if outside else Trust.USER if source is SourceType.USER else Trust.ASSISTANT
        self.written += 1
        key = uuid.uuid4()
        new = NewMemory(f"Entry {self.written}", id=key, tier=tier, tags=["project"], source_type=source)
        with cut_off(cut) as came:
            memory.store(self.user, new, now=self.now)
        if not came:
            self.lives[key] = Life(tier, trust)
            self.lives[key].live_from(self.now)

    @precondition(lambda self: self.lives)
    @rule(number=NUMBER, outcome=st.sampled_from([Outcome.WORKED, Outcome.WORKED, *Outcome]), cut=CUT, times=TIMES)
    def judge(self, number: int, outcome: Outcome, cut: int | None, times: int) -> None:
        for _ in range(times):
            key, life = self.pick(number)
            with cut_off(cut) as came:
                memory.record_outcome(self.user, outcome, now=self.now, related=[str(key)])
            if not came:
                life.judge(outcome)
                if outcome is Outcome.WORKED:
                    life.revive(self.now)

    @precondition(lambda self: self.lives)
    @rule(number=NUMBER, cut=CUT, times=TIMES)
    def archive(self, number: int, cut: int | None, times: int) -> None:
        for _ in range(times):
            key, life = self.pick(number)
            with cut_off(cut) as came:
                memory.archive(self.user, key, now=self.now)
            if not came:
                life.archive_item()

    @precondition(lambda self: self.lives)
    @rule(number=NUMBER, cut=CUT, times=TIMES)
    def restore(self, number: int, cut: int | None, times: int) -> None:
        for _ in range(times):
            key, life = self.pick(number)
            with cut_off(cut) as came:
                memory.restore(self.user, key, now=self.now)
            if not came:
                life.come_back(self.now)

    @precondition(lambda self: self.lives)
    @rule(number=NUMBER, back=st.integers(1, 3), cut=CUT)
    def undo(self, number: int, back: int, cut: int | None) -> None:
        key, life = self.pick(number)
        place = max(0, len(life.log) - back)
        event = memory.list_events(self.user, key)[::-1][place]
        allowed, refused = life.may_undo(place), False
        with cut_off(cut) as came:
            try:
                memory.undo(self.user, key, event.pk, now=self.now)
            except WriteRefused:
                refused = True
        if not came:
            assert refused is not allowed
            if allowed:
                life.undo(place, self.now)

    @rule(hours=st.sampled_from([1, 23, 24, 25, 24 * 29, 24 * 31]))
    def wait(self, hours: int) -> None:
        self.now += timedelta(hours=hours)

    @rule(cut=CUT, times=TIMES)
    def promote(self, cut: int | None, times: int) -> None:
        for _ in range(times):
            with cut_off(cut):
                memory.promote(self.user, now=self.now)
        foretold = memory.promote(self.user, now=self.now, dry_run=True)
        done = memory.promote(self.user, now=self.now)
        assert {move.memory_id for move in foretold.promoted} == {move.memory_id for move in done.promoted}
        assert {gone.memory_id for gone in foretold.archived} == {gone.memory_id for gone in done.archived}
        assert {gone.memory_id for gone in foretold.dormant} == {gone.memory_id for gone in done.dormant}
        for life in self.lives.values():
            life.promote(self.now)

    def pick(self, number: int) -> tuple[uuid.UUID, Life]:
        return list(self.lives.items())[number % len(self.lives)]

    @invariant()
    def they_agree(self) -> None:
        with user_scope(self.user):
            found = {row.pk: seen(row) for row in MemoryItem.objects.for_user(self.user)}
            events: dict[uuid.UUID, list[str]] = {key: [] for key in self.lives}
            for item_id, kind in MemoryEvent.objects.order_by("pk").values_list("item_id", "kind"):
                events[item_id].append(kind)
        assert found == {key: expected(life) for key, life in self.lives.items()}
        assert events == {key: [entry.kind for entry in life.log] for key, life in self.lives.items()}


def seen(row: MemoryItem) -> tuple[Any, ...]:
    counts = {outcome: getattr(row, outcome) for outcome in Outcome}
    judged = (row.score, row.uses, row.overruled_uses, counts)
    return (row.tier, row.status, row.trust, row.expires_at, *judged)


def expected(life: Life) -> tuple[Any, ...]:
    return (life.tier, life.status, life.trust, life.expires_at, life.score, life.uses, life.overruled, life.counts)


@pytest.mark.django_db(transaction=True)
def test_no_life_parts_from_its_model(organization: Organization, clock: Clock, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "PROMOTION": {"batch": 3}}
    machine = type("LivesNow", (Lives,), {"organization": organization, "started": clock()})
    run_state_machine_as_test(machine, settings=BOUNDED)


BOUNDED = settings(
    max_examples=12,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    database=None,
    # A parting is told as it was found: making it smaller takes minutes.
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


# --- killed ------------------------------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("at", [1, 2, 4])
def test_a_pass_whose_connection_is_killed_is_finished_by_the_next(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch, settings: Settings, at: int
) -> None:
    settings.MEMORY = {**settings.MEMORY, "PROMOTION": {"batch": 2}}
    items = [MemoryItemFactory.create(user=user, score=0.9, uses=3) for _ in range(6)]
    carry_out, calls = promotion.apply_moves, []

    def die(*asked: Any) -> None:
        carry_out(*asked)
        calls.append(asked)
        if len(calls) == at:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with monkeypatch.context() as patch:
        patch.setattr(promotion, "apply_moves", die)
        if at <= 3:
            with pytest.raises((OperationalError, InterfaceError)):
                promotion.promote_user(user, now=clock())
        else:
            promotion.promote_user(user, now=clock())
    connection.close()
    promotion.promote_user(user, now=clock())
    with user_scope(user):
        assert MemoryItem.objects.for_user(user).filter(tier=Tier.PATTERNS).count() == len(items)
        reported = list(MemoryEvent.objects.filter(user=user).values_list("item_id", "before__tier"))
    assert len(reported) == len(set(reported)) == 2 * len(items)
