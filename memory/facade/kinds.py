"""Personal records and their recall."""

import uuid
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from memory.access.scope import user_scope
from memory.facade.actor import Door
from memory.lifecycle import erasure
from memory.models import EndUser
from memory.records import recall, records
from memory.records.models import Preference, Source
from memory.records.recall import Recall
from memory.records.texts import Kind


class Kinds(Door):
    def add_record(self, user: EndUser, kind: Kind, fields: Mapping[str, Any], *, now: datetime) -> Source:
        return records.add(user, kind, fields, now=now)

    def change_record(
        self, user: EndUser, kind: Kind, row_id: uuid.UUID, fields: Mapping[str, Any], *, now: datetime
    ) -> Source | None:
        return records.change(user, kind, row_id, fields, now=now)

    def remove_record(self, user: EndUser, kind: Kind, row_id: uuid.UUID) -> bool:
        with user_scope(user):
            removed = records.remove(user, kind, row_id)
            if removed:
                erasure.forget_answers(user, [row_id])
        return removed

    def record(self, user: EndUser, kind: Kind, row_id: uuid.UUID) -> Source | None:
        return records.get(user, kind, row_id)

    def records(
        self, user: EndUser, kind: Kind, *, before: tuple[datetime, uuid.UUID] | None, limit: int, **wanted: Any
    ) -> list[Source]:
        return records.listed(user, kind, before=before, limit=limit, **wanted)

    def preferences(self, user: EndUser) -> Preference | None:
        return records.preferences(user)

    def put_preferences(self, user: EndUser, fields: Mapping[str, Any], *, now: datetime) -> Source:
        return records.put_preferences(user, fields, now=now)

    def recall(
        self, user: EndUser, query: str, *, now: datetime, kinds: Collection[Kind] | None = None, top_k: int = 8
    ) -> Recall:
        """Raises RecallFailed."""
        return recall.recall(user, query, now=now, kinds=kinds, top_k=top_k)
