"""The write path: the only module that writes a memory's text, status and versions.

Every function is one transaction in the user's scope; what must happen in the index is left in the rows themselves
(``indexing = pending``, an unpurged tombstone), so a lost message or a killed process loses nothing.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from memory.access.confinement import RowScope
from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.guard.redaction.texts import JsonRedaction
from memory.models import EndUser, MemoryEvent, MemoryItem, Tombstone
from memory.platform import metrics
from memory.store import rows, standing
from memory.store.admission import (
    NewMemory,
    WriteRefused,
    judge_bank_item,
    validate_field_text,
    validate_memory,
    validate_tags,
    validate_trust,
)
from memory.store.lineage import limit_trust_to_parents
from memory.store.merging import find_bank_duplicate, merge_into_item, merge_items
from memory.store.speakers import save_speaker_names
from memory.tiers import MAX_BATCH, MAX_TEXT_CHARS, Indexing, Status, Tier, Trust


@dataclass(frozen=True, slots=True)
class StoreResult:
    item: MemoryItem
    duplicate_of: uuid.UUID | None = None


def store_memory(
    user: EndUser, new: NewMemory, *, now: datetime, actor: str = "", similar_to: uuid.UUID | None = None
) -> StoreResult:
    """Store one memory. ``similar_to`` is the bank item it duplicates, if any: the two are merged."""
    new = validate_memory(new)
    # Before the transaction, since it reads the whole text for its words.
    item = rows.build_row(user, new, now, actor)
    with user_scope(user):
        new = limit_trust_to_parents(user, new)
        if new.tier is Tier.MEMORY_BANK and (twin := find_bank_duplicate(user, new.text, similar_to, RowScope.of(new))):
            return StoreResult(merge_into_item(twin, new, now=now, actor=actor), duplicate_of=twin.pk)
        item.trust, item.parents = new.trust or item.trust, list(new.parents)
        item.save(force_insert=True)
        save_speaker_names(user, [item.speaker])
        rows.record_event(item, "stored", after={"tier": item.tier}, now=now, actor=actor)
        rows.mark_index_due(user, now)
        rows.announce_change(user, "stored", [item])
        rows.announce_wording(user, [item])
        count_writes([item])
    return StoreResult(item)


def store_memories(
    user: EndUser, batch: Iterable[NewMemory], *, now: datetime, actor: str = ""
) -> list[StoreResult | None]:
    """Store all or none, in order. None for an imported row that exists already or was deleted by the user."""
    drafts = validate_batch(batch)
    origins = [new.origin for new in drafts if new.origin]
    built = build_new_rows(user, drafts, now=now, actor=actor)
    with user_scope(user):
        if origins:
            # Two imports of the same file at once would each find nothing and both write it.
            lock_for_transaction("import", user)
        known = find_known_origins(user, origins)
        results: list[StoreResult | None] = []
        added: list[MemoryItem] = []
        for new, row in zip(limit_batch_trust(user, drafts), built, strict=True):
            if new.origin and new.origin in known:
                results.append(None)
                continue
            if new.origin:
                known.add(new.origin)
            if row is None:
                results.append(store_memory(user, new, now=now, actor=actor))
                continue
            row.trust, row.parents = new.trust or row.trust, list(new.parents)
            added.append(row)
            results.append(StoreResult(row))
        insert_rows(user, added, now=now, actor=actor)
    return results


def insert_rows(user: EndUser, added: Sequence[MemoryItem], *, now: datetime, actor: str) -> None:
    """Write rows that were built of checked memories, and what accompanies them. In the user's scope."""
    if not added:
        return
    MemoryItem.objects.bulk_create(added, batch_size=MAX_BATCH)
    save_speaker_names(user, [row.speaker for row in added])
    MemoryEvent.objects.bulk_create(
        MemoryEvent(user=user, item=row, kind="stored", after={"tier": row.tier}, actor=actor, at=now) for row in added
    )
    rows.mark_index_due(user, now)
    rows.announce_change(user, "stored", added)
    rows.announce_wording(user, added)
    count_writes(added)


def validate_batch(batch: Iterable[NewMemory]) -> list[NewMemory]:
    drafts = []
    for position, new in enumerate(batch):
        try:
            drafts.append(validate_memory(new))
        except WriteRefused as error:
            raise WriteRefused(f"items[{position}].{error.field}", error.rule) from error
    return drafts


def build_new_rows(user: EndUser, drafts: Sequence[NewMemory], *, now: datetime, actor: str) -> list[MemoryItem | None]:
    """The rows of a batch; None for what goes into the bank, and for what is known already and will not be written.

    Before the transaction, since it reads every text for its words: 500 long ones would keep it open for seconds.
    """
    with user_scope(user):
        known = find_known_origins(user, [new.origin for new in drafts if new.origin])
    return [
        None if new.tier is Tier.MEMORY_BANK or new.origin in known else rows.build_row(user, new, now, actor)
        for new in drafts
    ]


def limit_batch_trust(user: EndUser, batch: Sequence[NewMemory]) -> list[NewMemory]:
    """Limit each memory's trust to that of its parents, which may be earlier memories of the batch."""
    limited: list[NewMemory] = []
    siblings: dict[uuid.UUID, int] = {}
    for position, new in enumerate(batch):
        try:
            checked = limit_trust_to_parents(user, new, siblings)
        except WriteRefused as error:
            raise WriteRefused(f"items[{position}].{error.field}", error.rule) from error
        limited.append(checked)
        if checked.id:
            siblings[checked.id] = checked.trust or Trust.EXTERNAL
    return limited


def count_writes(written: Sequence[MemoryItem]) -> None:
    """Count writes after the commit only."""
    # A transaction that rolls back or is tried again would count what is not there.
    for tier, number in Counter(row.tier for row in written).items():
        transaction.on_commit(partial(metrics.count, "writes", tier, number))


def find_known_origins(user: EndUser, origins: Sequence[str]) -> set[str]:
    if not origins:
        return set()
    present = MemoryItem.objects.for_user(user).filter(origin__in=origins).values_list("origin", flat=True)
    deleted = Tombstone.objects.filter(user=user, origin__in=origins).values_list("origin", flat=True)
    return {origin for origin in (*present, *deleted) if origin}


REVISABLE_FIELDS = ("tags", "importance", "confidence", "always_inject", "metadata")


def revise_memory(
    user: EndUser,
    item_id: uuid.UUID,
    changes: dict[str, Any],
    *,
    now: datetime,
    actor: str = "",
    trust: Trust = Trust.USER,
    similar_to: uuid.UUID | None = None,
    is_strict: bool = False,
    reason: str = "",
    undone: MemoryEvent | None = None,
) -> MemoryItem | None:
    """Change text, tags, importance, confidence, always_inject or metadata; a new text makes a new version.

    ``trust`` is that of the new text and limits the memory's. ``similar_to`` is the bank item the new text duplicates,
    if any; the result is then the item that remains of the two. ``is_strict``: refuse what the guard only suspects.
    ``undone`` is the event being undone, if any. None when the user has no such item.
    """
    changes = JsonRedaction().redact(changes)
    with user_scope(user):
        if "text" in changes:
            # Before the row: whoever writes to the bank takes its lock first, or two of them could wait for each other.
            lock_for_transaction("bank", user)
        item = rows.lock_item(user, item_id)
        if item is None:
            return None
        is_reworded = apply_changes(
            item, changes, trust, is_strict=is_strict, reason=reason, actor=actor, now=now, undone=undone
        )
        if is_reworded and item.tier == Tier.MEMORY_BANK and item.status == Status.ACTIVE:
            return merge_duplicate(user, item, similar_to, now=now, actor=actor)
    return item


def apply_changes(
    item: MemoryItem,
    changes: dict[str, Any],
    trust: Trust,
    *,
    is_strict: bool,
    reason: str,
    now: datetime,
    actor: str,
    undone: MemoryEvent | None = None,
) -> bool:
    """Apply the changes if the rules allow them. Returns whether the text changed."""
    text = validate_field_text(changes["text"], MAX_TEXT_CHARS) if "text" in changes else item.text
    tags = validate_tags(changes["tags"]) if "tags" in changes else item.tags
    is_reworded = text != item.text
    judged = judge_bank_item(text, tags, is_strict=is_strict) if item.tier == Tier.MEMORY_BANK else None
    if judged is None and changes.get("always_inject"):
        raise WriteRefused("always_inject", "only memory_bank items can always be injected")
    # A text may only lower the trust of its memory: vouching is an operation of its own.
    grade = min(item.trust, trust) if is_reworded else item.trust
    validate_trust(grade, Tier(item.tier), always_inject=bool(changes.get("always_inject", item.always_inject)))
    before = {name: getattr(item, name) for name in ("text", *REVISABLE_FIELDS) if name in changes}
    was_reviewed = item.review
    if is_reworded:
        rows.keep_version(item, "revised", now)
        item.trust, item.principal = grade, actor
        rows.set_warnings(item, judged.warnings if judged else ())
    for name in REVISABLE_FIELDS:
        if name in changes:
            setattr(item, name, tags if name == "tags" else changes[name])
    if is_reworded or tags != before.get("tags", tags):
        rows.set_text(item, text)
    item.updated_at = now
    item.save()
    after = {name: getattr(item, name) for name in before} | ({"undone": undone.pk} if undone else {})
    rows.record_event(item, "revised", reason=reason, before=before, after=after, now=now, actor=actor)
    rows.mark_index_due_if_pending(item, now)
    announce_revision(item, is_reworded=is_reworded, is_settled=was_reviewed and not item.review)
    return is_reworded


def announce_revision(item: MemoryItem, *, is_reworded: bool, is_settled: bool) -> None:
    rows.announce_change(item.user, "revised", [item])
    if is_reworded:
        rows.announce_wording(item.user, [item])
    if is_settled:
        rows.announce_change(item.user, "confirmed", [item])


def merge_duplicate(
    user: EndUser, item: MemoryItem, similar_to: uuid.UUID | None, *, now: datetime, actor: str
) -> MemoryItem:
    """The item that remains after merging with its duplicate, if it has one since it changed or came back."""
    twin = find_bank_duplicate(user, item.text, similar_to, RowScope.of(item), besides=item.pk)
    return merge_items(user, twin, item, now=now, actor=actor) if twin else item


def archive_memory(
    user: EndUser, item_id: uuid.UUID, *, now: datetime, reason: str = "asked", actor: str = ""
) -> MemoryItem | None:
    """Archive: no answer contains it, its owner still sees it. Idempotent. None when there is no such item."""
    with user_scope(user):
        # Before the row, as whoever writes to the bank does: what it had replaced comes back there.
        lock_for_transaction("bank", user)
        item = rows.lock_item(user, item_id)
        if item is not None and item.status != Status.ARCHIVED:
            before = {"status": item.status}
            rows.mark_archived(item, now)
            item.save()
            rows.record_event(item, "archived", reason=reason, before=before, now=now, actor=actor)
            rows.mark_index_due(user, now)
            rows.announce_change(user, "archived", [item])
    return item


def retire_memories(
    user: EndUser, reasons: Mapping[uuid.UUID, str], status: Status, *, now: datetime, actor: str = ""
) -> None:
    """Make active items dormant, or active and dormant ones archived, each with an event that has the reason.

    Other ids are ignored.
    """
    if not reasons:
        return
    with user_scope(user):
        sources = [Status.ACTIVE] if status is Status.DORMANT else [Status.ACTIVE, Status.DORMANT]
        retiring = MemoryItem.objects.for_user(user).filter(status__in=sources, pk__in=list(reasons))
        # In the order of their ids, as every pass locks them: two at once wait for each other in turn, never in a
        # circle.
        found = list(retiring.select_for_update(no_key=True).order_by("pk").only("pk", "tier", "status"))
        ids = [item.pk for item in found]
        MemoryItem.objects.for_user(user).filter(pk__in=ids).update(
            status=status,
            archived_at=now if status is Status.ARCHIVED else None,
            updated_at=now,
            indexing=Indexing.PENDING,
            index_after=timezone.now(),
        )
        entries = [
            rows.EventEntry(item.pk, reasons[item.pk], {"status": item.status}, {"status": status}) for item in found
        ]
        rows.record_events(user, status, entries, now=now, actor=actor)
        if ids:
            rows.mark_index_due(user, timezone.now())
            rows.announce_change(user, status, found)


def wake_memories(
    user: EndUser, ids: Sequence[uuid.UUID], *, reason: str, now: datetime, actor: str
) -> list[uuid.UUID]:
    """Make dormant items active again, each with an event. Returns those that were. In the user's scope."""
    dormant = MemoryItem.objects.for_user(user).filter(pk__in=list(ids), status=Status.DORMANT)
    found = list(dormant.select_for_update(no_key=True).order_by("pk").only("pk", "tier"))
    woken = [item.pk for item in found]
    if woken:
        MemoryItem.objects.for_user(user).filter(pk__in=woken).update(
            status=Status.ACTIVE, updated_at=now, indexing=Indexing.PENDING, index_after=timezone.now()
        )
        before, after = {"status": Status.DORMANT}, {"status": Status.ACTIVE}
        entries = [rows.EventEntry(item_id, reason, before, after) for item_id in woken]
        rows.record_events(user, "revived", entries, now=now, actor=actor)
        rows.mark_index_due(user, timezone.now())
        rows.announce_change(user, "restored", found)
    return woken


def restore_memory(
    user: EndUser,
    item_id: uuid.UUID,
    *,
    now: datetime,
    actor: str = "",
    similar_to: uuid.UUID | None = None,
    undone: MemoryEvent | None = None,
) -> MemoryItem | None:
    """Return an archived or dormant item to its tier and restart its TTL; a bank item is merged with its duplicate.

    Failures that led to the archiving do not archive it again. ``undone`` is the event being undone, if any.
    Raises WriteRefused for external text that may not be in its tier. None when there is no such item.
    """
    with user_scope(user):
        lock_for_transaction("bank", user)
        item = rows.lock_item(user, item_id)
        if item is None or item.status == Status.ACTIVE:
            return item
        before = {"status": item.status}
        validate_trust(item.trust, Tier(item.tier), always_inject=item.always_inject)
        item.status = Status.ACTIVE
        item.archived_at = None
        item.updated_at = now
        standing.renew_time(item, now)
        if item.score < memory_conf().promotion.garbage_below:
            # Else the next pass would archive it again for the failures that the person has just overruled.
            item.overruled_uses = item.uses
        rows.mark_index_pending(item)
        item.save()
        reason, after = (f"taken back: {undone.reason}"[:300], {"undone": undone.pk}) if undone else ("", {})
        rows.record_event(item, "restored", reason=reason, before=before, after=after, now=now, actor=actor)
        rows.mark_index_due(user, now)
        rows.announce_change(user, "restored", [item])
        return merge_duplicate(user, item, similar_to, now=now, actor=actor) if item.tier == Tier.MEMORY_BANK else item


def vouch_for_memory(user: EndUser, item_id: uuid.UUID, *, now: datetime, actor: str = "") -> MemoryItem | None:
    """Record that a person vouches for a memory: it is now trusted like their own words. None if there is none.

    The only operation that raises trust, and the one that ends a review. Memories derived from it earlier keep theirs.
    """
    with user_scope(user):
        item = rows.lock_item(user, item_id)
        if item is None or (item.trust >= Trust.USER and not item.review):
            return item
        was_reviewed = item.review
        before, after = {"trust": Trust(item.trust).name.lower()}, {"trust": "user"}
        if was_reviewed:
            before, after = before | {"warnings": ", ".join(item.warnings)}, after | {"warnings": "confirmed"}
        item.trust, item.review, item.updated_at = Trust.USER, False, now
        item.save(update_fields=["trust", "review", "updated_at"])
        rows.record_event(item, "vouched", before=before, after=after, now=now, actor=actor)
        if was_reviewed:
            rows.announce_change(user, "confirmed", [item])
    return item


def delete_memory(user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
    """Delete one memory for good."""
    return bool(delete_memories(user, [item_id], now=now))


def delete_memories(
    user: EndUser, ids: Sequence[uuid.UUID], *, now: datetime, gives_back: bool = True
) -> list[uuid.UUID]:
    """Delete for good: texts, versions and events now; tombstones make the worker delete the vectors.

    With ``gives_back`` what they had taken the place of holds again. Returns the ids that existed.
    """
    with user_scope(user):
        lock_for_transaction("bank", user)
        matching = MemoryItem.objects.for_user(user).filter(pk__in=list(ids)).select_for_update()
        # One with a tombstone is being deleted: a purge took both a message and the bank item that its fact had put
        # there, and the fact that went with the message took the bank item once more.
        going = Tombstone.objects.filter(user=user, item_id=OuterRef("pk"))
        found = list(matching.exclude(Exists(going)).only("pk", "tier", "origin").order_by("pk"))
        if not found:
            return []
        # The worker deletes the vectors by these; an index that is down now must not keep a deleted text findable.
        gone = [Tombstone(user=user, item_id=item.pk, origin=item.origin, deleted_at=now) for item in found]
        Tombstone.objects.bulk_create(gone)
        rows.announce_change(user, "removed", found, gives_back=gives_back)
        deleted = [item.pk for item in found]
        MemoryItem.objects.for_user(user).filter(pk__in=deleted).delete()
        rows.mark_index_due(user, now)
    return deleted
