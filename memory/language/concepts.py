"""Synonyms within and across languages.

Each language names the same meanings in its `concepts.txt`, under the name that the English list gives them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.language.folding import normalise_text, strip_accents
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.loader import list_codes, read_entries, read_sections
from memory.language.stems import DEFAULT_LANGUAGE, stem_word

SUBJECT: Final = "concepts"


@dataclass(frozen=True, slots=True)
class ConceptTable:
    by_term: dict[str, tuple[int, ...]]
    terms: list[tuple[str, ...]]
    english: list[str]


def find_alternatives(forms: Iterable[str]) -> tuple[str, ...]:
    """The terms of every concept that one of these terms of a query stands for, its own included."""
    known = _load_concepts()
    found: dict[str, None] = {}
    for number in dict.fromkeys(number for form in forms for number in known.by_term.get(form, ())):
        found.update(dict.fromkeys(known.terms[number]))
    return tuple(found)


def translate_to_english(forms: Iterable[str]) -> str | None:
    """The English word for one word of another language; None for an English one and where none is known."""
    known = _load_concepts()
    english = f"{DEFAULT_LANGUAGE}:"
    numbers = [number for form in forms if not form.startswith(english) for number in known.by_term.get(form, ())]
    return known.english[numbers[0]] if numbers else None


def find_english_name(forms: Iterable[str]) -> str | None:
    """The English word for whatever one of these terms of any language stands for; None where nothing is known."""
    known = _load_concepts()
    return next((known.english[known.by_term[form][0]] for form in forms if form in known.by_term), None)


def list_terms(meaning: str) -> tuple[str, ...]:
    """The terms of a meaning in all languages, by the name that the English list gives it; empty for none of them."""
    words = ((word, code) for code in list_codes() for word in read_entries(code, SUBJECT, meaning))
    return tuple(dict.fromkeys(term for word, code in words for term in _terms_of(word, code)))


def is_vocabulary(word: str, language: str) -> bool:
    """Whether a word of a language is one of the known meanings, hence hardly a name."""
    return any(form in _load_concepts().by_term for form in stem_word(normalise_text(word).casefold(), language))


@cache
def _load_concepts() -> ConceptTable:
    numbers: dict[str, int] = {}
    terms: list[dict[str, None]] = []
    english: list[str] = []
    for language in list_codes():
        for meaning in read_sections(language, SUBJECT):
            words = read_entries(language, SUBJECT, meaning)
            if meaning not in numbers:
                numbers[meaning] = len(terms)
                terms.append({})
                english.append(words[0].replace("-", " "))
            for word in words:
                terms[numbers[meaning]].update(dict.fromkeys(_terms_of(word, language)))
    by_term: dict[str, list[int]] = {}
    for number, found in enumerate(terms):
        for term in found:
            by_term.setdefault(term, []).append(number)
    return ConceptTable(
        {term: tuple(found) for term, found in by_term.items()}, [tuple(found) for found in terms], english
    )


def _terms_of(word: str, language: str) -> tuple[str, ...]:
    """The terms under which a document holds the word; one of several parts is found where it is written as one."""
    plain = strip_accents(normalise_text(word).casefold().replace("-", ""))
    if is_hebrew(plain):
        return list_hebrew_readings(plain)[:1]
    return stem_word(plain, language)
