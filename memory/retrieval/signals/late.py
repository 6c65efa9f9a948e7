"""The late interaction signal: similarity token by token, if the embedding server offers token vectors."""

from memory.retrieval.pool import Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal


def score_late(query: Query, pool: Pool) -> list[float]:
    """Replaces the relevance by the late interaction score."""
    return [0.0 if one.token_score is None else one.token_score - one.relevance for one in pool]


# Without it R@10 .832, MRR .686, R@1 .508. Statements have no tokens: among those that differ in one word, nearness of
# tokens is what the wrong one has (Top-1 fell from .64 to .54).
LATE = RankingSignal("late", 1.4, score_late)
