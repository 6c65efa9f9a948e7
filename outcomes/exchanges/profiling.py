"""Reads facts out of each exchange, once it is stored.

Only the user's own words are read. The rows are the queue: an empty ``profiled_at`` is pending, ``profile_after`` is a
worker's lease. Facts are stored in the transaction that settles their exchange, so they are stored once.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Q

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facts.evidence import FactOrigin
from memory.lifecycle import learning
from memory.lifecycle.learning import DraftedStatement, SpokenText
from memory.models import EndUser, MemoryItem
from memory.models.facts import EvidenceKind
from outcomes.detection.cues import is_small_talk
from outcomes.models import Exchange
from outcomes.work import GIVEN_UP_AFTER

MOST_ATTEMPTS = 3
LEASE = timedelta(minutes=5)
# Exchanges of one task; the rest waits for the next sweep, so that one user does not hold the worker.
AT_ONCE = 8
LAST_TURNS = 4


def profile_due_exchanges(user: EndUser, *, now: datetime, limit: int = AT_ONCE) -> int:
    """Process pending exchanges. Returns how many facts were stored."""
    count = 0
    for _ in range(limit):
        exchange = lease_next_exchange(user, now)
        if exchange is None:
            break
        count += store_facts(user, exchange, draft_facts(user, exchange), now)
    return count


def lease_next_exchange(user: EndUser, now: datetime) -> Exchange | None:
    """Lease the oldest pending exchange; those not worth examining are settled on the way."""
    with user_scope(user):
        ready = Q(profile_after=None) | Q(profile_after__lte=now)
        pending = Exchange.objects.select_for_update(no_key=True, skip_locked=True).filter(ready, user=user)
        pending = pending.filter(profiled_at=None, created_at__gt=now - GIVEN_UP_AFTER)
        for exchange in pending.order_by("created_at", "pk")[: AT_ONCE * 10]:
            if is_skippable(user, exchange, now):
                mark_profiled(exchange, now)
                continue
            exchange.profile_attempts += 1
            exchange.profile_after = now + LEASE
            exchange.save(update_fields=["profile_attempts", "profile_after"])
            return exchange
    return None


def is_skippable(user: EndUser, exchange: Exchange, now: datetime) -> bool:
    if not memory_conf().flags["profile_detection"] or is_small_talk(exchange.short_question):
        return True
    if exchange.profile_attempts >= MOST_ATTEMPTS:
        # It has crashed the worker each time.
        return True
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    examined = Exchange.objects.filter(user=user, profiled_at__gte=today, profile_attempts__gt=0).count()
    return examined >= memory_conf().conversations.profiles_a_day


def draft_facts(user: EndUser, exchange: Exchange) -> list[DraftedStatement]:
    """The facts in the user's words."""
    # It calls other services, so no transaction may be open.
    spoken = SpokenText(
        exchange.short_question,
        find_said_at(user, exchange),
        exchange.thread_id,
        exchange.memory_id,
        read_last_turns(user, exchange),
    )
    return learning.draft_facts(user, spoken, {"exchange": str(exchange.pk)})


def read_last_turns(user: EndUser, exchange: Exchange) -> list[str]:
    """What the person said before in the thread, oldest first: a name in it may be what a message goes on about."""
    with user_scope(user):
        earlier = Exchange.objects.filter(user=user, thread_id=exchange.thread_id, created_at__lt=exchange.created_at)
        return [one.short_question for one in earlier.order_by("-created_at")[:LAST_TURNS]][::-1]


def find_said_at(user: EndUser, exchange: Exchange) -> datetime:
    """When it was said, which the exchange's memory tells: one that was imported is older than its row."""
    with user_scope(user):
        memories = MemoryItem.objects.for_user(user).filter(pk__in=[exchange.memory_id] if exchange.memory_id else [])
        return memories.values_list("occurred_at", flat=True).first() or exchange.created_at


def store_facts(user: EndUser, exchange: Exchange, drafted: Sequence[DraftedStatement], now: datetime) -> int:
    """Store the facts and settle the exchange in one transaction, unless another worker has done so."""
    with user_scope(user):
        row = (
            Exchange.objects.select_for_update(no_key=True).filter(user=user, pk=exchange.pk, profiled_at=None).first()
        )
        if row is None:
            return 0
        origin = FactOrigin(EvidenceKind.EXCHANGE, row.pk, row.memory_id, row.thread_id)
        learning.learn_facts(user, drafted, origin, now=now)
        mark_profiled(row, now)
    return len(drafted)


def mark_profiled(exchange: Exchange, now: datetime) -> None:
    exchange.profiled_at, exchange.profile_after = now, None
    exchange.save(update_fields=["profiled_at", "profile_after"])
