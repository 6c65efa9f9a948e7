"""The further languages that somebody says they speak: "hablo inglés y un poco de alemán"."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from memory.claims.slots.matching import SlotMatch, load_small_words, load_words
from memory.guard.spelling import fold_letters

SPEAKS: Final = "speaks"
# Of a list: words from one language to the next, and what ends it.
MOST_BETWEEN: Final = 4
SPOKEN: Final = re.compile(r"[^\W_]+|[.;:!?()]")


def list_tongues(raw: str, language: str, first: SlotMatch) -> Iterator[SlotMatch]:
    """Those behind the first, with nothing between but small words: "inglés y estudio alemán" tells one."""
    tongues = load_words(language, "language word")
    between = load_words(language, "joint").union(
        load_small_words(language), *(load_words(language, kind, "frames") for kind in ("adv", "degree", "of", "one"))
    )
    denied = load_words(language, "denial")
    passed = 0
    for word in SPOKEN.finditer(raw, first.object_span[1]):
        plain = fold_letters(word[0])
        if plain in tongues:
            # "Un poco de alemán" says nothing without its verb.
            yield replace(first, object=word[0].casefold(), end=word.end(), object_span=word.span())
            passed = 0
            continue
        passed += 1
        if passed > MOST_BETWEEN or plain not in between or plain in denied:
            return
