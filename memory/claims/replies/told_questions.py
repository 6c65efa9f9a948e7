"""A question as who is asked would say it: of "Do you have any pets?" "I have pets", of "Is Helen still your boss?" "my
boss is Helen"."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.claims.frames.places import is_known_place
from memory.claims.replies.answering import PLAIN, SUBJECT, WORD, is_within, spell_out
from memory.claims.slots.matching import load_small_words, load_words
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries

# Words before the question that only lead to it: "ok and", "so".
LEADING: Final = 3
# Before how a question would be told where only its denial tells anything.
DENIED: Final = "!"


@dataclass(frozen=True, slots=True)
class ToldQuestion:
    """A question as who is asked would say it, and the words it then begins with: "I have", of "I have pets"."""

    opening: str
    rest: str
    # "Are you still in Paris?": a yes may be a traveller's, a no names where the person lives.
    is_for_denial: bool = False

    @property
    def text(self) -> str:
        return f"{self.opening} {self.rest}".strip()


def word_as_told(asked: str, language: str) -> ToldQuestion | None:
    """A question as who is asked would say it: of "Do you have any pets?" "I have pets"; None for any other."""
    words = [match.group() for match in PLAIN.finditer(asked)]
    folded = [fold_letters(word) for word in words]
    if not load_words(language, "leaves open", SUBJECT).isdisjoint(folded):
        return None
    for opening, told in list_openings(language):
        size = len(opening)
        starts = (at for at in range(LEADING) if tuple(folded[at : at + size]) == opening)
        start = next(starts, None)
        if start is None or not all(is_within(word, load_small_words(language)) for word in words[:start]):
            continue
        loose = load_words(language, "loose", SUBJECT)
        rest = [word for word in words[start + size :] if fold_letters(word) not in loose]
        return word_opened(told, " ".join(rest)) if rest else None
    return word_of_others(asked, language)


def word_opened(told: str, rest: str) -> ToldQuestion:
    """ "¿Sigues en Soria?" asks for a home, "¿sigues en Bosch?" for work: the second wording is of what is no town."""
    home, mark, work = told.lstrip(DENIED).partition("|")
    return ToldQuestion(work if mark and not is_known_place(rest) else home, rest, told.startswith(DENIED))


def word_of_others(asked: str, language: str) -> ToldQuestion | None:
    """ "Is Helen still your boss?" as "my boss is Helen"."""
    spoken = " ".join(WORD.findall(asked))
    for pattern, told in list_patterns(language):
        if (found := pattern.fullmatch(spoken)) is not None:
            return ToldQuestion(told.replace("<a>", found["a"]).replace("<b>", found["b"]), "")
    return None


@cache
def list_patterns(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """What is asked of somebody else, by the words around two gaps, and how the person would say it."""
    pairs = (entry.partition(" > ") for entry in read_entries(language, SUBJECT, "as told of"))
    return tuple(
        (
            re.compile(
                re.escape(asks.strip()).replace("<a>", "(?P<a>.{2,40}?)").replace("<b>", "(?P<b>.{2,40})"),
                re.IGNORECASE,
            ),
            told.strip(),
        )
        for asks, _, told in pairs
    )


def addresses_person(asked: str, language: str) -> bool:
    """Whether a question is put to the person by its verb: "¿fumas?", "nimmst du noch etwas?"."""
    spoken = spell_out(asked)
    return any(f" {' '.join(opening)} " in spoken for opening, _ in list_openings(language) if len(opening) < LEADING)


@cache
def list_openings(language: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """How a question begins, and how who is asked would say it; the longest first."""
    pairs = (entry.partition(">") for entry in read_entries(language, SUBJECT, "as told"))
    found = [(tuple(fold_letters(word) for word in asks.split()), told.strip()) for asks, _, told in pairs]
    return tuple(sorted(found, key=lambda pair: -len(pair[0])))


def asks_still(asked: str, language: str) -> bool:
    return any(fold_letters(word) in load_words(language, "still", SUBJECT) for word in PLAIN.findall(asked))
