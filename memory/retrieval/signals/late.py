"""How near a turn is to the question token by token, as far as the embedding server tells tokens apart."""

from memory.retrieval.pool import Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import Signal


def late(query: Query, pool: Pool) -> list[float]:
    """What the comparison token by token says, in place of what one vector and the count of words said before it."""
    return [0.0 if one.alike is None else one.alike - one.relevance for one in pool]


LATE = Signal("late", 1.4, late)
