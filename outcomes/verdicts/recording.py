"""Records an outcome: scores move at once, in one transaction; those of books and the memory bank never."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypedDict

from django.db.models import Count

from memory.access.scope import user_scope
from memory.guard import redact_secrets
from memory.language.text import hash_content
from memory.models import EndUser, MemoryItem, Turn
from memory.platform import metrics
from memory.platform.faults import UnknownReference
from memory.retrieval.turns import adopt_strangers_turn
from memory.store import rows, writing
from memory.store.admission import NewMemory, WriteRefused
from memory.store.lineage import MOST_PARENTS
from memory.tiers import Outcome, SourceType, Tier, Trust
from outcomes.models import Exchange, OutcomeEvent, Source
from outcomes.verdicts.actions import set_action_verdicts
from outcomes.verdicts.ledger import (
    JudgedMemories,
    SettledVerdict,
    Verdict,
    VerdictSubject,
    clamp_score,
    settle_verdict,
)
from outcomes.verdicts.shared import SharedSubject, SharedVerdict, count_in_spaces, find_shared_subjects

# A lesson starts where its outcome would have moved the usual 0.5: by +0.2, -0.3, +0.05 and nothing.
# The initial score of a takeaway, by outcome.
TAKEAWAY_SCORES = {Outcome.WORKED: 0.7, Outcome.FAILED: 0.2, Outcome.PARTIAL: 0.55, Outcome.UNKNOWN: 0.5}
MAX_POSITION_DIGITS = 4
NOTHING_NAMED = "name a turn_id, an exchange_id or memory ids the outcome is about"


class UnknownTurn(UnknownReference):
    """The turn or exchange an outcome names is not the user's."""


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    memory_id: uuid.UUID
    score: float
    uses: int


@dataclass(frozen=True, slots=True)
class RecordedOutcome:
    """``learned`` are the turn's books and bank items: recorded, not scored. ``ignored`` are invalid references.

    ``replaced`` is the outcome this one replaced, if any. ``shared`` are memories of the person's spaces.
    """

    scored: list[ScoredMemory]
    learned: list[uuid.UUID]
    takeaway_id: uuid.UUID | None
    ignored: list[int | str] = field(default_factory=list)
    replaced: Outcome | None = None
    shared: list[SharedVerdict] = field(default_factory=list)


class OutcomeSubject(TypedDict, total=False):
    """What ``record_outcome`` is about, for those who pass it on."""

    turn_id: uuid.UUID | None
    exchange_id: uuid.UUID | None
    key_takeaway: str
    related: Sequence[int | str] | None
    reason: str


def record_outcome(
    user: EndUser,
    outcome: Outcome,
    *,
    now: datetime,
    turn_id: uuid.UUID | None = None,
    exchange_id: uuid.UUID | None = None,
    key_takeaway: str = "",
    related: Sequence[int | str] | None = None,
    reason: str = "",
    actor: str = "",
) -> RecordedOutcome:
    """Record the outcome of a turn.

    ``related`` names positions of the turn's search or memory ids; without it everything the turn showed is scored.
    Raises UnknownTurn, and WriteRefused when there is nothing an outcome could be about or ``related`` names nothing.
    """
    with user_scope(user):
        subject = lock_subject(user, turn_id, exchange_id)
        references = resolve_references(user, subject, related)
        if not references.named and not key_takeaway and subject == VerdictSubject(None, None):
            raise WriteRefused("related", NOTHING_NAMED)
        verdict = Verdict(outcome, actor=actor, reason=redact_secrets(reason).text)
        judged = JudgedMemories(references.named, references.whole, references.tiers_of_shared)
        settled = apply_verdict(user, subject, verdict, judged, now=now)
        shared = count_in_spaces(user, references.shared, verdict, now=now)
        takeaway = settle_takeaway(user, key_takeaway, subject, verdict, settled, references.ids, now)
        mark_scored(user, subject, now)
    return RecordedOutcome(
        scored=[ScoredMemory(item.pk, item.score, item.uses) for item in settled.scored],
        learned=settled.learned,
        takeaway_id=takeaway,
        ignored=references.ignored,
        replaced=next((Outcome(event.outcome) for event in settled.replaced if event.outcome != outcome), None),
        shared=shared,
    )


def apply_verdict(
    user: EndUser, subject: VerdictSubject, verdict: Verdict, judged: JudgedMemories, *, now: datetime
) -> SettledVerdict:
    """Apply a verdict and mark that there is something to learn. The subject must be locked."""
    settled = settle_verdict(user, subject, verdict, judged, now=now)
    if settled.event is not None and verdict.source is not Source.IMPLICIT:
        set_action_verdicts(user, subject.turn_id, subject.exchange_id)
        rows.mark_learning_due(user, now)
        metrics.count("outcomes", verdict.outcome)
    return settled


def lock_subject(user: EndUser, turn_id: uuid.UUID | None, exchange_id: uuid.UUID | None) -> VerdictSubject:
    """The turn and exchange, one of them locked to serialise outcomes of the same turn. Raises UnknownTurn."""
    exchanges = Exchange.objects.filter(user=user)
    exchange = exchanges.filter(pk=exchange_id).first() if exchange_id else None
    if exchange_id and exchange is None:
        raise UnknownTurn("exchange_id")
    wanted_turn_id = turn_id or (exchange.turn_id if exchange else None)
    turns = Turn.objects.filter(user=user).select_for_update(no_key=True)
    turn = turns.filter(turn_id=wanted_turn_id).first() if wanted_turn_id else None
    if turn_id and turn is None:
        turn = adopt_strangers_turn(user, turn_id)
        if turn is None:
            raise UnknownTurn("turn_id")
    if exchange is None and turn is not None:
        exchange = exchanges.filter(turn_id=turn.turn_id).order_by("-created_at").first()
    elif exchange is not None and turn is not None and not belong_together(exchange, turn):
        raise WriteRefused("turn_id", "is not the turn of the exchange that exchange_id names")
    elif exchange is not None and turn is None:
        exchange = exchanges.filter(pk=exchange.pk).select_for_update(no_key=True).first()
    return VerdictSubject(turn, exchange)


def belong_together(exchange: Exchange, turn: Turn) -> bool:
    """An exchange that was stored without its turn may be of any of its thread that no other exchange is of."""
    if exchange.turn_id is not None or turn.thread_id not in {"", exchange.thread_id}:
        return exchange.turn_id == turn.turn_id
    return not Exchange.objects.filter(user_id=turn.user_id, turn_id=turn.turn_id).exists()


@dataclass(frozen=True, slots=True)
class OutcomeReferences:
    """The memories an outcome names; ``whole`` when it is about everything the turn showed."""

    ids: list[uuid.UUID]
    whole: bool
    ignored: list[int | str] = field(default_factory=list)
    # Of spaces, beside ``ids``, which are the person's own.
    shared: list[SharedSubject] = field(default_factory=list)

    @property
    def tiers_of_shared(self) -> dict[uuid.UUID, str]:
        return {one.memory_id: one.tier for one in self.shared}

    @property
    def named(self) -> list[uuid.UUID]:
        return [*self.ids, *self.tiers_of_shared]


def resolve_references(
    user: EndUser, subject: VerdictSubject, related: Sequence[int | str] | None
) -> OutcomeReferences:
    shown = [uuid.UUID(item_id) for item_id, _ in subject.turn.positions] if subject.turn else []
    resolved = [(reference, resolve_reference(reference, shown)) for reference in related or ()]
    wanted_ids = [item_id for _, item_id in resolved if item_id is not None]
    # Any of the user's own ids will do: an assistant may have used what an earlier turn showed.
    own, shared = tell_apart(user, list(dict.fromkeys(wanted_ids)))
    known = {*own, *(one.memory_id for one in shared)}
    ignored = [reference for reference, item_id in resolved if item_id not in known]
    if known:
        return OutcomeReferences(own, whole=False, ignored=ignored, shared=shared)
    if ignored:
        raise WriteRefused("related", describe_what_to_name(subject, len(shown), ignored))
    _, shared = tell_apart(user, shown)
    theirs = {one.memory_id for one in shared}
    rest = [item_id for item_id in add_exchange_memory(user, subject, shown) if item_id not in theirs]
    return OutcomeReferences(rest, whole=True, shared=shared)


def describe_what_to_name(subject: VerdictSubject, shown: int, named: Sequence[int | str]) -> str:
    """What to name where nothing was named rightly: a typo must not judge all that the turn showed."""
    if subject == VerdictSubject(None, None):
        # A position means nothing without a turn; an id is one of nobody's, or of somebody else's.
        are_ids = all(resolve_reference(one, ()) is not None for one in named)
        return "names no memory of this person" if are_ids else NOTHING_NAMED
    positions = f"a position from 1 to {shown}, or " if shown else ""
    return f"names no memory; give {positions}ids of the user's memories, or leave it out to mean the whole turn"


def tell_apart(user: EndUser, ids: list[uuid.UUID]) -> tuple[list[uuid.UUID], list[SharedSubject]]:
    """The user's own memories among these, and those of their spaces."""
    if not ids:
        return [], []
    own = set(MemoryItem.objects.for_user(user).filter(pk__in=ids).values_list("pk", flat=True))
    shared = find_shared_subjects(user, [item_id for item_id in ids if item_id not in own])
    return [item_id for item_id in ids if item_id in own], shared


def add_exchange_memory(user: EndUser, subject: VerdictSubject, shown: list[uuid.UUID]) -> list[uuid.UUID]:
    """What the turn showed, and the memory of the exchange itself: a fresh answer that worked is what worked."""
    own = subject.exchange.memory_id if subject.exchange else None
    if own is None or own in shown or not MemoryItem.objects.for_user(user).filter(pk=own).exists():
        return shown
    return [*shown, own]


def resolve_reference(reference: int | str, shown: Sequence[uuid.UUID]) -> uuid.UUID | None:
    """The id behind a position (from 1) or an id; None when it is neither."""
    text = str(reference)
    if text.isdecimal() and len(text) <= MAX_POSITION_DIGITS:
        position = int(text)
        return shown[position - 1] if 1 <= position <= len(shown) else None
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def settle_takeaway(
    user: EndUser,
    text: str,
    subject: VerdictSubject,
    verdict: Verdict,
    settled: SettledVerdict,
    about: Sequence[uuid.UUID],
    now: datetime,
) -> uuid.UUID | None:
    """The takeaway of a verdict."""
    # One stored for the verdict it replaces takes on the new outcome: no lesson may contradict itself.
    earlier = [event.takeaway_id for event in settled.previous if event.takeaway_id]
    rows = MemoryItem.objects.for_user(user).filter(pk__in=earlier).select_for_update(no_key=True).order_by("pk")
    takeaways = list(rows.defer("lexemes")) if earlier else []
    if text.strip():
        same = next((item for item in takeaways if item.content_hash == hash_content(text)), None)
        takeaways = [same] if same else []
    if settled.event is not None:
        for item in takeaways:
            restate_takeaway(item, verdict, now)
    takeaway = takeaways[-1].pk if takeaways else None
    if text.strip() and takeaway is None:
        takeaway = store_takeaway(user, text, subject, verdict, about, now)
    if settled.event is not None and takeaway:
        settled.event.takeaway_id = takeaway
        settled.event.save(update_fields=["takeaway_id"])
    return takeaway


def store_takeaway(
    user: EndUser, text: str, subject: VerdictSubject, verdict: Verdict, about: Sequence[uuid.UUID], now: datetime
) -> uuid.UUID:
    """Store the takeaway as a memory derived from the memories it is about."""
    # Its parents are why it gets the lowest trust among them and is purged with them.
    exchange_memory = [subject.exchange.memory_id] if subject.exchange and subject.exchange.memory_id else []
    existing = MemoryItem.objects.for_user(user).filter(pk__in=[*about, *exchange_memory]).order_by("pk")
    parents = list(existing.values_list("pk", "trust")[:MOST_PARENTS])
    # A lesson is learned, not said: a working memory's day would be too short for it. What a document had a part in may
    # not leave working until a person vouches for it.
    is_external = any(trust <= Trust.EXTERNAL for _, trust in parents)
    new = NewMemory(
        text=text,
        tier=Tier.WORKING if is_external else Tier.HISTORY,
        thread_id=subject.thread_id,
        source_type=SourceType.ASSISTANT,
        source={"kind": "takeaway", "outcome": verdict.outcome},
        score=TAKEAWAY_SCORES[verdict.outcome],
        parents=[item_id for item_id, _ in parents],
    )
    try:
        return writing.store_memory(user, new, now=now, actor=verdict.actor).item.pk
    except WriteRefused as error:
        raise WriteRefused("key_takeaway", error.rule) from error


def restate_takeaway(item: MemoryItem, verdict: Verdict, now: datetime) -> None:
    """Reset a takeaway of another outcome to the initial score of the new one."""
    previous = Outcome(item.source.get("outcome", Outcome.UNKNOWN))
    if previous is verdict.outcome:
        return
    before = item.score
    item.score = clamp_score(item.score + TAKEAWAY_SCORES[verdict.outcome] - TAKEAWAY_SCORES[previous])
    item.source = {**item.source, "outcome": verdict.outcome}
    item.updated_at = now
    item.save(update_fields=["score", "source", "updated_at"])
    reason = f"what came of it was {previous} and is now {verdict.outcome}"
    rows.record_event(
        item,
        "takeaway_restated",
        reason=reason,
        before={"score": before},
        after={"score": item.score},
        now=now,
        actor=verdict.actor,
    )


def mark_scored(user: EndUser, subject: VerdictSubject, now: datetime) -> None:
    if subject.turn:
        Turn.objects.filter(pk=subject.turn.pk).update(scored_at=now)
        Exchange.objects.filter(user=user, turn_id=subject.turn.turn_id, scored_at=None).update(scored_at=now)
    if subject.exchange:
        Exchange.objects.filter(pk=subject.exchange.pk, scored_at=None).update(scored_at=now)


def count_outcomes(user: EndUser) -> dict[str, int]:
    """Counts of current outcomes, without replaced ones and hints."""
    with user_scope(user):
        current = OutcomeEvent.objects.filter(user=user, sign=1, replaced_at=None).exclude(source=Source.IMPLICIT)
        counted = dict(current.values_list("outcome").annotate(Count("id")))
    return {outcome.value: counted.get(outcome, 0) for outcome in Outcome}


def list_current_outcomes(user: EndUser, limit: int = 10) -> list[OutcomeEvent]:
    with user_scope(user):
        current = OutcomeEvent.objects.filter(user=user, sign=1, replaced_at=None).exclude(source=Source.IMPLICIT)
        return list(current.order_by("-at", "-pk")[:limit])
