"""The late interaction signal: similarity token by token, if the embedding server offers token vectors."""

from memory.retrieval.pool import Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal


def score_late(query: Query, pool: Pool) -> list[float]:
    """Replaces the relevance by the late interaction score."""
    return [0.0 if one.alike is None else one.alike - one.relevance for one in pool]


LATE = RankingSignal("late", 1.4, score_late)
