"""Rebuilds the graphs from the memories and the ledger of verdicts."""

from datetime import datetime

from knowledge_graph import tasks, work
from knowledge_graph.models import GRAPH_TABLES
from knowledge_graph.work import CONTENT_TIERS, lock_graphs
from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from memory.tiers import Tier
from outcomes.models import ActionTaken, OutcomeEvent, Source


def rebuild_graphs(user: EndUser, *, now: datetime) -> int:
    """Clear a user's graphs and learn everything again. Returns how much was learned."""
    # The work is left in the transaction that clears, so the worker finishes an interrupted rebuild.
    with user_scope(user):
        lock_graphs(user)
        for model in GRAPH_TABLES:
            model._default_manager.filter(user_id=user.pk).delete()
        memories = MemoryItem.objects.for_user(user).active().filter(tier__in=CONTENT_TIERS)
        items = [(item_id, Tier(tier)) for item_id, tier in memories.values_list("pk", "tier")]
        # Hints are in the ledger as well; nothing is learned from them.
        OutcomeEvent.objects.filter(user=user).exclude(source=Source.IMPLICIT).update(learned_at=None)
        ActionTaken.objects.filter(user=user).update(learned="")
        work.enqueue_changes(user, "rebuilt", items, now)
    return tasks.learn_everything(user, now=now)
