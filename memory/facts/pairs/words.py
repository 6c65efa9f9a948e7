"""A word of a statement, in its meaning or its stems."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory.language.folding import fold_text
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.stems import stem_word

LEAST_PREFIX: Final = 5
SHARE_OF_PREFIX: Final = 0.7


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
        return self.key == other.key or not self.forms.isdisjoint(other.forms) or self._begins_like(other)

    def _begins_like(self, other: "PairWord") -> bool:
        """Words of one root: "allergic" and "allergy" do not part before the fifth letter."""
        one, two = self.key, other.key
        shorter = min(len(one), len(two))
        if shorter < LEAST_PREFIX or self.is_name != other.is_name:
            return False
        same = next((at for at in range(shorter) if one[at] != two[at]), shorter)
        return same >= max(LEAST_PREFIX, SHARE_OF_PREFIX * shorter)


@lru_cache(maxsize=65_536)
def form_stems(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    plain = word.casefold()
    if is_hebrew(fold_text(plain)):
        return list_hebrew_readings(fold_text(plain))
    return tuple(dict.fromkeys(stem for code in languages for stem in stem_word(plain, code)))


def strip_mark(stem: str) -> str:
    return re.sub(r"^[a-z]{2}:", "", stem)
