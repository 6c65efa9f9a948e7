"""Whether two words may be the same name: misspelt, shortened, or in the other script. Pure.

Writers double, drop and swap letters that sound alike, so names are compared as they sound, and up to one letter apart.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from memory.language.folding import fold_name
from memory.language.hebrew import PARTICLES, is_hebrew

# Of a name that may be one letter off: of shorter ones half of all are (Tom and Tim, Ana and Eva).
SHORTEST_MISSPELT: Final = 5
SHORTEST_SHORT_FORM: Final = 3
# Consonants by which a name is known in the other script: David and Dodo share two.
FEWEST_CONSONANTS: Final = 3
_SOUNDS: Final = (("sch", "s"), ("sh", "s"), ("ph", "f"), ("ck", "k"), ("tz", "s"), ("x", "ks"))
_LETTERS: Final = str.maketrans("cqyzw", "kkisv", "h")
_DOUBLED: Final = re.compile(r"(.)\1+")
_HEBREW: Final = str.maketrans("בגדזטכךלמםנןספףצץקרשת", "bgdstkklmmnnsffsskrst", "אהוחיע")
_SILENT: Final = re.compile(r"ch|[aeiouvjh]")


def is_same_name(written: str, name: str) -> bool:
    """Whether a word may be meant for a name, both folded: "muhhamed" for "muhammad", "mel" for "melanie"."""
    if written == name:
        return True
    if is_hebrew(written) != is_hebrew(name):
        return _sounds_same(written, name)
    if min(len(written), len(name)) >= SHORTEST_SHORT_FORM and name.startswith(written):
        return True
    one, other = spell_plainly(written), spell_plainly(name)
    if one[:1] != other[:1] or min(len(written), len(name)) < SHORTEST_MISSPELT:
        return False
    return is_one_letter_off(one, other)


@lru_cache(maxsize=16_384)
def spell_plainly(name: str) -> str:
    """A folded name as it sounds: one letter for those that sound alike, none doubled."""
    for written, sound in _SOUNDS:
        name = name.replace(written, sound)
    return _DOUBLED.sub(r"\1", name.translate(_LETTERS))


def is_one_letter_off(one: str, other: str) -> bool:
    """Whether one change, gap or insertion of a letter, or a swap of two beside each other, makes one of the other."""
    if abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    start = next((place for place, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(short) < len(long):
        return short[start:] == long[start + 1 :]
    is_swapped = short[start : start + 2] == long[start : start + 2][::-1] and short[start + 2 :] == long[start + 2 :]
    return is_swapped or short[start + 1 :] == long[start + 1 :]


def _sounds_same(one: str, other: str) -> bool:
    hebrew, latin = (one, other) if is_hebrew(one) else (other, one)
    wanted = find_consonants(latin)
    if len(wanted) < FEWEST_CONSONANTS:
        return False
    return wanted in {find_consonants(hebrew), find_consonants(hebrew[1:]) if hebrew[0] in PARTICLES else ""}


@lru_cache(maxsize=16_384)
def find_consonants(name: str) -> str:
    """What both scripts write of a folded name."""
    if is_hebrew(name):
        return _DOUBLED.sub(r"\1", name.translate(_HEBREW))
    return _DOUBLED.sub(r"\1", spell_plainly(_SILENT.sub("", fold_name(name)))).replace("i", "")
