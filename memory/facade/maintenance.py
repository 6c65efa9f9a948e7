"""Maintenance: promotion, the state of the index, counts."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count
from django.utils import timezone

from knowledge_graph.queries import browsing
from memory.access.scope import user_scope
from memory.facade.actor import FacadePart
from memory.facts.consolidation import runs
from memory.indexing import queue
from memory.indexing.queue import IndexCounts
from memory.lifecycle import consolidation, promotion
from memory.lifecycle.consolidation import ConsolidationResult
from memory.lifecycle.promotion import PromotionResult
from memory.models import EndUser, FactRun, MemoryItem
from memory.tiers import Status, Tier
from outcomes.exchanges import listing, storing
from outcomes.verdicts import recording


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of one user's rows: ``tiers[tier][status]``, outcomes by kind, indexing state."""

    tiers: dict[str, dict[str, int]] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)
    exchanges: int = 0
    signals: dict[str, int] = field(default_factory=dict)
    indexing: IndexCounts = field(default_factory=IndexCounts)


class MaintenanceVerbs(FacadePart):
    def promote(self, user: EndUser, *, now: datetime, dry_run: bool = False) -> PromotionResult:
        """In many short transactions: calling it again changes nothing more. ``dry_run`` only reports."""
        return promotion.promote_user(user, now=now, dry_run=dry_run, actor=self.actor)

    def consolidate(
        self, user: EndUser, *, now: datetime, dry_run: bool = False, clock: Callable[[], datetime] = timezone.now
    ) -> ConsolidationResult:
        """In many short transactions: calling it again changes nothing more. ``dry_run`` only reports."""
        return consolidation.consolidate_user(user, now=now, clock=clock, dry_run=dry_run, actor=self.actor)

    def list_runs(self, user: EndUser, limit: int) -> list[FactRun]:
        """Consolidations of a person's facts, the latest first."""
        return runs.list_runs(user, limit)

    def count_indexing(self, user: EndUser) -> IndexCounts:
        """How far the active memories are on their way into the index."""
        return queue.count_indexing(user)

    def retry_indexing(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
        """Try a memory again whose indexing was given up; False when there is none such."""
        return queue.retry_item(user, item_id, now=now)

    def count_graph_rows(self, user: EndUser) -> dict[str, int]:
        """The sizes of the user's graphs, by name."""
        return browsing.count_graph_rows(user)

    def get_stats(self, user: EndUser) -> Stats:
        """Counted now, in one transaction, so the numbers agree with each other."""
        tiers: dict[str, dict[str, int]] = {tier.value: {} for tier in Tier}
        with user_scope(user):
            rows = MemoryItem.objects.for_user(user).values_list("tier", "status").annotate(Count("id"))
            for tier, status, count in rows:
                tiers[tier][status] = count
            # Known from the count above, which spares the index a second one.
            active = sum(counts.get(Status.ACTIVE, 0) for counts in tiers.values())
            return Stats(
                tiers=tiers,
                outcomes=recording.count_outcomes(user),
                exchanges=storing.count_exchanges(user),
                signals=listing.count_signals(user),
                indexing=queue.count_indexing(user, active),
            )
