"""Words that tell what kind of work a message asks for. Pure.

They stand in each language's `context_types.txt`: a section for each kind, a + before a word that counts double.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memory.language.loader import list_codes, read_entries, read_sections
from memory.language.phrases import compile_cue

SUBJECT: Final = "context_types"
FAILING_SECTION: Final = "failing"
# Says that something does not do what it should.
FAILING: Final = compile_cue(SUBJECT, FAILING_SECTION)


def list_context_words() -> Iterator[tuple[str, str, str, float]]:
    """Kind of work, language, word and weight of each word."""
    for language in list_codes():
        for kind in read_sections(language, SUBJECT):
            if kind == FAILING_SECTION:
                continue
            for word in read_entries(language, SUBJECT, kind):
                yield kind.replace(" ", "_"), language, word.lstrip("+"), 2.0 if word.startswith("+") else 1.0
