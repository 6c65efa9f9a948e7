"""What the question asks for besides its subject: by whom, when, whose name."""

import re
from typing import Final

from memory.language import cues, figures
from memory.retrieval.pool import Memory, Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import Signal

NAME_INSIDE: Final = re.compile(r"(?<=[\w,;] )[A-ZÀ-Þ][a-zà-ÿ]+")


def speaker(query: Query, pool: Pool) -> list[float]:
    """Up for memories by a speaker the question names, if not all candidates are by them."""
    said = pool.each(lambda memory: float(memory.speaker.casefold() in query.named))
    return said if query.named and not all(said) else [0.0] * len(pool)


def time_words(query: Query, pool: Pool) -> list[float]:
    """Up for memories that mention a time, if the question asks when."""
    if not query.asks_when:
        return [0.0] * len(pool)
    return [
        topical * float(cues.speaks_of_time(text) or figures.has_date(text))
        for text, topical in zip(pool.plain, pool.on_topic, strict=True)
    ]


def proper_name(query: Query, pool: Pool) -> list[float]:
    """Holds a name inside a sentence, where the question asks who, where or which."""
    if not query.asks_name:
        return [0.0] * len(pool)
    return pool.each(lambda memory: float(holds_name(memory.text)))


def holds_name(text: str) -> bool:
    """English writes days and months with a capital as well; they name nobody."""
    return any(not cues.is_time_word(name.casefold()) for name in NAME_INSIDE.findall(text))


def date(query: Query, pool: Pool) -> list[float]:
    """Up for memories from the month and year, or the time window, that the question names."""
    if not query.has_date:
        return [0.0] * len(pool)
    return pool.each(lambda memory: float(was_said_then(query, memory)))


def was_said_then(query: Query, memory: Memory) -> bool:
    said = memory.occurred_at
    if query.window and not query.window[0] <= said < query.window[1]:
        return False
    return (not query.months or said.month in query.months) and (not query.years or said.year in query.years)


SPEAKER = Signal("speaker", 2.85, speaker)
TIME_WORDS = Signal("time_words", 2.45, time_words)
PROPER_NAME = Signal("proper_name", 1.5, proper_name)
DATE = Signal("date", 3.4, date)
