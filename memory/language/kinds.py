"""What a word names one of: whoever asks for a car finds the Yaris, for an instrument the clarinet, for a medicine
against blood pressure the candesartan.

A row is stored under the kinds of the words in it, as it is under its month. A question is looked for under the kinds
that its words mean, never under that of a name: who asks for the Yaris wants no Skoda.
"""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Final

from memory.language.concepts import list_meanings
from memory.language.folding import normalise_text, strip_accents
from memory.language.loader import SHARED, list_codes, read_entries, read_sections

SUBJECT: Final = "kinds"
# Kinds whose names each language lists for the readers of statements: the file and the section.
LISTED: Final = {
    "instrument": ("presupposed", "instrument"),
    "sport": ("presupposed", "sport"),
    "plant": ("presupposed", "plant"),
    "animal": ("presupposed", "animal"),
    "language": ("slots", "language word"),
}
# The kind of all medicines.
MEDICINE: Final = "medicine"
# At the beginning or the end of a name "*" stands for any letters: by a stem a medicine tells what it is for.
ANY: Final = "*"


@lru_cache(maxsize=65_536)
def find_kind_terms(form: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """The terms of the kinds that a folded word of these languages names one of."""
    kinds = dict.fromkeys(_find_kinds(form, languages))
    kinds |= dict.fromkeys(kind for kind, names in _load_stems() if any(_has_stem(form, name) for name in names))
    return tuple(map(_write_term, kinds))


@lru_cache(maxsize=4096)
def list_kinds(words: str) -> frozenset[str]:
    """The kinds that a few folded words name one of, in any language."""
    codes = list_codes()
    return frozenset(kind for word in words.split() for kind in _find_kinds(strip_accents(word), codes))


@lru_cache(maxsize=4096)
def list_purposes(medicine: str) -> frozenset[str]:
    """What a medicine is mostly for, by its name or the stem of it."""
    word = strip_accents(medicine)
    stems = (kind for kind, names in _load_stems() if any(_has_stem(word, name) for name in names))
    return (list_kinds(word) | frozenset(stems)) - {MEDICINE}


@lru_cache(maxsize=4096)
def is_medicine(word: str) -> bool:
    """Whether a folded word is a medicine's name, or ends as those of one purpose do."""
    stems = next((names for kind, names in _load_stems() if kind == MEDICINE), ())
    return MEDICINE in list_kinds(word) or any(_has_stem(word, name) for name in stems)


def _find_kinds(form: str, languages: tuple[str, ...]) -> Iterator[str]:
    return (kind for language in (SHARED, *languages) for kind in _load_kinds(language).get(form, ()))


def list_kind_terms(forms: Iterable[str]) -> tuple[str, ...]:
    """The terms of the kinds that the terms of one word of a question mean."""
    return tuple(_write_term(meaning) for meaning in list_meanings(forms) if meaning in _list_kinds())


def list_names_of_kind(kind: str) -> tuple[str, ...]:
    """The names of a kind that all languages share, as they are written, and those of the kinds within it."""
    return tuple(name for name in _read_names(kind) if ANY not in name)


@cache
def _list_kinds() -> frozenset[str]:
    return frozenset((*read_sections(SHARED, SUBJECT), *LISTED))


def _read_names(kind: str) -> Iterator[str]:
    for name in read_entries(SHARED, SUBJECT, kind):
        if name in read_sections(SHARED, SUBJECT):
            yield from _read_names(name)
        else:
            yield name


@cache
def _load_kinds(language: str) -> dict[str, tuple[str, ...]]:
    """The kinds of each name, folded: of those all languages share, or of those a language lists."""
    found: dict[str, tuple[str, ...]] = {}
    listed = ((kind, name) for kind, place in LISTED.items() for name in read_entries(language, *place))
    shared = ((kind, name) for kind in read_sections(SHARED, SUBJECT) for name in list_names_of_kind(kind))
    for kind, name in (*listed, *(shared if language == SHARED else ())):
        folded = _fold(name)
        if kind not in found.get(folded, ()):
            found[folded] = (*found.get(folded, ()), kind)
    return found


@cache
def _load_stems() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The kinds whose names tell it by a part, with these names, folded."""
    names = {
        kind: [_fold(name) for name in _read_names(kind) if ANY in name] for kind in read_sections(SHARED, SUBJECT)
    }
    return tuple((kind, tuple(found)) for kind, found in names.items() if found)


def _has_stem(form: str, name: str) -> bool:
    stem = name.strip(ANY)
    if name.startswith(ANY):
        return stem in form if name.endswith(ANY) else form.endswith(stem)
    return form.startswith(stem)


def _fold(name: str) -> str:
    return strip_accents(normalise_text(name).casefold())


def _write_term(kind: str) -> str:
    return f"kind:{kind}"
