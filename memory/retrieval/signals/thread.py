"""What the turns beside a memory say of it. A turn is short, and what it is about stands in the turn before."""

from math import log

from memory.retrieval.pool import FLAT, Pool, standardised
from memory.retrieval.query import Query
from memory.retrieval.ranking import Signal

FROM_PREVIOUS = 0.7
"""What a word of the question counts that stands in the turn before instead of in the turn itself."""
BEST_OF_THREAD = 3


def words_in_context(query: Query, pool: Pool) -> list[float]:
    """How much of the question's rare words the turn and the one before it hold together."""
    counts = [sum(memory.holds[number] for memory in pool.memories) for number in range(len(pool.words))]
    weights = [log(1 + (len(pool) - count + 0.5) / (count + 0.5)) if count else 0.0 for count in counts]
    found = []
    for memory, place in zip(pool.memories, pool.previous, strict=True):
        before = pool.memories[place].holds if place is not None else ()
        gain = 0.0
        for number, weight in enumerate(weights):
            if memory.holds[number]:
                gain += weight
            elif before and before[number]:
                gain += FROM_PREVIOUS * weight
        found.append(gain)
    return standardised(found)


def answer_to_asked(query: Query, pool: Pool) -> list[float]:
    """The turn before is a question that matches this one: here may be its answer."""
    found = []
    for place in pool.previous:
        asked = place is not None and is_question(pool.memories[place].text)
        found.append(max(0.0, pool.relevance[place]) if asked and place is not None else 0.0)
    return found


def is_question(text: str) -> bool:
    return text.partition(" [")[0].rstrip().endswith(("?", "？"))


def question(query: Query, pool: Pool) -> list[float]:
    return pool.each(lambda memory: float(is_question(memory.text)))


def thread(query: Query, pool: Pool) -> list[float]:
    """How well the best turns of the whole thread match; nought without threads."""
    by_thread: dict[str, list[float]] = {}
    for candidate in pool:
        if candidate.memory.thread_id:
            by_thread.setdefault(candidate.memory.thread_id, []).append(candidate.relevance)
    if len(by_thread) < 2:
        return [0.0] * len(pool)
    best = {name: top_mean(values) for name, values in by_thread.items()}
    rest = min(best.values())
    values = [best.get(memory.thread_id, rest) for memory in pool.memories]
    return standardised(values) if max(values) - min(values) > FLAT else [0.0] * len(pool)


def top_mean(values: list[float]) -> float:
    top = sorted(values, reverse=True)[:BEST_OF_THREAD]
    return sum(top) / len(top)


CONTEXT_WORDS = Signal("words_in_context", 0.65, words_in_context)
ANSWER = Signal("answer", 1.25, answer_to_asked)
QUESTION = Signal("question", -0.85, question)
THREAD = Signal("thread", 0.9, thread)
