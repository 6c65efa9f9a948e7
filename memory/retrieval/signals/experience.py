"""What is known of a memory besides its words: what came of using it, and how sure it is."""

from memory.retrieval import cues
from memory.retrieval.pool import Memory, Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import Signal
from memory.tiers import SCORED_TIERS

SURE_AFTER = 3
"""So many outcomes make the score count in full."""
FAILING_WEIGHT = 3.0
USUAL_QUALITY = 0.45
"""Above this a statement is more than usually sure and important."""


def outcomes(query: Query, pool: Pool) -> list[float]:
    """Up for what worked, as far as it is on the topic; down for what failed, unless failures are asked for."""
    found = []
    for memory, topical in zip(pool.memories, pool.on_topic, strict=True):
        value = learned(memory)
        if value < 0:
            found.append(value * topical * (-1.0 if query.wants_failures else FAILING_WEIGHT))
        else:
            found.append(value * topical**2)
    return found


def learned(memory: Memory) -> float:
    """-1..1 from the score of outcomes, less while there are few; nought for tiers that outcomes do not score."""
    if memory.tier not in SCORED_TIERS or not memory.uses:
        return 0.0
    return (2 * memory.score - 1) * min(1.0, memory.uses / SURE_AFTER)


def bank_quality(query: Query, pool: Pool) -> list[float]:
    """How sure and important a statement is, as far as it is on the topic."""
    return [
        (memory.quality - USUAL_QUALITY) * topical if memory.is_statement else 0.0
        for memory, topical in zip(pool.memories, pool.on_topic, strict=True)
    ]


def hearsay(query: Query, pool: Pool) -> list[float]:
    """A statement that itself says it is a guess."""
    return [
        float(memory.is_statement and cues.HEDGED.search(text) is not None)
        for memory, text in zip(pool.memories, pool.plain, strict=True)
    ]


OUTCOMES = Signal("outcomes", 2.5, outcomes)
BANK_QUALITY = Signal("bank_quality", 1.4, bank_quality)
HEARSAY = Signal("hearsay", -0.2, hearsay)
