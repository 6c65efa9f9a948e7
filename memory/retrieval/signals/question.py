"""What the question asks for besides its subject: by whom, when, whose name."""

import re
from functools import lru_cache
from typing import Final

from memory.language import figures, numbers, periods, query_cues
from memory.retrieval.leeway import OF_KIND
from memory.retrieval.pool import MAX_CUE_CHARS, CandidateMemory, Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal

NAME_INSIDE: Final = re.compile(r"(?<=[\w,;] )[A-ZÀ-Þ][a-zà-ÿ]+")

# Of 67 questions that name both friends it gave .063 of R@10, of 46 to real people's messages .009.
OF_SEVERAL: Final = 0.5


def score_speaker(query: Query, pool: Pool) -> list[float]:
    """Up for memories by the speaker the question names, if not all candidates are by them; of several, half as much
    for the one named first: "what did Ann tell Ben"."""
    worth = 1.0 if len(query.named) == 1 else OF_SEVERAL
    by_speaker = pool.each(lambda memory: worth * float(memory.speaker.casefold() == query.first_named))
    return by_speaker if query.named and not all(by_speaker) else [0.0] * len(pool)


def score_own_words(query: Query, pool: Pool) -> list[float]:
    """Up for what somebody says of themselves: whoever the question names, as it asks what they did, have or think. Of
    a remark anybody, as what it calls to mind is from somebody's life."""
    if not query.named and not query.is_remark:
        return [0.0] * len(pool)
    return [
        float(
            bool(memory.thread_id)
            and (query.is_remark or memory.speaker.casefold() == query.first_named)
            and says_own(text)
        )
        for memory, text in zip(pool.memories, pool.plain, strict=True)
    ]


@lru_cache(maxsize=16_384)
def says_own(bare: str) -> bool:
    """Whether somebody speaks of themselves in a folded text."""
    return query_cues.ABOUT_ME.search(bare) is not None or query_cues.SAYS_I.search(bare) is not None


def score_time_words(query: Query, pool: Pool) -> list[float]:
    """Up for memories that mention a time, if the question asks when."""
    if not query.asks_when:
        return [0.0] * len(pool)
    return [
        topical * float(periods.mentions_time(text) or figures.has_date(text))
        for text, topical in zip(pool.plain, pool.on_topic, strict=True)
    ]


def score_figure(query: Query, pool: Pool) -> list[float]:
    """Up for a memory that holds a number, where the question asks for one."""
    if not query.asks_amount or query.is_remark:
        return [0.0] * len(pool)
    return [
        topical * float(numbers.holds_number(text)) for text, topical in zip(pool.plain, pool.on_topic, strict=True)
    ]


def score_proper_name(query: Query, pool: Pool) -> list[float]:
    """Up for a memory that holds a name inside a sentence, where the question asks who, where or which."""
    if not query.asks_name:
        return [0.0] * len(pool)
    # Off the topic a name answers nothing: in a store of four "where is the ladder?" brought "I live in Zurich."
    return [
        topical * float(holds_name(memory.text[:MAX_CUE_CHARS]))
        for memory, topical in zip(pool.memories, pool.on_topic, strict=True)
    ]


@lru_cache(maxsize=16_384)
def holds_name(text: str) -> bool:
    """English writes days and months with a capital as well; they name nobody."""
    return any(not periods.is_time_word(name.casefold()) for name in NAME_INSIDE.findall(text))


def score_date(query: Query, pool: Pool) -> list[float]:
    """Up for memories of the day that the question names; where none is of it, of the month and year or the window."""
    if query.days:
        of_the_day = pool.each(lambda memory: float(was_said_on_day(query, memory)))
        if any(of_the_day):
            return of_the_day
        # Of a day written in digits alone the year says too little.
        if not query.months:
            return [0.0] * len(pool)
    if not query.has_date:
        return [0.0] * len(pool)
    return pool.each(lambda memory: float(was_said_then(query, memory)))


def was_said_then(query: Query, memory: CandidateMemory) -> bool:
    moment = memory.occurred_at
    if query.window and not query.window[0] <= moment < query.window[1]:
        return False
    return (not query.months or moment.month in query.months) and (not query.years or moment.year in query.years)


def was_said_on_day(query: Query, memory: CandidateMemory) -> bool:
    moment = memory.occurred_at
    return (moment.month, moment.day) in query.days and (not query.years or moment.year in query.years)


# The most telling signal of conversations: without it MRR .61 instead of .68 with friends, .57 instead of .65 with real
# people.
SPEAKER = RankingSignal("speaker", 2.85, score_speaker)
# Fitted on the others, friends go from .836 / .666 to .839 / .676, real people's messages from .755 / .679 to .760 /
# .689; of remarks .36 instead of .34 have what they mean among the first ten.
OWN_WORDS = RankingSignal("own_words", 0.8, score_own_words)
TIME_WORDS = RankingSignal("time_words", 2.0, score_time_words)
# On left-out scenarios Top-1 +.01 and +.03; on friends, real people and articles MRR +.001 each.
FIGURE = RankingSignal("figure", 2.0, score_figure, leeway=OF_KIND)
PROPER_NAME = RankingSignal("proper_name", 1.5, score_proper_name, leeway=OF_KIND)
DATE = RankingSignal("date", 3.3, score_date)
