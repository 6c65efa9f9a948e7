"""Writes personal records; each change and its pending embedding are one transaction."""

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from memory.access.scope import user_scope
from memory.lifecycle import erasure
from memory.models import EndUser
from memory.platform.queue import enqueue
from memory.records import queue, tasks
from memory.records.models import Gratitude, Journal, Preference, RecordBase, Todo
from memory.records.queue import RecordWords
from memory.records.texts import (
    Kind,
    RecordText,
    build_gratitude_text,
    build_journal_text,
    build_preference_text,
    build_todo_text,
)

MODELS: dict[Kind, type[RecordBase]] = {
    Kind.JOURNAL: Journal,
    Kind.TODO: Todo,
    Kind.GRATITUDE: Gratitude,
    Kind.PREFERENCE: Preference,
}


def build_journal_words(row: Any) -> RecordText | None:  # noqa: ANN401 -- the row of its kind
    return None if row.is_draft else build_journal_text(row.title, row.body)


# Returns the text to embed, or None for records that must not be found.
WRITERS: dict[Kind, Callable[[Any], RecordText | None]] = {
    Kind.JOURNAL: build_journal_words,
    Kind.TODO: lambda row: build_todo_text(row.title),
    Kind.GRATITUDE: lambda row: build_gratitude_text(row.text),
    Kind.PREFERENCE: lambda row: build_preference_text(row.language, row.religion, row.flags),
}


def add_record(user: EndUser, kind: Kind, fields: Mapping[str, Any], *, now: datetime) -> RecordBase:
    with user_scope(user):
        row = MODELS[kind](user=user, **{"created_at": now, "updated_at": now, **fields})
        row.save(force_insert=True)
        enqueue_record(user, kind, row, now)
    return row


def change_record(
    user: EndUser, kind: Kind, row_id: uuid.UUID, fields: Mapping[str, Any], *, now: datetime
) -> RecordBase | None:
    """None when the user has no such record."""
    with user_scope(user):
        row = MODELS[kind]._default_manager.select_for_update().filter(user=user, pk=row_id).first()
        if row is None:
            return None
        for name, value in fields.items():
            setattr(row, name, value)
        row.updated_at = now
        row.save()
        enqueue_record(user, kind, row, now)
    return row


def remove_record(user: EndUser, kind: Kind, row_id: uuid.UUID) -> bool:
    with user_scope(user):
        gone, _ = MODELS[kind]._default_manager.filter(user=user, pk=row_id).delete()
        queue.delete_embeddings(user, kind, [row_id])
        if gone:
            # A stored answer of an idempotent request may quote it.
            erasure.redact_stored_answers(user, [row_id])
    return bool(gone)


def get_record(user: EndUser, kind: Kind, row_id: uuid.UUID) -> RecordBase | None:
    with user_scope(user):
        return MODELS[kind]._default_manager.filter(user=user, pk=row_id).first()


def list_records(
    user: EndUser, kind: Kind, *, before: tuple[datetime, uuid.UUID] | None, limit: int, **filters: Any
) -> list[RecordBase]:
    """Newest first, from the place of ``before`` on."""
    with user_scope(user):
        rows = MODELS[kind]._default_manager.filter(user=user, **filters)
        if before is not None:
            moment, row_id = before
            rows = rows.filter(created_at__lte=moment).exclude(created_at=moment, id__gte=row_id)
        return list(rows.order_by("-created_at", "-id")[:limit])


def replace_preferences(user: EndUser, fields: Mapping[str, Any], *, now: datetime) -> RecordBase:
    """Replaces the single row of preferences; fields left out get their default."""
    with user_scope(user):
        row, _ = Preference.objects.update_or_create(
            user=user,
            defaults={"language": "en", "religion": None, "flags": {}, **fields, "updated_at": now},
            create_defaults={"language": "en", "religion": None, "flags": {}, **fields, "created_at": now},
        )
        enqueue_record(user, Kind.PREFERENCE, row, now)
    return row


def get_preferences(user: EndUser) -> Preference | None:
    with user_scope(user):
        return Preference.objects.filter(user=user).first()


def enqueue_record(user: EndUser, kind: Kind, row: RecordBase, now: datetime) -> None:
    words = WRITERS[kind](row)
    if words is None:
        queue.delete_embeddings(user, kind, [row.pk])
        return
    queue.enqueue_texts(user, kind, [RecordWords(row.pk, words, row.created_at)], now=now)
    enqueue(tasks.embed_user_records, user.pk)
