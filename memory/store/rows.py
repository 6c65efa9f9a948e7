"""Fills memory rows, and writes what accompanies a change: versions, events, marks of pending work."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from json import dumps
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from memory import signals
from memory.access.outbox import Outbox
from memory.conf import memory_conf
from memory.guard import Refusal
from memory.guard.redaction.texts import list_marked_kinds
from memory.language import build_tsvector
from memory.language.text import format_date, hash_content
from memory.models import EndUser, MemoryEvent, MemoryItem, MemoryVersion
from memory.store.admission import NewMemory, judge_bank_text
from memory.tiers import POLICIES, TRUST_OF_SOURCE, Indexing, SourceType, Status, Tier

# A client's clock may be ahead of ours by this much; a memory from later than that is dated now, or it would be the
# newest of its kind until then.
CLOCK_SKEW = timedelta(seconds=60)

INDEXING = Outbox(EndUser, "index_due_since")
LEARNING = Outbox(EndUser, "learning_due_since")


def build_row(user: EndUser, new: NewMemory, now: datetime, actor: str) -> MemoryItem:
    ttl = POLICIES[new.tier].ttl
    occurred_at = min(new.occurred_at or now, now + CLOCK_SKEW)
    return MemoryItem(
        id=new.id or uuid.uuid4(),
        user=user,
        agent_id=new.agent_id,
        project_id=new.project_id,
        tier=new.tier,
        text=new.text,
        content_hash=hash_content(new.text),
        tags=list(new.tags),
        metadata=new.metadata,
        always_inject=new.always_inject,
        warnings=list(new.warnings),
        review=new.needs_review,
        importance=new.importance,
        confidence=new.confidence,
        thread_id=new.thread_id,
        speaker=new.speaker,
        source_type=new.source_type,
        source=new.source,
        trust=new.trust or TRUST_OF_SOURCE[new.source_type],
        principal=actor,
        parents=list(new.parents),
        origin=new.origin,
        occurred_at=occurred_at,
        created_at=now,
        updated_at=now,
        expires_at=new.expires_at or (now + ttl if ttl else None),
        is_expiry_given=new.expires_at is not None,
        score=memory_conf().scoring.initial if new.score is None else new.score,
        lexemes=build_lexemes(user.pk, new.text, new.speaker, occurred_at, new.tags),
        index_after=now,
    )


# The lexemes are made here and not by a configuration of Postgres: documents and queries go through the same analyser
# and so cannot disagree.
def build_lexemes(owner: int, text: str, speaker: str, occurred_at: datetime, tags: Sequence[str]) -> str:
    return build_tsvector(" ".join([text, speaker, format_date(occurred_at), *tags]), owner)


def set_text(item: MemoryItem, text: str) -> None:
    item.text = text
    item.content_hash = hash_content(text)
    item.lexemes = build_lexemes(item.user_id, text, item.speaker, item.occurred_at, item.tags)
    mark_index_pending(item)


def set_warnings(item: MemoryItem, warnings: Sequence[Refusal]) -> None:
    """What the guard suspects of the text the row has now, which nobody has confirmed yet."""
    item.warnings = [warning.rule for warning in warnings]
    item.review = bool(warnings)


def mark_index_pending(item: MemoryItem) -> None:
    item.indexing = Indexing.PENDING
    item.index_attempts = 0
    item.index_error = ""
    item.index_after = timezone.now()


def keep_version(
    item: MemoryItem, reason: str, now: datetime, wording: NewMemory | MemoryItem | None = None, principal: str = ""
) -> None:
    """Store a wording as a version of the item: its current one, or a merged one that was not better.

    ``principal`` says who brought a wording that is not a row of its own.
    """
    kept = wording or item
    MemoryVersion.objects.create(
        user_id=item.user_id,
        item=item,
        version=item.version,
        text=kept.text,
        tags=list(kept.tags),
        importance=kept.importance,
        confidence=kept.confidence,
        thread_id=kept.thread_id,
        source_type=kept.source_type,
        source=kept.source,
        trust=kept.trust or TRUST_OF_SOURCE[SourceType(kept.source_type)],
        principal=principal if isinstance(kept, NewMemory) else kept.principal,
        parents=list(kept.parents),
        reason=reason,
        archived_at=now,
    )
    # The number of the next wording; the one just kept has the old one.
    item.version += 1


WORDING_FIELDS = (
    "tags",
    "importance",
    "confidence",
    "thread_id",
    "source_type",
    "source",
    "trust",
    "principal",
    "parents",
)


def restore_version(item: MemoryItem, version: MemoryVersion) -> None:
    """Restore an earlier version into the row; the caller saves the row and deletes the version."""
    for name in WORDING_FIELDS:
        setattr(item, name, getattr(version, name))
    set_text(item, version.text)
    if item.tier == Tier.MEMORY_BANK:
        # What was confirmed was another wording.
        set_warnings(item, judge_bank_text(item.text).list_objections())


def mark_archived(item: MemoryItem, now: datetime) -> None:
    """Make the row an archived one; the caller saves it and says why."""
    item.status = Status.ARCHIVED
    item.archived_at = item.updated_at = now
    mark_index_pending(item)


def lock_item(user: EndUser, item_id: uuid.UUID) -> MemoryItem | None:
    return MemoryItem.objects.for_user(user).select_for_update(no_key=True).filter(pk=item_id).first()


def record_event(
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


INSERT_EVENTS = """
INSERT INTO memory_event (user_id, item_id, kind, reason, before, after, actor, at)
SELECT %s, entry.item_id, %s, entry.reason, entry.before::jsonb, entry.after::jsonb, %s, %s
FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::text[])
    WITH ORDINALITY AS entry(item_id, reason, before, after, place) ORDER BY entry.place
"""


@dataclass(frozen=True, slots=True)
class EventEntry:
    """One event of many of the same kind."""

    item_id: uuid.UUID
    reason: str
    before: dict[str, Any]
    after: dict[str, Any]


def record_events(user: EndUser, kind: str, entries: Sequence[EventEntry], *, now: datetime, actor: str) -> None:
    """Write many events in order with one statement, since a pass writes thousands."""
    if not entries:
        return
    columns = zip(
        *[(entry.item_id, entry.reason, dumps(entry.before), dumps(entry.after)) for entry in entries], strict=True
    )
    with connection.cursor() as cursor:
        cursor.execute(INSERT_EVENTS, [user.pk, kind, actor, now, *map(list, columns)])


def announce_change(user: EndUser, kind: str, items: Iterable[MemoryItem], *, gives_back: bool = True) -> None:
    """Notify other applications (the graphs), inside the transaction of the change."""
    pairs = [(item.pk, Tier(item.tier)) for item in items]
    signals.items_changed.send(EndUser, user=user, kind=kind, items=pairs, gives_back=gives_back)


def announce_wording(user: EndUser, items: Iterable[MemoryItem]) -> None:
    """That a new wording came in without its secrets, or waits for a person, inside the transaction of the change."""
    for item in items:
        if kinds := list_marked_kinds(item.text):
            signals.secret_redacted.send(EndUser, user=user, item_id=item.pk, kinds=kinds)
        if item.review:
            signals.review_due.send(EndUser, user_id=user.pk, item_id=item.pk)


def mark_index_due_if_pending(item: MemoryItem, now: datetime) -> None:
    if item.indexing == Indexing.PENDING:
        mark_index_due(item.user, now)


def mark_index_due(user: EndUser, now: datetime) -> None:
    """Mark that this user has pending rows. Call it after the write, in the same transaction."""
    # After the commit: a cache that read again before it would hold the old words and call itself fresh.
    transaction.on_commit(partial(signals.words_changed.send, EndUser, user_id=user.pk))
    if INDEXING.mark(user, now):
        signals.index_due.send(EndUser, user_id=user.pk)


def mark_learning_due(user: EndUser, now: datetime) -> None:
    """Mark that there is something to learn. Call it after the write, in the same transaction."""
    if LEARNING.mark(user, now):
        signals.learning_due.send(EndUser, user_id=user.pk)
