"""Advice from the graphs before a search: which tiers to search, which memories to boost.

The settings name the function that gives it, so that the core does not import the graphs. It has a few milliseconds,
and a search works without it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from uuid import UUID

from django.utils.module_loading import import_string

from memory.conf import memory_conf
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, Unavailable
from memory.retrieval.query import Query
from memory.retrieval.results import SearchDebug
from memory.tiers import Tier

GRAPH = "graph"


@dataclass(frozen=True, slots=True)
class SearchAdvice:
    """``tiers`` None: ask all. ``boosts`` gives, for each reason, the memories it speaks for and how loudly."""

    tiers: frozenset[Tier] | None = None
    boosts: Mapping[str, Mapping[UUID, float]] = field(default_factory=dict)


Adviser = Callable[[EndUser, Query, Deadline], SearchAdvice]


@cache
def load_adviser(path: str) -> Adviser:
    found: Adviser = import_string(path)
    return found


def request_advice(user: EndUser, query: Query, debug: SearchDebug, deadline: Deadline) -> SearchAdvice:
    """Advice for this question; none without an adviser, on failure, and when it takes too long."""
    conf = memory_conf()
    if not conf.ranking.adviser or not query.text:
        return SearchAdvice()
    return debug.attempt(GRAPH, lambda: call_adviser(user, query, deadline), SearchAdvice())


def call_adviser(user: EndUser, query: Query, deadline: Deadline) -> SearchAdvice:
    conf = memory_conf()
    try:
        # Before the clock: whatever the first question of a process loads is not taken from its few milliseconds.
        ask = load_adviser(conf.ranking.adviser)
        found: object = ask(user, query, deadline.slice(conf.deadlines.graph_s))
    except Unavailable:
        raise
    except Exception as error:
        raise Unavailable(GRAPH, type(error).__name__) from error
    if not isinstance(found, SearchAdvice):
        raise BadReply(GRAPH, f"{type(found).__name__} is no advice")
    if not all(isfinite(boost) for memories in found.boosts.values() for boost in memories.values()):
        raise BadReply(GRAPH, "a boost is not a finite number")
    return found
