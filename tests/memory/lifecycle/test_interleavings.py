"""Any order of writes, outcomes, time, promotion and an owner's own hand ends where a small model says it must."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryEvent, MemoryItem, Organization
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Tier
from tests.conftest import Clock
from tests.factories import EndUserFactory

memory = MemoryFacade("key:test")

DELTAS = {Outcome.WORKED: 0.2, Outcome.FAILED: -0.3, Outcome.PARTIAL: 0.05, Outcome.UNKNOWN: 0.0}
LIFETIMES = {Tier.WORKING: timedelta(hours=24), Tier.HISTORY: timedelta(days=30)}
SCORED = {Tier.WORKING, Tier.HISTORY, Tier.PATTERNS}


@dataclass
class Expected:
    """What should be known of one memory."""

    tier: Tier
    expires_at: datetime | None
    score: float = 0.5
    uses: int = 0
    overruled: int = 0
    status: str = "active"
    events: int = 1

    def live_from(self, now: datetime) -> None:
        lifetime = LIFETIMES.get(self.tier)
        self.expires_at = now + lifetime if lifetime else None

    def judge(self, outcome: Outcome) -> None:
        if self.tier not in SCORED:
            return
        self.score = round(min(1.0, max(0.0, self.score + DELTAS[outcome])), 6)
        self.uses += outcome is not Outcome.UNKNOWN
        self.events += 1

    def revive(self, now: datetime) -> None:
        if self.status == "dormant":
            self.turn("active")
            self.tier = Tier.HISTORY
            self.live_from(now)

    def promote(self, now: datetime) -> None:
        if self.status == "dormant" and self.is_garbage:
            self.turn("archived")
        if self.status != "active":
            return
        climbed = False
        if self.tier is Tier.WORKING and self.score >= 0.7 and self.uses >= 2:
            self.tier, climbed = Tier.HISTORY, True
            self.events += 1
        if self.tier is Tier.HISTORY and self.score >= 0.9 and self.uses >= 3:
            self.tier, climbed = Tier.PATTERNS, True
            self.events += 1
        if climbed:
            self.live_from(now)
        elif self.is_garbage or self.is_over(now):
            self.turn("archived" if self.is_garbage else "dormant")

    @property
    def is_garbage(self) -> bool:
        return self.tier in SCORED and self.uses > self.overruled and self.score < 0.2

    def is_over(self, now: datetime) -> bool:
        proven = self.tier is Tier.HISTORY and self.score >= 0.7 and self.uses >= 2
        return self.expires_at is not None and self.expires_at <= now and not proven

    def come_back(self, now: datetime) -> None:
        self.turn("active")
        self.live_from(now)
        if self.score < 0.2:
            self.overruled = self.uses

    def turn(self, status: str) -> None:
        if self.status != status:
            self.status = status
            self.events += 1


@dataclass
class World:
    """The product and the model of it, told the same things."""

    user: EndUser
    now: datetime
    model: dict[uuid.UUID, Expected]
    written: int = 0

    def write(self, tier: Tier) -> None:
        self.written += 1
        new = NewMemory(f"Entry {self.written}", tier=tier, tags=["project"])
        expected = Expected(tier, None)
        expected.live_from(self.now)
        self.model[memory.store(self.user, new, now=self.now).item.pk] = expected

    def pick(self, number: int) -> uuid.UUID | None:
        ids = list(self.model)
        return ids[number % len(ids)] if ids else None

    def judge(self, number: int, outcome: Outcome) -> None:
        if chosen := self.pick(number):
            memory.record_outcome(self.user, outcome, now=self.now, related=[str(chosen)])
            self.model[chosen].judge(outcome)
            if outcome is Outcome.WORKED:
                self.model[chosen].revive(self.now)

    def archive(self, number: int) -> None:
        if chosen := self.pick(number):
            memory.archive(self.user, chosen, now=self.now)
            self.model[chosen].turn("archived")

    def restore(self, number: int) -> None:
        if chosen := self.pick(number):
            memory.restore(self.user, chosen, now=self.now)
            if self.model[chosen].status != "active":
                self.model[chosen].come_back(self.now)

    def remove(self, number: int) -> None:
        if chosen := self.pick(number):
            assert memory.remove(self.user, chosen, now=self.now)
            del self.model[chosen]

    def wait(self, hours: int) -> None:
        self.now += timedelta(hours=hours)

    def promote(self) -> None:
        memory.promote(self.user, now=self.now)
        for expected in self.model.values():
            expected.promote(self.now)

    def compare(self) -> None:
        with user_scope(self.user):
            rows = list(MemoryItem.objects.for_user(self.user))
            events = list(MemoryEvent.objects.values_list("item_id", flat=True))
        found = {
            row.pk: Expected(
                Tier(row.tier),
                row.expires_at,
                row.score,
                row.uses,
                row.overruled_uses,
                row.status,
                events=events.count(row.pk),
            )
            for row in rows
        }
        assert found == self.model


NUMBER = st.integers(0, 5)
STEPS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(Tier)),
    # Outcomes are what drives the rest, so they come often and mostly well.
    st.tuples(st.just("judge"), NUMBER, st.sampled_from([Outcome.WORKED, *Outcome])),
    st.tuples(st.just("judge"), NUMBER, st.just(Outcome.WORKED)),
    st.tuples(st.just("wait"), st.sampled_from([1, 23, 24, 25, 24 * 29, 24 * 31])),
    st.tuples(st.just("promote")),
    st.tuples(st.sampled_from(["archive", "restore", "remove"]), NUMBER),
)


@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(STEPS, min_size=5, max_size=30))
def test_any_order_of_events_ends_where_the_model_says(
    organization: Organization, clock: Clock, steps: list[tuple[Any, ...]]
) -> None:
    user = EndUserFactory.create(organization=organization)
    world = World(user, clock(), {})
    world.write(Tier.WORKING)
    for name, *arguments in steps:
        getattr(world, name)(*arguments)
    world.compare()
    world.promote()
    world.compare()
    again = memory.promote(user, now=world.now)
    assert (again.promoted, again.dormant, again.archived) == ([], [], [])
