"""Looks up what the graphs know about a query before the search, in one statement."""

import uuid
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from knowledge_graph.advice.boosts import DOCUMENT_SHARE, DOCUMENTED, ENTITY_SHARE, MOST_FOR_ENTITIES, NAMED, SOLVED
from knowledge_graph.extraction.concepts import extract_concepts, select_problem_keys
from knowledge_graph.extraction.entities import extract_entities
from memory.access.cursors import GENERIC_PLAN, fetch_prepared, open_bounded_cursor
from memory.conf import memory_conf
from memory.language.folding import fold_name
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.retrieval.advice import GRAPH, SearchAdvice
from memory.retrieval.query import Query
from memory.scoring import wilson_lower_bound
from memory.tiers import Tier

# The planner is off by default: a tier that is not searched cannot improve its statistics, and in `bench learning` it
# lost, Top-1 .767 after three rounds where searching all tiers had .791.
# Clear outcomes from which on a tier counts as known for such queries.
ENOUGH_EVIDENCE = 3
# Tiers searched in addition to the working one.
RECOMMENDED = 2
DOCUMENT_USES = 3
LEAST_OVERLAP = 0.5
LIMITS = {"named": 500, "solved": 50, "documents": 100}

ADVICE_STATEMENT = """
WITH near AS (
    SELECT signature, count(*) AS shared FROM graph_solution_cue
    WHERE user_id = %(user)s AND key = ANY(%(problem)s) GROUP BY signature
    HAVING count(*) >= %(least)s * %(size)s
)
SELECT 'tier', tier, NULL::uuid, sum(worked)::float8, sum(failed)::float8 FROM graph_routing
WHERE user_id = %(user)s AND key = ANY(%(concepts)s) GROUP BY tier
UNION ALL
(SELECT 'named', '', mention.item_id, sum(entity.avg_quality), 0 FROM graph_mention AS mention
 JOIN graph_entity AS entity ON entity.user_id = %(user)s AND entity.key = mention.key
 WHERE mention.user_id = %(user)s AND mention.key = ANY(%(names)s) AND mention.tier = 'memory_bank'
 GROUP BY mention.item_id LIMIT %(most_named)s)
UNION ALL
(SELECT 'solved', '', item_id,
        shared::float8 / (size + %(size)s - shared) * (worked - failed) / (worked + failed + partial + 1), 0
 FROM near JOIN graph_solution AS solution ON solution.user_id = %(user)s AND solution.signature = near.signature
 WHERE %(solutions)s AND worked > failed AND shared::float8 / (size + %(size)s - shared) >= %(least)s
 ORDER BY 4 DESC LIMIT %(most_solved)s)
UNION ALL
(SELECT 'document', tier, item_id, (worked + 0.5 * partial)::float8 / (worked + failed + partial), 0
 FROM graph_document WHERE user_id = %(user)s AND worked + failed + partial >= %(uses)s
 ORDER BY last_used_at DESC LIMIT %(most_documents)s)
"""


def advise(user: EndUser, query: Query, deadline: Deadline) -> SearchAdvice:
    """The tiers to search, and the memories to boost. Raises Unavailable."""
    concepts = extract_concepts(query.text)
    keys = [one.key for one in concepts]
    # A name that is typed without a capital is found by how it is written.
    names = sorted({*keys, *(fold_name(one.label) for one in concepts)} | find_entity_keys(query))
    if not names:
        return SearchAdvice()
    problem = select_problem_keys(keys)
    values: dict[str, Any] = {
        "user": user.pk,
        "concepts": keys,
        "names": names,
        "problem": problem,
        "size": len(problem),
        "solutions": memory_conf().flags["problem_solution_index"],
        "least": LEAST_OVERLAP,
        "uses": DOCUMENT_USES,
        **{f"most_{name}": limit for name, limit in LIMITS.items()},
    }
    # Nothing here is read in bulk, so one plan serves all: 2.4 ms for eight concepts of 50,000.
    with open_bounded_cursor(GRAPH, user.pk, deadline, GENERIC_PLAN) as cursor:
        return build_advice(fetch_prepared(cursor, ADVICE_STATEMENT, values))


def find_entity_keys(query: Query) -> set[str]:
    return {entity.key for entity in extract_entities(query.text, query.named)}


def build_advice(rows: Sequence[tuple[str, str, uuid.UUID, float, float]]) -> SearchAdvice:
    boosts: dict[str, dict[uuid.UUID, float]] = defaultdict(dict)
    tiers: dict[str, tuple[float, float]] = {}
    for kind, tier, item_id, first, second in rows:
        if kind == "tier":
            tiers[tier] = (first, second)
        elif kind == "named":
            boosts[NAMED][item_id] = min(MOST_FOR_ENTITIES, ENTITY_SHARE * first)
        elif kind == "solved":
            boosts[SOLVED][item_id] = max(first, boosts[SOLVED].get(item_id, 0.0))
        else:
            boosts[DOCUMENTED][item_id] = DOCUMENT_SHARE * first
    return SearchAdvice(choose_tiers(tiers) if memory_conf().ranking.plan_tiers else None, boosts)


def choose_tiers(tiers: dict[str, tuple[float, float]]) -> frozenset[Tier] | None:
    """The working tier and the best known ones for such queries; None (all tiers) while too few are known."""
    judged = {tier: counts for tier, counts in tiers.items() if sum(counts) >= ENOUGH_EVIDENCE}
    helpful = [tier for tier, (worked, failed) in judged.items() if worked > failed]
    helpful.sort(key=lambda tier: (-wilson_lower_bound(int(judged[tier][0]), int(judged[tier][1]), 0), tier))
    if not helpful:
        return None
    return frozenset({Tier.WORKING, *(Tier(tier) for tier in helpful[:RECOMMENDED])})


# Loads the word lists with this module: otherwise the first question of each process pays for them within its deadline.
extract_concepts("the docker volume of Dana")
extract_entities("My sister Dana lives in Berlin")
