"""The agents and projects of a person as a filter offers them. One nobody wrote to is not offered."""

from collections.abc import Iterable

from memory.access.confinement import RowScope, ScopeFilter
from memory.web.wordings import translate as _

OWN = "own"
AGENT, PROJECT = "agent=", "project="


def list_scope_choices(scopes: Iterable[RowScope]) -> list[tuple[str, str]]:
    """As a select has them; none where nothing belongs to an agent or a project."""
    found = sorted(set(scopes), key=lambda scope: (scope.project_id, scope.agent_id))
    projects = dict.fromkeys(scope.project_id for scope in found if scope.project_id)
    agents = dict.fromkeys(scope.agent_id for scope in found if scope.agent_id)
    named = [(f"{PROJECT}{name}", _("Project {name}").format(name=name)) for name in projects]
    named += [(f"{AGENT}{name}", _("Agent {name}").format(name=name)) for name in agents]
    return [("", _("Everything")), (OWN, _("The person's own")), *named] if named else []


def read_scope_choice(choice: str) -> ScopeFilter:
    """What a choice lets through: the very agent or project. What is no choice lets nothing through."""
    if not choice:
        return ScopeFilter()
    if choice == OWN:
        return ScopeFilter.only(RowScope())
    if choice.startswith(PROJECT):
        return ScopeFilter(projects=frozenset({choice.removeprefix(PROJECT)}))
    return ScopeFilter(agents=frozenset({choice.removeprefix(AGENT)}))
