"""Words that carry grammar rather than content, and fillers, by language, without their accents."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from memory.language.folding import strip_accents
from memory.language.loader import list_codes, load_languages, read_entries

SUBJECT: Final = "stopwords"


@cache
def load_stop_words(language: str) -> frozenset[str]:
    """The words of a language that every search leaves out."""
    return frozenset(read_entries(language, SUBJECT, "grammar"))


@cache
def load_all_stop_words() -> frozenset[str]:
    return frozenset().union(*map(load_stop_words, list_codes()))


@cache
def load_own_script_stop_words() -> frozenset[str]:
    """Those of languages in a script of their own, whose words are told by their letters."""
    return frozenset().union(*(load_stop_words(language.code) for language in load_languages() if not language.stemmer))


@lru_cache(maxsize=64)
def load_fillers(languages: tuple[str, ...]) -> frozenset[str]:
    """Words of these languages that say nothing of the matter, without those of grammar.

    Fillers and stop words of a language in a script of its own always count.
    """
    found = set(load_own_script_stop_words())
    for language in load_languages():
        if not language.stemmer or language.code in languages:
            found.update(strip_accents(word) for word in read_entries(language.code, SUBJECT, "fillers"))
    return frozenset(found)
