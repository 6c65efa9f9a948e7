"""Signals from neighbouring turns: a turn is short, and its topic is often in the turn before."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.language.exchanges import take_question
from memory.language.sentences import split_sentences
from memory.retrieval.pool import Pool, standardise
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankingSignal

# How much a word counts that is in the turn before or after instead of in the turn itself.
FROM_PREVIOUS, FROM_NEXT = 0.7, 0.5
BEST_OF_THREAD = 3
MARKS: Final = ("?", "？", "؟")
# Beyond these a turn that ends in a question has told something as well.
MOST_WORDS_OF_QUESTION, LONGEST_QUESTION = 20, 200


def score_words_in_context(query: Query, pool: Pool) -> list[float]:
    """How many of the question's rare words the turn and the turns beside it hold together."""
    if query.is_remark:
        return [0.0] * len(pool)
    holds, weights = weigh_words(pool)
    before, after = gather_rows(holds, pool.previous), gather_rows(holds, pool.following)
    together = np.maximum(holds, np.maximum(FROM_PREVIOUS * before, FROM_NEXT * after))
    held = standardise((together @ weights).tolist())
    if not any(held):
        return held
    return [one.meaning if one.is_foreign else value for one, value in zip(pool, held, strict=True)]


def weigh_words(pool: Pool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Which candidate holds which word of the question, and what each word is worth: the rarer, the more."""
    holds = np.array([memory.holds for memory in pool.memories], float).reshape(len(pool), len(pool.words))
    counts = holds.sum(axis=0)
    return holds, np.where(counts > 0, np.log(1 + (len(pool) - counts + 0.5) / (counts + 0.5)), 0.0)


def gather_rows(rows: NDArray[np.float64], places: list[int | None]) -> NDArray[np.float64]:
    """The row at each of the places; noughts where there is none."""
    padded = np.vstack([rows, np.zeros(rows.shape[1])])
    return padded[[-1 if place is None else place for place in places]]


def score_answer(query: Query, pool: Pool) -> list[float]:
    """Up for a person's turn after another's question that matches this one: it may be the answer."""
    if query.is_remark:
        return [0.0] * len(pool)
    found = []
    for memory, place in zip(pool.memories, pool.previous, strict=True):
        follows_question = place is not None and not memory.is_reply and asks(pool.memories[place].text)
        found.append(max(0.0, pool.relevance[place]) if follows_question and place is not None else 0.0)
    return found


def score_question(query: Query, pool: Pool) -> list[float]:
    """Down for short turns that end in a question. Whoever tells at length and then asks for help has told it."""
    # Whoever asks what they were told asks for the answer to a question of theirs.
    if query.asks_assistant:
        return [0.0] * len(pool)
    # What a remark calls to mind was told, and a question tells nothing.
    measure = measure_end if query.is_remark else measure_asking
    return pool.each(lambda memory: measure(memory.text) if memory.thread_id else 0.0)


def measure_end(text: str) -> float:
    return float(asks(take_question(text)))


def measure_asking(text: str) -> float:
    """What share of the words of a short turn that ends in a question is asked."""
    # Of a person's words with the answer to them the person's count: whoever answers likes to ask back.
    text = take_question(text)
    if len(text) > LONGEST_QUESTION or not asks(text) or len(words := text.split()) > MOST_WORDS_OF_QUESTION:
        return 0.0
    asked = sum(len(one.split()) for one in split_sentences(text) if asks(one))
    return min(1.0, asked / len(words))


def asks(text: str) -> bool:
    return text.rstrip().endswith(MARKS)


def score_reply(query: Query, pool: Pool) -> list[float]:
    """Down for what the assistant said, as far as it holds no more of the question's words than what it replies to."""
    if query.asks_assistant:
        return [0.0] * len(pool)
    replies = [memory.is_reply for memory in pool.memories]
    if not any(replies) or all(replies):
        return [0.0] * len(pool)
    holds, weights = weigh_words(pool)
    held = holds @ weights
    gain = np.maximum(0.0, held - gather_rows(held[:, None], pool.previous)[:, 0]) / (weights.sum() or 1.0)
    return [float(1.0 - more) if reply else 0.0 for reply, more in zip(replies, gain, strict=True)]


def score_thread(query: Query, pool: Pool) -> list[float]:
    """How well the best turns of the thread match; 0 without threads. What stands in none is one of its own: what a
    note says of itself is not less than what a turn says of its neighbours."""
    if query.is_remark or not any(memory.thread_id for memory in pool.memories):
        return [0.0] * len(pool)
    threads = [memory.thread_id or str(memory.id) for memory in pool.memories]
    by_thread: dict[str, list[float]] = {}
    for thread, relevance in zip(threads, pool.relevance, strict=True):
        by_thread.setdefault(thread, []).append(relevance)
    best = {name: average_best(values) for name, values in by_thread.items()}
    return standardise([best[thread] for thread in threads])


def average_best(values: list[float]) -> float:
    top = sorted(values, reverse=True)[:BEST_OF_THREAD]
    return sum(top) / len(top)


# What is lost without each stands in `docs/ranking.md`.
CONTEXT_WORDS = RankingSignal("words_in_context", 0.4, score_words_in_context)
ANSWER = RankingSignal("answer", 0.5, score_answer)
QUESTION = RankingSignal("question", -1.2, score_question)
# Of talks with an assistant: MRR .59 with it and .38 without. Elsewhere nobody is an assistant and nothing changes.
REPLY = RankingSignal("reply", -2.8, score_reply)
THREAD = RankingSignal("thread", 0.5, score_thread)
