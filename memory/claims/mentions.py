"""Who and what the last turns named, for clauses that go on about them."""

import re
from collections.abc import Iterable
from typing import Final

from memory.claims.clauses.objects import ARTICLES
from memory.language.names import load_given_names

# Names are written without capitals as often as with them: the length of a word has to do.
WORD: Final = re.compile(r"[^\W\d_]{4,40}")
MOST: Final = 60
LAST_TURNS: Final = 6
# Mentions are looked for in the beginning of a turn: what stands further behind was pasted.
READ_OF_TURN: Final = 1000


def collect_mentions(previous: Iterable[str]) -> frozenset[str]:
    """The names and longer words of the last turns, in lower case."""
    found: dict[str, None] = {}
    for turn in list(previous)[-LAST_TURNS:]:
        for match in WORD.finditer(turn[:READ_OF_TURN]):
            found[match[0].casefold()] = None
    return frozenset(list(found)[-MOST:]) - ARTICLES


def is_person_name(word: str, mentions: frozenset[str]) -> bool:
    """Whether a word is a given name, or was named before."""
    return word in mentions or word in load_given_names()
