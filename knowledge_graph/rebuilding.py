"""The graphs made anew from what they were learned from: the memories and the ledger of verdicts."""

from datetime import datetime

from knowledge_graph import tasks, work
from knowledge_graph.models import GRAPH_TABLES
from knowledge_graph.work import CONTENT_TIERS, take_turns
from memory.access import user_scope
from memory.models import EndUser, MemoryItem
from memory.tiers import Tier
from outcomes.models import ActionTaken, OutcomeEvent, Source


def rebuild(user: EndUser, *, now: datetime) -> int:
    """Forget what the graphs of a user hold and learn all of it again. Returns how much was learned.

    Forgetting leaves the work in the same transaction: a rebuilding that is cut off is finished by the worker.
    """
    with user_scope(user):
        take_turns(user)
        for model in GRAPH_TABLES:
            model._default_manager.filter(user_id=user.pk).delete()
        kept = MemoryItem.objects.for_user(user).active().filter(tier__in=CONTENT_TIERS)
        items = [(item_id, Tier(tier)) for item_id, tier in kept.values_list("pk", "tier")]
        # Hints are in the ledger and teach nothing.
        OutcomeEvent.objects.filter(user=user).exclude(source=Source.IMPLICIT).update(learned_at=None)
        ActionTaken.objects.filter(user=user).update(learned="")
        work.leave(user, "rebuilt", items, now)
    return tasks.learn_everything(user, now=now)
