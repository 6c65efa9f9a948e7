"""What a memory must be beside its tier and status: its metadata, tags, thread, time, source. One SQL for every index.

The rows decide, in the statement that searches: whatever is dropped after a cut leaves a rare match unfound.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from django.db.backends.utils import CursorWrapper
from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from memory.models.predicates import Predicate, build_predicate
from memory.models.sources import split_source

# As deep as a leaf of metadata has a label, see the migration of the column ``labels``.
DEEPEST_LABEL = 8
# ``@@`` finds the rows through their index under the policy, where ``@>`` reads all rows of the user: of 100,000 rows
# 0.4 ms instead of 170, on a busy machine.
# The rows of ``book_chunk`` say what belongs to a book, and are read through their index; the memory only tells it.
IN_BOOK = "id IN (SELECT item_id FROM book_chunk WHERE user_id = {} AND book_id = {})"
LABELLED = "labels @@ memory_label_query({}, {}::varchar[], {}::varchar[], {}::jsonb)"


@dataclass(frozen=True, slots=True)
class RowConditions:
    """All must hold. ``metadata`` is a JSON object that the memory's contains; of ``tags`` it has all, of ``any_tags``
    at least one. From ``occurred_after`` on, and earlier than ``occurred_before``; their time ends earlier
    than ``expires_before``. ``source`` is a JSON object that the
    memory's source contains beside its kind. ``where`` is what takes and, or and not to say.
    """

    metadata: str = ""
    tags: frozenset[str] = frozenset()
    any_tags: frozenset[str] = frozenset()
    thread_id: str = ""
    occurred_after: datetime | None = None
    occurred_before: datetime | None = None
    expires_before: datetime | None = None
    source_type: str = ""
    source: str = ""
    where: Predicate | None = None
    # Passages of this book alone; of books, only passages that are one of these (text, rows, code).
    book_id: UUID | None = None
    content_types: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        metadata: Mapping[str, Any] | None = None,
        tags: Collection[str] = (),
        any_tags: Collection[str] = (),
        thread_id: str = "",
        occurred_after: datetime | None = None,
        occurred_before: datetime | None = None,
        source: str | Mapping[str, Any] | None = None,
        expires_before: datetime | None = None,
    ) -> "RowConditions":
        kind, described = split_source(source) if source else (None, {})
        return cls(
            json.dumps(metadata, sort_keys=True) if metadata else "",
            normalise_tags(tags),
            normalise_tags(any_tags),
            thread_id,
            occurred_after,
            occurred_before,
            expires_before,
            kind or "",
            json.dumps(described, sort_keys=True) if described else "",
        )

    def __bool__(self) -> bool:
        return self != RowConditions()

    def as_json(self) -> list[str]:
        """What distinguishes it, as text; nothing where all rows pass."""
        times = (self.occurred_after, self.occurred_before, self.expires_before)
        parts = [sorted(self.tags), sorted(self.any_tags), *times, self.where, self.book_id, sorted(self.content_types)]
        texts = (self.metadata, self.thread_id, self.source_type, self.source)
        return [*texts, *map(str, parts)] if self else []

    @property
    def is_labelled(self) -> bool:
        """Whether labels tell anything of it; else no query could be made of them."""
        return bool(self.tags or self.any_tags or (self.metadata and has_leaf(json.loads(self.metadata))))

    def list_terms(self, owner: int) -> Iterator[tuple[str, list[Any]]]:
        """Conditions over columns of ``memory_item``, each with ``{}`` for its values."""
        tags, any_tags = sorted(self.tags), sorted(self.any_tags)
        if self.is_labelled:
            yield LABELLED, [owner, tags, any_tags, self.metadata or "{}"]
        if self.metadata:
            yield "metadata @> {}::jsonb", [self.metadata]
        if tags:
            yield "tags @> {}::varchar[]", [tags]
        if any_tags:
            yield "tags && {}::varchar[]", [any_tags]
        if self.thread_id:
            yield "thread_id = {}", [self.thread_id]
        if self.occurred_after is not None:
            yield "occurred_at >= {}", [self.occurred_after]
        if self.occurred_before is not None:
            yield "occurred_at < {}", [self.occurred_before]
        if self.expires_before is not None:
            yield "expires_at < {}", [self.expires_before]
        if self.where is not None:
            yield build_predicate(self.where, owner)
        yield from self.list_origin_terms(owner)

    def list_origin_terms(self, owner: int) -> Iterator[tuple[str, list[Any]]]:
        # No index of their own: a rare source among 100,000 rows is found in 80 to 150 ms, and asked for now and then.
        if self.source_type:
            yield "source_type = {}", [self.source_type]
        if self.source:
            yield "source @> {}::jsonb", [self.source]
        if self.book_id is not None:
            yield IN_BOOK, [owner, self.book_id]
        if self.content_types:
            yield "source->>'content_type' = ANY({}::text[])", [sorted(self.content_types)]

    def build_sql(self, owner: int) -> tuple[str, dict[str, Any]]:
        """What is added to a statement over ``memory_item`` with named values; nothing where all rows pass."""
        values: dict[str, Any] = {}
        text = ""
        for condition, given in self.list_terms(owner):
            names = [f"condition{len(values) + place}" for place in range(len(given))]
            text += f" AND {condition.format(*(f'%({name})s' for name in names))}"
            values |= dict(zip(names, given, strict=True))
        return text, values

    def build_expressions(self, owner: int) -> list[RawSQL]:
        """The same for a query of the ORM."""
        return [
            RawSQL(condition.format(*("%s" for _ in given)), given, output_field=BooleanField())  # noqa: S611 -- ours
            for condition, given in self.list_terms(owner)
        ]


def validate_period(after: datetime | None, before: datetime | None) -> None:
    """Raises ValueError for a period that nothing can lie in."""
    if before is not None and after is not None and before <= after:
        raise ValueError("must be later than occurred_after")


def normalise_tags(tags: Collection[str]) -> frozenset[str]:
    """As they are stored."""
    return frozenset(tag for given in tags if (tag := given.strip().lower()))


def has_leaf(value: object, depth: int = 0) -> bool:
    """Whether a leaf is reached through objects alone."""
    if isinstance(value, dict):
        return depth < DEEPEST_LABEL and any(has_leaf(inner, depth + 1) for inner in value.values())
    return not isinstance(value, list)


PASSING = """
SELECT id FROM memory_item
WHERE user_id = %(user)s AND status = ANY(%(statuses)s){tiers}{ids}{conditions} LIMIT %(most)s
"""


class SeenColumns(Protocol):
    @property
    def columns(self) -> list[tuple[str, list[str]]]: ...


def build_scope_sql(scope: SeenColumns) -> tuple[str, dict[str, Any]]:
    """What is added to a statement over rows with an agent and a project; nothing where all are seen."""
    columns = scope.columns
    return "".join(f" AND {name} = ANY(%({name})s)" for name, _ in columns), dict(columns)


class FilteredRows(Protocol):
    """What of a filter on an index concerns the rows."""

    @property
    def user_id(self) -> int: ...

    @property
    def tiers(self) -> frozenset[str] | None: ...

    @property
    def statuses(self) -> frozenset[str]: ...

    @property
    def rows(self) -> RowConditions: ...

    @property
    def scope(self) -> SeenColumns: ...


def list_passing(
    cursor: CursorWrapper, filter: FilteredRows, most: int, among: Collection[UUID] | None = None
) -> list[UUID]:
    """The ids of the rows that pass, at most so many. In the user's scope."""
    text, values = filter.rows.build_sql(filter.user_id)
    scope, seen = build_scope_sql(filter.scope)
    text += scope
    values |= seen | {"user": filter.user_id, "statuses": sorted(filter.statuses), "most": most}
    if filter.tiers is not None:
        values["tiers"] = sorted(filter.tiers)
    if among is not None:
        values["among"] = list(among)
    statement = PASSING.format(
        tiers="" if filter.tiers is None else " AND tier = ANY(%(tiers)s)",
        ids="" if among is None else " AND id = ANY(%(among)s)",
        conditions=text,
    )
    cursor.execute(statement, values)
    return [row[0] for row in cursor.fetchall()]
