"""Contractions and genitives without their apostrophe: "i dont live in leeds", "jai un chat", "tims wife"."""

import re
from functools import cache, lru_cache, partial
from typing import Final

from memory.claims.frames.genitives import LANGUAGE, restore_genitives
from memory.claims.frames.languages import find_turn_languages, load_owners
from memory.claims.frames.tokens import SPLIT
from memory.claims.frames.words import LANGUAGES
from memory.language.loader import read_entries, read_sections
from memory.language.names import load_given_names

# "My id is 4422": a word of its own as often as not.
WHOLE: Final = "whole word"
WORD: Final = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=512)
def restore_apostrophes(text: str) -> str:
    """The text with them, as lists of words and statements have them: "i dont have kids" was told as having some."""
    for language in find_spoken_languages(text):
        pattern = load_contractions(language)
        if pattern is not None and pattern.search(text) and is_of_language(pattern.sub("", text), language, text):
            text = pattern.sub(partial(write_out, language), text)
    return restore_genitives(text) if LANGUAGE in find_turn_languages(text) else text


def find_spoken_languages(text: str) -> tuple[str, ...]:
    """English where nothing but its contractions and a name is said: "im 34" and "im priya 31" are no German."""
    pattern = load_contractions(LANGUAGE)
    rest = WORD.findall(pattern.sub("", text).casefold()) if pattern is not None and pattern.search(text) else [""]
    greets = read_entries(LANGUAGE, "frames", "greets")
    is_bare = all(word in greets or (word in load_given_names() and word not in load_owners()) for word in rest)
    return (LANGUAGE,) if is_bare and any(char.isalpha() for char in text) else find_turn_languages(text)


def is_of_language(rest: str, language: str, text: str) -> bool:
    """Whether the words beside are of it, as "im Norden" is of two languages, or all of the words are of one."""
    return find_turn_languages(rest) == (language,) or find_spoken_languages(text) == (language,)


def write_out(language: str, found: re.Match[str]) -> str:
    word = found[0]
    full = read_contractions(language)[word.casefold()]
    return full.capitalize() if word.istitle() else full


@cache
def load_contractions(language: str) -> re.Pattern[str] | None:
    words = "|".join(map(re.escape, read_contractions(language)))
    return re.compile(rf"(?<![\w'])(?:{words})(?![\w'])", re.IGNORECASE) if words else None


@cache
def read_contractions(language: str) -> dict[str, str]:
    """Of the words that a language's tokens are split into those that lack nothing but an apostrophe."""
    if language not in LANGUAGES:
        return {}
    whole = set(read_entries(language, "frames", WHOLE))
    found: dict[str, str] = {}
    for section, lines in read_sections(language, "frames").items():
        word = section.removeprefix(SPLIT)
        full = "".join(lines[0].split()) if section.startswith(SPLIT) and lines else ""
        if "'" in full and full.replace("'", "") == word and word not in whole:
            found[word] = full
    return found
