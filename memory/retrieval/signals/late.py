"""The late interaction signal: similarity token by token, if the embedding server offers token vectors."""

from memory.retrieval.pool import Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal

# Of the relevance, which is of the same evidence: its share falls to a fifth where tokens are compared.
REPLACED = 0.9


def score_late(query: Query, pool: Pool) -> list[float]:
    """How much nearer than the other turns token by token, in place of most of the relevance."""
    return [0.0 if one.token_score is None else one.token_score - REPLACED * one.relevance for one in pool]


# Statements have no tokens: among those that differ in one word, nearness of tokens is what the wrong one has.
LATE = RankingSignal("late", 0.9, score_late)
