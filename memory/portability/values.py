"""How one value of a column stands in a file, and what is wrong with one that cannot stand there.

What is empty is left out, which halves the file; times and fractions are always written.
"""

import math
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models

from memory.portability.tables import PortableTable
from memory.tiers import MAX_TEXT_CHARS, MOST_AHEAD

# They say until when something holds or is kept, which may well be to come.
TO_COME: Final = frozenset({"expires_at", "valid_from", "valid_to", "detection_at", "profile_after"})
# Files of an earlier release lack them; `following` makes them anew.
MADE_UP_FOR: Final = frozenset({"said_at"})
# An exchange is as long as the body of a request.
LONGEST_TEXT: Final = 2 * 1024 * 1024
LONGEST_LIST: Final = 10_000
SHARES: Final = frozenset({"score", "importance", "confidence", "base_confidence", "quality", "step"})
# Counts and weights are sums of a few; more would overflow the sums they go into.
MOST_WEIGHT: Final = 10**12
SIGNS: Final = {"sign": (-1, 1), "stance": (-1, 1)}

Value = Any
Read = Callable[[Value], Value]


class BadValue(Exception):
    """What is wrong with a value, as a rule: "must be at most 1"."""


def write_value(value: Value) -> Value:
    """As it stands in the file: JSON, ids and times as text."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, list):
        return [write_value(one) for one in value]
    return value


def is_left_out(column: "models.Field[Any, Any]", value: Value) -> bool:
    """Whether nothing in the file says the same as this value."""
    if value is None:
        return column.null
    if isinstance(value, float):
        return False
    if isinstance(column, models.JSONField):
        return column.has_default() and bool(value == column.get_default())
    return not value


def fill_in(column: "models.Field[Any, Any]") -> Value:
    """The value of a column that a line does not name. Raises BadValue where there is none."""
    if column.null or column.name in MADE_UP_FOR:
        return None
    if isinstance(column, ArrayField):
        return []
    if isinstance(column, models.JSONField) and column.has_default():
        return column.get_default()
    if isinstance(column, models.BooleanField):
        return False
    if isinstance(column, models.IntegerField) and not isinstance(column, models.ForeignKey):
        return 0
    if isinstance(column, models.CharField | models.TextField) and (column.blank or column.name not in NEEDED):
        return ""
    raise BadValue("is required")


# Texts without which the row would say nothing.
NEEDED: Final = frozenset({"text", "tier", "status", "kind", "key", "outcome", "action", "digest", "tag", "state"})


@cache
def list_readers(table: PortableTable) -> Mapping[str, tuple["models.Field[Any, Any]", Read]]:
    """How each column of a table is read, by its name in the file."""
    return {column.attname: (column, build_reader(table, column)) for column in table.columns}


def build_reader(table: PortableTable, column: "models.Field[Any, Any]") -> Read:
    name = column.attname
    if name in table.numbers:
        return read_number
    if isinstance(column, models.ForeignKey):
        return read_uuid
    read = read_by_type(column)
    if isinstance(column, models.FloatField) and name in SHARES:
        read = limit_range(read, 0, MOST_WEIGHT if name in table.weights else 1)
    if name in SIGNS:
        read = choose_one(read, SIGNS[name])
    choices = [value for value, _ in column.flatchoices]
    if choices:
        read = choose_one(read, [*choices, ""] if column.blank else choices)
    return allow_null(read) if column.null else read


def read_by_type(column: "models.Field[Any, Any]") -> Read:
    if isinstance(column, ArrayField):
        return read_list(build_plain_reader(column.base_field))
    if isinstance(column, models.JSONField):
        return read_json_of(type(column.get_default()) if column.has_default() else object)
    return build_plain_reader(column)


def build_plain_reader(column: "models.Field[Any, Any]") -> Read:
    if isinstance(column, models.UUIDField):
        return read_uuid
    if isinstance(column, models.DateTimeField):
        return read_time if column.name in TO_COME else read_past
    if isinstance(column, models.BooleanField):
        return read_boolean
    if isinstance(column, models.FloatField):
        return read_fraction
    if isinstance(column, models.IntegerField):
        low, high = connection.ops.integer_field_range(column.get_internal_type())
        return limit_range(read_integer, low or 0, high or 0)
    if column.name in NEEDED and not column.blank:
        return limit_length(find_longest(column), least=1)
    return limit_length(find_longest(column))


def find_longest(column: "models.Field[Any, Any]") -> int:
    return column.max_length or (MAX_TEXT_CHARS if column.name == "text" else LONGEST_TEXT)


def read_uuid(value: Value) -> uuid.UUID:
    # Written in full: 32 digits would be the same id under another name.
    if isinstance(value, str) and len(value) == 36:
        try:
            return uuid.UUID(value)
        except ValueError:
            pass
    raise BadValue("must be a UUID")


def read_time(value: Value) -> datetime:
    if isinstance(value, str) and len(value) <= 40:
        try:
            moment = datetime.fromisoformat(value)
            return moment.astimezone(UTC) if moment.tzinfo else fail("must have a time zone")
        except (ValueError, OverflowError):
            pass
    raise BadValue("must be a time in ISO 8601")


def read_past(value: Value) -> datetime:
    moment = read_time(value)
    if moment > datetime.now(UTC) + MOST_AHEAD:
        raise BadValue("lies in the future")
    return moment


def fail(rule: str) -> Any:  # noqa: ANN401 -- never returns
    raise BadValue(rule)


def read_boolean(value: Value) -> bool:
    return value if isinstance(value, bool) else fail("must be true or false")


def read_integer(value: Value) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else fail("must be a whole number")


def read_fraction(value: Value) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadValue("must be a number")
    return float(value) if abs(value) <= MOST_WEIGHT else fail("is too large")


def read_number(value: Value) -> int | None:
    return None if value is None else limit_range(read_integer, 1, 2**31)(value)


def limit_range(read: Read, low: int, high: int) -> Read:
    def read_within(value: Value) -> Value:
        number = read(value)
        if number < low:
            raise BadValue(f"must be at least {low}")
        return number if number <= high else fail(f"must be at most {high}")

    return read_within


def limit_length(longest: int, least: int = 0) -> Read:
    def read_text(value: Value) -> str:
        if not isinstance(value, str):
            raise BadValue("must be a text")
        if len(value) < least:
            raise BadValue("must not be empty")
        return value if len(value) <= longest else fail(f"must have at most {longest:,} characters")

    return read_text


def choose_one(read: Read, allowed: Any) -> Read:  # noqa: ANN401 -- numbers or texts
    def read_choice(value: Value) -> Value:
        chosen = read(value)
        return chosen if chosen in allowed else fail(f"must be one of {', '.join(str(one) for one in allowed if one)}")

    return read_choice


def allow_null(read: Read) -> Read:
    return lambda value: None if value is None else read(value)


def read_list(read: Read) -> Read:
    def read_each(value: Value) -> list[Value]:
        if not isinstance(value, list):
            raise BadValue("must be a list")
        return [read(one) for one in value] if len(value) <= LONGEST_LIST else fail("is too long a list")

    return read_each


def read_json_of(kind: type) -> Read:
    rule = "must be an object" if kind is dict else "must be a list"
    return lambda value: value if isinstance(value, kind) else fail(rule)
