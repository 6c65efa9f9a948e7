"""Settings of one search, to see or measure what a change would do. Nothing of the installation's own is changed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from memory.conf import memory_conf
from memory.models import EndUser
from memory.models.conditions import RowConditions
from memory.retrieval.ranking import load_signals
from memory.retrieval.results import STAGES, SearchRequest, SearchResult
from memory.retrieval.search import search
from memory.tiers import Tier

FUSIONS: Final = ("zscore", "rrf", "blend")
MOST_ASKED: Final = 50
NAMES: Final = ("tiers", "limit", "without", "skip", "fusion")


class BadSetting(ValueError):
    """A setting that may not be. ``field`` names it."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What differs from the search as configured; empty for what does not.

    ``without`` are ranking signals by name, ``skip`` stages that are left out.
    """

    tiers: tuple[str, ...] = ()
    limit: int = 0
    without: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    fusion: str = ""

    def __bool__(self) -> bool:
        return self != AS_CONFIGURED

    def as_json(self) -> dict[str, Any]:
        values = ((name, getattr(self, name)) for name in NAMES)
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values if value}

    def apply(self, request: SearchRequest) -> SearchRequest:
        """The request under these settings."""
        if self.tiers:
            request = replace(request, tiers=frozenset(map(Tier, self.tiers)))
        if self.without:
            kept = (path for name, path in list_boosts().items() if name not in self.without)
            request = replace(request, boosts=tuple(kept))
        return replace(
            request,
            limit=self.limit or request.limit,
            stages=request.stages - set(self.skip),
            fusion=self.fusion or request.fusion,
        )


AS_CONFIGURED: Final = SearchSettings()


@dataclass(frozen=True, slots=True)
class ReplayedQuestion:
    """A question to be asked again: where it was asked, and as of when. ``as_of`` None is now."""

    query: str
    as_of: datetime | None = None
    agent_id: str = ""
    project_id: str = ""


def search_variant(
    user: EndUser, query: str, settings: SearchSettings, *, limit: int, as_of: datetime | None, now: datetime
) -> SearchResult:
    """Asked under these settings, as of a moment or now: what was said since is not found.

    Leaves no trace: no turn, no count of what was retrieved.
    """
    request = SearchRequest(
        query,
        limit=limit,
        rows=RowConditions(occurred_before=as_of),
        # Nobody waits, and a stage that is left out for time would look like a setting.
        deadline_s=memory_conf().deadlines.hard_s,
    )
    return search(user, settings.apply(request), now=as_of or now, remember=False)


def list_boosts() -> dict[str, str]:
    """The boosts of the settings: the name each has in an explanation, and its path."""
    return {signal.name: path for path in memory_conf().ranking.boosts for signal in load_signals((path,))}


def parse_settings(given: Mapping[str, Any]) -> SearchSettings:
    """Settings as they stand in JSON. Raises BadSetting."""
    unknown = next((name for name in given if name not in NAMES), None)
    if unknown is not None:
        raise BadSetting(str(unknown)[:40], f"is none of {', '.join(NAMES)}")
    limit = given.get("limit") or 0
    if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= MOST_ASKED:
        raise BadSetting("limit", f"must be a whole number of at most {MOST_ASKED}")
    fusion = given.get("fusion") or ""
    if fusion and fusion not in FUSIONS:
        raise BadSetting("fusion", f"must be one of {', '.join(FUSIONS)}")
    skip = read_names("skip", given.get("skip"), sorted(STAGES))
    if {"vector", "lexical"} <= set(skip):
        raise BadSetting("skip", "leaves neither of vector and lexical to search by")
    return SearchSettings(
        tiers=read_names("tiers", given.get("tiers"), list(Tier)),
        limit=limit,
        without=read_names("without", given.get("without"), list(list_boosts())),
        skip=skip,
        fusion=str(fusion),
    )


def read_names(field: str, given: Any, allowed: list[str]) -> tuple[str, ...]:  # noqa: ANN401 -- any JSON
    """The names of a list, each once, in the order in which they are known."""
    if given is None:
        return ()
    if not isinstance(given, list | tuple) or any(name not in allowed for name in given):
        raise BadSetting(field, f"must be a list of some of {', '.join(allowed)}")
    return tuple(str(name) for name in allowed if name in given)


def parse_assignments(texts: list[str]) -> SearchSettings:
    """Settings as they are typed: ``tiers=history,books``, ``limit=5``. Raises BadSetting."""
    given: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not value:
            raise BadSetting(name[:40], "is written name=value")
        numeric = name == "limit" and value.isdecimal()
        listed = name in {"tiers", "without", "skip"}
        given[name] = int(value) if numeric else value.split(",") if listed else value
    return parse_settings(given)
