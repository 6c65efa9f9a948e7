"""Signals about the subject and the kind of source that the question asks for."""

from memory.language import intents, query_cues
from memory.retrieval.leeway import OF_KIND
from memory.retrieval.pool import Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal
from memory.tiers import Tier

# What the product published of words said in passing was not kept because it is important. Of a stranger's 49 questions
# of the first days 29 come out right, 22 where it counts like what somebody kept; nothing else changes.
OF_PUBLISHED = 0.5

IDENTITY_TAGS = frozenset({"identity", "profile", "name", "about", "personal"})


def score_other_person(query: Query, pool: Pool) -> list[float]:
    """Down for memories about somebody's wife or neighbour, if the question is about the user or another relation."""
    is_elsewhere = query.is_about_me or query.relations or query.is_qualified
    # A remark asks about nobody: what it calls to mind may begin with somebody's son.
    if not is_elsewhere or query.named or query.is_remark:
        return [0.0] * len(pool)
    return [float(bool(known) and not known & query.relations) for known in pool.subjects]


def score_about_me(query: Query, pool: Pool) -> list[float]:
    """Up for statements about the user, if the question is about the user, and not about what they were told."""
    if not query.is_about_me or query.relations or query.named or query.asks_assistant:
        return [0.0] * len(pool)
    return [
        pool.share_of_kind
        * float(memory.is_sure_statement and not others)
        * (OF_PUBLISHED if memory.is_published else 1.0)
        * (topical if query_cues.names_user(text) else topical * topical)
        for memory, text, topical, others in zip(
            pool.memories, pool.plain, pool.not_off_topic, pool.subjects, strict=True
        )
    ]


def score_background(query: Query, pool: Pool) -> list[float]:
    """Down for general statements, if the question is what named people did."""
    if not query.asks_deed or not query.names or query.is_about_me:
        return [0.0] * len(pool)
    return pool.each(lambda memory: float(memory.is_statement))


def score_identity(query: Query, pool: Pool) -> list[float]:
    """Up for items tagged identity, if the question is who the user is."""
    if not query.is_about_identity:
        return [0.0] * len(pool)
    return pool.each(lambda memory: float(memory.is_statement and bool(IDENTITY_TAGS & set(memory.tags))))


def score_books(query: Query, pool: Pool) -> list[float]:
    """Up for books, if the question asks what a book says; down, if it asks for the user's own view."""
    if not query.is_about_books:
        return [0.0] * len(pool)
    sign = -1.0 if query.wants_own_view else 1.0
    return pool.each(lambda memory: sign * float(memory.tier == Tier.BOOKS))


def score_polarity(query: Query, pool: Pool) -> list[float]:
    """Up for what says what is not, if the question asks for that; in a thread, as in any talk, most turns do."""
    if not query.is_negated or query.is_remark:
        return [0.0] * len(pool)
    return [
        float(memory.stands_alone and query_cues.tells_what_is_not(text))
        for memory, text in zip(pool.memories, pool.plain, strict=True)
    ]


def score_reported_question(query: Query, pool: Pool) -> list[float]:
    """Down for memories that only report a question."""
    return [float(intents.is_reported_question(text)) for text in pool.plain]


# Without it Top-1 .740 and .704, trap@1 .040 and .187. Of two strangers' 97 questions of the first days 63 come out
# right with -1.9, 64 with this and 65 with -1; of 189 scenarios 148, 148 and 146.
OTHER_PERSON = RankingSignal("other_person", -1.4, score_other_person)
# Without it Top-1 .661 on `scenarios-v1`, trap@1 .040 and .213.
ABOUT_ME = RankingSignal("about_me", 3.6, score_about_me, leeway=OF_KIND)
# Without it Top-1 .720 and .709.
BACKGROUND = RankingSignal("background", -1.3, score_background)
# Without it Top-1 .722, trap@1 .170 on `scenarios-v1`.
IDENTITY = RankingSignal("identity", 2.9, score_identity, leeway=OF_KIND)
# Without it Top-1 .720 and .683, trap@1 .080 and .213.
BOOKS = RankingSignal("books", 3.8, score_books)
# Without it Top-1 .720 and .709, trap@1 .060 and .174; the conversations are .001 better without.
POLARITY = RankingSignal("polarity", 3.9, score_polarity)
# Without it Top-1 .740 on the public scenarios.
REPORTED_QUESTION = RankingSignal("reported_question", -1.6, score_reported_question)
