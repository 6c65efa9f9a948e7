"""A word of a statement, in its meaning or its stems."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory.language.folding import fold_text
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.stems import stem_word

LEAST_PREFIX: Final = 5
LEAST_WHOLE: Final = 4
SHARE_OF_PREFIX: Final = 0.7
# Sounds that both scripts tell apart; h and w are written in one and not in the other.
HEBREW_SOUNDS: Final = dict(zip("בגדזחטכלמנספצקרשתךםןףץ", "bgdzhtklmnspzkrstkmnpz", strict=True)) | {"ח": ""}
LATIN_SOUNDS: Final = (
    *(("tz", "z"), ("ts", "z"), ("sh", "s"), ("ch", ""), ("ph", "p"), ("th", "t"), ("kh", "")),
    *(("f", "p"), ("v", "b"), ("q", "k"), ("c", "k"), ("x", "ks"), ("j", "g")),
)
CONSONANTS: Final = frozenset("bdgklmnprstz")


@dataclass(frozen=True, slots=True)
class PairWord:
    """A word of content. ``key`` is its meaning where one is known, else its stem; ``slots`` those it is a word of."""

    key: str
    forms: frozenset[str]
    is_name: bool = False
    slots: frozenset[str] = frozenset()
    is_marker: bool = False
    # Of something that happens once: to lose a glove and to lose a bet have nothing in common.
    is_chance: bool = False

    def meets(self, other: "PairWord") -> bool:
        if self.key == other.key or not self.forms.isdisjoint(other.forms):
            return True
        return self._begins_like(other) or self._sounds_like(other)

    def _sounds_like(self, other: "PairWord") -> bool:
        """One name in two scripts: "Haifa", "חיפה". Vowels are not compared, as Hebrew does not write them."""
        if self.is_name == other.is_name or self.key.isascii() == other.key.isascii():
            return False
        return not list_skeletons(self.forms).isdisjoint(list_skeletons(other.forms))

    def _begins_like(self, other: "PairWord") -> bool:
        """Words of one root: "allergic" and "allergy" do not part before the fifth letter."""
        one, two = self.key, other.key
        shorter = min(len(one), len(two))
        if self.is_name != other.is_name:
            return False
        if shorter >= LEAST_WHOLE and (one.startswith(two) or two.startswith(one)):
            return not (self.is_name or other.is_name)
        if shorter < LEAST_PREFIX:
            return False
        same = next((at for at in range(shorter) if one[at] != two[at]), shorter)
        return same >= max(LEAST_PREFIX, SHARE_OF_PREFIX * shorter)


def find_shared_words(words: Sequence[PairWord], others: Sequence[PairWord]) -> tuple[PairWord, ...]:
    """The words that meet any of the others, apart from what happens once."""
    return tuple(one for one in words if not one.is_chance and any(one.meets(other) for other in others))


@lru_cache(maxsize=8192)
def list_skeletons(forms: frozenset[str]) -> frozenset[str]:
    """The consonants of a word in each of its forms, in Latin letters; of two or more only."""
    found = (spell_skeleton(strip_mark(form)) for form in forms)
    return frozenset(skeleton for skeleton in found if len(skeleton) > 1)


def spell_skeleton(word: str) -> str:
    if is_hebrew(word):
        return "".join(HEBREW_SOUNDS.get(letter, "") for letter in word)
    for letters, sound in LATIN_SOUNDS:
        word = word.replace(letters, sound)
    return "".join(letter for letter in word if letter in CONSONANTS)


@lru_cache(maxsize=65_536)
def form_stems(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    plain = word.casefold()
    if is_hebrew(fold_text(plain)):
        return list_hebrew_readings(fold_text(plain))
    return tuple(dict.fromkeys(stem for code in languages for stem in stem_word(plain, code)))


def strip_mark(stem: str) -> str:
    return re.sub(r"^[a-z]{2}:", "", stem)
