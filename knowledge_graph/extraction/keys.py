"""Normal forms under which concepts and entities of all languages meet. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from memory.language.concepts import find_english_name
from memory.language.folding import strip_accents
from memory.language.hebrew import is_hebrew, list_hebrew_readings, strip_hebrew_article
from memory.language.names import load_given_names
from memory.language.splitting import TextToken
from memory.language.stems import FIRST_LANGUAGES, stem_word
from memory.language.vocabulary import load_technical_terms, load_technologies

_SHORTEST_HEBREW: Final = 3


@lru_cache(maxsize=131_072)
def build_word_key(piece: TextToken, language: str, *, is_sure: bool = False) -> str:
    """What a word is known by: the usual name of a tool, the English word of a known concept, else its stem.

    Where the text does not show its language, the word may be one of any of the first generation: guessing at later
    ones would give stored concepts other keys.
    """
    bare = strip_accents(piece.form)
    if usual := load_technologies().get(bare):
        return usual
    if piece.kind == "code" or not bare[:1].isalpha():
        return bare
    if is_hebrew(piece.form):
        return _find_hebrew_key(piece.form)
    if not ("a" <= bare[:1] <= "z"):
        return bare
    own = stem_word(piece.form, language)
    if bare in load_given_names():
        return bare
    others = () if is_sure else tuple(other for other in FIRST_LANGUAGES if other != language)
    forms = (*own, *(stem for other in others for stem in stem_word(piece.form, other)))
    return _find_name(forms) or own[0].partition(":")[2]


def _find_name(forms: Sequence[str]) -> str | None:
    return next((name for form in forms if (name := load_technical_terms().get(form))), None) or find_english_name(
        forms
    )


def _find_hebrew_key(form: str) -> str:
    """Particles are taken off where what is left is known; else only the article and a plural ending."""
    forms = list_hebrew_readings(form)
    known = next((name for one in forms if (name := load_technologies().get(one))), None)
    if name := known or _find_name(forms):
        return name
    stem = list_hebrew_readings(strip_hebrew_article(strip_accents(form)))[0]
    for ending in ("ימ", "ות"):
        if stem.endswith(ending) and len(stem) - len(ending) >= _SHORTEST_HEBREW:
            return stem[: -len(ending)]
    return stem
