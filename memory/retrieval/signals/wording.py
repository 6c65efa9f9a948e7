"""How a memory is worded: in the form of a question, or telling a deed the other way round."""

from collections.abc import Sequence

from memory.language import intents
from memory.retrieval.pool import Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal


def score_heading(query: Query, pool: Pool) -> list[float]:
    """Down for headings like "What the neighbour grows: ...", which only look similar to a question."""
    return [
        float(memory.stands_alone and intents.is_heading(text))
        for memory, text in zip(pool.memories, pool.plain, strict=True)
    ]


def score_swapped(query: Query, pool: Pool) -> list[float]:
    """Down for the same action with swapped roles: who borrowed is not who lent."""
    order = sorted((name for name in query.names if name in query.bare), key=query.bare.index)
    if len(order) < 2:
        return [0.0] * len(pool)
    first, second = order[:2]
    return [
        float(0 <= text.find(second) < text.find(first) and is_same_deed(memory.holds, len(query.names)))
        for memory, text in zip(pool.memories, pool.plain, strict=True)
    ]


def is_same_deed(holds: Sequence[bool], names: int) -> bool:
    """Whether a text has most of the question's words besides the names."""
    others = len(holds) - names
    return others > 0 and sum(holds) - names >= others / 2


# Without it trap@1 .187 on `scenarios-v1`.
HEADING = RankingSignal("heading", -2.1, score_heading)
# Without it Top-1 .720 and .704, trap@1 .060 and .191.
SWAPPED = RankingSignal("swapped", -1.8, score_swapped)
