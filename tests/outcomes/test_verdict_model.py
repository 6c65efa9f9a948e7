"""The ledger against a model of it: whatever is told of a turn, each memory ends with its latest verdict alone."""

import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem, Turn
from memory.tiers import Outcome
from outcomes.models import OutcomeEvent
from tests.factories import EndUserFactory, MemoryItemFactory

memory = MemoryFacade("key:test")
NUMBER = 4

Step = tuple[Outcome, frozenset[int]]
"""An outcome and the positions it names; none names all."""
STEPS = st.lists(
    st.tuples(st.sampled_from(Outcome), st.frozensets(st.integers(1, NUMBER), max_size=NUMBER)), min_size=1, max_size=8
)


def expected(steps: list[Step]) -> list[Outcome | None]:
    """The verdict each memory ends with."""
    verdicts: list[Outcome | None] = [None] * NUMBER
    for outcome, named in steps:
        meant = [position - 1 for position in named] or list(range(NUMBER))
        known = [verdicts[index] for index in meant if verdicts[index] not in {None, Outcome.UNKNOWN}]
        if outcome is Outcome.UNKNOWN and known:
            continue
        for index in meant:
            verdicts[index] = outcome
    return verdicts


def shown(user: EndUser, items: list[MemoryItem]) -> uuid.UUID:
    with user_scope(user):
        return Turn.objects.create(user=user, positions=[[str(item.pk), item.tier] for item in items]).turn_id


@pytest.mark.usefixtures("services")
class TestTheLedger(TestCase):
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(steps=STEPS, start=st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
    def test_each_memory_ends_with_its_latest_verdict(self, steps: list[Step], start: float) -> None:
        user = EndUserFactory.create()
        items = MemoryItemFactory.create_batch(NUMBER, user=user, score=start)
        turn_id = shown(user, items)
        for number, (outcome, named) in enumerate(steps):
            now = items[0].created_at
            memory.record_outcome(user, outcome, now=now, turn_id=turn_id, related=sorted(named) or None)
            self.check(user, items, expected(steps[: number + 1]), start)

    def check(self, user: EndUser, items: list[MemoryItem], verdicts: list[Outcome | None], start: float) -> None:
        deltas = memory_conf().scoring.deltas
        totals: dict[tuple[str, str], int] = {}
        with user_scope(user):
            rows = {row.pk: row for row in MemoryItem.objects.filter(user=user)}
            for line in OutcomeEvent.objects.filter(user=user):
                for item_id, _, _ in line.memories:
                    totals[item_id, line.outcome] = totals.get((item_id, line.outcome), 0) + line.sign
        for item, verdict in zip(items, verdicts, strict=True):
            row = rows[item.pk]
            counts = {outcome: getattr(row, outcome) for outcome in Outcome}
            assert counts == {outcome: int(outcome is verdict) for outcome in Outcome}
            assert row.uses == int(verdict not in {None, Outcome.UNKNOWN})
            delta = deltas.get(verdict, 0.0) if verdict else 0.0
            assert row.score == pytest.approx(min(1.0, max(0.0, start + delta)))
            learned = {outcome: totals.get((str(item.pk), outcome), 0) for outcome in Outcome}
            assert learned == counts, "adding up the signs counts the same"
