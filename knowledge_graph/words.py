"""Normal forms under which concepts and entities of six languages meet, and the word lists they are read from. Pure."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from memory.language.concepts import find_english_name
from memory.language.folding import normalise_text, strip_accents
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.splitting import TextToken
from memory.language.stems import LANGUAGES, stem_word
from memory.language.stopwords import HEBREW_STOP_WORDS

DATA: Final = Path(__file__).parent / "data"
HEBREW: Final = "he"
SPACES: Final = re.compile(r"\s+")
MOST_NAME_WORDS: Final = 4
_SURE_HEBREW_PREFIX: Final = ("ה", "וה", "ו", "שה", "בה", "לה")
_SHORTEST_HEBREW: Final = 3


def fold_name(text: str) -> str:
    """The text in one spelling: case, accents and vowel points off, single spaces."""
    plain = SPACES.sub(" ", normalise_text(text).casefold()).strip()
    return plain if plain.isascii() else " ".join(strip_accents(word) for word in plain.split(" "))


def read_lines(name: str) -> Iterator[str]:
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()


@cache
def load_technologies() -> dict[str, str]:
    """From each folded spelling to the usual name."""
    return {spelling: name for spelling, name, _ in _technologies()}


@cache
def load_plain_technologies() -> dict[str, str]:
    """Those whose name is no everyday word: they are meant wherever they stand."""
    return {spelling: name for spelling, name, is_everyday in _technologies() if not is_everyday}


@cache
def _technologies() -> tuple[tuple[str, str, bool], ...]:
    found = []
    for line in read_lines("technologies.txt"):
        name, _, others = line.partition("|")
        usual = fold_name(name.strip().rstrip("*"))
        found.append((usual, usual, name.strip().endswith("*")))
        found += [(fold_name(other.rstrip("*")), usual, other.endswith("*")) for other in others.split()]
    return tuple(found)


@cache
def load_places() -> dict[str, tuple[str, bool]]:
    """From each folded spelling to the English name, and whether the word is an everyday one as well."""
    found: dict[str, tuple[str, bool]] = {}
    for line in read_lines("places.txt"):
        name, _, others = line.partition("|")
        usual = fold_name(name.strip().rstrip("*"))
        for spelling in (name, *others.split(",")):
            if plain := fold_name(spelling.strip().rstrip("*")):
                found.setdefault(plain, (usual, spelling.strip().endswith("*")))
    return found


@cache
def load_given_names() -> frozenset[str]:
    return frozenset(fold_name(name) for line in read_lines("given_names.txt") for name in line.split())


@lru_cache(maxsize=64)
def load_fillers(languages: tuple[str, ...]) -> frozenset[str]:
    """Words of these languages, and of Hebrew, that say nothing of the matter, without those of grammar."""
    found = set(HEBREW_STOP_WORDS)
    for line in read_lines("fillers.txt"):
        language, _, words = line.partition("|")
        if language.strip() in {*languages, HEBREW}:
            found.update(strip_accents(word) for word in words.split())
    return frozenset(found)


@cache
def load_technical_terms() -> dict[str, str]:
    """From each term of a technical word, of whatever language, to its English name."""
    found: dict[str, str] = {}
    for line in read_lines("technical_terms.txt"):
        columns = line.split("|")
        name = columns[0].split()[0]
        for language, words in zip((*LANGUAGES, HEBREW), columns, strict=True):
            for word in words.replace("-", "").split():
                forms = list_hebrew_readings(word) if language == HEBREW else stem_word(word, language)
                found.update((form, name) for form in forms[:1])
    return found


@lru_cache(maxsize=131_072)
def build_word_key(piece: TextToken, language: str, *, is_sure: bool = False) -> str:
    """What a word is known by: the usual name of a tool, the English word of a known concept, else its stem.

    Where the text does not show its language, the word may be one of any.
    """
    bare = strip_accents(piece.form)
    if usual := load_technologies().get(bare):
        return usual
    if piece.kind == "code" or not bare[:1].isalpha():
        return bare
    if is_hebrew(piece.form):
        return _hebrew_key(piece.form)
    if not ("a" <= bare[:1] <= "z"):
        return bare
    own = stem_word(piece.form, language)
    if bare in load_given_names():
        return bare
    others = () if is_sure else tuple(other for other in LANGUAGES if other != language)
    forms = (*own, *(stem for other in others for stem in stem_word(piece.form, other)))
    return _named(forms) or own[0].partition(":")[2]


def _named(forms: Sequence[str]) -> str | None:
    return next((name for form in forms if (name := load_technical_terms().get(form))), None) or find_english_name(
        forms
    )


def _hebrew_key(form: str) -> str:
    """Particles are taken off where what is left is known; else only the article and a plural ending."""
    forms = list_hebrew_readings(form)
    known = next((name for one in forms if (name := load_technologies().get(one))), None)
    if name := known or _named(forms):
        return name
    stem = list_hebrew_readings(strip_hebrew_article(strip_accents(form)))[0]
    for ending in ("ימ", "ות"):
        if stem.endswith(ending) and len(stem) - len(ending) >= _SHORTEST_HEBREW:
            return stem[: -len(ending)]
    return stem


def strip_hebrew_article(bare: str) -> str:
    for prefix in sorted(_SURE_HEBREW_PREFIX, key=len, reverse=True):
        if bare.startswith(prefix) and len(bare) - len(prefix) >= _SHORTEST_HEBREW and is_hebrew(bare):
            return bare[len(prefix) :]
    return bare
