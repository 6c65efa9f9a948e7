"""The words around a secret, of all languages (`memory/language/<code>/secrets.txt`), and where they stand in a text.

A text is read once, word by word: each word is looked up, and the longest entry that begins with it is its label. All
languages count at once, since people mix them ("la password del wifi") and one sentence is too short to tell.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from memory.language.folding import strip_accents
from memory.language.hebrew import PARTICLES, has_hebrew
from memory.language.loader import SHARED, list_codes, read_entries

SUBJECT: Final = "secrets"
# Kinds that name something secret or open something; a text with none of their words is not read further.
CUES: Final = (
    *("password", "passphrase", "seed phrase", "recovery code", "pin", "code", "door code", "keypad", "lock", "wifi"),
    *("key", "security code", "national number", "api key", "login", "card number", "account"),
    *("one time code", "security answer", "loose name", "harmless name"),
    *("confirmation", "unlocking", "wallet", "service"),
)
# Of several kinds of one word the first counts: "passcode" is a password before it is a code.
WORD: Final = re.compile(r"[^\W_]+")
MOST_PARTICLES, SHORTEST_STEM = 3, 2
# Characters around a lock or a login in which what opens it is looked for.
REACH: Final = 70
ONE_LETTER: Final = str.maketrans("İıßøłđħæœðþ", "iisoldhaodt")


@dataclass(frozen=True, slots=True)
class CueLabel:
    """A word or phrase of a kind, at ``start`` to ``end``. Its secret stands before ``stop``: there the next begins.

    Without that bound, 32 KB of "password is password is ..." took half a second.
    """

    kind: str
    start: int
    end: int
    stop: int


@cache
def load_words(kind: str) -> frozenset[str]:
    """The entries of a kind in all languages, folded."""
    return frozenset(
        fold_phrase(entry) for code in (*list_codes(), SHARED) for entry in read_entries(code, SUBJECT, kind)
    )


# The kinds of a phrase by its words behind the first.
Continuations = dict[tuple[str, ...], list[str]]


@cache
def load_initials() -> frozenset[str]:
    """Entries that are written in capitals, folded: in small letters they are words of another kind, as "TAN" is."""
    codes = (*list_codes(), SHARED)
    entries = (entry for code in codes for kind in CUES for entry in read_entries(code, SUBJECT, kind))
    return frozenset(fold_phrase(entry) for entry in entries if entry.isupper() and entry.isascii())


@cache
def load_phrases() -> dict[str, tuple[tuple[int, Continuations], ...]]:
    """Entries by their first word and by how many they are, the longest first.

    Looked up and not compared: of "code" alone thirty phrases begin, and 32 KB of it took 90 ms.
    """
    found: dict[str, dict[int, Continuations]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for kind in CUES:
        for entry in load_words(kind):
            words = tuple(WORD.findall(entry))
            if words and not entry.startswith("*"):
                found[words[0]][len(words)][words[1:]].append(kind)
    return {first: tuple(sorted(by_length.items(), reverse=True)) for first, by_length in found.items()}


@cache
def load_endings() -> tuple[tuple[str, str], ...]:
    """Endings of compounds by kind: "Netflixpasswort" is a password, "Haustürcode" opens a door."""
    return tuple((entry[1:], kind) for kind in CUES for entry in sorted(load_words(kind)) if entry.startswith("*"))


@lru_cache(maxsize=8192)
def fold_phrase(entry: str) -> str:
    if len(entry) == 1:
        return entry.lower()
    star = "*" if entry.startswith("*") else ""
    return star + " ".join(WORD.findall(fold_letters(entry)))


def fold_letters(text: str) -> str:
    """In lower case and without accents, letter for letter: places in it are places in the text."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    if len(lowered) != len(text):
        lowered = "".join(char if len(char.lower()) != 1 else char.lower() for char in text)
    return lowered.translate(FOLDED)


class FoldedLetters(dict[int, str]):
    """The bare letter of each, looked up once: letter by letter a text took as long as all its words."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        bare = char if char.isascii() else strip_accents(char.translate(ONE_LETTER))
        self[code] = bare if len(bare) == 1 else char
        return self[code]


FOLDED: Final = FoldedLetters()


# "passwd.txt" says which file, and nothing of what stands in the sentence; but "passwd.txt: sunflower7" does.
FILE_ENDING: Final = re.compile(
    r"\.(?:txt|md|rst|pdf|docx?|odt|rtf|xlsx?|ods|csv|tsv|json|xml|html?|ya?ml|toml|ini|cfg|conf|log|kdbx|zip|png|jpe?g"
    r"|py|js|ts|sh)\b(?!\s*[:=]\s*\S+[^\S\n]*(?:\n|\Z))"
)


class CueReading:
    """A text with its words and the labels among them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold_letters(text)
        self._words = [(match[0], match.start(), match.end()) for match in WORD.finditer(self.folded)]
        self.labels = list(set_bounds(self._label_words(), len(text)))
        self.starts = [label.start for label in self.labels]
        self._places = {
            kind: [label.start for label in self.labels if label.kind == kind]
            for kind in {one.kind for one in self.labels}
        }

    def _label_words(self) -> Iterator[tuple[str, int, int]]:
        phrases, endings = load_phrases(), load_endings()
        last_letters = tuple(ending for ending, _ in endings)
        places = [(start, end) for _, start, end in self._words]
        words = [word for word, _, _ in self._words]
        passed = 0
        for at, word in enumerate(words):
            if at < passed:
                continue
            found = None
            for form in (word,) if word.isascii() else strip_particles(word):
                if (lengths := phrases.get(form)) and (found := match_phrase(lengths, words, at)):
                    break
            if found:
                passed = at + found[0]
                start, stop = places[at][0], places[passed - 1][1]
                if FILE_ENDING.match(self.folded, stop) or self._is_other_word(start, stop):
                    continue
                yield from ((kind, start, stop) for kind in found[1])
            elif word.endswith(last_letters) and not FILE_ENDING.match(self.folded, places[at][1]):
                yield next(kind for ending, kind in endings if word.endswith(ending)), *places[at]

    def _is_other_word(self, start: int, stop: int) -> bool:
        """ "TAN" is a code and "tan" the colour that somebody comes home with."""
        return self.folded[start:stop] in load_initials() and not self.text[start:stop].isupper()

    def list_numbers(self, number_words: frozenset[str]) -> Iterator[int]:
        """Where a number begins, in digits or in words."""
        return (start for word, start, _ in self._words if word[0].isdigit() or word in number_words)

    def has_near(self, kind: str, start: int, end: int, reach: int = 60) -> bool:
        """Whether a word of the kind begins at most ``reach`` characters around a place, in the same line."""
        places = self._places.get(kind, ())
        at = bisect_left(places, start - reach)
        while at < len(places) and places[at] <= end + reach:
            first, last = sorted((places[at], start))
            if "\n" not in self.text[first:last]:
                return True
            at += 1
        return False


def set_bounds(found: Iterable[tuple[str, int, int]], end: int) -> Iterator[CueLabel]:
    next_of: dict[str, int] = {}
    labels = []
    for kind, start, after in reversed(list(found)):
        labels.append(CueLabel(kind, start, after, next_of.get(kind, end)))
        next_of[kind] = start
    return reversed(labels)


def strip_particles(word: str) -> Iterator[str]:
    """The word; a Hebrew one also without the particles written in front of it."""
    yield word
    if not has_hebrew(word[:1]):
        return
    for cut in range(1, MOST_PARTICLES + 1):
        if word[cut - 1 : cut] not in PARTICLES or len(word) - cut < SHORTEST_STEM:
            return
        yield word[cut:]


def match_phrase(
    lengths: tuple[tuple[int, Continuations], ...], words: list[str], at: int
) -> tuple[int, list[str]] | None:
    """How many words the longest entry takes that begins here, and its kinds."""
    for length, continuations in lengths:
        if kinds := continuations.get(tuple(words[at + 1 : at + length])):
            return length, kinds
    return None
