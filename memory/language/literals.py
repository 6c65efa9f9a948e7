"""Terms in the input syntax of Postgres' text search types.

Every lexeme is prefixed with its owner. An index over lexemes then has one posting list per user and word, so the cost
of a search depends on the user's data, not on everybody's (100,000 rows of one user among a million: 1.6 ms instead of
22 to find the rows), and a query of one user cannot even name the words of another.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from memory.language.analysis import extract_positioned_terms

# What Postgres takes: 2,046 bytes a lexeme, positions to 16,383, 255 of them a lexeme, 1 MB altogether. The literal is
# never shorter than what it becomes, so measuring it is enough. A term's weight does not feel its thirtieth place.
_LAST_POSITION: Final = 16_383
_MOST_POSITIONS: Final = 32
_LONGEST_LEXEME: Final = 2_000
_LONGEST_LITERAL: Final = 1_000_000


def build_lexeme(form: str, owner: int) -> str:
    """A term of this user as it stands in the database."""
    owned = f"{owner}~{form}"
    return owned if owned.isascii() else owned.encode()[:_LONGEST_LEXEME].decode(errors="ignore")


def build_tsvector(text: str, owner: int) -> str:
    """The terms of a user's document with their positions, to be cast to `tsvector`."""
    places: dict[str, list[int]] = {}
    for position, forms in enumerate(extract_positioned_terms(text), start=1):
        for form in forms:
            known = places.setdefault(form, [])
            if not known or (len(known) < _MOST_POSITIONS and position <= _LAST_POSITION):
                known.append(min(position, _LAST_POSITION))
    entries: list[str] = []
    size = 0
    for form, positions in places.items():
        entry = f"{_quote(build_lexeme(form, owner))}:{','.join(map(str, positions))}"
        size += len(entry.encode()) + 1
        if size > _LONGEST_LITERAL:
            break
        entries.append(entry)
    return " ".join(entries)


def build_tsquery(forms: Iterable[str], owner: int, *, is_beginning: bool = False) -> str:
    """Any of the terms of this user, or what begins with one of them, to be cast to `tsquery`."""
    match = ":*" if is_beginning else ""
    return "|".join(_quote(build_lexeme(form, owner)) + match for form in forms)


def _quote(word: str) -> str:
    if "'" in word or "\\" in word:
        word = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{word}'"
