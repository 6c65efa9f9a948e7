"""Fields in which a person and no assistant should decide: medicine, money, law. Pure.

The words stand in each language's `advice.txt`; they are matched in lower case with their accents.
"""

from __future__ import annotations

from typing import Final

from memory.language.phrases import compile_cue

SUBJECT: Final = "advice"
FIELDS: Final = {name: compile_cue(SUBJECT, name) for name in ("medical", "financial", "legal")}
# One word in passing is no matter: "I saw my lawyer at the party".
LEAST_WORDS: Final = 2


def find_advice(text: str) -> tuple[str, ...]:
    """The fields a text is about, by at least two different of their words."""
    lower = text.lower()
    return tuple(
        name for name, words in FIELDS.items() if len({match.group() for match in words.finditer(lower)}) >= LEAST_WORDS
    )
