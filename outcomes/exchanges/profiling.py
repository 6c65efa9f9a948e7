"""Extracts profile facts after each exchange and stores them in the memory bank.

Only the user's own words are read. The rows are the queue: an empty ``profiled_at`` is pending, ``profile_after`` is a
worker's lease. Facts are stored in the transaction that settles their exchange, so they are stored once.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from django.db.models import Q

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facts import profile
from memory.facts.profile import ProfileFact
from memory.lifecycle import bank
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.retrieval import matching
from memory.store import writing
from memory.store.admission import NewMemory, WriteRefused, validate_memory
from memory.tiers import SourceType, Tier
from outcomes.detection.cues import is_small_talk
from outcomes.models import Exchange
from outcomes.work import GIVEN_UP_AFTER

logger = structlog.get_logger(__name__)

MOST_ATTEMPTS = 3
LEASE = timedelta(minutes=5)
# Exchanges of one task; the rest waits for the next sweep, so that one user does not hold the worker.
AT_ONCE = 8
DEADLINE_S = 30.0
LAST_TURNS = 4
ACTOR = "profile"

# A fact to store, and the bank item it duplicates.
FactDraft = tuple[NewMemory, uuid.UUID | None]


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


def draft_facts(user: EndUser, exchange: Exchange) -> list[FactDraft]:
    """The facts in the user's words as bank items."""
    # It calls other services, so no transaction may be open.
    found = profile.detect_profile_facts(exchange.short_question, Deadline(DEADLINE_S), read_last_turns(user, exchange))
    said_at = find_said_at(user, exchange) if found else exchange.created_at
    drafts = []
    for fact in found:
        try:
            new = validate_memory(build_profile_memory(exchange, fact, said_at))
        except WriteRefused as error:
            # The bank's guard may still refuse it.
            logger.info("a fact was refused", field=error.field, rule=error.rule)
            continue
        drafts.append((new, matching.find_near_duplicate(user, new.text, Deadline(memory_conf().deadlines.default_s))))
    return drafts


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


def build_profile_memory(exchange: Exchange, fact: ProfileFact, said_at: datetime) -> NewMemory:
    return NewMemory(
        text=fact.statement,
        tier=Tier.MEMORY_BANK,
        tags=list(fact.tags),
        importance=fact.importance,
        confidence=fact.confidence,
        thread_id=exchange.thread_id,
        source_type=SourceType.USER,
        trust=fact.trust,
        source={"kind": "profile", "exchange": str(exchange.pk)},
        occurred_at=said_at,
        parents=[exchange.memory_id] if exchange.memory_id else [],
    )


def store_facts(user: EndUser, exchange: Exchange, drafts: Sequence[FactDraft], now: datetime) -> int:
    """Store the facts and settle the exchange in one transaction, unless another worker has done so."""
    with user_scope(user):
        row = (
            Exchange.objects.select_for_update(no_key=True).filter(user=user, pk=exchange.pk, profiled_at=None).first()
        )
        if row is None:
            return 0
        fresh = []
        for new, twin in drafts:
            try:
                stored = writing.store_memory(user, new, now=now, actor=ACTOR, similar_to=twin)
            except WriteRefused as error:
                logger.info("a fact was refused", field=error.field, rule=error.rule)
                continue
            if stored.duplicate_of is None:
                fresh.append(stored.item.pk)
        if fresh:
            bank.make_room(user, now=now, keep=fresh)
        mark_profiled(row, now)
    return len(drafts)


def mark_profiled(exchange: Exchange, now: datetime) -> None:
    exchange.profiled_at, exchange.profile_after = now, None
    exchange.save(update_fields=["profiled_at", "profile_after"])
