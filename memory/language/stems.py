"""Snowball stems, and the languages a text gives evidence for."""

from __future__ import annotations

import threading
from collections.abc import Collection
from functools import lru_cache
from typing import Final

import Stemmer

from memory.language.folding import strip_accents
from memory.language.stopwords import STOP_WORDS

ALGORITHMS: Final = {"en": "english", "es": "spanish", "fr": "french", "de": "german", "it": "italian"}
LANGUAGES: Final = tuple(ALGORITHMS)
DEFAULT_LANGUAGE: Final = "en"

# One stop word is a hint (`hat` is a garment as well as German), two are evidence; a word that several languages
# share counts for each of them in part.
_EVIDENCE: Final = 1.5
_AS_GOOD: Final = 0.8
_LONGEST_STEMMED: Final = 40

_LETTERS: Final = {
    "¿": "es",
    "¡": "es",
    "ñ": "es",
    "ß": "de",
    "ä": "de",
    "ö": "de",
    "ü": "de",
    "ç": "fr",
    "œ": "fr",
    "ê": "fr",
    "ò": "it",
}


def _votes_by_word() -> dict[str, tuple[tuple[str, float], ...]]:
    spoken: dict[str, list[str]] = {}
    for language, words in STOP_WORDS.items():
        for word in words:
            spoken.setdefault(word, []).append(language)
    return {word: tuple((language, 1 / len(found)) for language in found) for word, found in spoken.items()}


_VOTES: Final = _votes_by_word()


class _Stemmers(threading.local):
    """Snowball stemmers per thread: they have internal state and are not thread-safe."""

    def __init__(self) -> None:
        self.by_language = {language: Stemmer.Stemmer(name, 0) for language, name in ALGORITHMS.items()}


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
    votes = dict.fromkeys(LANGUAGES, 0.0)
    for word in words:
        for language, share in _VOTES.get(word if word.isascii() else strip_accents(word), ()):
            votes[language] += share
    if not text.isascii():
        for letter in _LETTERS.keys() & set(text):
            votes[_LETTERS[letter]] += 1
    best = max(votes.values())
    if best == 0:
        return (DEFAULT_LANGUAGE,), frozenset()
    likely = tuple(language for language in LANGUAGES if votes[language] >= best * _AS_GOOD)
    if best >= _EVIDENCE:
        return likely, _stop_words(likely)
    if DEFAULT_LANGUAGE in likely:
        likely = ()
    return (DEFAULT_LANGUAGE, *likely), _stop_words((DEFAULT_LANGUAGE,))


@lru_cache(maxsize=64)
def _stop_words(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*(STOP_WORDS[language] for language in languages))
