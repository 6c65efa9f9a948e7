"""Undoes the last change of a memory, a move or an edit, and the last thing a person said of a fact."""

import uuid
from datetime import datetime

from django.utils.dateparse import parse_datetime

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.facts import changes
from memory.facts.readings import READING, REREAD
from memory.lifecycle import curation
from memory.lifecycle.promotion import move_to_tier
from memory.models import EndUser, Fact, FactEvent, FactEvidence, MemoryEvent, MemoryItem, MemoryVersion
from memory.models.facts import EvidenceKind, FactState
from memory.store import archiving, rows, writing
from memory.store.admission import WriteRefused
from memory.tiers import Tier

UNDOABLE_EVENTS = frozenset({"promoted", "archived", "dormant", "revised"})
# With what an event of the kind must say for it to be taken back: those of earlier installations say less.
UNDOABLE_OF_FACTS = {
    "revised": {"statement", "valid_from", "valid_to"},
    "confirmed": {"confidence", "evidence_at"},
    REREAD: set(READING),
}
TAKEN_BACK = "taken back"


def undo_change(
    user: EndUser,
    item_id: uuid.UUID,
    event_id: int,
    *,
    now: datetime,
    actor: str,
    similar_to: uuid.UUID | None = None,
) -> MemoryItem | None:
    """Undo a promotion, an archiving, becoming dormant or an edit, if it is the last event. None when there is no such.

    The outcomes that led to the move do not lead to it again: only a new one decides about the memory's place. Raises
    WriteRefused for an event that cannot be taken back, and as ``restore_memory`` does.
    """
    with user_scope(user):
        # Before the row, as whoever writes to the bank does.
        lock_for_transaction("bank", user)
        item = rows.lock_item(user, item_id)
        event = MemoryEvent.objects.filter(user=user, item_id=item_id, pk=event_id).first()
        if item is None or event is None:
            return None
        check_undoable(user, event)
        if event.kind == "revised":
            return undo_edit(user, event, now=now, actor=actor, similar_to=similar_to)
        MemoryItem.objects.for_user(user).filter(pk=item_id).update(overruled_uses=item.uses)
        if event.kind != "promoted":
            return archiving.restore_memory(user, item_id, now=now, actor=actor, similar_to=similar_to, undone=event)
        source, target = Tier(event.after["tier"]), Tier(event.before["tier"])
        move_to_tier(user, [item_id], target, now)
        item.refresh_from_db()
        before, after = {"tier": source}, {"tier": target, "undone": event.pk}
        reason = f"taken back: {event.reason}"[:300]
        rows.record_event(item, "undone", reason=reason, before=before, after=after, now=now, actor=actor)
        rows.mark_index_due(user, now)
        rows.announce_change(user, "promoted", [item])
    return item


def undo_edit(
    user: EndUser, event: MemoryEvent, *, now: datetime, actor: str, similar_to: uuid.UUID | None
) -> MemoryItem | None:
    """The fields as they were before; the wording comes back as a new version, as far trusted as it was."""
    kept = MemoryVersion.objects.filter(user=user, item_id=event.item_id, archived_at=event.at).first()
    reason = f"{TAKEN_BACK}: {event.reason}"[:300] if event.reason else TAKEN_BACK
    item = writing.revise_memory(
        user,
        event.item_id,
        dict(event.before),
        now=now,
        actor=actor,
        similar_to=similar_to,
        reason=reason,
        undone=event,
    )
    if item is not None and kept is not None and item.pk == event.item_id:
        item.trust, item.principal = kept.trust, kept.principal
        item.save(update_fields=["trust", "principal"])
    return item


def check_undoable(user: EndUser, event: MemoryEvent) -> None:
    if event.kind not in UNDOABLE_EVENTS:
        raise WriteRefused("event_id", "only a promotion, an archiving, becoming dormant or an edit can be taken back")
    later = MemoryEvent.objects.filter(user=user, item_id=event.item_id, pk__gt=event.pk).order_by("pk")
    after = list(later.values_list("pk", "kind", "after"))
    undone = {details["undone"] for _, _, details in after if "undone" in details}
    if event.pk in undone:
        raise WriteRefused("event_id", "this was taken back already")
    remaining = [kind for pk, kind, details in after if pk not in undone and "undone" not in details]
    if remaining:
        raise WriteRefused(
            "event_id", f"something came after it ({remaining[-1]}); only the last change can be taken back"
        )


def undo_fact_change(user: EndUser, fact_id: uuid.UUID, *, now: datetime, actor: str) -> Fact | None:
    """Undo a correction or a confirmation, if it is the last thing that happened to the fact.

    None when there is no such fact. Raises WriteRefused for one to which something else happened since.
    """
    with user_scope(user):
        fact = curation.find_fact_to_change(user, fact_id)
        if fact is None:
            return None
        event = FactEvent.objects.filter(user=user, fact=fact).order_by("-pk").first()
        if event is None or not is_undoable(event):
            raise WriteRefused("fact_id", "was not corrected or confirmed last: there is nothing to take back")
        if event.kind == "confirmed":
            evidence_at = datetime.fromisoformat(event.before["evidence_at"])
            changes.withdraw_confirmation(fact, event.before["confidence"], evidence_at, now=now, actor=actor)
            return fact
        if event.kind == REREAD:
            curation.take_reading_back(user, fact, event.before, now=now, actor=actor)
            return fact
        return undo_correction(user, fact, event, now=now, actor=actor)


def undo_correction(user: EndUser, fact: Fact, event: FactEvent, *, now: datetime, actor: str) -> Fact | None:
    start, end = (parse_datetime(event.before[name]) for name in ("valid_from", "valid_to"))
    corrected = curation.revise_fact(
        user,
        fact.pk,
        now=now,
        actor=actor,
        statement=event.before["statement"],
        valid_from=start,
        valid_to=end,
        is_endless=end is None,
        reason=TAKEN_BACK,
    )
    if corrected is not None and corrected.state != FactState.MERGED:
        # The words are again what was heard, and no wording of the person's own.
        corrected.is_curated = event.before.get("is_curated", corrected.is_curated)
        corrected.save(update_fields=["is_curated"])
        drop_words_apart(corrected, event)
    return corrected


def drop_words_apart(fact: Fact, event: FactEvent) -> None:
    """Nothing is left of the fact that a correction had made of the old words, nor of what it put in their place."""
    apart = Fact.objects.for_user(fact.user_id).filter(
        state=FactState.MERGED, merged_into=fact.pk, created_at=event.at, statement=fact.statement
    )
    for made in apart.defer("vector"):
        FactEvent.objects.filter(user_id=fact.user_id, fact=fact, kind="merged", after__merged=str(made.pk)).delete()
        made.delete()
        added = FactEvidence.objects.filter(user_id=fact.user_id, fact=fact, kind=EvidenceKind.PERSON)
        added.filter(occurred_at=event.at).delete()
        fact.evidence_count = FactEvidence.objects.filter(user_id=fact.user_id, fact=fact).count()
        fact.save(update_fields=["evidence_count"])


def is_undoable(event: FactEvent) -> bool:
    needed = UNDOABLE_OF_FACTS.get(event.kind)
    return needed is not None and needed <= event.before.keys() and event.reason != TAKEN_BACK
