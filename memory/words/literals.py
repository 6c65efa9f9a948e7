"""Terms in the input syntax of Postgres' text search types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from memory.words.analysis import positioned_terms

# What Postgres takes: 2,046 bytes a lexeme, positions to 16,383, 255 of them a lexeme, 1 MB altogether. The literal is
# never shorter than what it becomes, so measuring it is enough. Ten places are all that a term's weight can feel.
_LAST_POSITION: Final = 16_383
_MOST_POSITIONS: Final = 32
_LONGEST_LEXEME: Final = 2_000
_LONGEST_LITERAL: Final = 1_000_000


def tsvector_literal(text: str) -> str:
    """The terms of a document with their positions, to be cast to `tsvector`."""
    places: dict[str, list[int]] = {}
    for position, forms in enumerate(positioned_terms(text), start=1):
        for form in forms:
            known = places.setdefault(form, [])
            if len(known) < _MOST_POSITIONS and position <= _LAST_POSITION:
                known.append(position)
    lexemes: list[str] = []
    size = 0
    for form, positions in places.items():
        lexeme = f"{_quoted(form)}:{','.join(map(str, positions or [_LAST_POSITION]))}"
        size += len(lexeme.encode()) + 1
        if size > _LONGEST_LITERAL:
            break
        lexemes.append(lexeme)
    return " ".join(lexemes)


def tsquery_literal(forms: Iterable[str]) -> str:
    """Any of the terms, to be cast to `tsquery`."""
    return "|".join(_quoted(form) for form in forms)


def _quoted(form: str) -> str:
    if not form.isascii():
        form = form.encode()[:_LONGEST_LEXEME].decode(errors="ignore")
    if "'" in form or "\\" in form:
        form = form.replace("\\", "\\\\").replace("'", "''")
    return f"'{form}'"
