"""The single owner of moves between tiers, of expiry, garbage and the bank's capacity.

Each batch is one transaction with an event per step; what a second run, or two at once, would do again is already
done. Promotion reads ``score``, not the Wilson bound: the 95 % lower bound of a flawless record is 0.34 after two
uses, so a threshold of 0.7 on it could not decide anything in a day.
"""

import uuid
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import F, Q

from memory import metrics, rows, signals, store
from memory.access import user_scope
from memory.conf import memory_conf
from memory.models import EndUser, MemoryEvent, MemoryItem
from memory.models.items import outlives_its_time
from memory.tiers import POLICIES, SCORED_TIERS, Indexing, Tier, Trust


@dataclass(frozen=True, slots=True)
class Move:
    memory_id: uuid.UUID
    source: Tier
    target: Tier
    reason: str


@dataclass(frozen=True, slots=True)
class Archived:
    memory_id: uuid.UUID
    reason: str


@dataclass(slots=True)
class Promoted:
    """What a pass did, or would do when it was a dry run. ``unchanged`` counts the active rows it left alone."""

    promoted: list[Move] = field(default_factory=list)
    archived: list[Archived] = field(default_factory=list)
    unchanged: int = 0


def promote(user: EndUser, *, now: datetime, dry_run: bool = False, actor: str = "promotion") -> Promoted:
    """One pass over a user's memories: archive what is spent, move up what proved itself."""
    result = Promoted()
    if not memory_conf().flags["promotion"]:
        return result
    # Closed at once when a step fails: the transaction a batch is in must not stay open with the error.
    with closing(due_batches(user, now, lock=not dry_run)) as batches:
        for batch in batches:
            moves = [move for item in batch for move in steps(item)]
            moved = {move.memory_id for move in moves}
            spent = [Archived(item.pk, why_spent(item, now)) for item in batch if item.pk not in moved]
            if not dry_run:
                carry_out(user, moves, spent, now, actor)
            result.promoted += moves
            result.archived += spent
    with user_scope(user):
        over = bank_overflow(user)
        if over and not dry_run:
            store.archive_many(user, over, now=now, actor=actor)
        result.archived += [Archived(item_id, reason) for item_id, reason in over.items()]
        active = MemoryItem.objects.for_user(user).active().count()
    gone = len(result.archived) if dry_run else 0
    result.unchanged = active - gone - len({move.memory_id for move in result.promoted})
    if not dry_run:
        metrics.count("moves", "promoted", len(result.promoted))
        metrics.count("moves", "archived", len(result.archived))
    return result


def due_batches(user: EndUser, now: datetime, *, lock: bool) -> Generator[list[MemoryItem]]:
    """The rows something is to be done with, in order of id, each batch inside its own open transaction.

    Ends at once when another process promotes the same user.
    """
    size = memory_conf().promotion.batch
    last: uuid.UUID | None = None
    while True:
        with user_scope(user):
            if lock and not sole_promoter(user):
                return
            found = MemoryItem.objects.for_user(user).active().filter(due(now)).defer("lexemes", "text")
            if last is not None:
                found = found.filter(pk__gt=last)
            if lock:
                found = found.select_for_update(skip_locked=True, no_key=True)
            batch = list(found.order_by("pk")[:size])
            if batch:
                yield batch
        if len(batch) < size:
            return
        last = batch[-1].pk


def sole_promoter(user: EndUser) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended('promote', %s))", [user.pk])
        row = cursor.fetchone()
    return bool(row and row[0])


def due(now: datetime) -> Q:
    conf = memory_conf().promotion
    garbage = Q(tier__in=SCORED_TIERS, score__lt=conf.garbage_below, uses__gt=0)
    working = Q(tier=Tier.WORKING, score__gte=conf.working_score, uses__gte=conf.working_uses, trust__gt=Trust.EXTERNAL)
    history = Q(tier=Tier.HISTORY, score__gte=conf.history_score, uses__gte=conf.history_uses, trust__gt=Trust.EXTERNAL)
    return garbage | working | history | (Q(expires_at__lte=now) & ~outlives_its_time())


def steps(item: MemoryItem) -> list[Move]:
    """Every step up that the item has earned, one tier at a time."""
    conf = memory_conf().promotion
    needed = {
        Tier.WORKING: (conf.working_score, conf.working_uses),
        Tier.HISTORY: (conf.history_score, conf.history_uses),
    }
    moves: list[Move] = []
    if item.trust <= Trust.EXTERNAL:
        return moves
    tier = Tier(item.tier)
    while (target := POLICIES[tier].promotes_to) and item.score >= needed[tier][0] and item.uses >= needed[tier][1]:
        reason = f"score {item.score:.2f} >= {needed[tier][0]:g} and uses {item.uses} >= {needed[tier][1]}"
        moves.append(Move(item.pk, tier, target, reason))
        tier = target
    return moves


def why_spent(item: MemoryItem, now: datetime) -> str:
    conf = memory_conf().promotion
    if item.score < conf.garbage_below and item.uses > 0:
        return f"score {item.score:.2f} < {conf.garbage_below:g} after {item.uses} uses"
    age = now - item.created_at
    return f"past its time in {item.tier} ({readable(age)} old)"


def readable(age: timedelta) -> str:
    hours = int(age.total_seconds() // 3600)
    return f"{hours // 24} days" if hours >= 48 else f"{hours} hours"


def carry_out(user: EndUser, moves: list[Move], spent: list[Archived], now: datetime, actor: str) -> None:
    final = {move.memory_id: move.target for move in moves}
    for target in set(final.values()):
        ttl = POLICIES[target].ttl
        MemoryItem.objects.for_user(user).filter(pk__in=[pk for pk, tier in final.items() if tier is target]).update(
            tier=target,
            expires_at=now + ttl if ttl else None,
            updated_at=now,
            indexing=Indexing.PENDING,
            index_after=now,
        )
    MemoryEvent.objects.bulk_create(
        MemoryEvent(
            user=user,
            item_id=move.memory_id,
            kind="promoted",
            reason=move.reason,
            before={"tier": move.source},
            after={"tier": move.target},
            actor=actor,
            at=now,
        )
        for move in moves
    )
    if moves:
        rows.mark_index_due(user, now)
        moved = list(final.items())
        signals.items_changed.send(EndUser, user=user, kind="promoted", items=moved)
    store.archive_many(user, {gone.memory_id: gone.reason for gone in spent}, now=now, actor=actor)


def enforce_bank_capacity(user: EndUser, *, now: datetime, keep: Iterable[uuid.UUID] = ()) -> list[Archived]:
    """Archive the bank's weakest until it fits its capacity. What is always injected, and ``keep``, stays."""
    with user_scope(user):
        over = bank_overflow(user, keep)
        store.archive_many(user, over, now=now, actor="promotion")
    return [Archived(item_id, reason) for item_id, reason in over.items()]


def bank_overflow(user: EndUser, keep: Iterable[uuid.UUID] = ()) -> dict[uuid.UUID, str]:
    """Ids over capacity with the reason, weakest by quality, then least recently used.

    Outcomes never score the bank, so its Wilson bound says nothing and quality decides.
    """
    capacity = memory_conf().limits.bank_capacity
    bank = MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK)
    excess = bank.count() - capacity
    if excess <= 0:
        return {}
    weakest = (
        bank.filter(always_inject=False)
        .exclude(pk__in=list(keep))
        .order_by(F("importance") * F("confidence"), F("last_used_at").asc(nulls_first=True), "created_at", "pk")
    )
    reason = f"the bank holds more than {capacity} items"
    return dict.fromkeys(weakest.values_list("pk", flat=True)[:excess], reason)


def users_to_promote() -> Iterator[int]:
    """Every user; each is promoted by a task of its own, so that no task reads across users."""
    return EndUser.objects.order_by("pk").values_list("pk", flat=True).iterator()
