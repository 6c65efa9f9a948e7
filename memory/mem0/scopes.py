"""Where what mem0 calls an agent, an app and a run is kept of a memory. The one place that knows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Literal

from django.db.models import Count

from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from memory.models.items import ItemQuerySet
from memory.models.predicates import (
    AllOf,
    ColumnBegins,
    ColumnIs,
    MetadataCompares,
    Not,
    Predicate,
)
from memory.tiers import Status

ScopeColumn = Literal["agent_id", "project_id", "thread_id"]
ScopeName = Literal["agent_id", "app_id", "run_id"]
SCOPE_NAMES: Final[tuple[ScopeName, ...]] = ("agent_id", "app_id", "run_id")
EXPIRES: Final = "expiration_date"
COLUMNS: Final[dict[ScopeName, ScopeColumn]] = {
    "agent_id": "agent_id",
    "app_id": "project_id",
    "run_id": "thread_id",
}
# The thread of a day's calls that name no run, so that what was said before can be referred to.
UNNAMED_RUN: Final = "mem0-"
MOST_SCOPES: Final = 200
UNNAMED_THREAD = re.compile(r"mem0-\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class MemoryScope:
    agent_id: str | None = None
    app_id: str | None = None
    run_id: str | None = None

    def choose_thread(self, said_at: datetime) -> str:
        return self.run_id or f"{UNNAMED_RUN}{said_at.date().isoformat()}"


def build_metadata(metadata: Mapping[str, Any], expires: str | None) -> dict[str, Any]:
    """The day of expiry is kept in the metadata, and is none to the client."""
    return {**metadata, EXPIRES: expires} if expires else dict(metadata)


def read_scope(item: MemoryItem) -> MemoryScope:
    run = None if UNNAMED_THREAD.fullmatch(item.thread_id) else item.thread_id or None
    return MemoryScope(item.agent_id or None, item.project_id or None, run)


def read_expiry(item: MemoryItem) -> str | None:
    expires: str | None = item.metadata.get(EXPIRES)
    return expires


def read_metadata(item: MemoryItem) -> dict[str, Any]:
    """The client's own."""
    return {name: value for name, value in item.metadata.items() if name != EXPIRES}


def replace_metadata(item: MemoryItem, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The client's metadata in the place of what it was before, with the same day of expiry."""
    return build_metadata(metadata, read_expiry(item))


def match_scope(name: ScopeName, values: Sequence[str]) -> Predicate:
    return ColumnIs(COLUMNS[name], tuple(values))


def match_any_scope(name: ScopeName) -> Predicate:
    """That it has one."""
    named = Not(ColumnIs(COLUMNS[name], ("",)))
    return AllOf((named, Not(ColumnBegins("thread_id", UNNAMED_RUN)))) if name == "run_id" else named


def match_unexpired(today: date) -> Predicate:
    """What has no date of expiry, or one that is not over."""

    return Not(MetadataCompares(EXPIRES, "<", today.isoformat()))


@dataclass(frozen=True, slots=True)
class ScopeCounts:
    """How many memories a person has, and how many of each agent, app and run."""

    total: int
    agents: Mapping[str, int]
    apps: Mapping[str, int]
    runs: Mapping[str, int]

    def of(self, name: ScopeName) -> Mapping[str, int]:
        return {"agent_id": self.agents, "app_id": self.apps, "run_id": self.runs}[name]


def count_scopes(user: EndUser) -> ScopeCounts:
    """Of each the commonest two hundred."""
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).exclude(status=Status.ARCHIVED)
        runs = rows.exclude(thread_id="").exclude(thread_id__startswith=UNNAMED_RUN)
        return ScopeCounts(
            rows.count(),
            count_values(rows, "agent_id"),
            count_values(rows, "project_id"),
            count_values(runs, "thread_id"),
        )


def count_values(rows: ItemQuerySet, column: ScopeColumn) -> dict[str, int]:
    counted = rows.exclude(**{column: ""}).values_list(column).annotate(number=Count("pk"))
    return dict(counted.order_by("-number", column)[:MOST_SCOPES])
