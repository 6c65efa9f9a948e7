"""Snowball stems, and the languages a text gives evidence for."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from math import lcm
from typing import Final

import Stemmer

from memory.language.folding import strip_accents
from memory.language.loader import list_codes, load_languages
from memory.language.stopwords import load_stop_words

# The languages whose words are stemmed, in their order.
LANGUAGES: Final = tuple(language.code for language in load_languages() if language.stemmer)
DEFAULT_LANGUAGE: Final = list_codes()[0]

_AS_GOOD: Final = 0.8
# Stop words and letters that a text must have of a language that was added later.
_LATER_EVIDENCE: Final = 2
_LONGEST_STEMMED: Final = 40

# Those of the first generation, which the votes of `detect_languages` are shared among.
FIRST_LANGUAGES: Final = tuple(
    language.code for language in load_languages() if language.stemmer and language.generation == 1
)
LATER_LANGUAGES: Final = frozenset(LANGUAGES) - set(FIRST_LANGUAGES)
# A word that several languages share counts for each of them in part. The parts are whole numbers: sums of thirds
# depend on the order of a set, and a text at the threshold was read in one way by one process, in another by the next.
_VOTE: Final = lcm(*range(1, len(FIRST_LANGUAGES) + 1))
# One stop word is a hint (`hat` is a garment as well as German), two are evidence.
_EVIDENCE: Final = 1.5 * _VOTE
_LETTERS: Final = {
    letter: language.code
    for language in load_languages()
    if language.code in FIRST_LANGUAGES
    for letter in language.letters
}


def _count_votes() -> dict[str, tuple[tuple[str, int], ...]]:
    spoken: dict[str, list[str]] = {}
    for language in FIRST_LANGUAGES:
        for word in load_stop_words(language):
            spoken.setdefault(word, []).append(language)
    return {word: tuple((language, _VOTE // len(found)) for language in found) for word, found in spoken.items()}


_VOTES: Final = _count_votes()


@dataclass(frozen=True, slots=True)
class LaterLanguage:
    """A language of a later generation, with what tells it from all that were there before or came with it."""

    code: str
    words: frozenset[str]
    letters: frozenset[str]
    own_words: frozenset[str]
    own_letters: frozenset[str]
    # Stop words and letters of each of the others.
    rivals: tuple[tuple[frozenset[str], frozenset[str]], ...]

    def is_ahead(self, words: Iterable[str], text: str) -> bool:
        """Whether a text is clearly in this language: by something of its own, and by more than any other has."""
        if self.own_words.isdisjoint(words) and self.own_letters.isdisjoint(text):
            return False
        words, letters = frozenset(words), frozenset(text)
        hits = len(self.words & words) + len(self.letters & letters)
        return hits >= _LATER_EVIDENCE and all(
            hits > len(known & words) + len(marks & letters) for known, marks in self.rivals
        )


@cache
def _load_later() -> tuple[LaterLanguage, ...]:
    spoken = [language for language in load_languages() if language.stemmer]
    found = []
    for language in spoken:
        if language.generation == 1:
            continue
        words, letters = load_stop_words(language.code), frozenset(language.letters)
        rivals = tuple(
            (load_stop_words(other.code), frozenset(other.letters))
            for other in spoken
            if other.code != language.code and other.generation <= language.generation
        )
        own_words = words.difference(*(known for known, _ in rivals))
        own_letters = letters.difference(*(marks for _, marks in rivals))
        found.append(LaterLanguage(language.code, words, letters, own_words, own_letters, rivals))
    return tuple(found)


# PyStemmer has the Snowball algorithms in C: the same stems for 40,000 words of five languages, in 0.5 to 3.5
# microseconds each where the Python port took 77 to 144. A question with new words is read 2 ms sooner.
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
    """The languages a text of these distinct case-folded words may be in, and the stop words to drop from it.

    Languages of the first generation share the votes of a text. One that was added later takes only texts that are
    clearly its own, so that adding it changes nothing in how the texts of the others are read: their stored terms stay
    what a query is answered with.
    """
    bare = words if text.isascii() else [word if word.isascii() else strip_accents(word) for word in words]
    if later := _find_later(text, bare):
        return (later,), load_stop_words(later)
    votes = dict.fromkeys(FIRST_LANGUAGES, 0)
    for word in bare:
        for language, share in _VOTES.get(word, ()):
            votes[language] += share
    if not text.isascii():
        for letter in _LETTERS.keys() & set(text):
            votes[_LETTERS[letter]] += _VOTE
    best = max(votes.values())
    if best == 0:
        return (DEFAULT_LANGUAGE,), frozenset()
    likely = tuple(language for language in FIRST_LANGUAGES if votes[language] >= best * _AS_GOOD)
    if best >= _EVIDENCE:
        return likely, _stop_words(likely)
    if DEFAULT_LANGUAGE in likely:
        likely = ()
    return (DEFAULT_LANGUAGE, *likely), _stop_words((DEFAULT_LANGUAGE,))


def _find_later(text: str, words: Iterable[str]) -> str | None:
    """The latest of the later languages that a text is clearly in."""
    letters = "" if text.isascii() else text
    return next((language.code for language in reversed(_load_later()) if language.is_ahead(words, letters)), None)


@lru_cache(maxsize=64)
def _stop_words(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*map(load_stop_words, languages))
