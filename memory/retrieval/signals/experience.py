"""What is known of a memory besides its words: what came of using it, and how sure it is."""

from memory.retrieval.pool import Memory, Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import Signal
from memory.tiers import SCORED_TIERS

SURE_AFTER = 3
"""So many outcomes make the score count in full."""
FAILING_WEIGHT = 3.0
USUAL_QUALITY = 0.45
"""Above this a statement is more than usually sure and important."""

DOUBTED_FULLY = 0.2
BELIEVED = 0.5
"""A statement of less confidence is rather doubted than believed."""


def outcomes(query: Query, pool: Pool) -> list[float]:
    """Up for what worked, as far as it is on the topic; down for what failed, unless failures are asked for."""
    found = []
    for memory, topical in zip(pool.memories, pool.on_topic, strict=True):
        value = learned(memory)
        if value < 0:
            found.append(value * (-topical if query.wants_failures else FAILING_WEIGHT))
        else:
            found.append(value * topical**3)
    return found


def learned(memory: Memory) -> float:
    """-1..1 from the score of outcomes, less while there are few; nought for tiers that outcomes do not score."""
    if memory.tier not in SCORED_TIERS or not memory.uses:
        return 0.0
    return (2 * memory.score - 1) * min(1.0, memory.uses / SURE_AFTER)


def bank_quality(query: Query, pool: Pool) -> list[float]:
    """How sure and important a statement is, where it is clearly on the topic."""
    return [
        (memory.quality - USUAL_QUALITY) * topical**3 if memory.is_statement else 0.0
        for memory, topical in zip(pool.memories, pool.on_topic, strict=True)
    ]


def hearsay(query: Query, pool: Pool) -> list[float]:
    """How far a statement is from being believed, whatever it is about."""
    return pool.each(lambda memory: doubt(memory.confidence) if memory.is_statement else 0.0)


def doubt(confidence: float) -> float:
    """1 for what is hardly believed, nought from where it is believed as much as not."""
    return min(1.0, max(0.0, (BELIEVED - confidence) / DOUBTED_FULLY))


OUTCOMES = Signal("outcomes", 6.4, outcomes)
BANK_QUALITY = Signal("bank_quality", 0.5, bank_quality)
HEARSAY = Signal("hearsay", -4.2, hearsay)
