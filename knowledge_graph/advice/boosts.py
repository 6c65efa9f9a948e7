"""Ranking signals from the graphs; their numbers were looked up before the search."""

from collections.abc import Callable, Sequence

from memory.retrieval.pool import Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal

ENTITY_SHARE = 0.2
# A boost raises the relevance by at most one half.
MOST_FOR_ENTITIES = 0.5
DOCUMENT_SHARE = 0.15
# The reasons in an advice.
NAMED, SOLVED, DOCUMENTED = "named", "solved", "documented"


def weigh_reason(reason: str) -> Callable[[Query, Pool], Sequence[float]]:
    """The boost of each memory for a reason, weighted by how far the memory is on topic."""

    def value(query: Query, pool: Pool) -> list[float]:
        boosts = pool.advice.get(reason, {})
        if not boosts:
            return [0.0] * len(pool)
        return [
            boosts.get(memory.id, 0.0) * topical for memory, topical in zip(pool.memories, pool.on_topic, strict=True)
        ]

    return value


# Gained nothing on the scenarios of the graphs (Top-1 1.000 with and without it), costs nothing and did no harm.
ENTITIES = RankingSignal("entities", 1.0, weigh_reason(NAMED))
# Twice, because nothing else tells two remedies of two like problems apart: Top-1 .917 with it and .583 without.
SOLUTIONS = RankingSignal("solutions", 2.0, weigh_reason(SOLVED))
# Books and bank items have no own score. Two like passages, one that helped: Top-1 1.000 with it, .333 without.
DOCUMENTS = RankingSignal("documents", 1.0, weigh_reason(DOCUMENTED))
