"""The words of one clause, and which of them are a name."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.claims.frames.tokens import HotToken
from memory.claims.frames.words import HotWords
from memory.claims.inner_dots import TITLE_DOT
from memory.language.loader import read_entries
from memory.language.names import load_given_names

PRONOUNS: Final = ("i", "he", "she", "they", "it", "there")
VERBS_ONLY: Final = ("be 1", "be 3", "have 1", "have 3")
SMALL: Final = ("greets", "prep", "conj", "but", "sub", "if", "that", "rel", "not", "adv", "clitic", "time", "wh")
STOPS: Final = (*SMALL, *VERBS_ONLY, *PRONOUNS, "named", "verb", "frame", "modal")
# Words of a name, and those that may stand within one.
LONGEST_NAME: Final = 4
# Characters behind a name in which an age may follow.
AGE_REACH: Final = 40
WITHIN_NAMES: Final = frozenset({"de", "del", "la", "van", "von", "der", "di", "da", "."})


@dataclass(frozen=True, slots=True)
class ClauseWords:
    """``has_capitals``: the turn marks its names by capitals."""

    text: str
    tokens: Sequence[HotToken]
    words: HotWords
    has_capitals: bool
    known_names: frozenset[str] = frozenset()

    def cut(self, start: int, end: int) -> str:
        if start >= end:
            return ""
        raw = self.text[self.tokens[start].start : self.tokens[end - 1].end]
        return " ".join(raw.casefold().replace("’", "'").replace(TITLE_DOT, ".").split())

    def is_name_at(self, at: int) -> bool:
        """Whether a word may be one of a name."""
        token = self.tokens[at]
        if token.is_mark or not token.text[0].isalpha():
            return False
        if token.has("title") and at + 1 < len(self.tokens):
            return True
        if self.has_capitals:
            return token.is_capital and not (token.classes - {"verb", "frame", "prep"} and at == 0)
        return not token.classes and token.plain.replace("-", " ") not in self.words.nouns

    def is_sure_name_at(self, at: int) -> bool:
        token = self.tokens[at]
        if token.plain in load_given_names() or token.text in self.known_names:
            return not token.has(*STOPS) or token.is_capital
        return self.has_capitals and self.is_name_at(at) and (self.words.language != "de" or at > 0)

    def measure_called(self, at: int, end: int) -> int:
        """How many words at a place say that a name follows: "by the name of", "di nome"; none where they do not."""
        for phrase in load_called_phrases(self.words.language):
            if tuple(token.text for token in self.tokens[at : min(end, at + len(phrase))]) == phrase:
                return len(phrase)
        return 0

    def goes_on_with_age(self, at: int) -> bool:
        """ "Sono ermanno ho quarant'anni": who says how old they are has said their name before."""
        end = self.tokens[at - 1].end if at else 0
        behind = self.text[end : end + AGE_REACH].casefold().replace("'", " ").split()
        units = read_entries(self.words.language, "frames", "age unit")
        return any(word.strip(".,;!") in units for word in behind)

    def find_name_end(self, at: int, end: int) -> int:
        """Where the name that begins at a place ends; the place itself for none."""
        place = at
        while place < min(end, at + LONGEST_NAME):
            if self.is_name_at(place):
                place += 1
            elif place > at and self.tokens[place].text in WITHIN_NAMES:
                if place + 1 < end and self.is_name_at(place + 1):
                    place += 2
                else:
                    break
            else:
                break
            # Without capitals the second word of a name must be one that is known as no other.
            if not self.has_capitals and place - at >= 1 and not self.goes_on_naming(place, end):
                break
        return place

    def goes_on_naming(self, place: int, end: int) -> bool:
        return place < end and self.is_name_at(place) and self.tokens[place - 1].plain in load_given_names()


@cache
def load_called_phrases(language: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(phrase.split()) for phrase in read_entries(language, "frames", "called by"))
