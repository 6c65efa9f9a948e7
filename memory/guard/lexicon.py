"""The words the guard knows, by language and by what they do in a sentence, and how they are found in a text."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

from memory.guard.spelling import fold_letters, normalise_text
from memory.guard.words import list_kinds
from memory.language.hebrew import PARTICLES, has_hebrew
from memory.language.kin import list_close_people
from memory.language.loader import SHARED, list_codes, read_entries, read_sections

# The language of words that count whatever the text is written in.
FOREIGN = SHARED
WORD = re.compile(r"[^\W_]+|->|[:=]|\ue000")
MOST_PARTICLES = 3
SHORTEST_STEM = 3


@dataclass(frozen=True, slots=True)
class LexiconToken:
    """One word of an entry. ``is_open``: it may go on, ``is_end``: begin otherwise; ``is_exact``: accents count."""

    text: str
    is_open: bool = False
    is_end: bool = False
    is_exact: bool = False

    def fits(self, word: str, forms: tuple[str, ...]) -> bool:
        if self.is_exact:
            return word == self.text
        if self.is_end:
            return len(word) > len(self.text) and forms[0].endswith(self.text)
        if self.is_open:
            return any(form.startswith(self.text) for form in forms)
        return self.text in forms


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """Words that stand one after another. ``anchor`` is the place of the longest among them, by which it is found."""

    kind: str
    language: str
    parts: tuple[LexiconToken, ...]
    anchor: int

    def fits(self, words: tuple[str, ...], place: int) -> bool:
        """Whether the words from a place on are this entry; the one at its anchor is known to be."""
        return place + len(self.parts) <= len(words) and all(
            at == self.anchor or part.fits(words[place + at], expand_forms(words[place + at]))
            for at, part in enumerate(self.parts)
        )


class Lexicon:
    """Entries by their longest word: small words begin hundreds of them.

    Words come back in every text, so what is found for one is kept: a statement is read in half a millisecond.
    """

    def __init__(self, *sources: Iterable[LexiconEntry]) -> None:
        self._whole: dict[str, list[LexiconEntry]] = defaultdict(list)
        self._open: dict[str, list[LexiconEntry]] = defaultdict(list)
        self._ends: dict[str, list[LexiconEntry]] = defaultdict(list)
        for entry in chain.from_iterable(sources):
            part = entry.parts[entry.anchor]
            index = self._ends if part.is_end else self._open if part.is_open else self._whole
            index[fold_letters(part.text)].append(entry)
        self._lengths = sorted({len(text) for text in self._open})
        self._end_lengths = sorted({len(text) for text in self._ends})
        self.find_anchored = lru_cache(maxsize=8192)(self._find_anchored)

    def _find_anchored(self, word: str) -> tuple[LexiconEntry, ...]:
        """Entries whose longest word this is; ``word`` in lower case, with its accents."""
        # A dict and no set: entries in one order, so that features and reasons are the same in every process.
        found: dict[LexiconEntry, None] = {}
        for form in expand_forms(word):
            found.update(dict.fromkeys(self._whole.get(form, ())))
            for length in self._lengths:
                if length > len(form):
                    break
                found.update(dict.fromkeys(self._open.get(form[:length], ())))
        for length in self._end_lengths:
            found.update(dict.fromkeys(self._ends.get(fold_letters(word)[-length:], ())))
        return tuple(entry for entry in found if entry.parts[entry.anchor].fits(word, expand_forms(word)))


@lru_cache(maxsize=8192)
def expand_forms(word: str) -> tuple[str, ...]:
    """The bare word; a Hebrew one also without the particles written in front of it."""
    plain = fold_letters(word)
    if not has_hebrew(plain[:1]):
        return (plain,)
    forms = [plain]
    # A stem of three letters at least, or half the language would begin with a particle.
    for cut in range(1, MOST_PARTICLES + 1):
        if plain[cut - 1 : cut] not in PARTICLES or len(plain) - cut < SHORTEST_STEM:
            break
        forms.append(plain[cut:])
    return tuple(forms)


@cache
def load_lexicon() -> Lexicon:
    return Lexicon(read_guard_entries())


def read_guard_entries() -> Iterator[LexiconEntry]:
    for kind, language, texts in list_kinds():
        yield from build_entries(kind, language, texts)
    # Who is close to a person is a subject of its own; questions and the profile read it too.
    for language in list_codes():
        yield from build_entries("kin", language, list_close_people(language))


def read_subject_entries(subject: str) -> Iterator[LexiconEntry]:
    """The entries of a subject in the folders of all languages: a section is a kind of words."""
    for language in list_codes():
        for kind in read_sections(language, subject):
            yield from build_entries(kind, language, read_entries(language, subject, kind))


def build_entries(kind: str, language: str, texts: Iterable[str]) -> Iterator[LexiconEntry]:
    return (build_entry(kind, language, parse_tokens(text)) for text in texts)


def build_entry(kind: str, language: str, parts: tuple[LexiconToken, ...]) -> LexiconEntry:
    return LexiconEntry(kind, language, parts, max(range(len(parts)), key=lambda place: len(parts[place].text)))


@cache
def plain_token(word: str) -> LexiconToken:
    """Most words are like that and come back: 24,000 stand 156,000 times, with 7 MB and a tenth of a second of CPU."""
    return LexiconToken(fold_letters(word))


def parse_tokens(text: str) -> tuple[LexiconToken, ...]:
    parts: list[LexiconToken] = []
    for piece in normalise_text(text).casefold().split():
        is_exact = piece.startswith("=") and len(piece) > 1
        words = WORD.findall(piece.lstrip("=") if is_exact else piece)
        if is_exact:
            parts += [LexiconToken(word, is_exact=True) for word in words]
            continue
        is_open, is_end = piece.endswith("*"), piece.startswith("*") and len(piece) > 1
        last = len(words) - 1
        parts += [
            LexiconToken(fold_letters(word), is_open=is_open and n == last, is_end=is_end)
            if is_open or is_end
            else plain_token(word)
            for n, word in enumerate(words)
        ]
        # A star alone stands for any word: "better * on the market".
        if not words and is_open:
            parts.append(LexiconToken("", is_open=True))
    return tuple(parts)
