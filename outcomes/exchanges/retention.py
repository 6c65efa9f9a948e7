"""Deletes exchanges, verdicts and actions that are past their days.

Exchanges are what a person wrote: they are kept for good unless the operator sets a number of days. Then verdicts and
actions about them are deleted too; their effects on memories, events and graphs stay. A replaced verdict is deleted
after ``LOG_DAYS`` in any case, with the line that reverses it: together they count for nothing.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import F, Q

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.models import EndUser
from outcomes.exchanges import digests
from outcomes.models import ActionTaken, ConversationSignal, Exchange, OutcomeEvent
from outcomes.signals import exchanges_dropped, verdicts_dropped

# Rows of one transaction: a purge must not hold the locks of a user's exchanges while that user talks.
BATCH = 1_000

DropBatch = Callable[[EndUser, datetime], int]


def purge_expired(user: EndUser, *, now: datetime) -> int:
    """Delete what is past its days, in batches that hold no lock for long. Returns the number of rows."""
    limits = memory_conf().limits
    dropped = drop_in_batches(user, now - timedelta(days=limits.log_days), drop_replaced_pairs)
    # Kept for good by default: the graphs can be rebuilt from the ledger, and an exchange with its verdict takes
    # 3.7 kB, 68 MB a year for fifty a day.
    if limits.exchange_days:
        until = now - timedelta(days=limits.exchange_days)
        dropped += sum(drop_in_batches(user, until, drop) for drop in (drop_exchanges, drop_verdicts, drop_actions))
    return dropped


def drop_in_batches(user: EndUser, until: datetime, drop: DropBatch) -> int:
    total = 0
    while True:
        with user_scope(user):
            dropped = drop(user, until)
        total += dropped
        if dropped == 0:
            return total


def drop_replaced_pairs(user: EndUser, until: datetime) -> int:
    """Pairs that the graphs have learned: a verdict and the line that reverses it add up to nothing."""
    reversals = OutcomeEvent.objects.filter(filter_learned(), user=user, sign=-1, at__lt=until)
    pairs = list(reversals.values_list("pk", "reverts")[:BATCH])
    return drop_events(user, [pk for pair in pairs for pk in pair if pk is not None])


def drop_exchanges(user: EndUser, until: datetime) -> int:
    """With the signals found in them. After a day nothing processes an exchange any more."""
    old = Exchange.objects.filter(user=user, created_at__lt=until)
    ids = list(old.values_list("pk", flat=True)[:BATCH])
    if ids:
        ConversationSignal.objects.filter(user=user, exchange_id__in=ids).delete()
        digests.drop_digests(user, ids)
        exchanges_dropped.send(EndUser, user=user, ids=ids)
    return Exchange.objects.filter(user=user, pk__in=ids).delete()[0]


def filter_learned() -> Q:
    """Leaves out what the graphs have still to learn, if they are on."""
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
