"""One spelling for what readers take as the same text: compatibility forms, case, accents and vowel points."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

# Accents left over after composition, Hebrew points and cantillation, Arabic vowel signs and the tatweel.
_POINTS: Final = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]"
)
# Soft hyphens, zero-width characters and direction marks sit inside words without being seen; lone surrogates have
# no UTF-8 form. The joiners 200c and 200d go too: search by them would surprise more than help.
_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
# Hebrew writes acronyms with a mark before the last letter, often typed as a double quote.
_GERSHAYIM: Final = re.compile("(?<=[א-ת])[\"'](?=[א-ת])")
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f]")

_SAME_MARK: Final = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "ʼ": "'",
        "´": "'",
        "׳": "'",
        "״": '"',
        "‐": "-",
        "‑": "-",
        "–": " ",
        "—": " ",
        "־": " ",
        "।": " ",
        "॥": " ",
    }
)
WORD: Final = re.compile(r"[^\W_]+")
_SPACES: Final = re.compile(r"\s+")

# Letters whose stroke or ligature has no decomposition.
_SAME_LETTER: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)


def normalise_text(text: str) -> str:
    """The text in compatibility form without points, controls and unseen characters; case and accents stay."""
    if not text.isascii():
        text = _UNSEEN.sub("", text).translate(_SAME_MARK)
        text = _GERSHAYIM.sub("", _POINTS.sub("", unicodedata.normalize("NFKC", text)))
    return _CONTROLS.sub(" ", text)


@lru_cache(maxsize=32_768)
def strip_accents(word: str) -> str:
    """A case-folded word in its plainest letters: `größe` is `grosse`, `señor` is `senor`."""
    if word.isascii():
        return word
    bare = "".join(char for char in unicodedata.normalize("NFKD", word) if not "\u0300" <= char <= "\u036f")
    return unicodedata.normalize("NFC", bare).translate(_SAME_LETTER)


@lru_cache(maxsize=16_384)
def fold_text(text: str) -> str:
    """The text as the patterns of all languages expect it: case and accents folded, marks of Hebrew off."""
    folded = normalise_text(text).casefold()
    return folded if folded.isascii() else " ".join(strip_accents(word) for word in folded.split(" "))


def fold_name(text: str) -> str:
    """A name in one spelling: case, accents and vowel points off, single spaces."""
    plain = _SPACES.sub(" ", normalise_text(text).casefold()).strip()
    return plain if plain.isascii() else " ".join(strip_accents(word) for word in plain.split(" "))


@lru_cache(maxsize=16_384)
def find_capitals(text: str) -> frozenset[str]:
    """The words of a text that begin with a capital, folded; every word of a script that has none."""
    capitals = [word for word in WORD.findall(text) if not word[0].islower()]
    return frozenset(word.casefold() if word.isascii() else fold_text(word) for word in capitals)
