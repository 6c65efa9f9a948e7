"""Which candidates are in another language than the question, so that their words could hardly be its words. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from memory.language.exchanges import take_question
from memory.language.folding import WORD
from memory.language.stems import detect_languages
from memory.retrieval.pool import Candidate

# Characters that tell the language of a text.
READ: Final = 200


def mark_foreign(question: str, candidates: Sequence[Candidate]) -> None:
    """That they hold no word of the question says nothing of these: their words count as their meaning does.

    Else whatever happens to share a word with a question in its own language stands before the answer in another.
    """
    asked = list_languages(question)
    for one in candidates:
        shares_word = bool(one.text_score) or any(one.memory.holds)
        one.is_foreign = not shares_word and asked.isdisjoint(list_languages(one.memory.text))


def list_languages(text: str) -> frozenset[str]:
    return detect_beginning(take_question(text)[:READ])


@lru_cache(maxsize=16_384)
def detect_beginning(text: str) -> frozenset[str]:
    return frozenset(detect_languages(text, frozenset(WORD.findall(text.casefold())))[0])
