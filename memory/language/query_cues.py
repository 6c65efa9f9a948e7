"""What a question or a memory speaks of besides its subject: the latest, the user, what is not, where it is written.

The words stand in each language's `query_cues.txt`. Patterns are matched against folded text (`folding.fold_text`).
Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from memory.language.loader import collect_entries
from memory.language.phrases import compile_cue, compile_opening, join_patterns, join_phrases

SUBJECT: Final = "query_cues"

LATEST: Final = compile_cue(SUBJECT, "latest")
NEWEST_WORDS: Final = compile_cue(SUBJECT, "newest words")
NAMING_WORDS: Final = compile_cue(SUBJECT, "naming words")
EARLIER: Final = compile_cue(SUBJECT, "earlier")
CHANGED: Final = compile_cue(SUBJECT, "changed")

ABOUT_ME: Final = compile_cue(SUBJECT, "me")
THE_USER: Final = compile_cue(SUBJECT, "the user")
WHO_AM_I: Final = compile_cue(SUBJECT, "who am i")
PAST_DEED: Final = compile_cue(SUBJECT, "past deed")
USER_WORDS: Final = frozenset(collect_entries(SUBJECT, "user"))
SAYS_I: Final = re.compile(
    rf"\b(?:{join_phrases(SUBJECT, 'says i')})\b|"
    rf"\b(?:{join_phrases(SUBJECT, 'asks what i')})(?: \w+)? (?:{join_phrases(SUBJECT, 'says i at the end')})\W*+$"
)
QUALIFIED_NAME: Final = re.compile(
    # Matched as written: a name is told by its capital.
    "|".join(
        [
            rf"\b[A-ZÀ-Þ]\w+,? (?:(?:{join_phrases(SUBJECT, 'articles before')}) )?(?:{join_phrases(SUBJECT, 'of')}) "
            rf"(?:(?:{join_phrases(SUBJECT, 'articles after')}) )?\w",
            *join_patterns(SUBJECT, "of"),
        ]
    )
)

NEGATED: Final = compile_cue(SUBJECT, "negated")
UNDONE: Final = compile_cue(SUBJECT, "undone")
UNABLE: Final = compile_cue(SUBJECT, "unable")

OPENS_REQUEST: Final = compile_opening(SUBJECT, "requests")
SAID_BY_ASSISTANT: Final = compile_cue(SUBJECT, "said by the assistant")

IN_BOOKS: Final = compile_cue(SUBJECT, "books")
OWN_VIEW: Final = compile_cue(SUBJECT, "own view")
# Forms of "is" that introduce somebody: "Mercury is the parrot".
COPULAS: Final = frozenset(collect_entries(SUBJECT, "is"))


# Each read for every candidate of every search, hence remembered: 4 to 7 µs a text without.
@lru_cache(maxsize=16_384)
def tells_change(bare: str) -> bool:
    """Whether a folded text says that something is not as it was."""
    return CHANGED.search(bare) is not None


@lru_cache(maxsize=16_384)
def names_user(bare: str) -> bool:
    """Whether a folded text is about "the user"."""
    return THE_USER.search(bare) is not None


@lru_cache(maxsize=16_384)
def tells_what_is_not(bare: str) -> bool:
    """Whether a folded text says what is not or cannot be."""
    return NEGATED.search(bare) is not None or UNABLE.search(bare) is not None
