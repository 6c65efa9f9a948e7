"""Synonyms within and across languages, from a data file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from memory.language.folding import normalise_text, strip_accents
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.stems import stem_word

FILE: Final = Path(__file__).parent / "data" / "concepts.txt"
COLUMNS: Final = ("en", "es", "fr", "de", "it", "he")


@dataclass(frozen=True, slots=True)
class ConceptTable:
    by_term: dict[str, tuple[int, ...]]
    terms: list[tuple[str, ...]]
    english: list[str]


def find_alternatives(forms: Iterable[str]) -> tuple[str, ...]:
    """The terms of every concept that one of these terms of a query stands for, its own included."""
    known = _concepts()
    found: dict[str, None] = {}
    for number in dict.fromkeys(number for form in forms for number in known.by_term.get(form, ())):
        found.update(dict.fromkeys(known.terms[number]))
    return tuple(found)


def translate_to_english(forms: Iterable[str]) -> str | None:
    """The English word for one word of another language; None for an English one and where none is known."""
    known = _concepts()
    numbers = [number for form in forms if not form.startswith("en:") for number in known.by_term.get(form, ())]
    return known.english[numbers[0]] if numbers else None


def find_english_name(forms: Iterable[str]) -> str | None:
    """The English word for whatever one of these terms of any language stands for; None where nothing is known."""
    known = _concepts()
    return next((known.english[known.by_term[form][0]] for form in forms if form in known.by_term), None)


def is_german_vocabulary(word: str) -> bool:
    """Whether a German word is one of the vocabulary, hence hardly a name."""
    return any(form in _concepts().by_term for form in stem_word(normalise_text(word).casefold(), "de"))


@cache
def _concepts() -> ConceptTable:
    by_term: dict[str, list[int]] = {}
    concepts: list[tuple[str, ...]] = []
    english: list[str] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        terms: dict[str, None] = {}
        for language, words in zip(COLUMNS, line.split("|"), strict=False):
            for word in words.split():
                terms.update(dict.fromkeys(_terms(word, language)))
        for term in terms:
            by_term.setdefault(term, []).append(len(concepts))
        concepts.append(tuple(terms))
        english.append(line.split()[0].replace("-", " "))
    return ConceptTable({term: tuple(numbers) for term, numbers in by_term.items()}, concepts, english)


def _terms(word: str, language: str) -> tuple[str, ...]:
    """The terms under which a document holds the word; one of several parts is found where it is written as one."""
    plain = strip_accents(normalise_text(word).casefold().replace("-", ""))
    if is_hebrew(plain):
        return list_hebrew_readings(plain)[:1]
    return stem_word(plain, language)
