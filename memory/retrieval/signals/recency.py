"""Signals about time order: the newest, superseded statements, and changes."""

from math import exp

from memory.language import query_cues
from memory.retrieval.leeway import OF_CHANGE
from memory.retrieval.pool import CandidateMemory, Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal
from memory.tiers import Tier

# The number of statements nearest to the topic that are compared with each other.
COMPARED = 30
# So many times the age of the newer one: last week's word on what was written down a year ago.
MUCH_OLDER = 8.0
# A guess does not replace what is sure: the newer statement needs so much of the older one's quality.
AS_SURE = 0.8
EVENTS = frozenset({Tier.WORKING, Tier.HISTORY})
# After so long an event counts for a third as the reason of what is asked about.
CAUSE_AGE_S = 4 * 86_400.0


def rank_by_age(pool: Pool, which: list[bool]) -> list[float]:
    """1 for the newest of these candidates down to 0 for the oldest; 0 for all others."""
    ages = sorted({compute_age_s(memory, pool) for memory, chosen in zip(pool.memories, which, strict=True) if chosen})
    if len(ages) < 2:
        return [0.0] * len(pool)
    place = {age: 1 - number / (len(ages) - 1) for number, age in enumerate(ages)}
    return [
        place[compute_age_s(memory, pool)] if chosen else 0.0
        for memory, chosen in zip(pool.memories, which, strict=True)
    ]


def compute_age_s(memory: CandidateMemory, pool: Pool) -> float:
    return max(0.0, (pool.now - memory.occurred_at).total_seconds())


def score_latest(query: Query, pool: Pool) -> list[float]:
    """Up for the newest memories on topic, if the question says "last time" or the like."""
    if not query.wants_latest or query.wants_earlier:
        return [0.0] * len(pool)
    ranks = rank_by_age(pool, [relevance > 0 for relevance in pool.relevance])
    return [rank * topical for rank, topical in zip(ranks, pool.on_topic, strict=True)]


def score_recent_cause(query: Query, pool: Pool) -> list[float]:
    """An event of the last days, where the question asks why: the reason is seldom given in the question's words.

    Among many candidates their relevance is known well, and this counts little beside it.
    """
    if not query.asks_why:
        return [0.0] * len(pool)
    return [
        pool.share_of_kind * topical * exp(-compute_age_s(memory, pool) / CAUSE_AGE_S) if memory.tier in EVENTS else 0.0
        for memory, topical in zip(pool.memories, pool.not_off_topic, strict=True)
    ]


def score_superseded(query: Query, pool: Pool) -> list[float]:
    """Down for a statement that a newer one of its kind replaces; for the newer one, where the past is asked for."""
    topical = pool.not_off_topic
    statements = [place for place, memory in enumerate(pool.memories) if memory.is_statement]
    statements = sorted(statements, key=lambda place: -pool.on_topic[place])[:COMPARED]
    found = [0.0] * len(pool)
    for place in statements:
        rivals = [topical[other] for other in statements if is_replaced_by(query, pool, other, place)]
        found[place] = max(rivals, default=0.0) * topical[place]
    return found


def is_replaced_by(query: Query, pool: Pool, other: int, place: int) -> bool:
    """Whether one statement may be the state that is asked for of the same matter as the other, by all that tells."""
    rival, memory = pool.memories[other], pool.memories[place]
    if rival.occurred_at == memory.occurred_at or (rival.occurred_at > memory.occurred_at) == query.wants_earlier:
        return False
    if set(rival.tags).isdisjoint(memory.tags) or pool.subjects[other] != pool.subjects[place]:
        return False
    if query.wants_earlier:
        return True
    newer = pool.plain[other]
    return rival.quality >= AS_SURE * memory.quality and (
        query_cues.tells_change(newer) or is_much_newer(compute_age_s(rival, pool), compute_age_s(memory, pool))
    )


def is_much_newer(young_s: float, old_s: float) -> bool:
    return old_s > MUCH_OLDER * young_s


def score_change(query: Query, pool: Pool) -> list[float]:
    """Up for a statement that says that something has changed, as far as its kind counts."""
    share = -pool.share_of_kind if query.wants_earlier else pool.share_of_kind
    return [
        share * topical * float(memory.is_sure_statement and query_cues.tells_change(text))
        for memory, text, topical in zip(pool.memories, pool.plain, pool.not_off_topic, strict=True)
    ]


def score_dormant(query: Query, pool: Pool) -> list[float]:
    """Down for what is past its time in its tier, as far as its kind counts: of two that fit as well, the living one
    answers."""
    return pool.each(lambda memory: pool.share_of_kind * memory.is_dormant)


# Without it Top-1 .740 and .696, trap@1 .040 and .178.
LATEST = RankingSignal("latest", 3.1, score_latest)
# Without it Top-1 .720 and .704, trap@1 .060 and .217. The answer to a "why" often shares no word with it.
RECENT_CAUSE = RankingSignal("recent_cause", 7.5, score_recent_cause)
# Without it Top-1 .740 and .700, trap@1 .040 and .191.
SUPERSEDED = RankingSignal("superseded", -4.1, score_superseded)
# Without it Top-1 .740 and .704, trap@1 .040 and .183. Among all memories of a month it led past the matter when it
# counted whole: of 58 questions of each of three authors 19, 23 and 26 came out right by the signals alone, now 25, 25
# and 31.
CHANGE = RankingSignal("change", 3.6, score_change, leeway=OF_CHANGE)
# What the product published of a turn is not past its time when the turn is, and among all memories of a month it led
# past the matter: of 237 questions to four months 137 come out right with this and 134 where it counts whole; of 273 to
# short conversations 212 either way, and 209 with a fifth of it.
DORMANT = RankingSignal("dormant", -0.5, score_dormant)
