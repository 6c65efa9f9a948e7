"""Personal records and their recall."""

import uuid
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from memory.access.scope import user_scope
from memory.facade.actor import FacadePart
from memory.lifecycle import erasure
from memory.models import EndUser
from memory.records import recall, records
from memory.records.models import Preference, RecordBase
from memory.records.recall import RecallResult
from memory.records.texts import Kind


class RecordVerbs(FacadePart):
    def add_record(self, user: EndUser, kind: Kind, fields: Mapping[str, Any], *, now: datetime) -> RecordBase:
        return records.add_record(user, kind, fields, now=now)

    def change_record(
        self, user: EndUser, kind: Kind, row_id: uuid.UUID, fields: Mapping[str, Any], *, now: datetime
    ) -> RecordBase | None:
        return records.change_record(user, kind, row_id, fields, now=now)

    def remove_record(self, user: EndUser, kind: Kind, row_id: uuid.UUID) -> bool:
        with user_scope(user):
            removed = records.remove_record(user, kind, row_id)
            if removed:
                erasure.redact_stored_answers(user, [row_id])
        return removed

    def record(self, user: EndUser, kind: Kind, row_id: uuid.UUID) -> RecordBase | None:
        return records.get_record(user, kind, row_id)

    def records(
        self, user: EndUser, kind: Kind, *, before: tuple[datetime, uuid.UUID] | None, limit: int, **wanted: Any
    ) -> list[RecordBase]:
        return records.list_records(user, kind, before=before, limit=limit, **wanted)

    def preferences(self, user: EndUser) -> Preference | None:
        return records.get_preferences(user)

    def put_preferences(self, user: EndUser, fields: Mapping[str, Any], *, now: datetime) -> RecordBase:
        return records.replace_preferences(user, fields, now=now)

    def recall(
        self, user: EndUser, query: str, *, now: datetime, kinds: Collection[Kind] | None = None, top_k: int = 8
    ) -> RecallResult:
        """Raises RecallFailed."""
        return recall.recall_records(user, query, now=now, kinds=kinds, top_k=top_k)
