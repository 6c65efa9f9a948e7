"""Look-ups in the graphs by key; each is one indexed query, whatever the size of the graph."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from knowledge_graph.extraction.concepts import select_problem_keys
from knowledge_graph.models import ActionStat, Concept, Entity, Mention, RoutingStat
from knowledge_graph.rates import CountsUses, RatedByClearOutcomes, RatedWithPartial
from memory.access.scope import user_scope
from memory.models import EndUser


@dataclass(frozen=True, slots=True)
class OutcomeRecord:
    tier: str
    worked: int
    failed: int
    partial: int
    unknown: int
    last_used_at: datetime


@dataclass(frozen=True, slots=True)
class TierRecord(RatedByClearOutcomes, CountsUses, OutcomeRecord):
    """Outcomes of a tier for a concept."""


@dataclass(frozen=True, slots=True)
class ConceptRouting:
    """A concept with its tiers, the best by the cautious success rate first."""

    key: str
    label: str
    tiers: tuple[TierRecord, ...]

    @property
    def uses(self) -> int:
        return sum(record.uses for record in self.tiers)


@dataclass(frozen=True, slots=True)
class EntityRecord:
    key: str
    label: str
    kind: str
    mentions: int
    avg_quality: float
    first_seen: datetime
    last_seen: datetime


@dataclass(frozen=True, slots=True)
class ActionRecord(RatedWithPartial, CountsUses, OutcomeRecord):
    """Outcomes of an action in one kind of work."""

    context_type: str
    action: str


@dataclass(frozen=True, slots=True)
class KnownSolution:
    """A memory tried on a problem like this one. ``overlap`` is the share of the two problems' concepts in common."""

    item_id: uuid.UUID
    tier: str
    query: str
    worked: float
    failed: float
    partial: float
    overlap: float
    last_used_at: datetime


def load_routing(user: EndUser, keys: Collection[str]) -> dict[str, ConceptRouting]:
    """The statistics of these concepts, by key; unknown ones are left out."""
    if not keys:
        return {}
    found: dict[str, list[TierRecord]] = defaultdict(list)
    with user_scope(user):
        rows = RoutingStat.objects.filter(user=user, key__in=list(keys)).values_list(
            "key", "tier", "worked", "failed", "partial", "unknown", "last_used_at"
        )
        for key, tier, worked, failed, partial, unknown, used_at in rows:
            found[key].append(TierRecord(tier, worked, failed, partial, unknown, used_at))
        labels = dict(Concept.objects.filter(user=user, key__in=list(found)).values_list("key", "label"))
    return {key: ConceptRouting(key, labels.get(key, key), sort_best_first(found[key])) for key in keys if key in found}


def sort_best_first(records: Sequence[TierRecord]) -> tuple[TierRecord, ...]:
    return tuple(sorted(records, key=lambda one: (one.worked + one.failed == 0, -one.wilson, -one.uses, one.tier)))


ENTITY_FIELDS = ("key", "label", "kind", "mentions", "avg_quality", "first_seen", "last_seen")


def load_entities(user: EndUser, keys: Collection[str]) -> dict[str, EntityRecord]:
    if not keys:
        return {}
    with user_scope(user):
        rows = Entity.objects.filter(user=user, key__in=list(keys)).values_list(*ENTITY_FIELDS)
        found = {row[0]: EntityRecord(*row) for row in rows}
    return {key: found[key] for key in keys if key in found}


def list_mentions(user: EndUser, key: str, limit: int = 20) -> list[uuid.UUID]:
    with user_scope(user):
        rows = Mention.objects.filter(user=user, key=key).order_by("-seen_at", "item_id")
        return list(rows.values_list("item_id", flat=True)[:limit])


ACTION_FIELDS = ("context_type", "action", "tier", "worked", "failed", "partial", "unknown", "last_used_at")


def load_actions(user: EndUser, context_type: str) -> list[ActionRecord]:
    """The outcomes of each action in a kind of work, the surest first."""
    with user_scope(user):
        rows = ActionStat.objects.filter(user=user, context_type=context_type).values(*ACTION_FIELDS)
        return sort_surest_first(ActionRecord(**row) for row in rows)


def sort_surest_first(records: Iterable[ActionRecord]) -> list[ActionRecord]:
    return sorted(records, key=lambda one: (-one.wilson, -one.uses, one.action, one.tier))


LIKE_PROBLEMS = """
WITH near AS (
    SELECT signature, count(*) AS shared FROM graph_solution_cue
    WHERE user_id = %(user)s AND key = ANY(%(keys)s) GROUP BY signature
    HAVING count(*) >= %(least)s * %(size)s
)
SELECT item_id, tier, query, worked, failed, partial,
       shared::float / (size + %(size)s - shared) AS overlap, last_used_at
FROM near JOIN graph_solution AS solution ON solution.user_id = %(user)s AND solution.signature = near.signature
WHERE shared::float / (size + %(size)s - shared) >= %(least)s
ORDER BY overlap DESC, worked - failed DESC, last_used_at DESC, item_id LIMIT %(limit)s
"""


def find_solutions(user: EndUser, keys: Collection[str], *, least: float = 0.5, limit: int = 20) -> list[KnownSolution]:
    """Solutions tried on problems that share at least this part of their concepts, the most similar first."""
    # Pairs of words repeat what their words say, so only single words make a problem.
    words = select_problem_keys(keys)
    if not words:
        return []
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(
            LIKE_PROBLEMS, {"user": user.pk, "keys": words, "size": len(words), "least": least, "limit": limit}
        )
        return [KnownSolution(*row) for row in cursor.fetchall()]
