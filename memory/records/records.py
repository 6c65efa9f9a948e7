"""Writes personal records; each change and its pending embedding are one transaction."""

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from memory.access.scope import user_scope
from memory.models import EndUser
from memory.platform.queue import enqueue
from memory.records import queue, tasks
from memory.records.models import Gratitude, Journal, Preference, Source, Todo
from memory.records.texts import Kind, Words, gratitude_words, journal_words, preference_words, todo_words

MODELS: dict[Kind, type[Source]] = {
    Kind.JOURNAL: Journal,
    Kind.TODO: Todo,
    Kind.GRATITUDE: Gratitude,
    Kind.PREFERENCE: Preference,
}


def words_of_journal(row: Any) -> Words | None:  # noqa: ANN401 -- the row of its kind
    return None if row.is_draft else journal_words(row.title, row.body)


WORDS: dict[Kind, Callable[[Any], Words | None]] = {
    Kind.JOURNAL: words_of_journal,
    Kind.TODO: lambda row: todo_words(row.title),
    Kind.GRATITUDE: lambda row: gratitude_words(row.text),
    Kind.PREFERENCE: lambda row: preference_words(row.language, row.religion, row.flags),
}
"""Returns the text to embed, or None for records that must not be found."""


def add(user: EndUser, kind: Kind, fields: Mapping[str, Any], *, now: datetime) -> Source:
    with user_scope(user):
        row = MODELS[kind](user=user, **{"created_at": now, "updated_at": now, **fields})
        row.save(force_insert=True)
        leave_words(user, kind, row, now)
    return row


def change(user: EndUser, kind: Kind, row_id: uuid.UUID, fields: Mapping[str, Any], *, now: datetime) -> Source | None:
    """None when the user has no such record."""
    with user_scope(user):
        row = MODELS[kind]._default_manager.select_for_update().filter(user=user, pk=row_id).first()
        if row is None:
            return None
        for name, value in fields.items():
            setattr(row, name, value)
        row.updated_at = now
        row.save()
        leave_words(user, kind, row, now)
    return row


def remove(user: EndUser, kind: Kind, row_id: uuid.UUID) -> bool:
    with user_scope(user):
        gone, _ = MODELS[kind]._default_manager.filter(user=user, pk=row_id).delete()
        queue.forget(user, kind, [row_id])
    return bool(gone)


def get(user: EndUser, kind: Kind, row_id: uuid.UUID) -> Source | None:
    with user_scope(user):
        return MODELS[kind]._default_manager.filter(user=user, pk=row_id).first()


def listed(
    user: EndUser, kind: Kind, *, before: tuple[datetime, uuid.UUID] | None, limit: int, **wanted: Any
) -> list[Source]:
    """Newest first, from the place of ``before`` on."""
    with user_scope(user):
        rows = MODELS[kind]._default_manager.filter(user=user, **wanted)
        if before is not None:
            moment, row_id = before
            rows = rows.filter(created_at__lte=moment).exclude(created_at=moment, id__gte=row_id)
        return list(rows.order_by("-created_at", "-id")[:limit])


def put_preferences(user: EndUser, fields: Mapping[str, Any], *, now: datetime) -> Source:
    """Replaces the single row of preferences; fields left out get their default."""
    with user_scope(user):
        row, _ = Preference.objects.update_or_create(
            user=user,
            defaults={"language": "en", "religion": None, "flags": {}, **fields, "updated_at": now},
            create_defaults={"language": "en", "religion": None, "flags": {}, **fields, "created_at": now},
        )
        leave_words(user, Kind.PREFERENCE, row, now)
    return row


def preferences(user: EndUser) -> Preference | None:
    with user_scope(user):
        return Preference.objects.filter(user=user).first()


def leave_words(user: EndUser, kind: Kind, row: Source, now: datetime) -> None:
    words = WORDS[kind](row)
    if words is None:
        queue.forget(user, kind, [row.pk])
        return
    queue.leave(user, kind, row.pk, words, created_at=row.created_at, now=now)
    enqueue(tasks.embed_user, user.pk)
