"""What the names of makes and models are names of: whoever asks for a car finds the Yaris.

A row is stored under the kind of each name in it, as it is under its month. A question is looked for under the kinds
that its words mean, never under that of a name: who asks for the Yaris wants no Skoda.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final

from memory.language.concepts import list_meanings
from memory.language.folding import normalise_text, strip_accents
from memory.language.loader import SHARED, read_entries, read_sections

SUBJECT: Final = "kinds"


def find_kind_term(form: str) -> str | None:
    """The term of the kind that a folded word names one of."""
    return _load_terms().get(form)


def list_kind_terms(forms: Iterable[str]) -> tuple[str, ...]:
    """The terms of the kinds that the terms of one word of a question mean."""
    return tuple(term for term in map(_write_term, list_meanings(forms)) if term in _load_kinds())


def list_names_of_kind(kind: str) -> tuple[str, ...]:
    """The makes and models of a kind, as they are written."""
    return tuple(read_entries(SHARED, SUBJECT, kind))


@cache
def _load_terms() -> dict[str, str]:
    return {
        strip_accents(normalise_text(name).casefold()): _write_term(kind)
        for kind in read_sections(SHARED, SUBJECT)
        for name in list_names_of_kind(kind)
    }


@cache
def _load_kinds() -> frozenset[str]:
    return frozenset(_load_terms().values())


def _write_term(kind: str) -> str:
    return f"kind:{kind}"
