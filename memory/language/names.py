"""What looks like a name in a question. Pure."""

import re
from itertools import pairwise
from typing import Final

from memory.language.calendar import MONTHS
from memory.language.concepts import is_german_vocabulary
from memory.language.cues import fold_text
from memory.language.stems import detect_languages

_CAPITAL: Final = re.compile(r"(?<![.!?¿¡:»«\"“„] )(?<![¿¡«\"“„(])(?<!^)\b[A-ZÀ-ÖØ-Þ][\w'’]*(?:-[A-ZÀ-ÖØ-Þ][\w]*)*")
_GERMAN_CAPITAL: Final = re.compile(r"[A-ZÄÖÜ][\w'’]*(?:-[A-ZÄÖÜ]\w*)*")
_MARKS: Final = "?!.,;:„“()"
_LETTERS: Final = re.compile(r"[^\W\d_]+")

# What stands before a German noun rather than before a name.
_BEFORE_NOUN: Final = """
der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner mein meine meinen meinem meiner
meines dein deine sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren unserem unserer euer
eure welche welcher welches welchen welchem diese dieser dieses diesen diesem jede jeder jedes jeden jedem alle allen im
am zum zur beim vom ins ans aufs furs viel viele wenig wenige mehr ohne fur uber in an auf wessen solche manche beide
beiden zwei drei vier funf bitte frau herr herrn
"""
_NO_NAME_AFTER: Final = frozenset(_BEFORE_NOUN.split())
_ENDINGS_OF_THINGS: Final = ("ung", "heit", "keit", "schaft", "tion", "chen", "nis")
_ENDINGS_OF_ADJECTIVES: Final = ("es", "en", "em", "er")
_SHORTEST_ADJECTIVE: Final = 5


def find_names(text: str) -> tuple[str, ...]:
    """Capitals inside a sentence; in German, which gives them to every noun, where what stands before allows a name."""
    is_german = "de" in detect_languages(text, frozenset(_LETTERS.findall(text.casefold())))[0]
    found = (
        _in_german(text) if is_german else [fold_text(match[0]).removesuffix("'s") for match in _CAPITAL.finditer(text)]
    )
    return tuple(
        dict.fromkeys(name for name in found if len(name) > 1 and name not in MONTHS and not re.search(r"[\d_]", name))
    )


def _in_german(text: str) -> list[str]:
    words = [word.strip(_MARKS) for word in text.split()]
    return [
        fold_text(word)
        for before, word in pairwise(words)
        if _GERMAN_CAPITAL.fullmatch(word) and not word.isupper() and not _is_thing(before, word)
    ]


def _is_thing(before: str, word: str) -> bool:
    """Whether a German noun is rather a thing: by the article, adjective, number or genitive before, or by itself."""
    is_adjective = (
        before[:1].islower() and before.endswith(_ENDINGS_OF_ADJECTIVES) and len(before) >= _SHORTEST_ADJECTIVE
    )
    is_genitive = before[:1].isupper() and before.endswith("s")
    follows_none = is_adjective or is_genitive or before.isdecimal() or fold_text(before) in _NO_NAME_AFTER
    return follows_none or word.endswith(_ENDINGS_OF_THINGS) or is_german_vocabulary(word)
