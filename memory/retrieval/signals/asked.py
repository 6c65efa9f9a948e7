"""What the question asks for besides its subject: by whom, when."""

from memory.retrieval import cues
from memory.retrieval.pool import Pool
from memory.retrieval.query import Query
from memory.retrieval.ranking import Signal


def speaker(query: Query, pool: Pool) -> list[float]:
    """Said by whom the question names, where that tells some candidates from others."""
    said = pool.each(lambda memory: float(memory.speaker.casefold() in query.named))
    return said if query.named and not all(said) else [0.0] * len(pool)


def time_words(query: Query, pool: Pool) -> list[float]:
    """Speaks of a time, where the question asks when."""
    if not query.asks_when:
        return [0.0] * len(pool)
    return [
        topical * float(cues.TIME_WORDS.search(text) is not None)
        for text, topical in zip(pool.plain, pool.on_topic, strict=True)
    ]


def date(query: Query, pool: Pool) -> list[float]:
    """Said in the month and the year that the question names."""
    if not query.has_date:
        return [0.0] * len(pool)
    return pool.each(
        lambda memory: float(
            (not query.months or memory.occurred_at.month in query.months)
            and (not query.years or memory.occurred_at.year in query.years)
        )
    )


SPEAKER = Signal("speaker", 3.0, speaker)
TIME_WORDS = Signal("time_words", 3.0, time_words)
DATE = Signal("date", 2.3, date)
