"""Which candidates are in another language than the question, so that their words could hardly be its words. Pure."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from memory.language.exchanges import take_question
from memory.language.folding import WORD
from memory.language.stems import detect_languages
from memory.retrieval.pool import Candidate

# Characters that tell the language of a text.
READ: Final = 200
LATIN: Final = "LATIN"


def mark_foreign(question: str, candidates: Sequence[Candidate]) -> None:
    """That they hold no word of the question says nothing of these: their words count as their meaning does.

    Else whatever happens to share a word with a question in its own language stands before the answer in another.
    """
    asked = list_languages(question)
    if not asked:
        return
    for one in candidates:
        if one.text_score or any(one.memory.holds):
            continue
        held = list_languages(one.memory.text)
        one.is_foreign = bool(held) and asked.isdisjoint(held)


def list_languages(text: str) -> frozenset[str]:
    """Those it may be in, or its scripts; none where nothing tells: "Onde moro?" would pass for English."""
    return detect_beginning(take_question(text)[:READ])


@lru_cache(maxsize=16_384)
def detect_beginning(text: str) -> frozenset[str]:
    scripts = count_scripts(text)
    if scripts and 2 * scripts[LATIN] <= scripts.total():
        return frozenset(script for script in scripts if script != LATIN)
    languages, stop_words = detect_languages(text, frozenset(WORD.findall(text.casefold())))
    return frozenset(languages) if stop_words else frozenset()


def count_scripts(text: str) -> Counter[str]:
    """How many letters of each script stand in it; nothing is counted of plain ASCII, which is Latin."""
    scripts: Counter[str] = Counter()
    if text.isascii():
        return scripts
    for letter, times in Counter(text).items():
        if letter.isalpha():
            scripts[find_script(letter)] += times
    return scripts


@lru_cache(maxsize=16_384)
def find_script(letter: str) -> str:
    """The first word of a letter's name, which says its script."""
    return unicodedata.name(letter, LATIN).split()[0]
