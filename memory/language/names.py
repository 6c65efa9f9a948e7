"""What looks like a name, and the words that introduce one. Pure.

The words stand in each language's `names.txt`, given names of Latin letters in `shared/given_names.txt`.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Final

from memory.language.concepts import is_vocabulary
from memory.language.folding import fold_name, fold_text
from memory.language.loader import SHARED, collect_entries, read_entries
from memory.language.periods import MONTHS
from memory.language.stems import detect_languages

SUBJECT: Final = "names"
# Who speaks, where it is no name: "what did the user say" names nobody.
ASSISTANT_ROLES: Final = frozenset({"assistant", "ai", "bot", "model", "system", "tool"})
ROLES: Final = ASSISTANT_ROLES | {"user", "human"}

_CAPITAL: Final = re.compile(r"(?<![.!?¿¡:»«\"“„] )(?<![¿¡«\"“„(])(?<!^)\b[A-ZÀ-ÖØ-Þ][\w'’]*(?:-[A-ZÀ-ÖØ-Þ][\w]*)*")
_NOUN_CAPITAL: Final = re.compile(r"[A-ZÄÖÜ][\w'’]*(?:-[A-ZÄÖÜ]\w*)*")
_MARKS: Final = "?!.,;:„“()"
_LETTERS: Final = re.compile(r"[^\W\d_]+")
# "der", "wer" and the like end as adjectives do.
_SHORTEST_ADJECTIVE: Final = 5


def find_names(text: str) -> tuple[str, ...]:
    """Capitals inside a sentence; in German, which gives them to every noun, where what stands before allows a name."""
    languages, _ = detect_languages(text, frozenset(_LETTERS.findall(text.casefold())))
    found = next(
        (_find_among_nouns(text, language) for language in languages if capitalises_nouns(language)),
        None,
    )
    if found is None:
        found = [fold_text(match[0]).removesuffix("'s") for match in _CAPITAL.finditer(text)]
    return tuple(
        dict.fromkeys(name for name in found if len(name) > 1 and name not in MONTHS and not re.search(r"[\d_]", name))
    )


@cache
def capitalises_nouns(language: str) -> bool:
    """Whether a language gives every noun a capital, so that a capital alone tells no name."""
    return bool(read_entries(language, SUBJECT, "before a noun"))


@cache
def load_given_names() -> frozenset[str]:
    given = (*read_entries(SHARED, "given_names", "given"), *collect_entries(SUBJECT, "given"))
    return frozenset(fold_name(name) for name in given)


@cache
def load_possible_names() -> frozenset[str]:
    """Given names and those that are words too, hence names only where nothing else fits: "my sister Daisy"."""
    return load_given_names() | {fold_name(name) for name in read_entries(SHARED, "given_names", "also words")}


@cache
def load_words(section: str) -> frozenset[str]:
    """The words of a section in all languages, and of the shared list."""
    return frozenset(collect_entries(SUBJECT, section)) | frozenset(read_entries(SHARED, SUBJECT, section))


def _find_among_nouns(text: str, language: str) -> list[str]:
    words = [word.strip(_MARKS) for word in text.split()]
    return [
        fold_text(word)
        for before, word in pairwise(words)
        if _NOUN_CAPITAL.fullmatch(word) and not word.isupper() and not _is_thing(before, word, language)
    ]


def _is_thing(before: str, word: str, language: str) -> bool:
    """Whether a noun is rather a thing: by the article, adjective, number or genitive before, or by itself."""
    endings_of_adjectives = read_entries(language, SUBJECT, "endings of adjectives")
    is_adjective = (
        before[:1].islower() and before.endswith(endings_of_adjectives) and len(before) >= _SHORTEST_ADJECTIVE
    )
    is_genitive = before[:1].isupper() and before.endswith("s")
    stands_before_noun = fold_text(before) in read_entries(language, SUBJECT, "before a noun")
    is_told_by_what_stands_before = is_adjective or is_genitive or before.isdecimal() or stands_before_noun
    endings = read_entries(language, SUBJECT, "endings of nouns")
    return is_told_by_what_stands_before or word.endswith(endings) or is_vocabulary(word, language)
