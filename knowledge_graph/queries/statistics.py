"""Look-ups in the graphs by key; each is one indexed query, whatever the size of the graph."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection

from knowledge_graph.models import ActionExample, ActionStat, Concept, Entity, Mention, RoutingStat, neutral_rate
from memory.access.scope import user_scope
from memory.models import EndUser
from memory.scoring import wilson_lower_bound
from memory.tiers import Tier


@dataclass(frozen=True, slots=True)
class TierRecord:
    """Outcomes of a tier for a concept. ``partial`` is shown but does not affect the rate."""

    tier: str
    worked: int
    failed: int
    partial: int
    unknown: int
    last_used_at: datetime

    @property
    def uses(self) -> int:
        return self.worked + self.failed + self.partial + self.unknown

    @property
    def success_rate(self) -> float:
        return neutral_rate(self.worked, self.failed)

    @property
    def wilson(self) -> float:
        return wilson_lower_bound(self.worked, self.failed, 0)


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
class ActionRecord:
    """Outcomes of an action in one kind of work; a partial success counts half."""

    context_type: str
    action: str
    tier: str
    worked: int
    failed: int
    partial: int
    unknown: int
    success_rate: float
    wilson: float
    last_used_at: datetime

    @property
    def uses(self) -> int:
        return self.worked + self.failed + self.partial + self.unknown


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


@dataclass(frozen=True, slots=True)
class RoutingAdvice:
    """Evidence for a tier over several concepts."""

    tier: str
    worked: int
    failed: int
    wilson: float = field(default=0.5)

    @property
    def success_rate(self) -> float:
        return neutral_rate(self.worked, self.failed)


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


def rank_tiers(routing: Mapping[str, ConceptRouting]) -> list[RoutingAdvice]:
    """The tiers that answered these concepts, best first; those without a clear outcome are not among them."""
    worked: dict[str, int] = defaultdict(int)
    failed: dict[str, int] = defaultdict(int)
    for record in (record for concept in routing.values() for record in concept.tiers):
        worked[record.tier] += record.worked
        failed[record.tier] += record.failed
    advice = [
        RoutingAdvice(tier.value, worked[tier], failed[tier], wilson_lower_bound(worked[tier], failed[tier], 0))
        for tier in Tier
        if worked[tier] + failed[tier] > 0
    ]
    return sorted(advice, key=lambda one: (-one.wilson, -one.worked, one.tier))


ENTITY_FIELDS = ("key", "label", "kind", "mentions", "avg_quality", "first_seen", "last_seen")


def load_entities(user: EndUser, keys: Collection[str]) -> dict[str, EntityRecord]:
    if not keys:
        return {}
    with user_scope(user):
        rows = Entity.objects.filter(user=user, key__in=list(keys)).values_list(*ENTITY_FIELDS)
        found = {row[0]: EntityRecord(*row) for row in rows}
    return {key: found[key] for key in keys if key in found}


def find_items_naming(user: EndUser, keys: Collection[str], limit: int = 20) -> list[uuid.UUID]:
    """The memories that name these entities: most of them first, then the surest, then the latest."""
    if not keys:
        return []
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(
            "SELECT item_id FROM graph_mention WHERE user_id = %s AND key = ANY(%s) "
            "GROUP BY item_id ORDER BY count(*) DESC, max(quality) DESC, max(seen_at) DESC, item_id LIMIT %s",
            [user.pk, list(keys), limit],
        )
        return [item_id for (item_id,) in cursor.fetchall()]


def list_mentions(user: EndUser, key: str, limit: int = 20) -> list[uuid.UUID]:
    with user_scope(user):
        rows = Mention.objects.filter(user=user, key=key).order_by("-seen_at", "item_id")
        return list(rows.values_list("item_id", flat=True)[:limit])


def load_actions(user: EndUser, context_type: str) -> list[ActionRecord]:
    """The outcomes of each action in a kind of work, the surest first."""
    with user_scope(user):
        rows = list(ActionStat.objects.filter(user=user, context_type=context_type))
    records = [
        ActionRecord(
            row.context_type,
            row.action,
            row.tier,
            row.worked,
            row.failed,
            row.partial,
            row.unknown,
            row.success_rate,
            row.wilson,
            row.last_used_at,
        )
        for row in rows
    ]
    return sorted(records, key=lambda one: (-one.wilson, -one.uses, one.action, one.tier))


def list_examples(user: EndUser, context_type: str, action: str, limit: int = 5) -> list[ActionExample]:
    """The latest times an action was taken in a kind of work."""
    with user_scope(user):
        rows = ActionExample.objects.filter(user=user, context_type=context_type, action=action)
        return list(rows.order_by("-at", "-id")[:limit])


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
    """Solutions tried on problems that share at least this part of their concepts, the most similar first.

    Pairs of words repeat what their words say: only single words make a problem.
    """
    words = select_problem_keys(keys)
    if not words:
        return []
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(
            LIKE_PROBLEMS, {"user": user.pk, "keys": words, "size": len(words), "least": least, "limit": limit}
        )
        return [KnownSolution(*row) for row in cursor.fetchall()]


def select_problem_keys(keys: Collection[str]) -> list[str]:
    """The concepts that make a problem: the single words, in one order."""
    return sorted({key for key in keys if " " not in key})
