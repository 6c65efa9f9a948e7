"""Who and what the last turns named, for clauses that go on about them."""

import re
from collections.abc import Iterable
from typing import Final

from memory.claims.objects import ARTICLES

NAME: Final = re.compile(r"(?<![\w])[^\W\d_a-zß-ÿ][^\W\d_]{2,}", re.UNICODE)
MOST: Final = 20
LAST_TURNS: Final = 6
READ_OF_TURN: Final = 1000
"""Mentions are looked for in the beginning of a turn: what stands further behind was pasted."""


def collect_mentions(previous: Iterable[str]) -> frozenset[str]:
    """The names in the last turns, in lower case: capitals behind the first word, or in Hebrew behind a word for kin."""
    found: dict[str, None] = {}
    for turn in list(previous)[-LAST_TURNS:]:
        for match in NAME.finditer(turn[:READ_OF_TURN]):
            word = match[0].casefold()
            if word not in ARTICLES and match[0][0].isupper():
                found[word] = None
    return frozenset(list(found)[-MOST:])
