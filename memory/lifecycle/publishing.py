"""Facts and the memory bank: what is published there, and what becomes of a fact when its item changes.

A fact reaches the bank through its guard and its dedup and is linked by ``bank_item_id``. When another takes its place
the item that the product wrote is archived with the reason; one that a person wrote or edited goes to review. A person
who archives, edits or deletes the item has thereby rejected, revised or forgotten the fact.
"""

import uuid
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import structlog
from django.db.models import Q

from memory.access.confinement import RowScope
from memory.claims.presupposed.telling import names_mere_kind
from memory.claims.relations import is_meant
from memory.conf import memory_conf
from memory.facts import changes, corrections, readings
from memory.facts.evidence import drop_facts, remove_evidence_of
from memory.facts.keys import fold_key
from memory.facts.pairs import judge_pair, read_statement
from memory.facts.profile import ProfileFact
from memory.facts.recording import RecordedFact, says_more
from memory.indexes.answering import choose_question_model
from memory.indexes.duplicates import find_duplicate_by_vector
from memory.inference.base import Vector
from memory.language.analysis import extract_terms
from memory.lifecycle import bank
from memory.models import EndUser, Fact, FactEvent, MemoryEvent, MemoryItem
from memory.models.facts import FactState
from memory.platform.deadline import Deadline
from memory.store import archiving, writing
from memory.store.admission import NewMemory, WriteRefused, validate_memory
from memory.store.merging import MERGE_REASON
from memory.store.standing import TIME_OVER
from memory.tiers import Status, Tier, Trust

logger = structlog.get_logger(__name__)

# Passes of the product, whose archiving says nothing about what is true.
MACHINES: Final = frozenset({"", "promotion", "profile", "bench"})
KIND: Final = "profile"
# Until when facts hold whose item somebody archived, by their ids, in the event of it.
ENDS: Final = "ends"
# Why a fact ended whose item somebody archived.
ITEM_ARCHIVED: Final = "its bank item was archived"
# Of these states a fact has held, and may have taken the place of others.
HELD: Final = frozenset({FactState.ACTIVE, FactState.SUPERSEDED, FactState.DEPRECATED})
# What somebody wrote. Where the source names no kind, "is not KIND" alone is neither true nor false, and was left out.
WRITTEN: Final = Q(source__kind__isnull=True) | ~Q(source__kind=KIND)


@dataclass(frozen=True, slots=True)
class Publication:
    """A statement as the bank would hold it. ``twin`` is the item near enough to say the same.

    A remark ("40 mg, not 20") is nothing by itself: the bank holds it with what it replaced.
    """

    memory: NewMemory
    twin: uuid.UUID | None
    is_remark: bool = False


def draft_publication(
    user: EndUser | None,
    fact: ProfileFact,
    vector: Vector | None,
    source: dict[str, str],
    *,
    said_at: datetime,
    thread_id: str,
    memory_id: uuid.UUID | None,
) -> Publication | None:
    """None where it is no memory of its own or the bank refuses it: the fact is kept all the same. Asks the index;
    open no transaction.

    ``vector`` is the statement's, None where there is no embedder.
    """
    if fact.claims and all(map(names_mere_kind, fact.claims)):
        return None
    new = draft_memory(fact, source, said_at=said_at, thread_id=thread_id, memory_id=memory_id)
    if any(claim.is_remark for claim in fact.claims):
        return Publication(new, None, is_remark=True)
    try:
        new = validate_memory(new)
    except WriteRefused as error:
        logger.info("a fact was not published", field=error.field, rule=error.rule)
        return None
    if user is None or vector is None:
        return Publication(new, None)
    deadline = Deadline(memory_conf().deadlines.default_s)
    model = choose_question_model(deadline)
    return Publication(new, find_duplicate_by_vector(user, vector, RowScope.of(new), deadline, model=model))


def draft_memory(
    fact: ProfileFact, source: dict[str, str], *, said_at: datetime, thread_id: str, memory_id: uuid.UUID | None
) -> NewMemory:
    return NewMemory(
        text=fact.statement,
        tier=Tier.MEMORY_BANK,
        tags=list(fact.tags),
        importance=fact.importance,
        confidence=fact.confidence,
        thread_id=thread_id,
        trust=fact.trust,
        source={"kind": KIND, **source},
        occurred_at=said_at,
        parents=[memory_id] if memory_id else [],
        is_requested=any(map(is_meant, fact.claims)),
    )


def publish_facts(
    user: EndUser, recorded: Sequence[RecordedFact], publication: Publication | None, *, now: datetime, actor: str
) -> uuid.UUID | None:
    """Bring the bank in line with what a statement did. Returns the id of the bank item if it is new.

    In the user's scope, after the facts were recorded.
    """
    closed = [fact for one in recorded for fact in one.closed]
    pinned = archive_closed(user, closed, recorded, now=now, actor=actor)
    current = [one for one in recorded if one.fact is not None and one.fact.state == FactState.ACTIVE]
    # What the hot path has kept already is no new evidence when its exchange is read, and not in the bank yet.
    fresh = [one for one in current if one.is_new_evidence or (one.fact is not None and one.fact.bank_item_id is None)]
    if publication is None or not fresh:
        return None
    if publication.is_remark:
        about = [one.about for one in recorded if one.about is not None]
        publication = replace(publication, memory=complete_remark(publication.memory, [*closed, *about]))
    return store_published(user, fresh, publication, is_pinned=pinned, now=now, actor=actor)


def complete_remark(memory: NewMemory, closed: Sequence[Fact]) -> NewMemory:
    """The remark with what it replaced, unless it names the matter itself."""
    before = closed[0].statement if closed else ""
    if not before or set(extract_terms(memory.text)) & set(extract_terms(before)):
        return memory
    return replace(memory, text=f"{memory.text} ({before})")


def store_published(
    user: EndUser,
    recorded: Sequence[RecordedFact],
    publication: Publication,
    *,
    is_pinned: bool,
    now: datetime,
    actor: str,
) -> uuid.UUID | None:
    known = next((one.fact.bank_item_id for one in recorded if one.fact and one.fact.bank_item_id), None)
    twin = known or find_true_twin(user, publication)
    memory = replace(publication.memory, always_inject=is_pinned or publication.memory.always_inject)
    memory = replace(memory, metadata=find_inherited_metadata(user, memory))
    try:
        memory = validate_memory(memory) if publication.is_remark else memory
        stored = writing.store_memory(user, memory, now=now, actor=actor, similar_to=twin)
    except WriteRefused as error:
        logger.info("a fact was not published", field=error.field, rule=error.rule)
        return None
    left: list[uuid.UUID] = []
    for one in recorded:
        if one.fact is not None and one.fact.bank_item_id != stored.item.pk:
            left += [one.fact.bank_item_id] if one.fact.bank_item_id else []
            one.fact.bank_item_id = stored.item.pk
            one.fact.save(update_fields=["bank_item_id"])
    archive_left(user, left, stored.item, now=now, actor=actor)
    return stored.item.pk if stored.duplicate_of is None else None


def archive_left(user: EndUser, left: Sequence[uuid.UUID], item: MemoryItem, *, now: datetime, actor: str) -> None:
    """Archive what the product published of facts that stand in another item by now, where that says all of it."""
    if not left:
        return
    kept = Fact.objects.for_user(user).active().filter(bank_item_id__in=left).values("bank_item_id")
    rows = MemoryItem.objects.for_user(user).active().filter(pk__in=left, source__kind=KIND, always_inject=False)
    reasons = {
        old.pk: f"reworded: {item.text}"[:300]
        for old in rows.exclude(pk__in=kept).only("pk", "text")
        if says_more(item.text, old.text)
    }
    if reasons:
        archiving.retire_memories(user, reasons, Status.ARCHIVED, now=now, actor=actor)


def find_inherited_metadata(user: EndUser, memory: NewMemory) -> dict[str, Any]:
    """What a client said of the turn holds of what was read out of it: a filter that finds the one finds the other."""
    parents = MemoryItem.objects.for_user(user).filter(pk__in=memory.parents).values_list("metadata", flat=True)
    return next(iter(parents), {}) if memory.parents else {}


def find_true_twin(user: EndUser, publication: Publication) -> uuid.UUID | None:
    """The near item, where the judge says that it is the same: "I live in York" lies near "I live in Leeds"."""
    if publication.twin is None:
        return None
    item = MemoryItem.objects.for_user(user).active().filter(pk=publication.twin).only("text").first()
    if item is None:
        return None
    verdict = judge_pair(read_statement(item.text), read_statement(publication.memory.text))
    return None if verdict in {"contradiction", "keep_both"} else item.pk


def archive_closed(
    user: EndUser, closed: Sequence[Fact], recorded: Sequence[RecordedFact], *, now: datetime, actor: str
) -> bool:
    """Archive the items of facts that ended, where no other fact stands in them. Returns whether one was pinned."""
    ids = {fact.bank_item_id for fact in closed if fact.bank_item_id}
    if not ids:
        return False
    kept = set(Fact.objects.for_user(user).active().filter(bank_item_id__in=ids).values_list("bank_item_id", flat=True))
    successor = next((one.fact.statement for one in recorded if one.fact is not None), "")
    reason = f"superseded: {successor}"[:300] if successor else "superseded"
    reasons = dict.fromkeys((item_id for item_id in ids - kept if item_id), reason)
    pinned = MemoryItem.objects.for_user(user).active().filter(pk__in=reasons, always_inject=True).exists()
    archiving.retire_memories(user, reasons, Status.ARCHIVED, now=now, actor=actor)
    return pinned


def make_room(user: EndUser, fresh: Sequence[uuid.UUID], *, now: datetime) -> None:
    """The bank has its cap; what was just published is the last to go."""
    try:
        bank.make_room(user, now=now, keep=list(fresh))
    except WriteRefused as error:
        # The fact itself is kept; only its place in a bank full of what people wrote is not.
        logger.info("no room in the bank for a fact", rule=error.rule)


def link_bank_item(user: EndUser, item: MemoryItem, recorded: RecordedFact, *, now: datetime) -> None:
    """Link a bank item that was read as a fact, and archive what the product published of the facts it ended."""
    fact = recorded.fact
    if fact is None:
        return
    archive_closed(user, recorded.closed, [recorded], now=now, actor="profile")
    if fact.bank_item_id is None:
        fact.bank_item_id = item.pk
    # What a model or a tool wrote there may be ended by the person's next remark; what a person wrote may not.
    fact.is_curated = fact.is_curated or item.trust == Trust.USER
    fact.save(update_fields=["bank_item_id", "is_curated"])


def follow_bank_change(user: EndUser, kind: str, ids: Sequence[uuid.UUID], *, now: datetime) -> None:
    """What a change of bank items means for the facts behind them. In the scope and transaction of the change."""
    facts = list(Fact.objects.for_user(user).filter(bank_item_id__in=list(ids)).defer("vector"))
    if not facts:
        return
    events = find_latest_events(user, [fact.bank_item_id for fact in facts if fact.bank_item_id])
    facts = list_ended_with_item(user, facts) if kind == "restored" else facts
    for fact in facts:
        event = events.get(fact.bank_item_id) if fact.bank_item_id else None
        if event is not None:
            follow_item_event(fact, kind, event, now=now)


def has_unpublished(user: EndUser, ids: Sequence[uuid.UUID]) -> bool:
    """Whether any of these items was written by somebody, and not published from a fact."""
    return MemoryItem.objects.for_user(user).filter(WRITTEN, pk__in=list(ids)).exists()


def find_latest_events(user: EndUser, ids: Sequence[uuid.UUID], kind: str = "") -> dict[uuid.UUID, MemoryEvent]:
    latest = MemoryEvent.objects.filter(user=user, item_id__in=list(ids)).order_by("item_id", "-id")
    latest = latest.filter(kind=kind) if kind else latest
    return {event.item_id: event for event in latest.distinct("item_id")}


def list_ended_with_item(user: EndUser, facts: Sequence[Fact]) -> list[Fact]:
    """Those that ended because somebody archived the item; all of them where the product archived it.

    "I live in Hamburg and work as a nurse": the home had ended with "I moved to Berlin" before, and does not come back.
    """
    archivings = find_latest_events(user, [fact.bank_item_id for fact in facts if fact.bank_item_id], "archived")
    by_person = {item_id for item_id, event in archivings.items() if is_wished(event)}
    latest = FactEvent.objects.filter(user=user, fact__in=facts).order_by("fact_id", "-id").distinct("fact_id")
    reasons = {event.fact_id: event.reason for event in latest}
    return [fact for fact in facts if fact.bank_item_id not in by_person or reasons.get(fact.pk) == ITEM_ARCHIVED]


def follow_item_event(fact: Fact, kind: str, event: MemoryEvent, *, now: datetime) -> None:
    if kind == "archived" and event.reason == MERGE_REASON and "merged_into" in event.after:
        Fact.objects.for_user(fact.user_id).filter(pk=fact.pk).update(bank_item_id=event.after["merged_into"])
    elif kind == "archived" and is_wished(event) and fact.state == FactState.ACTIVE:
        note_end(fact, event)
        give_place_back(fact.user, fact, now=now, actor=event.actor)
        changes.retract_fact(fact, now=now, actor=event.actor, reason=ITEM_ARCHIVED)
    elif kind == "restored":
        was_rejected = fact.state == FactState.RETRACTED
        changes.restore_fact(fact, now=now, actor=event.actor, reason="its bank item was restored")
        give_end_back(fact)
        if was_rejected and fact.state == FactState.ACTIVE:
            end_again(fact.user, fact, now=now, actor=event.actor)
    elif kind == "revised" and event.kind == "revised" and event.actor not in MACHINES:
        revise_from_bank(fact, event, now=now)


def is_wished(archiving: MemoryEvent) -> bool:
    """Whether somebody wanted it gone: at once, or from the end on that they gave it."""
    return archiving.actor not in MACHINES or archiving.reason == TIME_OVER


def note_end(fact: Fact, event: MemoryEvent) -> None:
    """With the archiving: a fact that never held has no end, "eye drops until 3 December" has one when it is back."""
    if fact.valid_to is not None:
        event.after = {**event.after, ENDS: {**event.after.get(ENDS, {}), str(fact.pk): fact.valid_to.isoformat()}}
        event.save(update_fields=["after"])


def give_end_back(fact: Fact) -> None:
    archivings = find_latest_events(fact.user, [fact.bank_item_id] if fact.bank_item_id else [], "archived")
    ends = [event.after.get(ENDS, {}).get(str(fact.pk)) for event in archivings.values()]
    if fact.state == FactState.ACTIVE and ends and ends[0]:
        fact.valid_to = datetime.fromisoformat(ends[0])
        fact.save(update_fields=["valid_to"])


def revise_from_bank(fact: Fact, event: MemoryEvent, *, now: datetime) -> None:
    """A person reworded the bank item: the fact says what they wrote, and a remark in passing no longer ends it."""
    text = event.after.get("text")
    if not text or fold_key(text) == fold_key(fact.statement):
        return
    corrections.revise_fact(fact, text, now=now, actor=event.actor)
    fact.is_curated = True
    fact.save(update_fields=["is_curated"])


def follow_removal(user: EndUser, ids: Sequence[uuid.UUID], *, gives_back: bool, now: datetime) -> None:
    """What deleted memories mean for facts: those that stood in deleted bank items are forgotten.

    With ``gives_back`` what any of them had replaced holds again, as nothing took its place.
    """
    published = list(Fact.objects.for_user(user).filter(bank_item_id__in=list(ids)).defer("vector"))
    remove_with_memories(user, ids, beside=published, gives_back=gives_back, now=now)
    left = list(Fact.objects.for_user(user).filter(pk__in=[fact.pk for fact in published]).defer("vector"))
    if left:
        changes.forget_facts(user, left, now=now, actor="")


def remove_with_memories(
    user: EndUser,
    ids: Sequence[uuid.UUID],
    *,
    now: datetime,
    beside: Sequence[Fact] = (),
    gives_back: bool = True,
) -> None:
    """Deleted memories take their evidence, facts without any left, and what the product published of those.

    ``beside`` are facts that go as well.
    """
    bare = remove_evidence_of(user, ids)
    going = {fact.pk: fact for fact in [*beside, *bare]}
    for fact in going.values() if gives_back else ():
        if fact.state in HELD:
            give_place_back(user, fact, now=now, actor="", going=going)
    drop_facts(user, bare)
    published = [fact.bank_item_id for fact in bare if fact.bank_item_id]
    if published:
        own = MemoryItem.objects.for_user(user).filter(pk__in=published, source__kind=KIND)
        archiving.delete_memories(user, list(own.values_list("pk", flat=True)), now=now)


def give_place_back(user: EndUser, fact: Fact, *, now: datetime, actor: str, going: Collection[uuid.UUID] = ()) -> None:
    """What a fact had replaced holds again, and stands in the bank again."""
    for earlier in readings.give_place_back(fact, now=now, actor=actor, going=going):
        # In a full bank it holds without its item.
        with suppress(WriteRefused):
            restore_bank_item(user, earlier, now=now, actor=actor)


def end_again(user: EndUser, fact: Fact, *, now: datetime, actor: str) -> None:
    """The reverse, once it is taken back that the fact never held."""
    ended = readings.take_place_again(fact, now=now, actor=actor)
    archive_closed(user, ended, [], now=now, actor=actor)


def restore_bank_item(user: EndUser, fact: Fact, *, now: datetime, actor: str) -> None:
    """Raises WriteRefused."""
    if fact.bank_item_id is None:
        return
    kept = archiving.restore_memory(user, fact.bank_item_id, now=now, actor=actor)
    if kept is not None and kept.pk != fact.bank_item_id:
        fact.bank_item_id = kept.pk
        fact.save(update_fields=["bank_item_id"])
