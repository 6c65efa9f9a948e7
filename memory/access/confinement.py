"""The scope of a memory: the agent and the project it belongs to; neither means that it is the person's own.

Whoever works in a scope sees what belongs to it and what is the person's own, and nothing of another agent or project;
what they write belongs to it. Without a scope everything of the person is seen, and what is written is their own. It is
a setting of the transaction, as the user is, so that the policies of the database hold it and no query can forget it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from memory.models.isolation import AGENT_SETTING, PROJECT_SETTING, ScopedRow

SCOPE_ID_PATTERN = re.compile(r"[A-Za-z0-9_.@:/-]{1,128}")
SCOPE_ID_RULE = "must be 1-128 of A-Z a-z 0-9 _ . @ : / -"


class ScopeRefused(ValueError):
    """A scope that may not be: an id that breaks the rule, or one beside the scope that holds. ``field`` names it."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(rule)
        self.field = field
        self.rule = rule


@dataclass(frozen=True, slots=True)
class RowScope:
    """``""`` where nothing is named: any to a reader, none to a writer."""

    agent_id: str = ""
    project_id: str = ""

    @classmethod
    def of(cls, row: ScopedRow) -> "RowScope":
        return cls(row.agent_id, row.project_id)

    def __bool__(self) -> bool:
        return bool(self.agent_id or self.project_id)

    def narrow(self, agent_id: str | None, project_id: str | None) -> "RowScope":
        """This scope with what it leaves open. Raises ScopeRefused for anything beside it."""
        return RowScope(
            narrow_id("agent_id", self.agent_id, agent_id), narrow_id("project_id", self.project_id, project_id)
        )

    @property
    def settings(self) -> dict[str, str]:
        return {AGENT_SETTING: self.agent_id, PROJECT_SETTING: self.project_id} if self else {}


def narrow_id(field: str, held: str, given: str | None) -> str:
    if not given:
        return held
    if not SCOPE_ID_PATTERN.fullmatch(given):
        raise ScopeRefused(field, SCOPE_ID_RULE)
    if held and held != given:
        raise ScopeRefused(field, "is not the one this key or this request is confined to")
    return given


EVERYTHING = RowScope()
_scope: ContextVar[RowScope] = ContextVar("memory_scope", default=EVERYTHING)
# Whoever forgets to say so keeps everything where it was said.
_is_bound: ContextVar[bool] = ContextVar("memory_scope_is_bound", default=True)


def current_scope() -> RowScope:
    return _scope.get()


def name_conversation(thread_id: str) -> dict[str, str]:
    """The values of a statement for the one of the scope that holds: two projects may both call theirs "main"."""
    scope = current_scope()
    return {"thread": thread_id, "agent": scope.agent_id, "project": scope.project_id}


@contextmanager
def confine_to(scope: RowScope) -> Iterator[None]:
    """Work in a scope. Outside any open ``user_scope``: a transaction has the scope it was begun with."""
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)


def confine_request(scope: RowScope, *, is_bound: bool) -> None:
    """Work in a scope until the request has ended, which its middleware sees to. ``is_bound`` where its key is."""
    _scope.set(scope)
    _is_bound.set(is_bound)


def is_bound() -> bool:
    """Whether nothing that is written now may leave the scope it is written in."""
    return _is_bound.get()


@contextmanager
def bind_to_scope(*, bound: bool) -> Iterator[None]:
    token = _is_bound.set(bound)
    try:
        yield
    finally:
        _is_bound.reset(token)


@dataclass(frozen=True, slots=True)
class ScopeFilter:
    """Which agents' and projects' memories pass; None is all, and ``""`` stands for those of none."""

    agents: frozenset[str] | None = None
    projects: frozenset[str] | None = None

    def __bool__(self) -> bool:
        return self.agents is not None or self.projects is not None

    @classmethod
    def from_reader(cls, scope: RowScope) -> "ScopeFilter":
        """What a reader in a scope sees."""
        return cls(
            frozenset({"", scope.agent_id}) if scope.agent_id else None,
            frozenset({"", scope.project_id}) if scope.project_id else None,
        )

    @classmethod
    def only(cls, scope: RowScope) -> "ScopeFilter":
        """What belongs to the very scope, as what one statement may be merged with or end."""
        return cls(frozenset({scope.agent_id}), frozenset({scope.project_id}))

    @property
    def lookups(self) -> dict[str, list[str]]:
        """The same as arguments of a query of the ORM."""
        return {f"{column}__in": values for column, values in self.columns}

    @property
    def columns(self) -> list[tuple[str, list[str]]]:
        """The columns that are restricted, with the values that pass."""
        named = (("agent_id", self.agents), ("project_id", self.projects))
        return [(column, sorted(values)) for column, values in named if values is not None]


def see_current_scope() -> ScopeFilter:
    return ScopeFilter.from_reader(current_scope())
