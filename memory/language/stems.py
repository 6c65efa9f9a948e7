"""Snowball stems, and the languages a text gives evidence for."""

from __future__ import annotations

import threading
from collections.abc import Collection
from functools import lru_cache
from math import lcm
from typing import Final

import Stemmer

from memory.language.folding import strip_accents
from memory.language.loader import list_codes, load_languages
from memory.language.stopwords import load_stop_words

LANGUAGES: Final = tuple(language.code for language in load_languages() if language.stemmer)
"""The languages whose words are stemmed, in their order."""
DEFAULT_LANGUAGE: Final = list_codes()[0]

_AS_GOOD: Final = 0.8
_LONGEST_STEMMED: Final = 40

_FIRST: Final = tuple(language.code for language in load_languages() if language.stemmer and language.generation == 1)
# A word that several languages share counts for each of them in part. The parts are whole numbers: sums of thirds
# depend on the order of a set, and a text at the threshold was read in one way by one process, in another by the next.
_VOTE: Final = lcm(*range(1, len(_FIRST) + 1))
# One stop word is a hint (`hat` is a garment as well as German), two are evidence.
_EVIDENCE: Final = 1.5 * _VOTE
_LETTERS: Final = {letter: language.code for language in load_languages() for letter in language.letters}


def _votes_by_word() -> dict[str, tuple[tuple[str, int], ...]]:
    spoken: dict[str, list[str]] = {}
    for language in _FIRST:
        for word in load_stop_words(language):
            spoken.setdefault(word, []).append(language)
    return {word: tuple((language, _VOTE // len(found)) for language in found) for word, found in spoken.items()}


_VOTES: Final = _votes_by_word()


class _Stemmers(threading.local):
    """Snowball stemmers per thread: they have internal state and are not thread-safe."""

    def __init__(self) -> None:
        self.by_language = {
            language.code: Stemmer.Stemmer(language.stemmer, 0) for language in load_languages() if language.stemmer
        }


_stemmers = _Stemmers()


@lru_cache(maxsize=131_072)
def stem_word(word: str, language: str) -> tuple[str, ...]:
    """The stems of a case-folded word, without accents and marked with their language.

    Usually one. Two when the rules of the language need the accent (`città`, `citta`), so that a word typed without
    it still meets the one typed with it. The mark keeps the Spanish `car` of `cares` apart from an English car.
    """
    bare = strip_accents(word)
    if len(word) > _LONGEST_STEMMED:
        return (f"{language}:{bare}",)
    stemmer = _stemmers.by_language[language]
    spellings = (word,) if bare == word else (word, bare)
    return tuple(dict.fromkeys(f"{language}:{strip_accents(stemmer.stemWord(spelling))}" for spelling in spellings))


def detect_languages(text: str, words: Collection[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """The languages a text of these distinct case-folded words may be in, and the stop words to drop from it."""
    votes = dict.fromkeys(_FIRST, 0)
    for word in words:
        for language, share in _VOTES.get(word if word.isascii() else strip_accents(word), ()):
            votes[language] += share
    if not text.isascii():
        for letter in _LETTERS.keys() & set(text):
            votes[_LETTERS[letter]] += _VOTE
    best = max(votes.values())
    if best == 0:
        return (DEFAULT_LANGUAGE,), frozenset()
    likely = tuple(language for language in _FIRST if votes[language] >= best * _AS_GOOD)
    if best >= _EVIDENCE:
        return likely, _stop_words(likely)
    if DEFAULT_LANGUAGE in likely:
        likely = ()
    return (DEFAULT_LANGUAGE, *likely), _stop_words((DEFAULT_LANGUAGE,))


@lru_cache(maxsize=64)
def _stop_words(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*map(load_stop_words, languages))
