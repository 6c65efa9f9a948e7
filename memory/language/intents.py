"""What a question asks for: who, when, why, a way to do something, everything there is. Pure.

The words stand in each language's `intents.txt`. Patterns are matched against folded text (`folding.fold_text`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from memory.language.loader import collect_entries
from memory.language.phrases import compile_cue, compile_opening, join_patterns, join_phrases

SUBJECT: Final = "intents"

ASKS_WHEN: Final = compile_opening(SUBJECT, "when", before="before when")
ASKS_NAME: Final = compile_opening(SUBJECT, "name", before="before name")
# For what is so, with nothing to choose: "where do I live?", "when is her birthday?", "what is my sister called?".
ASKS_FACT: Final = compile_opening(SUBJECT, "fact", before="before asking")
ASKS_WHY: Final = compile_opening(SUBJECT, "why", before="before why")
ASKS_AMOUNT: Final = compile_cue(SUBJECT, "amount")
ASKS_FAILURE: Final = compile_cue(SUBJECT, "failure")
WANTS_ALL: Final = compile_cue(SUBJECT, "all")
WANTS_SOME: Final = compile_cue(SUBJECT, "some")
# Asks for a way that anybody may go, which is not about the user.
HOW_ANYBODY: Final = compile_opening(SUBJECT, "how anybody")
# Asks for a way to do something or for a reason.
ASKS_HOW: Final = compile_cue(SUBJECT, "how")
# Work to do rather than something to know; several of these make a large task.
WORK: Final = compile_cue(SUBJECT, "work")

_ASKING: Final = join_phrases(SUBJECT, "asks")
_ACCENTED: Final = str.maketrans({"a": "[aáàâã]", "e": "[eéèê]", "i": "[iíìî]", "o": "[oóòôõ]", "u": "[uúùû]"})
BETWEEN_QUESTIONS: Final = re.compile(
    # Matched as written, because the text is cut there: hence the accents.
    # Blanks are tried once for each run of them: tried from every one, 30,000 tabs took 55 seconds.
    rf"(?<=[?])\s++(?=\S)|(?:(?:[,;]\s++|(?<!\s)\s++)(?:{join_phrases(SUBJECT, 'and')})|;)\s++¿?"
    rf"(?=(?:{'|'.join(word.translate(_ACCENTED) for word in collect_entries(SUBJECT, 'asks'))})\b)|"
    rf"(?<!\s)\s++ו(?=(?:{_ASKING})\b)",
    re.IGNORECASE,
)
OPENS_ASKING: Final = re.compile(
    "|".join(
        [
            rf"^\W*+(?:(?:{join_phrases(SUBJECT, 'before asking')}) )?"
            rf"(?:{_ASKING}|{join_phrases(SUBJECT, 'opens asking')})\b",
            *join_patterns(SUBJECT, "opens asking"),
        ]
    )
)
REPORTED_QUESTION: Final = re.compile(
    "|".join(
        [
            rf"\b(?:{join_phrases(SUBJECT, 'reports asking')}) (?:\w+ ){{0,2}}?"
            rf"(?:{_ASKING}|{join_phrases(SUBJECT, 'whether')})\b",
            *join_patterns(SUBJECT, "reports asking"),
        ]
    )
)
# One of these is in whatever the pattern finds; to look for them takes a tenth of the time.
_STEMS_OF_ASKING: Final = collect_entries(SUBJECT, "reports asking stems")


@lru_cache(maxsize=16_384)
def is_heading(bare: str) -> bool:
    """Whether a folded text begins as questions do without being one."""
    return OPENS_ASKING.search(bare) is not None and not bare.rstrip().endswith("?")


@lru_cache(maxsize=16_384)
def is_reported_question(bare: str) -> bool:
    """Whether a folded text tells that somebody asked. Read for every candidate of every search, hence remembered."""
    return any(stem in bare for stem in _STEMS_OF_ASKING) and REPORTED_QUESTION.search(bare) is not None
