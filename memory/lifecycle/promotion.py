"""Moves memories between tiers, ends their time in a tier, archives garbage and enforces the bank's capacity.

No other module does any of these. Each batch is one short transaction with an event per step; passes are idempotent,
also when two run at once. The thresholds are settings (`PromotionConf`); the size of
batches is decided here.
"""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Case, DateTimeField, F, Q, Value, When
from django.utils import timezone

from memory import signals
from memory.access.locks import try_lock_for_transaction
from memory.access.personal_links import drop_ended_links
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.lifecycle import bank, curation
from memory.lifecycle.retention import delete_outdated, where_outdated
from memory.models import EndUser, MemoryItem
from memory.models.items import ItemQuerySet, has_ended, is_kept_past_ttl
from memory.platform import metrics
from memory.store import archiving, rows
from memory.store.standing import TIME_OVER
from memory.tiers import POLICIES, SCORED_TIERS, Indexing, Status, Tier, Trust

# A row costs about 0.4 ms to move, most of it for its words in the full-text index: a batch of 250 holds its locks for
# a tenth of a second. After a long batch the next is half as large, so that on a busy machine no lock is held for a
# second.
LONG_BATCH_S = 0.25
SHORT_BATCH_S = 0.1
FIRST_BATCH = 100
SMALLEST_BATCH = 50
# Ids that are looked up at once. Sorting for every batch took 8 to 20 ms of 3,750 rows that were due; four pages of ids
# took 38 ms in all.
PAGE = 5_000
# Of a result; what is above is counted and not listed.
MOST_LISTED = 10_000
PROMOTION_FIELDS = (
    *("pk", "user", "tier", "status", "score", "uses", "overruled_uses", "trust"),
    *("created_at", "expires_at", "is_expiry_given"),
)


@dataclass(frozen=True, slots=True)
class TierMove:
    memory_id: uuid.UUID
    source: Tier
    target: Tier
    reason: str


@dataclass(frozen=True, slots=True)
class RetiredMemory:
    """A memory that a pass makes dormant or archives."""

    memory_id: uuid.UUID
    source: Status
    target: Status
    reason: str


@dataclass(slots=True)
class PromotionResult:
    """What a pass did or, as a dry run, would do. ``unchanged`` counts the active rows it left alone.

    The lists are truncated; ``moved``, ``rested`` and ``let_go`` count every memory. ``deleted`` counts dormant ones
    past the retention.
    """

    promoted: list[TierMove] = field(default_factory=list)
    dormant: list[RetiredMemory] = field(default_factory=list)
    archived: list[RetiredMemory] = field(default_factory=list)
    moved: int = 0
    rested: int = 0
    let_go: int = 0
    deleted: int = 0
    unchanged: int = 0
    # Of the dormant and archived, those that were active before.
    left_tier: int = 0
    # The longest that a batch held its rows.
    longest_s: float = 0.0

    def add(self, moves: Sequence[TierMove], retired: Sequence[RetiredMemory]) -> None:
        dormant = [one for one in retired if one.target is Status.DORMANT]
        archived = [one for one in retired if one.target is Status.ARCHIVED]
        self.left_tier += sum(one.source is Status.ACTIVE for one in retired)
        self.moved += len({move.memory_id for move in moves})
        self.rested += len(dormant)
        self.let_go += len(archived)
        self.promoted += moves[: max(0, MOST_LISTED - len(self.promoted))]
        self.dormant += dormant[: max(0, MOST_LISTED - len(self.dormant))]
        self.archived += archived[: max(0, MOST_LISTED - len(self.archived))]

    @property
    def is_cut(self) -> bool:
        return max(len(self.promoted), len(self.dormant), len(self.archived)) >= MOST_LISTED


def promote_user(
    user: EndUser, *, now: datetime, dry_run: bool = False, actor: str = "promotion", counting: bool = True
) -> PromotionResult:
    """One pass over a user's memories: end the time of expired ones, archive useless ones, promote proven ones.

    With ``counting`` False ``unchanged`` is not computed; when nothing is due, counting takes longest.
    """
    result = PromotionResult()
    if not memory_conf().flags["promotion"]:
        return result
    if dry_run:
        preview_pass(user, now, result)
    else:
        curation.end_outlived(user, now=now, actor=actor)
        run_batches(user, now, actor, result)
        over = bank.make_room(user, now=now, actor=actor)
        result.add(
            [], [RetiredMemory(item_id, Status.ACTIVE, Status.ARCHIVED, reason) for item_id, reason in over.items()]
        )
        result.deleted = delete_outdated(user, now)
        drop_ended_links(user, now)
        metrics.count("moves", "promoted", result.moved)
        metrics.count("moves", "dormant", result.rested)
        metrics.count("moves", "archived", result.let_go)
    if counting:
        with user_scope(user):
            active = MemoryItem.objects.for_user(user).active().count()
        result.unchanged = active - result.moved - (result.left_tier if dry_run else 0)
    return result


def preview_pass(user: EndUser, now: datetime, result: PromotionResult) -> None:
    """What a pass would do, in its order. Reads in one go, locks nothing."""
    with user_scope(user):
        for rule in build_due_rules(now):
            due = MemoryItem.objects.for_user(user).filter(rule)
            for item in due.only(*PROMOTION_FIELDS).order_by("pk").iterator():
                result.add(*decide_moves([item], now))
        evicted = bank.choose_evictions(user).items()
        result.add([], [RetiredMemory(item_id, Status.ACTIVE, Status.ARCHIVED, reason) for item_id, reason in evicted])
        result.deleted = where_outdated(user, now).count()


def run_batches(user: EndUser, now: datetime, actor: str, result: PromotionResult) -> None:
    """Process batches until nothing is due. Stops at once when another process promotes the same user."""
    conf = memory_conf().promotion
    due = DueItems(user, now)
    size = min(FIRST_BATCH, conf.batch)
    while not due.is_done:
        started = time.perf_counter()
        room = size
        with user_scope(user):
            if not try_lock_for_transaction("promote", user):
                return
            while room and not due.is_done:
                looked_up, batch = due.take(room)
                if batch:
                    moves, retired = decide_moves(batch, now)
                    apply_moves(user, moves, retired, now, actor)
                    result.add(moves, retired)
                room -= looked_up
        took = time.perf_counter() - started
        result.longest_s = max(result.longest_s, took)
        size = adapt_batch_size(size, took, conf.batch)


class DueItems:
    """What is due of a user, rule by rule and by id: the order that the dry run lists."""

    def __init__(self, user: EndUser, now: datetime) -> None:
        self._user = user
        self._rules = build_due_rules(now)
        self._waiting: list[uuid.UUID] = []
        self._after: uuid.UUID | None = None
        self._has_more = True

    @property
    def is_done(self) -> bool:
        return not self._rules

    def take(self, room: int) -> tuple[int, list[MemoryItem]]:
        """The next rows, locked, and how many were looked up: a row that is held waits for the next pass."""
        rule = self._rules[0]
        if not self._waiting and self._has_more:
            self._look(rule)
        looked_up, self._waiting = self._waiting[:room], self._waiting[room:]
        if not self._waiting and not self._has_more:
            self._rules, self._after, self._has_more = self._rules[1:], None, True
        # Asked again under its rule: an outcome may have come since the page was read.
        found = self._match_rule(rule).filter(pk__in=looked_up).only(*PROMOTION_FIELDS).order_by("pk")
        if not looked_up:
            return 0, []
        return len(looked_up), list(found.select_for_update(skip_locked=True, no_key=True, of=("self",)))

    def _look(self, rule: Q) -> None:
        ids = self._match_rule(rule).order_by("pk").values_list("pk", flat=True)
        self._waiting = list((ids.filter(pk__gt=self._after) if self._after else ids)[:PAGE])
        self._has_more = len(self._waiting) == PAGE
        self._after = self._waiting[-1] if self._waiting else None

    def _match_rule(self, rule: Q) -> ItemQuerySet:
        return MemoryItem.objects.for_user(self._user).filter(rule)


def adapt_batch_size(size: int, took_s: float, largest: int) -> int:
    if took_s > LONG_BATCH_S:
        return max(min(SMALLEST_BATCH, largest), size // 2)
    return min(largest, size * 2) if took_s < SHORT_BATCH_S else size


# --- rules -------------------------------------------------------------------------------------------------------
def build_due_rules(now: datetime) -> list[Q]:
    """What is due, each row under one rule. What was given an end is over then, whatever came of it; what is promoted
    or failed does not expire otherwise, so those rules come before."""
    # One rule after the other: one condition for all of them read every row of a person for every batch, where each of
    # these is answered from a partial index.
    active = Q(status=Status.ACTIVE) & ~has_ended(now)
    return [
        Q(status=Status.ACTIVE) & has_ended(now),
        active & where_promotable_from(Tier.HISTORY),
        active & where_promotable_from(Tier.WORKING),
        active & where_garbage(),
        active & where_expired(now) & ~where_garbage(),
        Q(status=Status.DORMANT) & where_garbage(),
    ]


def where_promotable_from(tier: Tier) -> Q:
    """Rows that qualify for the next tier. External text never does, and an undone move needs new outcomes.

    ``uses`` counts recorded outcomes, not appearances: otherwise a memory would promote itself by being found.
    """
    score, uses = get_thresholds(tier)
    # "uses > 0" is what the index of judged rows is made for.
    return Q(tier=tier, score__gte=score, uses__gte=uses, uses__gt=0, trust__gt=Trust.EXTERNAL) & where_newly_judged()


def where_promotable() -> Q:
    return where_promotable_from(Tier.WORKING) | where_promotable_from(Tier.HISTORY)


def where_garbage() -> Q:
    return Q(tier__in=SCORED_TIERS, score__lt=memory_conf().promotion.garbage_below, uses__gt=0) & where_newly_judged()


def where_newly_judged() -> Q:
    # The row keeps how many outcomes a person overruled; only a new one counts. A flag would need somebody to clear it,
    # a pause would end at an arbitrary moment.
    return Q(uses__gt=F("overruled_uses"))


def where_expired(now: datetime) -> Q:
    in_tier = Q(expires_at__isnull=False, expires_at__lte=now, is_expiry_given=False)
    return in_tier & ~is_kept_past_ttl() & ~where_promotable()


def get_thresholds(tier: Tier) -> tuple[float, int]:
    # Of `score`, not of the Wilson bound: the 95 % lower bound of a flawless record is 0.34 after two uses and passes
    # 0.7 only at nine, so as a threshold it would never decide anything in time.
    conf = memory_conf().promotion
    if tier is Tier.WORKING:
        return conf.working_score, conf.working_uses
    return conf.history_score, conf.history_uses


def decide_moves(due: Sequence[MemoryItem], now: datetime) -> tuple[list[TierMove], list[RetiredMemory]]:
    staying = [item for item in due if item.status == Status.ACTIVE and not is_over(item, now)]
    moves = [move for item in staying for move in plan_moves(item)]
    moved = {move.memory_id for move in moves}
    return moves, [plan_retirement(item, now) for item in due if item.pk not in moved]


def is_over(item: MemoryItem, now: datetime) -> bool:
    return item.is_expiry_given and item.expires_at is not None and item.expires_at <= now


def plan_moves(item: MemoryItem) -> list[TierMove]:
    """Every promotion the item qualifies for, one tier at a time."""
    moves: list[TierMove] = []
    if item.trust <= Trust.EXTERNAL or item.uses <= item.overruled_uses:
        return moves
    tier = Tier(item.tier)
    while target := POLICIES[tier].promotes_to:
        score, uses = get_thresholds(tier)
        if item.score < score or item.uses < uses:
            break
        reason = f"score {item.score:.2f} >= {score:g} and uses {item.uses} >= {uses}"
        moves.append(TierMove(item.pk, tier, target, reason))
        tier = target
    return moves


def plan_retirement(item: MemoryItem, now: datetime) -> RetiredMemory:
    conf = memory_conf().promotion
    if is_over(item, now):
        return RetiredMemory(item.pk, Status(item.status), Status.ARCHIVED, TIME_OVER)
    if item.score < conf.garbage_below and item.uses > item.overruled_uses:
        reason = f"score {item.score:.2f} < {conf.garbage_below:g} after {item.uses} uses"
        return RetiredMemory(item.pk, Status(item.status), Status.ARCHIVED, reason)
    target = Status.DORMANT if conf.keeps_expired else Status.ARCHIVED
    reason = f"past its time in {item.tier} ({format_age(now - item.created_at)} old)"
    return RetiredMemory(item.pk, Status(item.status), target, reason)


def format_age(age: timedelta) -> str:
    hours = int(age.total_seconds() // 3600)
    return f"{hours // 24} days" if hours >= 48 else f"{hours} hours"


def apply_moves(
    user: EndUser, moves: Sequence[TierMove], retired: Sequence[RetiredMemory], now: datetime, actor: str
) -> None:
    final = {move.memory_id: move.target for move in moves}
    for target in sorted(set(final.values())):
        move_to_tier(user, [pk for pk, tier in final.items() if tier is target], target, now)
    entries = [
        rows.EventEntry(move.memory_id, move.reason, {"tier": move.source}, {"tier": move.target}) for move in moves
    ]
    rows.record_events(user, "promoted", entries, now=now, actor=actor)
    if moves:
        rows.mark_index_due(user, timezone.now())
        signals.items_changed.send(EndUser, user=user, kind="promoted", items=list(final.items()))
    for status in (Status.DORMANT, Status.ARCHIVED):
        reasons = {one.memory_id: one.reason for one in retired if one.target is status}
        archiving.retire_memories(user, reasons, status, now=now, actor=actor)


def move_to_tier(user: EndUser, ids: Sequence[uuid.UUID], target: Tier, now: datetime) -> None:
    """Move the item into a tier and restart its TTL, unless it was given an end of its own."""
    ttl = POLICIES[target].ttl
    MemoryItem.objects.for_user(user).filter(pk__in=ids).update(
        tier=target,
        expires_at=Case(
            When(is_expiry_given=True, then=F("expires_at")),
            default=Value(now + ttl if ttl else None, output_field=DateTimeField()),
        ),
        updated_at=now,
        indexing=Indexing.PENDING,
        # By the clock itself: `promote --at` may be told a time to come.
        index_after=timezone.now(),
    )


# --- dormant memories --------------------------------------------------------------------------------------------
def revive_memories(user: EndUser, ids: Sequence[uuid.UUID], *, now: datetime, actor: str) -> None:
    """Bring dormant memories that worked back to history, each with an event. In the user's scope."""
    # External text comes back to working: it may stand nowhere higher, whatever came of it.
    known = MemoryItem.objects.for_user(user).filter(pk__in=list(ids))
    for tier, memories in (
        (Tier.HISTORY, known.filter(trust__gt=Trust.EXTERNAL)),
        (Tier.WORKING, known.filter(trust__lte=Trust.EXTERNAL)),
    ):
        found = list(memories.values_list("pk", flat=True))
        move_to_tier(user, archiving.wake_memories(user, found, reason="it worked", now=now, actor=actor), tier, now)
