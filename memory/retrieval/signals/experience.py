"""Signals from metadata: recorded outcomes, and the quality of bank items."""

from memory.retrieval.pool import CandidateMemory, Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal
from memory.tiers import SCORED_TIERS

# Outcomes from which on the score counts in full.
SURE_AFTER = 3
FAILING_WEIGHT = 3.0
# Quality above the usual.
USUAL_QUALITY = 0.45

DOUBTED_FULLY = 0.2
# A statement with less confidence is doubtful.
BELIEVED = 0.5


def score_outcomes(query: Query, pool: Pool) -> list[float]:
    """Up for memories that worked, scaled by topic; down for those that failed, unless failures are asked for."""
    found = []
    for memory, topical in zip(pool.memories, pool.on_topic, strict=True):
        value = scale_outcome_score(memory)
        if value < 0:
            found.append(value * (-topical if query.wants_failures else FAILING_WEIGHT))
        else:
            found.append(value * topical**3)
    return found


def scale_outcome_score(memory: CandidateMemory) -> float:
    """-1..1 from the outcome score, smaller while there are few outcomes; 0 for tiers without scores."""
    if memory.tier not in SCORED_TIERS or not memory.uses:
        return 0.0
    return (2 * memory.score - 1) * min(1.0, memory.uses / SURE_AFTER)


def score_bank_quality(query: Query, pool: Pool) -> list[float]:
    """How sure and important a statement is, where it is clearly on the topic."""
    return [
        (memory.quality - USUAL_QUALITY) * topical**3 if memory.is_statement else 0.0
        for memory, topical in zip(pool.memories, pool.on_topic, strict=True)
    ]


def score_hearsay(query: Query, pool: Pool) -> list[float]:
    """Down for statements of low confidence, whatever they are about."""
    return pool.each(lambda memory: compute_doubt(memory.confidence) if memory.is_statement else 0.0)


def compute_doubt(confidence: float) -> float:
    """1 for a confidence near 0, 0 from a confidence of one half on."""
    return min(1.0, max(0.0, (BELIEVED - confidence) / DOUBTED_FULLY))


# The heaviest: a proven method must be able to overturn a text that merely repeats the question. Without it Top-1 .720
# and .657, trap@1 .080 and .235.
OUTCOMES = RankingSignal("outcomes", 6.4, score_outcomes)
# Small since it was narrowed to what is clearly on the topic; without it Top-1 .722 and MRR .830 on `scenarios-v1`.
BANK_QUALITY = RankingSignal("bank_quality", 0.5, score_bank_quality)
# Without it trap@1 .060 and .191, Top-1 .704 on `scenarios-v1`. Words of doubt in place of the confidence were worse:
# the one true answer may be worded so.
HEARSAY = RankingSignal("hearsay", -4.2, score_hearsay)
