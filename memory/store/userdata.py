"""A client's own values of a person, by key: kept, read and erased with them, and nothing else done with them."""

from datetime import datetime, timedelta
from types import EllipsisType
from typing import Any

from django.db.models import JSONField, Value

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.guard.redaction.texts import JsonRedaction
from memory.models import EndUser, UserData
from memory.store.admission import WriteRefused


class ValueChanged(Exception):
    """Another value stands under the key than the one that was to be replaced."""


def put_value(
    user: EndUser,
    key: str,
    value: Any,  # noqa: ANN401 -- any JSON
    *,
    now: datetime,
    replaces: datetime | EllipsisType | None = ...,
) -> UserData:
    """Keep a value under a key, in the place of the one before: with ``replaces`` only of the one written at that time,
    or, for None, of none. Raises ValueChanged, and WriteRefused when there are too many keys.
    """
    # The key says what the value is: "wifi.password".
    ((key, value),) = JsonRedaction().redact({key: value}).items()
    with user_scope(user):
        # Two new keys at once may not both be the last.
        lock_for_transaction("data", user)
        row = UserData.objects.filter(user=user, key=key).first()
        written_at = None if row is None else row.updated_at
        if replaces is not ... and replaces != written_at:
            raise ValueChanged
        if row is None:
            most = memory_conf().limits.data_keys
            if UserData.objects.filter(user=user).count() >= most:
                raise WriteRefused("key", f"a person has at most {most:,} values; delete one first")
            row = UserData(user=user, key=key, created_at=now)
        # A bare None would be no value at all to the database.
        row.value = Value(None, JSONField()) if value is None else value
        # Each write has a time of its own, by which the next can name what it replaces.
        row.updated_at = max(now, written_at + timedelta(microseconds=1)) if written_at else now
        row.save()
        row.value = value
    return row


def get_value(user: EndUser, key: str) -> UserData | None:
    with user_scope(user):
        return UserData.objects.filter(user=user, key=key).first()


def delete_value(user: EndUser, key: str) -> bool:
    with user_scope(user):
        return bool(UserData.objects.filter(user=user, key=key).delete()[0])


def list_values(user: EndUser, *, prefix: str = "", after: str = "", limit: int) -> list[UserData]:
    """In the order of their keys."""
    with user_scope(user):
        rows = UserData.objects.filter(user=user, key__startswith=prefix, key__gt=after)
        return list(rows.order_by("key")[:limit])
