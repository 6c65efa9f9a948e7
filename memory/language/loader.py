"""Reads the folders of the languages: one folder a language, one file a subject, one format for all of them.

    # A comment.
    [section]
    entry, another entry, one more
    entries may go on in the next line
    short section = entry, another entry
    [section: pattern]
    every line is one entry, commas and all

A folder with a `language.txt` is a language: nowhere else does a list of codes stand. What belongs to no language
(identifiers, names of tools) stands in the folder `shared`. Everything is read once, when it is first needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

FOLDER: Final = Path(__file__).parent
SHARED: Final = "shared"
# The subject that makes a folder a language: its name, its order, its stemmer.
ABOUT: Final = "language"

# The lines of each section, in their order.
Sections = Mapping[str, tuple[str, ...]]

# A line for each of 700 meanings. A key has no comma, so that a list of entries such as `:, =, ->` is none.
_SHORT: Final = re.compile(r"^([^,=\[\]]+?) = (\S.*)")
# A comma within braces belongs to a pattern: `(\w+ ){0,2}`.
_COMMA: Final = re.compile(r"\s*,(?![^{}]*\})\s*")


@dataclass(frozen=True, slots=True)
class Language:
    """``generation`` is 1 for the languages that the first stored texts were read in; see `stems.detect_languages`."""

    code: str
    name: str
    order: int
    generation: int
    script: str
    # The name of its Snowball stemmer, empty for a language whose words are read in another way.
    stemmer: str
    # Letters and marks that hardly any other language has.
    letters: tuple[str, ...]


@cache
def load_languages() -> tuple[Language, ...]:
    """Every language there is a folder for, in their order."""
    found = (_describe(path.parent.name) for path in FOLDER.glob(f"*/{ABOUT}.txt"))
    return tuple(sorted(found, key=lambda language: (language.generation, language.order)))


@cache
def list_codes() -> tuple[str, ...]:
    """The codes of the languages, `en` first."""
    return tuple(language.code for language in load_languages())


@cache
def read_sections(language: str, subject: str) -> Sections:
    """The lines of a subject by section; empty where the language has no such file. ``language`` may be SHARED."""
    path = FOLDER / language / f"{subject}.txt"
    return MappingProxyType(parse_sections(path.read_text(encoding="utf-8"))) if path.exists() else {}


def parse_sections(text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    section = ""
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
            found.setdefault(section, [])
        elif match := _SHORT.fullmatch(line):
            found.setdefault(match[1], []).append(match[2])
        else:
            found.setdefault(section, []).append(line)
    return {name: tuple(lines) for name, lines in found.items()}


def split_entries(line: str) -> tuple[str, ...]:
    """The entries of a line; a comma within braces does not part."""
    return tuple(entry for entry in _COMMA.split(line.strip()) if entry)


@cache
def read_entries(language: str, subject: str, section: str) -> tuple[str, ...]:
    """The entries of one section; empty where the language has none."""
    lines = read_sections(language, subject).get(section, ())
    return tuple(entry for line in lines for entry in split_entries(line))


@cache
def collect_entries(subject: str, section: str) -> tuple[str, ...]:
    """The entries of a section of all languages, language by language."""
    return tuple(entry for language in list_codes() for entry in read_entries(language, subject, section))


@cache
def _describe(code: str) -> Language:
    def one(section: str) -> str:
        return next(iter(read_entries(code, ABOUT, section)), "")

    return Language(
        code=code,
        name=one("name"),
        order=int(one("order")),
        generation=int(one("generation")),
        script=one("script"),
        stemmer=one("stemmer"),
        letters=read_entries(code, ABOUT, "letters"),
    )
