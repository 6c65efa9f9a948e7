"""The published formula that weighs similarity against experience by how much experience there is.

Made for the blended relevance, which lies in 0..1. Off by default: the benchmark finds the other signals better.
"""

from memory.retrieval.pool import Candidate, CandidateMemory, Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal
from memory.scoring import wilson_lower_bound
from memory.tiers import SCORED_TIERS

HIGH_QUALITY = 0.8
BANK_SURE, BANK_USUAL = 0.55, 0.40
# Uses and score from which what was learned has this share.
PROVEN = ((5, 0.8, 0.80), (3, 0.7, 0.75), (2, 0.5, 0.65))
UNPROVEN = 0.30


def choose_learned_share(memory: CandidateMemory) -> float:
    """How much of the combined score is what was learned; the rest is similarity."""
    if memory.is_statement:
        return BANK_SURE if memory.quality >= HIGH_QUALITY else BANK_USUAL
    for uses, score, share in PROVEN:
        if memory.uses >= uses and memory.score >= score:
            return share
    return UNPROVEN


def compute_learned_score(memory: CandidateMemory) -> float:
    """What experience says: the cautious success rate, a statement's quality, nothing of a book."""
    if memory.is_statement:
        return memory.quality
    if memory.tier not in SCORED_TIERS:
        return 0.0
    return wilson_lower_bound(memory.worked, memory.failed, memory.partial)


def combine_scores(candidate: Candidate) -> float:
    share = choose_learned_share(candidate.memory)
    return (1 - share) * candidate.relevance + share * compute_learned_score(candidate.memory)


def score_dynamic_weights(query: Query, pool: Pool) -> list[float]:
    """What weighing in the learned score changes."""
    return [combine_scores(candidate) - candidate.relevance for candidate in pool]


def score_quality_multiplier(query: Query, pool: Pool) -> list[float]:
    """What multiplying a statement's combined score by 1 + quality adds."""
    return [
        combine_scores(candidate) * candidate.memory.quality if candidate.memory.is_statement else 0.0
        for candidate in pool
    ]


# Both as published, for `MEMORY_BOOSTS=learned`: R@1 .311 on conversations, Top-1 .200 and .196, where the others give
# .528, .760 and .726.
DYNAMIC_WEIGHTS = RankingSignal("dynamic_weights", 1.0, score_dynamic_weights)
QUALITY_MULTIPLIER = RankingSignal("quality_multiplier", 1.0, score_quality_multiplier)
