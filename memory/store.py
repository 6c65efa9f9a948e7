"""The write path: the only module that writes a memory's text, status and versions.

Every function is one transaction in the user's scope; what must happen in the index is left in the rows themselves
(``indexing = pending``, an unpurged tombstone), so a lost message or a killed process loses nothing.
"""

import re
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from memory import metrics, signals
from memory.access import user_scope
from memory.admission import NewMemory, Refused, admitted, checked_tags, checked_text, guard_bank
from memory.conf import memory_conf
from memory.indexes import lexical_index
from memory.models import EndUser, MemoryEvent, MemoryItem, MemoryVersion, Tombstone
from memory.scoring import quality
from memory.speakers import keep_names
from memory.text import content_hash, date_words
from memory.tiers import POLICIES, Indexing, Status, Tier
from memory.words import tsvector_literal

CLOCK_SKEW = timedelta(seconds=60)
NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True)
class Stored:
    item: MemoryItem
    duplicate_of: uuid.UUID | None = None


def store(
    user: EndUser, new: NewMemory, *, now: datetime, actor: str = "", similar_to: uuid.UUID | None = None
) -> Stored:
    """Store one memory. ``similar_to`` names the bank item its vector fell on, if any: the two become one."""
    new = admitted(new)
    with user_scope(user):
        if new.tier is Tier.MEMORY_BANK and (twin := bank_twin(user, new, similar_to)):
            return Stored(merge_into(twin, new, now=now, actor=actor), duplicate_of=twin.pk)
        item = new_row(user, new, now)
        item.save(force_insert=True)
        keep_names(user, [item.speaker])
        note(item, "stored", after={"tier": item.tier}, now=now, actor=actor)
        mark_index_due(user, now)
        count_writes([item])
    return Stored(item)


def store_many(user: EndUser, batch: Iterable[NewMemory], *, now: datetime, actor: str = "") -> list[uuid.UUID | None]:
    """Store all or none, in order. None stands where an import's row exists already or was deleted by its owner."""
    drafts = []
    for position, new in enumerate(batch):
        try:
            drafts.append(admitted(new))
        except Refused as error:
            raise Refused(f"items[{position}].{error.field}", error.rule) from error
    with user_scope(user):
        known = known_origins(user, [new.origin for new in drafts if new.origin])
        ids: list[uuid.UUID | None] = []
        rows: list[MemoryItem] = []
        for new in drafts:
            if new.origin and new.origin in known:
                ids.append(None)
                continue
            if new.origin:
                known.add(new.origin)
            if new.tier is Tier.MEMORY_BANK:
                ids.append(store(user, new, now=now, actor=actor).item.pk)
                continue
            row = new_row(user, new, now)
            rows.append(row)
            ids.append(row.pk)
        MemoryItem.objects.bulk_create(rows, batch_size=memory_conf().limits.batch)
        keep_names(user, [row.speaker for row in rows])
        MemoryEvent.objects.bulk_create(
            MemoryEvent(user=user, item=row, kind="stored", after={"tier": row.tier}, actor=actor, at=now)
            for row in rows
        )
        if rows:
            mark_index_due(user, now)
            count_writes(rows)
    return ids


def count_writes(rows: Sequence[MemoryItem]) -> None:
    """Once they are there: what is rolled back was never written."""
    for tier, number in Counter(row.tier for row in rows).items():
        transaction.on_commit(partial(metrics.count, "writes", tier, number))


def known_origins(user: EndUser, origins: Sequence[str]) -> set[str]:
    if not origins:
        return set()
    take_turns("import", user)
    present = MemoryItem.objects.for_user(user).filter(origin__in=origins).values_list("origin", flat=True)
    deleted = Tombstone.objects.filter(user=user, origin__in=origins).values_list("origin", flat=True)
    return {origin for origin in (*present, *deleted) if origin}


def new_row(user: EndUser, new: NewMemory, now: datetime) -> MemoryItem:
    ttl = POLICIES[new.tier].ttl
    occurred_at = min(new.occurred_at or now, now + CLOCK_SKEW)
    return MemoryItem(
        id=new.id or uuid.uuid4(),
        user=user,
        tier=new.tier,
        text=new.text,
        content_hash=content_hash(new.text),
        tags=list(new.tags),
        metadata=new.metadata,
        always_inject=new.always_inject,
        importance=new.importance,
        confidence=new.confidence,
        thread_id=new.thread_id,
        speaker=new.speaker,
        source_type=new.source_type,
        source=new.source,
        origin=new.origin,
        occurred_at=occurred_at,
        created_at=now,
        updated_at=now,
        expires_at=now + ttl if ttl else None,
        score=memory_conf().scoring.initial if new.score is None else new.score,
        lexemes=lexemes(user.pk, new.text, new.speaker, occurred_at, new.tags),
        index_after=now,
    )


def lexemes(owner: int, text: str, speaker: str, occurred_at: datetime, tags: Sequence[str]) -> str:
    return tsvector_literal(" ".join([text, speaker, date_words(occurred_at), *tags]), owner)


def bank_twin(user: EndUser, new: NewMemory, similar_to: uuid.UUID | None) -> MemoryItem | None:
    """The active bank item that says the same: the same words, or a neighbour that holds the same numbers."""
    take_turns("bank", user)
    rows = MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK)
    # Locked, so that the merge starts from what a revision or an archiving under way leaves.
    bank = rows.select_for_update(no_key=True)
    if same := bank.filter(content_hash=content_hash(new.text)).order_by("created_at").first():
        return same
    near = bank.filter(pk=similar_to).first() if similar_to else None
    # "Gate 12" and "gate 14" are neighbours to any embedding and still two facts.
    return near if near and set(NUMBERS.findall(near.text)) == set(NUMBERS.findall(new.text)) else None


def take_turns(subject: str, user: EndUser) -> None:
    """Until the transaction ends, later writers of the same subject wait, and then see what this one wrote."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", [subject, user.pk])


def merge_into(item: MemoryItem, new: NewMemory, *, now: datetime, actor: str) -> MemoryItem:
    """One item of two that say the same: the better wording stays, the other becomes a version, the id is kept."""
    better = quality(new.importance, new.confidence) > quality(item.importance, item.confidence)
    before = {"text": item.text, "mentions": item.mentions}
    keep_version(item, "merged", now, wording=None if better else new)
    item.mentions += 1
    item.tags = list(dict.fromkeys([*item.tags, *new.tags]))[: memory_conf().limits.tags]
    item.always_inject = item.always_inject or new.always_inject
    if better:
        item.importance, item.confidence = new.importance, new.confidence
    set_text(item, new.text if better else item.text)
    item.updated_at = now
    item.save()
    note(item, "merged", reason="says the same as an existing item", before=before, now=now, actor=actor)
    mark_index_due_if(item, now)
    return item


def keep_version(item: MemoryItem, reason: str, now: datetime, wording: NewMemory | None = None) -> None:
    """Put a wording beside the item: the one it has, or another that said the same and was not better."""
    kept = wording or item
    MemoryVersion.objects.create(
        user_id=item.user_id,
        item=item,
        version=item.version,
        text=kept.text,
        tags=list(kept.tags),
        importance=kept.importance,
        confidence=kept.confidence,
        source=kept.source,
        reason=reason,
        archived_at=now,
    )
    item.version += 1


def set_text(item: MemoryItem, text: str) -> None:
    item.text = text
    item.content_hash = content_hash(text)
    item.lexemes = lexemes(item.user_id, text, item.speaker, item.occurred_at, item.tags)
    await_index(item)


def await_index(item: MemoryItem) -> None:
    item.indexing = Indexing.PENDING
    item.index_attempts = 0
    item.index_error = ""
    item.index_after = timezone.now()


REVISABLE = ("tags", "importance", "confidence", "always_inject", "metadata")


def revise(
    user: EndUser, item_id: uuid.UUID, changes: dict[str, Any], *, now: datetime, actor: str = ""
) -> MemoryItem | None:
    """Change text, tags, importance, confidence, always_inject or metadata; a new text makes a new version.

    None when the user has no such item.
    """
    with user_scope(user):
        item = locked(user, item_id)
        if item is None:
            return None
        text = checked_text(changes["text"], memory_conf().limits.text) if "text" in changes else item.text
        tags = checked_tags(changes["tags"]) if "tags" in changes else item.tags
        if item.tier == Tier.MEMORY_BANK:
            guard_bank(text, tags)
        elif changes.get("always_inject"):
            raise Refused("always_inject", "only memory_bank items can always be injected")
        before = {name: getattr(item, name) for name in ("text", *REVISABLE) if name in changes}
        if text != item.text:
            keep_version(item, "revised", now)
        for name in REVISABLE:
            if name in changes:
                setattr(item, name, tags if name == "tags" else changes[name])
        if text != item.text or tags != before.get("tags", tags):
            set_text(item, text)
        item.updated_at = now
        item.save()
        after = {name: getattr(item, name) for name in before}
        note(item, "revised", before=before, after=after, now=now, actor=actor)
        mark_index_due_if(item, now)
    return item


def locked(user: EndUser, item_id: uuid.UUID) -> MemoryItem | None:
    return MemoryItem.objects.for_user(user).select_for_update(no_key=True).filter(pk=item_id).first()


def archive(
    user: EndUser, item_id: uuid.UUID, *, now: datetime, reason: str = "asked", actor: str = ""
) -> MemoryItem | None:
    """Out of every answer, kept for its owner. Archiving twice changes nothing. None when there is no such item."""
    with user_scope(user):
        item = locked(user, item_id)
        if item is not None and item.status == Status.ACTIVE:
            item.status = Status.ARCHIVED
            item.archived_at = item.updated_at = now
            await_index(item)
            item.save()
            note(item, "archived", reason=reason, before={"status": "active"}, now=now, actor=actor)
            mark_index_due(user, now)
    return item


def archive_many(user: EndUser, reasons: Mapping[uuid.UUID, str], *, now: datetime, actor: str = "") -> None:
    """Archive active items, each with its reason in an event; ids that are not active are passed over."""
    if not reasons:
        return
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).active().filter(pk__in=list(reasons))
        ids = list(rows.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
        MemoryItem.objects.for_user(user).filter(pk__in=ids).update(
            status=Status.ARCHIVED, archived_at=now, updated_at=now, indexing=Indexing.PENDING, index_after=now
        )
        MemoryEvent.objects.bulk_create(
            MemoryEvent(
                user=user,
                item_id=item_id,
                kind="archived",
                reason=reasons[item_id],
                before={"status": Status.ACTIVE},
                after={"status": Status.ARCHIVED},
                actor=actor,
                at=now,
            )
            for item_id in ids
        )
        if ids:
            mark_index_due(user, now)


def restore(user: EndUser, item_id: uuid.UUID, *, now: datetime, actor: str = "") -> MemoryItem | None:
    """Back into its tier, with a fresh time to live. None when there is no such item."""
    with user_scope(user):
        item = locked(user, item_id)
        if item is not None and item.status == Status.ARCHIVED:
            ttl = POLICIES[Tier(item.tier)].ttl
            item.status = Status.ACTIVE
            item.archived_at = None
            item.updated_at = now
            item.expires_at = now + ttl if ttl else None
            await_index(item)
            item.save()
            note(item, "restored", before={"status": "archived"}, now=now, actor=actor)
            mark_index_due(user, now)
    return item


def remove(user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
    """Delete for good: text, versions and events go now; a tombstone without text sees to the vector."""
    with user_scope(user):
        item = locked(user, item_id)
        if item is None:
            return False
        Tombstone.objects.create(user=user, item_id=item.pk, origin=item.origin, deleted_at=now)
        item.delete()
        mark_index_due(user, now)
    return True


def note(
    item: MemoryItem,
    kind: str,
    *,
    now: datetime,
    reason: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    actor: str = "",
) -> None:
    MemoryEvent.objects.create(
        user_id=item.user_id,
        item=item,
        kind=kind,
        reason=reason,
        before=before or {},
        after=after or {},
        actor=actor,
        at=now,
    )


def mark_index_due_if(item: MemoryItem, now: datetime) -> None:
    if item.indexing == Indexing.PENDING:
        mark_index_due(item.user, now)


def mark_index_due(user: EndUser, now: datetime) -> None:
    """Leave word that this user's rows wait. Must follow the write, in its transaction.

    The shared lock is what settling waits for before it looks: the row's own foreign key is checked, and so locks the
    user, only at the commit. Taken first, it lets the update see what a settling that was faster has taken back.
    """
    transaction.on_commit(partial(lexical_index().changed, user.pk))
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM end_user WHERE id = %s FOR KEY SHARE", [user.pk])
    if EndUser.objects.filter(pk=user.pk, index_due_since__isnull=True).update(index_due_since=now):
        signals.index_due.send(EndUser, user_id=user.pk)


COUNT_RETRIEVALS = """
WITH free AS (
    SELECT id FROM memory_item WHERE user_id = %s AND id = ANY(%s) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE memory_item SET retrieved = retrieved + 1 FROM free WHERE memory_item.user_id = %s AND memory_item.id = free.id
"""


def count_retrievals(user: EndUser, ids: Sequence[uuid.UUID]) -> None:
    """Add one to ``retrieved`` of what a search showed. Rows busy elsewhere are passed over: it is a statistic."""
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(COUNT_RETRIEVALS, [user.pk, list(ids), user.pk])
