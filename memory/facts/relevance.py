"""How much a fact or an episode has to say to a question or a conversation. Pure."""

from datetime import datetime

from memory.facts.confidence import SECONDS_A_DAY

# An episode is what was said, and nobody has confirmed it: as much as a memory of nobody's particular care.
EPISODE_CONFIDENCE = 0.7


def weigh_relevance(similarity: float, confidence: float, said_at: datetime, now: datetime) -> float:
    """0.6 similarity + 0.3 confidence + 0.1 recency, for facts and episodes alike, so that they can be mixed."""
    days = max(0.0, (now - said_at).total_seconds() / SECONDS_A_DAY)
    return 0.6 * similarity + 0.3 * confidence + 0.1 / (1.0 + days)
