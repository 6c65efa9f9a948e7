"""Synonyms within and across languages.

Each language names the same meanings in its `concepts.txt`, under the name that the English list gives them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.language.folding import normalise_text, strip_accents
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.loader import list_codes, read_entries, read_sections
from memory.language.stems import DEFAULT_LANGUAGE, stem_word

SUBJECT: Final = "concepts"
# Where each language lists the nouns of relations, as they are said: "cheffe", "coloc", "puppy".
OF_RELATIONS: Final = ("claims", "frames")
NOUN: Final = "noun "
# Relations whose nouns are no synonyms: whoever asks for a name means none of "surname" and "nickname".
NO_MEANING: Final = frozenset({"name", "pays", "medication", "nationality", "routine", "job", "home", "company"})


@dataclass(frozen=True, slots=True)
class ConceptTable:
    by_term: dict[str, tuple[int, ...]]
    terms: list[tuple[str, ...]]
    english: list[str]
    names: list[str]


def find_alternatives(forms: Iterable[str]) -> tuple[str, ...]:
    """The terms of every concept that one of these terms of a query stands for, its own included."""
    known = _load_synonyms()
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


def list_meanings(forms: Iterable[str]) -> tuple[str, ...]:
    """The names of the meanings that any of these terms stands for."""
    known = _load_concepts()
    return tuple(dict.fromkeys(known.names[number] for form in forms for number in known.by_term.get(form, ())))


def list_terms(meaning: str) -> tuple[str, ...]:
    """The terms of a meaning in all languages, by the name that the English list gives it; empty for none of them."""
    words = ((word, code) for code in list_codes() for word in read_entries(code, SUBJECT, meaning))
    return tuple(dict.fromkeys(term for word, code in words for term in _find_terms(word, code)))


def is_vocabulary(word: str, language: str) -> bool:
    """Whether a word of a language is one of the known meanings, hence hardly a name."""
    return any(form in _load_concepts().by_term for form in stem_word(normalise_text(word).casefold(), language))


@cache
def _load_concepts() -> ConceptTable:
    return _build_table(_read_concepts())


@cache
def _load_synonyms() -> ConceptTable:
    """The concepts, and the nouns by which the readers of statements know a relation, where no concept has them.

    "Coloc" and "flatmate" are one word to who asks, but no proof that either is no name (`is_vocabulary`).
    """
    meanings = _read_concepts()
    known = _load_concepts().by_term
    for language in list_codes():
        for relation, words in _read_relation_nouns(language):
            meaning = _find_meaning(relation, meanings)
            new = [word for word in words if not any(term in known for term in _find_terms(word, language))]
            meanings.setdefault(meaning, {}).setdefault(language, []).extend(new)
    return _build_table({name: found for name, found in meanings.items() if any(found.values())})


def _read_concepts() -> dict[str, dict[str, list[str]]]:
    """The words of each meaning by language."""
    found: dict[str, dict[str, list[str]]] = {}
    for language in list_codes():
        for meaning in read_sections(language, SUBJECT):
            found.setdefault(meaning, {})[language] = list(read_entries(language, SUBJECT, meaning))
    return found


def _read_relation_nouns(language: str) -> Iterator[tuple[str, list[str]]]:
    for subject in OF_RELATIONS:
        for section in read_sections(language, subject):
            relation = section.removeprefix(NOUN)
            if section.startswith(NOUN) and relation not in NO_MEANING:
                yield relation, [word for word in read_entries(language, subject, section) if " " not in word]


def _find_meaning(relation: str, meanings: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    """The meaning of the same name, or else that which has the relation's name among its English words."""
    if relation in meanings:
        return relation
    english = ((name, words.get(DEFAULT_LANGUAGE, ())) for name, words in meanings.items())
    return next((name for name, words in english if relation in words), relation)


def _build_table(meanings: Mapping[str, Mapping[str, Sequence[str]]]) -> ConceptTable:
    terms: list[dict[str, None]] = []
    english: list[str] = []
    for found in meanings.values():
        english.append(next(words[0] for words in found.values() if words).replace("-", " "))
        terms.append(
            {term: None for code, words in found.items() for word in words for term in _find_terms(word, code)}
        )
    by_term: dict[str, list[int]] = {}
    for number, held in enumerate(terms):
        for term in held:
            by_term.setdefault(term, []).append(number)
    return ConceptTable(
        {term: tuple(found) for term, found in by_term.items()},
        [tuple(found) for found in terms],
        english,
        list(meanings),
    )


def _find_terms(word: str, language: str) -> tuple[str, ...]:
    """The terms under which a document holds the word; one of several parts is found where it is written as one."""
    plain = strip_accents(normalise_text(word).casefold().replace("-", ""))
    if is_hebrew(plain):
        return list_hebrew_readings(plain)[:1]
    return stem_word(plain, language)
