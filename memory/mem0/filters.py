"""mem0's filters as conditions on rows: AND, OR and NOT over fields, each with a value or with operators.

A filter is about one person, since a search is: ``user_id`` says whom, and is settled before any row is read. What
cannot be done is refused by the name of its field.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from typing import Any, Final
from uuid import UUID

from memory.mem0.scopes import SCOPE_NAMES, ScopeName, match_any_scope, match_scope
from memory.models.conditions import RowConditions, normalise_tags
from memory.models.predicates import (
    AllOf,
    Always,
    AnyOf,
    ColumnIs,
    Compared,
    IdIs,
    MetadataCompares,
    MetadataExists,
    MetadataHolds,
    MetadataIs,
    MetadataListHolds,
    MetadataTextHolds,
    MomentColumn,
    MomentCompares,
    Not,
    Predicate,
    TagsExist,
    TagsInclude,
    TextHolds,
)
from memory.web.fields import parse_moment
from memory.web.problems import Problem, invalid_field

ANY: Final = "*"
PERSON: Final = "user_id"
# A memory's time here is that of what was said: an import of last year is of last year.
MOMENTS: Final[dict[str, MomentColumn]] = {
    "created_at": "occurred_at",
    "timestamp": "occurred_at",
    "updated_at": "updated_at",
}
IDS: Final = frozenset({"id", "memory_id", "memory_ids"})
CANNOT: Final = {"feedback": "feedback is no field here: what was rated moves in the ranking instead"}
ORDERS: Final[dict[str, Compared]] = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
LISTS: Final = frozenset({"in", "nin"})
SINGLE: Final = frozenset({"eq", "ne", "contains", "icontains", *ORDERS})
DAY_CHARS: Final = 10
# Each costs the statement an expression, and two hundred are beyond any client's need.
MOST_CONDITIONS: Final = 200
MOST_VALUES: Final = 1_000


@dataclass(frozen=True, slots=True)
class Condition:
    """One operator on one field. ``path`` is where it stands, for whoever sent it."""

    path: str
    operator: str
    value: Any

    def refuse(self, rule: str) -> Problem:
        return invalid_field(self.path, rule)

    @property
    def is_negative(self) -> bool:
        return self.operator in {"ne", "nin"}

    @property
    def values(self) -> list[Any]:
        return self.value if isinstance(self.value, list) else [self.value]

    def list_texts(self) -> list[str]:
        if not all(isinstance(value, str) and value for value in self.values):
            raise self.refuse("must be a text, or a list of texts")
        return self.values


@dataclass(slots=True)
class FilterReader:
    """Reads one filter. ``person`` is whom the call is about; what says otherwise of ``user_id`` is false."""

    person: str
    conditions: int = 0

    def read(self, given: object, path: str) -> Predicate:
        if not isinstance(given, dict):
            raise invalid_field(path, "must be a JSON object")
        return AllOf(tuple(self.read_entry(name, value, f"{path}.{name}") for name, value in given.items()))

    def read_entry(self, name: str, value: object, path: str) -> Predicate:
        joined = name.upper().lstrip("$")
        if joined in {"AND", "OR", "NOT"}:
            parts = tuple(self.read(part, f"{path}[{at}]") for at, part in enumerate(list_parts(value, path)))
            if joined == "AND":
                return AllOf(parts)
            return Not(AnyOf(parts)) if joined == "NOT" else AnyOf(parts)
        if name == "metadata":
            return self.read_metadata(value, path)
        return AllOf(tuple(self.build(name, one) for one in list_conditions(value, path)))

    def read_metadata(self, value: object, path: str) -> Predicate:
        """What it contains, or conditions on its fields."""
        if not isinstance(value, dict):
            raise invalid_field(path, "must be a JSON object of the fields of the metadata")
        parts: list[Predicate] = []
        for field, inner in value.items():
            if isinstance(inner, dict) and inner and not is_operators(inner):
                self.count(path)
                parts.append(MetadataHolds(json.dumps({field: inner})))
            else:
                parts += [self.build_metadata(field, one) for one in list_conditions(inner, f"{path}.{field}")]
        return AllOf(tuple(parts))

    def count(self, path: str) -> None:
        self.conditions += 1
        if self.conditions > MOST_CONDITIONS:
            raise invalid_field(path.partition(".")[0], f"has more than {MOST_CONDITIONS} conditions")

    def build(self, name: str, condition: Condition) -> Predicate:
        self.count(condition.path)
        if name in CANNOT:
            raise condition.refuse(CANNOT[name])
        found = self.build_field(name, condition)
        return Not(found) if condition.is_negative else found

    def build_field(self, name: str, condition: Condition) -> Predicate:
        """The condition without its negation."""
        if name == PERSON:
            require_equality(condition)
            return Always(condition.value == ANY or self.person in condition.values)
        if name in SCOPE_NAMES:
            return build_scope(name, condition)
        if name in MOMENTS:
            return build_moment(MOMENTS[name], condition)
        if name == "categories":
            return build_categories(condition)
        if name in IDS:
            return build_ids(condition)
        if name in {"keywords", "memory", "text"}:
            return build_text(condition)
        return build_metadata_field(name, condition)

    def build_metadata(self, field: str, condition: Condition) -> Predicate:
        self.count(condition.path)
        found = build_metadata_field(field, condition)
        return Not(found) if condition.is_negative else found


def list_parts(value: object, path: str) -> list[object]:
    parts = [value] if isinstance(value, dict) else value
    if not isinstance(parts, list) or not parts:
        raise invalid_field(path, "must be a list of at least one filter")
    return parts


def is_operators(value: Mapping[str, object]) -> bool:
    return bool(value) and all(name.lstrip("$") in SINGLE | LISTS for name in value)


def list_conditions(value: object, path: str) -> Iterator[Condition]:
    """The operators on a field: those of an object, else that it is this, or one of these."""
    if not isinstance(value, dict):
        yield check_condition(Condition(path, "in" if isinstance(value, list) else "eq", value))
        return
    if not value:
        raise invalid_field(path, "names no operator")
    for name, asked in value.items():
        operator = name.lstrip("$")
        if operator not in SINGLE | LISTS:
            known = ", ".join(sorted(SINGLE | LISTS))
            raise invalid_field(f"{path}.{name}", f"is no operator; there are {known}")
        yield check_condition(Condition(f"{path}.{name}", operator, asked))


def check_condition(condition: Condition) -> Condition:
    value = condition.value
    if condition.operator in LISTS:
        if not isinstance(value, list) or not value or len(value) > MOST_VALUES:
            raise condition.refuse(f"must be a list of 1 to {MOST_VALUES:,} values")
        if not all(is_plain(one) for one in value):
            raise condition.refuse("must list texts, numbers, or true and false")
    elif not is_plain(value) and not (condition.operator in {"contains", "icontains"} and isinstance(value, list)):
        raise condition.refuse("must be a text, a number, true, false or null")
    return condition


def is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


def require_equality(condition: Condition) -> None:
    if condition.operator not in {"eq", "ne", "in", "nin"}:
        raise condition.refuse("takes a value, a list, eq, ne, in or nin")


def build_scope(name: ScopeName, condition: Condition) -> Predicate:
    require_equality(condition)
    if condition.value is None:
        return Not(match_any_scope(name))
    if ANY in condition.values:
        return match_any_scope(name)
    return match_scope(name, condition.list_texts())


def build_moment(column: MomentColumn, condition: Condition) -> Predicate:
    if condition.operator not in ORDERS | {"eq": "=", "ne": "="}:
        raise condition.refuse("takes a time, or gt, gte, lt and lte")
    moment, is_day = read_moment(condition)
    operator = ORDERS.get(condition.operator, "=")
    if not is_day:
        return MomentCompares(column, operator, moment)
    end = datetime.combine(moment.date(), time.max, UTC)
    whole_day = AllOf((MomentCompares(column, ">=", moment), MomentCompares(column, "<=", end)))
    # "Until the third" is to the end of the third, and "after the third" begins with the fourth.
    of_day: dict[Compared, Predicate] = {
        "=": whole_day,
        "<=": MomentCompares(column, "<=", end),
        ">": MomentCompares(column, ">", end),
    }
    return of_day.get(operator, MomentCompares(column, operator, moment))


def read_moment(condition: Condition) -> tuple[datetime, bool]:
    """The time, and whether it is a day alone. Also seconds since 1970, as mem0 takes them."""
    value = condition.value
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC), False
        if isinstance(value, str) and len(value) == DAY_CHARS:
            return parse_moment(f"{value}T00:00:00Z"), True
        return parse_moment(value), False
    except (ValueError, OverflowError, OSError) as error:
        raise condition.refuse(
            "must be an ISO 8601 date or time, such as 2026-03-02 or 2026-03-02T09:30:00Z"
        ) from error


def build_categories(condition: Condition) -> Predicate:
    if condition.operator not in {"eq", "ne", "in", "nin", "contains", "icontains"}:
        raise condition.refuse("takes a category, a list of them, in or contains")
    if condition.value == ANY:
        return TagsExist()
    return TagsInclude(tuple(sorted(normalise_tags(condition.list_texts()))))


def build_ids(condition: Condition) -> Predicate:
    require_equality(condition)
    try:
        return IdIs(tuple(str(UUID(value)) for value in condition.list_texts()))
    except ValueError as error:
        raise condition.refuse("must be ids of memories") from error


def build_text(condition: Condition) -> Predicate:
    if condition.operator not in {"contains", "icontains"}:
        raise condition.refuse("takes contains and icontains")
    ignores_case = condition.operator == "icontains"
    return AnyOf(tuple(TextHolds(part, ignores_case) for part in condition.list_texts()))


def build_metadata_field(field: str, condition: Condition) -> Predicate:
    value = condition.value
    if condition.operator in ORDERS:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise condition.refuse("must be a number or a text")
        return MetadataCompares(field, ORDERS[condition.operator], value)
    if condition.operator == "icontains":
        return AnyOf(tuple(MetadataTextHolds(field, part, ignores_case=True) for part in condition.list_texts()))
    if value is None:
        return Not(MetadataExists(field))
    if value == ANY:
        return MetadataExists(field)
    if condition.operator != "contains":
        return MetadataIs(field, tuple(json.dumps(one) for one in condition.values))
    listed = tuple(MetadataListHolds(field, json.dumps(one)) for one in condition.values)
    texts = tuple(MetadataTextHolds(field, one, ignores_case=False) for one in condition.values if isinstance(one, str))
    return AnyOf((*listed, *texts))


def list_persons(given: object) -> Iterator[str]:
    """Every person a filter names, wherever it stands."""
    if isinstance(given, list):
        for part in given:
            yield from list_persons(part)
    elif isinstance(given, dict):
        for name, value in given.items():
            if name == PERSON:
                yield from list_named(value)
            elif name.upper().lstrip("$") in {"AND", "OR", "NOT"}:
                yield from list_persons(value)


def list_named(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from list_named(inner)
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, str) and one != ANY:
            yield one


def build_row_conditions(parts: Sequence[Predicate]) -> RowConditions:
    """All of them, and again what an index serves of them: a thread, a category, a field of the metadata."""
    if not parts:
        return RowConditions()
    found = RowConditions(where=AllOf(tuple(parts)))
    for part in flatten(parts):
        match part:
            case ColumnIs("thread_id", (thread,)):
                found = replace(found, thread_id=thread)
            case TagsInclude(tags):
                found = replace(found, any_tags=frozenset(tags))
            case MetadataHolds(document):
                found = replace(found, metadata=document)
            case MetadataIs(field, (value,)):
                found = replace(found, metadata=json.dumps({field: json.loads(value)}))
    return found


def flatten(parts: Sequence[Predicate]) -> Iterator[Predicate]:
    """What must hold whatever else does."""
    for part in parts:
        if isinstance(part, AllOf):
            yield from flatten(part.parts)
        else:
            yield part
