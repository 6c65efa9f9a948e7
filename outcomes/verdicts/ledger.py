"""The ledger of verdicts: each memory of a turn has one current verdict, so no turn counts twice.

A verdict on the whole turn replaces all earlier ones; one on named memories replaces only theirs. Repeating a verdict
changes nothing, and ``unknown`` never replaces a verdict. People correct themselves, clients repeat themselves, and the
detector may judge after both: the latest verdict of the strongest source counts.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection
from django.db.models import Q

from memory.conf import memory_conf
from memory.lifecycle import promotion
from memory.models import EndUser, MemoryEvent, MemoryItem, Turn
from memory.models.spaces import is_space
from memory.scoring import score_after_outcome
from memory.tiers import SCORED_TIERS, Outcome, Status
from outcomes.models import QUERY_CHARS, Exchange, OutcomeEvent, Source

# What a person reports is never overruled by a guess: explicit outcome, then the detector, then a hint.
STRENGTH = {Source.EXPLICIT: 2, Source.DETECTOR: 1, Source.IMPLICIT: 0}
MOVED_COLUMNS = {
    "score": "float8",
    "uses": "int",
    **{outcome.value: "int" for outcome in Outcome},
    "last_outcome": "varchar",
    "last_used_at": "timestamptz",
    "updated_at": "timestamptz",
}
# One UPDATE with an array per column; composing a CASE per column took longer than running it.
SAVE_MOVES = (
    f"UPDATE memory_item AS item SET {', '.join(f'{name} = moved.{name}' for name in MOVED_COLUMNS)}"  # noqa: S608 -- names only
    f" FROM unnest(%s::uuid[], {', '.join(f'%s::{kind}[]' for kind in MOVED_COLUMNS.values())})"
    f" AS moved (id, {', '.join(MOVED_COLUMNS)}) WHERE item.id = moved.id AND item.user_id = %s"
)


@dataclass(frozen=True, slots=True)
class VerdictSubject:
    """What a verdict is about: a turn, an exchange, both, or, when memories are named without either, neither."""

    turn: Turn | None
    exchange: Exchange | None

    @property
    def thread_id(self) -> str:
        return self.exchange.thread_id if self.exchange else self.turn.thread_id if self.turn else ""

    @property
    def query(self) -> str:
        question = self.exchange.user_message if self.exchange else self.turn.query if self.turn else ""
        return question[:QUERY_CHARS]

    @property
    def turn_id(self) -> uuid.UUID | None:
        return self.turn.turn_id if self.turn else self.exchange.turn_id if self.exchange else None

    @property
    def exchange_id(self) -> uuid.UUID | None:
        return self.exchange.pk if self.exchange else None


@dataclass(frozen=True, slots=True)
class Verdict:
    """``weight`` scales its effect on scores; below 1 it is a hint, which is not counted as a use."""

    outcome: Outcome
    source: Source = Source.EXPLICIT
    signal: str = "explicit"
    confidence: float = 1.0
    weight: float = 1.0
    actor: str = ""
    reason: str = ""

    @property
    def is_use(self) -> bool:
        return self.weight >= 1 and self.outcome is not Outcome.UNKNOWN

    def repeats(self, event: OutcomeEvent) -> bool:
        """Whether an earlier verdict had the same effect as this one."""
        return event.outcome == self.outcome and (event.source == Source.IMPLICIT) == (self.weight < 1)


@dataclass(frozen=True, slots=True)
class JudgedMemories:
    """What a verdict is about: all that its subject showed, or some of it.

    ``shared`` are those of them that are a space's, with their tiers: noted in the line, scored elsewhere.
    """

    ids: Sequence[uuid.UUID]
    whole: bool = True
    shared: Mapping[uuid.UUID, str] = field(default_factory=dict)


@dataclass(slots=True)
class SettledVerdict:
    """The result of a verdict. ``event`` is None when nothing changed: it repeats an earlier one, or a stronger source
    has given one."""

    scored: list[MemoryItem] = field(default_factory=list)
    learned: list[uuid.UUID] = field(default_factory=list)
    event: OutcomeEvent | None = None
    # The verdicts that were current before.
    previous: list[OutcomeEvent] = field(default_factory=list)
    replaced: list[OutcomeEvent] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ScoreMove:
    """The effect of an earlier verdict on one memory."""

    event: OutcomeEvent
    delta: float


def settle_verdict(
    user: EndUser, subject: VerdictSubject, verdict: Verdict, judged: JudgedMemories, *, now: datetime
) -> SettledVerdict:
    """Apply a verdict to these memories. The subject's row must be locked."""
    ids, whole = judged.ids, judged.whole
    # The lock serialises verdicts on one turn: two at once would each reverse the same earlier one.
    current = find_current_events(user, subject)
    earlier = current if whole else [event for event in current if is_about_any(event, ids)]
    if is_overruled(verdict, earlier) or is_repetition(verdict, earlier, ids, whole=whole):
        return describe_unchanged(user, ids, current)
    moves = {uuid.UUID(row[0]): ScoreMove(event, row[2]) for event in earlier for row in event.memories}
    dropped = [item_id for item_id in moves if item_id not in set(ids)] if whole else []
    items = lock_items(user, [*ids, *dropped])
    changes = ScoreChanges(verdict, moves, now)
    for item in items:
        if item.pk not in dropped:
            changes.apply(item)
        elif item.tier in SCORED_TIERS:
            changes.take_back(item)
    changes.memories += [(str(item_id), tier, 0.0) for item_id, tier in judged.shared.items()]
    changes.save()
    if verdict.outcome is Outcome.WORKED and verdict.is_use:
        dormant = [item.pk for item in changes.scored if item.status == Status.DORMANT]
        promotion.revive_memories(user, dormant, now=now, actor=verdict.actor)
    settled = SettledVerdict(changes.scored, changes.learned, previous=current, replaced=earlier)
    replace_events(user, earlier, ids, whole=whole, now=now)
    settled.event = write_event(user, subject, verdict, changes, whole=whole, now=now)
    return settled


class ScoreChanges:
    """Collects the changes of one verdict and writes them at once."""

    def __init__(self, verdict: Verdict, moves: dict[uuid.UUID, ScoreMove], now: datetime) -> None:
        self.verdict = verdict
        self.now = now
        self.scored: list[MemoryItem] = []
        self.learned: list[uuid.UUID] = []
        self.memories: list[tuple[str, str, float]] = []
        self._moves = moves
        self._changed: list[MemoryItem] = []
        self._events: list[MemoryEvent] = []

    def apply(self, item: MemoryItem) -> None:
        # With outcomes switched off the verdict is stored and no score moves.
        if item.tier not in (SCORED_TIERS if memory_conf().flags["outcome"] else ()):
            self.learned.append(item.pk)
            self.memories.append((str(item.pk), item.tier, 0.0))
            return
        self.scored.append(item)
        earlier = self._moves.get(item.pk)
        if earlier and self.verdict.repeats(earlier.event):
            self.memories.append((str(item.pk), item.tier, earlier.delta))
            return
        self.take_back(item)
        self.memories.append((str(item.pk), item.tier, self._move(item)))

    def take_back(self, item: MemoryItem) -> None:
        earlier = self._moves.get(item.pk)
        if earlier is None:
            return
        before = item.score
        self._subtract(item, earlier)
        self._note(item, "outcome_replaced", before, f"a later verdict takes the place of {earlier.event.outcome}")

    def withdraw(self, item: MemoryItem, event: MemoryEvent) -> None:
        """Reverse the verdict that ``event`` records, with none in its place."""
        before = item.score
        self._subtract(item, self._moves[item.pk])
        previous = find_last_verdict(item, except_for=self._moves[item.pk].event)
        item.last_outcome, item.last_used_at = (previous.outcome, previous.at) if previous else ("", None)
        reason = f"{event.kind.removeprefix('outcome_')} no longer stands"
        self._note(item, "outcome_withdrawn", before, reason, undone=event.pk)

    def _subtract(self, item: MemoryItem, earlier: ScoreMove) -> None:
        outcome = Outcome(earlier.event.outcome)
        # By the amount it had moved, not by its nominal step: a move that ended at 0 or 1 loses nothing.
        item.score = clamp_score(item.score - earlier.delta)
        if earlier.event.source != Source.IMPLICIT:
            item.uses = max(0, item.uses - (outcome is not Outcome.UNKNOWN))
            setattr(item, outcome, max(0, getattr(item, outcome) - 1))
        item.updated_at = self.now

    def _move(self, item: MemoryItem) -> float:
        verdict, before = self.verdict, item.score
        deltas = {name: delta * verdict.weight for name, delta in memory_conf().scoring.deltas.items()}
        item.score = score_after_outcome(item.score, verdict.outcome, deltas)
        if verdict.weight >= 1:
            # An unknown outcome is stored but not counted as a use: only verdicts count towards promotion.
            item.uses += verdict.is_use
            setattr(item, verdict.outcome, getattr(item, verdict.outcome) + 1)
            item.last_outcome, item.last_used_at = verdict.outcome, self.now
        item.updated_at = self.now
        kind = f"outcome_{verdict.outcome}" if verdict.weight >= 1 else f"signal_{verdict.signal}"
        self._note(item, kind, before, verdict.reason[:LONGEST_REASON] or REASONS[verdict.source])
        return round(item.score - before, 6)

    def _note(self, item: MemoryItem, kind: str, before: float, reason: str, **also: int) -> None:
        if item not in self._changed:
            self._changed.append(item)
        self._events.append(
            MemoryEvent(
                user_id=item.user_id,
                item_id=item.pk,
                kind=kind,
                reason=reason,
                before={"score": before},
                after={"score": item.score, "uses": item.uses, **also},
                actor=self.verdict.actor,
                at=self.now,
            )
        )

    def save(self) -> None:
        if not self._changed:
            return
        columns = [[getattr(item, name) for item in self._changed] for name in ("pk", *MOVED_COLUMNS)]
        with connection.cursor() as cursor:
            cursor.execute(SAVE_MOVES, [*columns, self._changed[0].user_id])
        MemoryEvent.objects.bulk_create(self._events)


# Of a reason as the memory's history tells it; the outcome has all of it.
LONGEST_REASON = 300
REASONS = {
    Source.EXPLICIT: "",
    Source.DETECTOR: "read out of the conversation",
    Source.IMPLICIT: "hinted at in the conversation",
}


def clamp_score(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 6)


def find_current_events(user: EndUser, subject: VerdictSubject) -> list[OutcomeEvent]:
    condition = Q(turn_id=subject.turn_id) if subject.turn_id else Q()
    condition |= Q(exchange_id=subject.exchange_id) if subject.exchange_id else Q()
    if not condition:
        return []
    return list(OutcomeEvent.objects.filter(condition, user=user, sign=1, replaced_at=None).order_by("pk"))


def find_last_verdict(item: MemoryItem, *, except_for: OutcomeEvent) -> OutcomeEvent | None:
    current = OutcomeEvent.objects.filter(user=item.user_id, sign=1, replaced_at=None, scored_ids__contains=[item.pk])
    return current.exclude(pk=except_for.pk).exclude(source=Source.IMPLICIT).order_by("at", "pk").last()


def is_about_any(event: OutcomeEvent, ids: Iterable[uuid.UUID]) -> bool:
    return not {row[0] for row in event.memories}.isdisjoint(str(item_id) for item_id in ids)


def is_overruled(verdict: Verdict, earlier: Sequence[OutcomeEvent]) -> bool:
    """Whether the earlier verdict is replaced: by a stronger source, or if it was unknown."""
    clear = [event for event in earlier if event.outcome != Outcome.UNKNOWN]
    if verdict.outcome is Outcome.UNKNOWN and clear:
        return True
    return any(STRENGTH[Source(event.source)] > STRENGTH[verdict.source] for event in earlier)


def is_repetition(verdict: Verdict, earlier: Sequence[OutcomeEvent], ids: Sequence[uuid.UUID], *, whole: bool) -> bool:
    if not earlier or any((event.outcome, event.source) != (verdict.outcome, verdict.source) for event in earlier):
        return False
    covered = {row[0] for event in earlier for row in event.memories}
    given = {str(item_id) for item_id in ids}
    return covered == given if whole else given <= covered


def describe_unchanged(user: EndUser, ids: Sequence[uuid.UUID], current: list[OutcomeEvent]) -> SettledVerdict:
    scored_tiers = SCORED_TIERS if memory_conf().flags["outcome"] else frozenset()
    settled = SettledVerdict(previous=current)
    for item in MemoryItem.objects.for_user(user).filter(pk__in=list(ids)).defer("lexemes", "text").order_by("pk"):
        if item.tier in scored_tiers:
            settled.scored.append(item)
        else:
            settled.learned.append(item.pk)
    return settled


def lock_items(user: EndUser, ids: Iterable[uuid.UUID]) -> list[MemoryItem]:
    """The memories of a verdict, locked until the transaction ends."""
    # In order of id, so that two outcomes cannot deadlock.
    items = MemoryItem.objects.for_user(user).filter(pk__in=list(ids)).select_for_update(no_key=True)
    return list(items.defer("lexemes", "text").order_by("pk"))


def replace_events(
    user: EndUser, earlier: Sequence[OutcomeEvent], ids: Sequence[uuid.UUID], *, whole: bool, now: datetime
) -> None:
    """Reverse earlier lines; what they said about other memories remains valid."""
    if not earlier:
        return
    # The ledger only grows: with a reversing line, whoever learned from the first one can subtract it in any order.
    OutcomeEvent.objects.filter(user=user, pk__in=[event.pk for event in earlier]).update(replaced_at=now)
    OutcomeEvent.objects.bulk_create(copy_event(event, event.memories, sign=-1, now=now) for event in earlier)
    replaced_ids = set() if whole else {str(item_id) for item_id in ids}
    if replaced_ids:
        remaining = [(event, [row for row in event.memories if row[0] not in replaced_ids]) for event in earlier]
        OutcomeEvent.objects.bulk_create(copy_event(event, rest, sign=1, now=now) for event, rest in remaining if rest)


def copy_event(event: OutcomeEvent, memories: list[list[object]], *, sign: int, now: datetime) -> OutcomeEvent:
    ids = {str(row[0]) for row in memories}
    return OutcomeEvent(
        user_id=event.user_id,
        turn_id=event.turn_id,
        exchange_id=event.exchange_id,
        thread_id=event.thread_id,
        query=event.query,
        outcome=event.outcome,
        source=event.source,
        signal=event.signal,
        confidence=event.confidence,
        actor=event.actor,
        reason=event.reason if sign > 0 else "",
        scored_ids=[item_id for item_id in event.scored_ids if str(item_id) in ids],
        learned_ids=[item_id for item_id in event.learned_ids if str(item_id) in ids],
        memories=memories,
        whole=False,
        takeaway_id=event.takeaway_id,
        at=event.at if sign > 0 else now,
        sign=sign,
        reverts=event.pk if sign < 0 else None,
        replaced_at=None if sign > 0 else now,
        # Where nothing is learned there is nothing to reverse.
        learned_at=None if teaches(event.user_id, event.source) else now,
    )


def write_event(
    user: EndUser, subject: VerdictSubject, verdict: Verdict, changes: ScoreChanges, *, whole: bool, now: datetime
) -> OutcomeEvent:
    return OutcomeEvent.objects.create(
        user=user,
        turn_id=subject.turn_id,
        exchange_id=subject.exchange_id,
        thread_id=subject.thread_id,
        query=subject.query,
        outcome=verdict.outcome,
        source=verdict.source,
        signal=verdict.signal,
        confidence=verdict.confidence,
        actor=verdict.actor,
        reason=verdict.reason,
        scored_ids=[item.pk for item in changes.scored],
        learned_ids=changes.learned,
        memories=[list(row) for row in changes.memories],
        whole=whole,
        at=now,
        learned_at=None if teaches(user.pk, verdict.source) else now,
    )


def teaches(user_id: int, source: str) -> bool:
    """Nothing is learned from hints, and a space has no graphs."""
    return source != Source.IMPLICIT and not is_space(user_id)
