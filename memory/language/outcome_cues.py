"""How somebody reacts to an answer: corrections, refusals, thanks, small talk. Pure.

The words stand in each language's `outcome_cues.txt`; they are matched in lower case with their accents.
"""

from __future__ import annotations

import re
from typing import Final

from memory.language.loader import collect_entries
from memory.language.phrases import compile_cue, join_phrases

SUBJECT: Final = "outcome_cues"

CORRECTION: Final = compile_cue(SUBJECT, "correction")
GRATITUDE: Final = compile_cue(SUBJECT, "gratitude")
# Thanks in advance, which say nothing about the answer before.
BEFOREHAND: Final = compile_cue(SUBJECT, "beforehand")
# A bare no: a correction, unless it answers a question.
REFUSAL: Final = re.compile(
    rf"^(?:{join_phrases(SUBJECT, 'refusal')})(?=[,.!:;]|\s+(?:{join_phrases(SUBJECT, 'after refusal')})\b)"
    rf"(?!\s*[,.!]?\s*(?:{join_phrases(SUBJECT, 'polite refusal')}))"
)
SMALL_TALK: Final = frozenset(collect_entries(SUBJECT, "small talk"))
