"""The published formula that weighs similarity against experience by how much experience there is.

Made for the blended relevance, which lies in 0..1. Off by default: the benchmark finds the other signals better.
"""

from memory.retrieval.pool import Candidate, Memory, Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import Signal
from memory.scoring import wilson_lower_bound
from memory.tiers import SCORED_TIERS

HIGH_QUALITY = 0.8
BANK_SURE, BANK_USUAL = 0.55, 0.40
PROVEN = ((5, 0.8, 0.80), (3, 0.7, 0.75), (2, 0.5, 0.65))
"""Uses and score from which what was learned has this share."""
UNPROVEN = 0.30


def learned_share(memory: Memory) -> float:
    """How much of the combined score is what was learned; the rest is similarity."""
    if memory.is_statement:
        return BANK_SURE if memory.quality >= HIGH_QUALITY else BANK_USUAL
    for uses, score, share in PROVEN:
        if memory.uses >= uses and memory.score >= score:
            return share
    return UNPROVEN


def learned_score(memory: Memory) -> float:
    """What experience says: the cautious success rate, a statement's quality, nothing of a book."""
    if memory.is_statement:
        return memory.quality
    if memory.tier not in SCORED_TIERS:
        return 0.0
    return wilson_lower_bound(memory.worked, memory.failed, memory.partial)


def combined(candidate: Candidate) -> float:
    share = learned_share(candidate.memory)
    return (1 - share) * candidate.relevance + share * learned_score(candidate.memory)


def dynamic_weights(query: Query, pool: Pool) -> list[float]:
    """What weighing in the learned score changes."""
    return [combined(candidate) - candidate.relevance for candidate in pool]


def quality_multiplier(query: Query, pool: Pool) -> list[float]:
    """What multiplying a statement's combined score by 1 + quality adds."""
    return [
        combined(candidate) * candidate.memory.quality if candidate.memory.is_statement else 0.0 for candidate in pool
    ]


DYNAMIC_WEIGHTS = Signal("dynamic_weights", 1.0, dynamic_weights)
QUALITY_MULTIPLIER = Signal("quality_multiplier", 1.0, quality_multiplier)
