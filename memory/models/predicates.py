"""Conditions that are joined by and, or and not, as one expression of SQL over ``memory_item``.

Each is true or false and never unknown, so that the opposite of a condition lets through exactly what it kept out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

# A moment of a row, a text that every row has (empty where nothing was said), or what a list of texts holds.
MomentColumn = Literal["created_at", "updated_at", "occurred_at"]
Compared = Literal["=", ">", ">=", "<", "<="]

# Typed, since the driver sends a text without a type and the operator takes a number as well.
FIELD = "metadata -> {}::text"
FIELD_TEXT = "metadata ->> {}::text"


@dataclass(frozen=True, slots=True)
class Always:
    """Whether or not: what is known before any row is read."""

    holds: bool


@dataclass(frozen=True, slots=True)
class ColumnIs:
    """A column of text is one of these."""

    column: Literal["thread_id", "agent_id", "project_id", "tier"]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColumnBegins:
    column: Literal["thread_id"]
    prefix: str


@dataclass(frozen=True, slots=True)
class MomentCompares:
    column: MomentColumn
    operator: Compared
    moment: datetime


@dataclass(frozen=True, slots=True)
class IdIs:
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TagsInclude:
    """At least one of these."""

    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TagsExist:
    """It has any."""


@dataclass(frozen=True, slots=True)
class TextHolds:
    """The text holds these characters."""

    part: str
    ignores_case: bool


@dataclass(frozen=True, slots=True)
class MetadataHolds:
    """``document`` is a JSON object that the metadata contains."""

    document: str


@dataclass(frozen=True, slots=True)
class MetadataExists:
    """The field is there and not null."""

    field: str


@dataclass(frozen=True, slots=True)
class MetadataIs:
    """The field is one of these, each as JSON."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MetadataListHolds:
    """The field is a list that holds this, as JSON."""

    field: str
    value: str


@dataclass(frozen=True, slots=True)
class MetadataCompares:
    """Numbers with a number, texts with a text by their characters."""

    field: str
    operator: Compared
    value: float | str


@dataclass(frozen=True, slots=True)
class MetadataTextHolds:
    """A text that holds these characters."""

    field: str
    part: str
    ignores_case: bool


@dataclass(frozen=True, slots=True)
class IsTold:
    """An exchange of which a statement of the memory bank tells what is to be known."""


@dataclass(frozen=True, slots=True)
class IsEnded:
    """What was said of which all that was read in it holds no longer."""


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: tuple["Predicate", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: tuple["Predicate", ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: "Predicate"


Predicate: TypeAlias = (
    Always
    | ColumnIs
    | ColumnBegins
    | MomentCompares
    | IdIs
    | TagsInclude
    | TagsExist
    | TextHolds
    | MetadataHolds
    | MetadataExists
    | MetadataIs
    | MetadataListHolds
    | MetadataCompares
    | MetadataTextHolds
    | IsTold
    | IsEnded
    | AllOf
    | AnyOf
    | Not
)

# The statements that were read out of an exchange name it as their parent.
TOLD = """
(source @> {}::jsonb AND id IN (
    SELECT unnest(parents) FROM memory_item
    WHERE user_id = {} AND NOT parents = {}::uuid[] AND tier = 'memory_bank' AND status = 'active'))
"""
# A statement of the bank is archived when its fact ends; the words it was read from are kept and would tell it again.
ENDED = """
(tier <> 'memory_bank' AND id IN (
    SELECT evidence.memory_id FROM fact_evidence AS evidence
    JOIN fact ON fact.user_id = evidence.user_id AND fact.id = evidence.fact_id
    WHERE evidence.user_id = {} AND evidence.stance = 1 AND evidence.memory_id IS NOT NULL
    GROUP BY evidence.memory_id HAVING bool_and(fact.state IN ('superseded', 'retracted'))))
"""
NUMBER, TEXT = "number", "string"


def build_predicate(predicate: Predicate, owner: int) -> tuple[str, list[Any]]:
    """An expression with ``{}`` for each of the values that come with it."""
    match predicate:
        case AllOf(parts):
            return join_parts(parts, " AND ", "true", owner)
        case AnyOf(parts):
            return join_parts(parts, " OR ", "false", owner)
        case Not(part):
            text, values = build_predicate(part, owner)
            return f"NOT {text}", values
        case IsTold():
            return TOLD, ['{"kind": "exchange"}', owner, []]
        case IsEnded():
            return ENDED, [owner]
        case _:
            return build_comparison(predicate)


def join_parts(parts: Sequence[Predicate], word: str, empty: str, owner: int) -> tuple[str, list[Any]]:
    built = [build_predicate(part, owner) for part in parts]
    text = word.join(text for text, _ in built) or empty
    return f"({text})", [value for _, values in built for value in values]


def build_comparison(predicate: Predicate) -> tuple[str, list[Any]]:
    match predicate:
        case Always(holds):
            return str(holds).lower(), []
        case ColumnIs(column, values):
            return f"{column} = ANY({{}})", [list(values)]
        case ColumnBegins(column, prefix):
            return f"starts_with({column}, {{}})", [prefix]
        case MomentCompares(column, operator, moment):
            return f"{column} {operator} {{}}", [moment]
        case IdIs(ids):
            return "id = ANY({}::uuid[])", [list(ids)]
        case TagsInclude(tags):
            return "tags && {}::varchar[]", [list(tags)]
        case TagsExist():
            return "cardinality(tags) > 0", []
        case TextHolds(part, ignores_case):
            return build_holds("text", part, ignores_case=ignores_case)
        case _:
            return build_metadata_comparison(predicate)


def build_metadata_comparison(predicate: Predicate) -> tuple[str, list[Any]]:
    match predicate:
        case MetadataHolds(document):
            return "metadata @> {}::jsonb", [document]
        case MetadataExists(field):
            return f"coalesce({FIELD} <> 'null', false)", [field]
        case MetadataIs(field, values):
            return f"coalesce({FIELD} = ANY({{}}::jsonb[]), false)", [field, list(values)]
        case MetadataListHolds(field, value):
            # Asked of a text or a number, ``@>`` would say the same as ``=``.
            return (
                f"coalesce(jsonb_typeof({FIELD}) = 'array' AND {FIELD} @> {{}}::jsonb, false)",
                [field, field, f"[{value}]"],
            )
        case MetadataCompares(field, operator, value):
            return build_order(field, operator, value)
        case MetadataTextHolds(field, part, ignores_case):
            text, asked = build_holds(FIELD_TEXT, part, ignores_case=ignores_case)
            return f"coalesce(jsonb_typeof({FIELD}) = '{TEXT}' AND {text}, false)", [field, field, *asked]
        case _:
            raise TypeError(f"not a condition: {predicate!r}")


def build_holds(expression: str, part: str, *, ignores_case: bool) -> tuple[str, list[Any]]:
    if ignores_case:
        return f"strpos(lower({expression}), lower({{}}::text)) > 0", [part]
    return f"strpos({expression}, {{}}::text) > 0", [part]


def build_order(field: str, operator: Compared, value: float | str) -> tuple[str, list[Any]]:
    """False for a field of the other kind."""
    # In CASE, since Postgres may take the terms of an "and" in any order, and a text is no number.
    if isinstance(value, str):
        kind, found, asked = TEXT, f'({FIELD_TEXT}) COLLATE "C"', '{}::text COLLATE "C"'
    else:
        kind, found, asked = NUMBER, f"({FIELD_TEXT})::numeric", "{}::numeric"
    text = f"CASE WHEN jsonb_typeof({FIELD}) = '{kind}' THEN {found} {operator} {asked} ELSE false END"
    return text, [field, field, value]
