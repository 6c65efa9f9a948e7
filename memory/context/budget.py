"""The size of a context: the number of memories a question needs, within the model's token budget.

Memories are never truncated: one that does not fit is left out. Only the history of a conversation is
shortened. Pure: no framework.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from memory.language import intents, query_cues
from memory.language.folding import fold_text
from memory.language.text import estimate_tokens
from memory.retrieval.query import ALL, FEW, SOME, cut_query, split_questions

# Words: up to which a question asks for one fact, and from which a text is a task whatever it asks for.
SHORT_QUESTION = 8
LONG_TASK = 60
# Of a model's window; the rest is for the conversation and the answer. 8,192 tokens leave 2,048 for a context.
WINDOW_SHARE = 0.25
GAP_MARK = "[…]"


class Complexity(StrEnum):
    SIMPLE = "simple"
    MEDIUM = "medium"
    COMPLEX = "complex"


# Five hits of the scenarios take 50 tokens and five turns of a conversation 226 (docs/ranking.md): what fills these are
# long memories and the insights, not many hits.
TOKENS = {Complexity.SIMPLE: 2_000, Complexity.MEDIUM: 4_000, Complexity.COMPLEX: 8_000}
COUNTS = {Complexity.SIMPLE: FEW, Complexity.MEDIUM: SOME, Complexity.COMPLEX: SOME}


@dataclass(frozen=True, slots=True)
class TaskEstimate:
    """``count`` is how many memories such a question needs."""

    complexity: Complexity
    count: int


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """``tokens`` for everything that is handed over. A hard one is the client's own word: nothing may exceed it."""

    complexity: Complexity
    tokens: int
    is_hard: bool = False

    def as_json(self, used: int) -> dict[str, str | int]:
        return {"complexity": self.complexity.value, "tokens": self.tokens, "used": used}


class HistoryMessage(Protocol):
    @property
    def role(self) -> str: ...

    @property
    def content(self) -> str: ...


def estimate_task(question: str) -> TaskEstimate:
    """The complexity of a question, by its words."""
    cut = cut_query(question)
    bare = fold_text(cut)
    words = len(question.split())
    parts = split_questions(cut)
    wants_all = intents.WANTS_ALL.search(bare) is not None
    steps = len(intents.WORK.findall(bare))
    if words >= LONG_TASK or steps > 1 or (steps and (parts or "```" in question)):
        complexity = Complexity.COMPLEX
    elif steps or parts or wants_all:
        complexity = Complexity.MEDIUM
    elif query_cues.WHO_AM_I.search(bare):
        complexity = Complexity.SIMPLE
    elif intents.ASKS_HOW.search(bare) or intents.WANTS_SOME.search(bare) or words > SHORT_QUESTION:
        complexity = Complexity.MEDIUM
    else:
        complexity = Complexity.SIMPLE
    return TaskEstimate(complexity, ALL if wants_all else COUNTS[complexity])


def plan_budget(complexity: Complexity, *, window: int, requested: int | None = None) -> TokenBudget:
    """The tokens of a task within a model's window; ``requested`` is the client's own limit and decides alone."""
    if requested is not None:
        return TokenBudget(complexity, requested, is_hard=True)
    return TokenBudget(complexity, min(TOKENS[complexity], round(window * WINDOW_SHARE)))


def select_fitting(sizes: Iterable[int], room: int, *, keeps_first: bool) -> list[int]:
    """Indices of what fits, in order of rank; a large one is skipped, smaller ones after it may fit."""
    chosen: list[int] = []
    for place, size in enumerate(sizes):
        # Never truncated: half a record may say the opposite of the whole.
        if size <= room or (keeps_first and not chosen and place == 0):
            chosen.append(place)
            room -= size
    return chosen


def find_model_window(model: str, windows: Sequence[tuple[str, int]], otherwise: int) -> int:
    """Tokens a model reads: of the longest name that its own begins with."""
    known = [(name, size) for name, size in windows if model.casefold().startswith(name.casefold())]
    return max(known, key=lambda pair: len(pair[0]))[1] if known and model else otherwise


SENTENCE_END = re.compile(r"(?<=[.!?…。؟])\s+|\n+")


def truncate_at_sentences(text: str, tokens: int) -> str:
    """Shorten a text to a budget at sentence ends, keeping its beginning and, above all, its end."""
    # A message opens with what it is about and closes with what it asks; the middle is what can go.
    if estimate_tokens(text) <= tokens:
        return text
    sentences = [part for part in SENTENCE_END.split(text.strip()) if part]
    room = tokens - estimate_tokens(GAP_MARK)
    if room <= 0:
        return ""
    first = sentences[0] if estimate_tokens(sentences[0]) <= room // 3 else ""
    room -= estimate_tokens(first)
    last: list[str] = []
    for sentence in reversed(sentences[1:] if first else sentences):
        size = estimate_tokens(sentence)
        if size > room:
            break
        last.insert(0, sentence)
        room -= size
    if not last:
        last = [keep_last_words(sentences[-1], room)]
    return " ".join(part for part in (first, GAP_MARK, *last) if part)


def keep_last_words(sentence: str, tokens: int) -> str:
    words = sentence.split()
    kept: list[str] = []
    for word in reversed(words):
        tokens -= estimate_tokens(word)
        if tokens < 0:
            break
        kept.insert(0, word)
    return " ".join(kept)


def fit_history(messages: Sequence[HistoryMessage], tokens: int) -> list[tuple[str, str]]:
    """The newest messages in full, the one at the limit shortened, older ones left out; in order."""
    kept: list[tuple[str, str]] = []
    for message in reversed(messages):
        size = estimate_tokens(message.content)
        text = message.content if size <= tokens else truncate_at_sentences(message.content, tokens)
        if not text:
            break
        kept.insert(0, (message.role, text))
        tokens -= size
        if tokens <= 0:
            break
    return kept
