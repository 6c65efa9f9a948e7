"""What of exchanges and their outcomes is let go, and when.

Exchanges are what a person wrote: they stay unless the operator sets a number of days. Then whatever tells of them goes
with them, verdicts and actions too; what these moved and taught is in the memories, their events and the graphs, and
stays. A verdict that was replaced goes after ``LOG_DAYS`` in any case, with the line that takes it back: together they
say nothing.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import F, Q

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.models import EndUser
from outcomes.models import ActionTaken, ConversationSignal, Exchange, OutcomeEvent
from outcomes.signals import exchanges_dropped, verdicts_dropped

BATCH = 1_000

DropBatch = Callable[[EndUser, datetime], int]


def purge_expired(user: EndUser, *, now: datetime) -> int:
    """Remove what is past its keeping, in batches that hold no lock for long. Returns how many rows went."""
    limits = memory_conf().limits
    gone = drop_in_batches(user, now - timedelta(days=limits.log_days), drop_replaced_pairs)
    if limits.exchange_days:
        until = now - timedelta(days=limits.exchange_days)
        gone += sum(drop_in_batches(user, until, drop) for drop in (drop_exchanges, drop_verdicts, drop_actions))
    return gone


def drop_in_batches(user: EndUser, until: datetime, drop: DropBatch) -> int:
    gone = 0
    while True:
        with user_scope(user):
            dropped = drop(user, until)
        gone += dropped
        if dropped == 0:
            return gone


def drop_replaced_pairs(user: EndUser, until: datetime) -> int:
    """Pairs that everybody has learned of: a verdict and what takes it back add up to nothing."""
    taking_back = OutcomeEvent.objects.filter(filter_learned(), user=user, sign=-1, at__lt=until)
    pairs = list(taking_back.values_list("pk", "reverts")[:BATCH])
    return drop_events(user, [pk for pair in pairs for pk in pair if pk is not None])


def drop_exchanges(user: EndUser, until: datetime) -> int:
    """With what was noticed in them. After a day nothing looks at one any more."""
    old = Exchange.objects.filter(user=user, created_at__lt=until)
    ids = list(old.values_list("pk", flat=True)[:BATCH])
    if ids:
        ConversationSignal.objects.filter(user=user, exchange_id__in=ids).delete()
        exchanges_dropped.send(EndUser, user=user, ids=ids)
    return Exchange.objects.filter(user=user, pk__in=ids).delete()[0]


def filter_learned() -> Q:
    """What is still to be learned from waits for it, where anybody learns."""
    return Q(learned_at__isnull=False) if memory_conf().flags["kg"] else Q()


def drop_verdicts(user: EndUser, until: datetime) -> int:
    old = OutcomeEvent.objects.filter(filter_learned(), user=user, at__lt=until)
    return drop_events(user, list(old.values_list("pk", flat=True)[:BATCH]))


def drop_events(user: EndUser, ids: list[int]) -> int:
    if not ids:
        return 0
    verdicts_dropped.send(EndUser, user=user, ids=ids)
    return OutcomeEvent.objects.filter(user=user, pk__in=ids).delete()[0]


def drop_actions(user: EndUser, until: datetime) -> int:
    is_learned = Q(verdict=F("learned")) if memory_conf().flags["kg"] else Q()
    old = ActionTaken.objects.filter(is_learned, user=user, at__lt=until)
    return ActionTaken.objects.filter(user=user, pk__in=list(old.values_list("pk", flat=True)[:BATCH])).delete()[0]
