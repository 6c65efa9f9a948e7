"""Implicit signals in what a user says next: thanks, corrections, repeated questions. Pure: text in, cues out.

Cues are only looked for at the start of a message, where people react before they go on. An ambiguous cue is read as
the more negative one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.language import extract_terms
from memory.language.outcome_cues import BEFOREHAND, CORRECTION, GRATITUDE, REFUSAL, SMALL_TALK

THANKS = "thanks"
CORRECTS = "corrects"
REPEATS = "repeats"

# Characters at the start of a message that are searched for a reaction.
OPENING = 160
LONGEST_EVIDENCE = 200
# Share of words two messages have in common from which the later one asks again.
SAME_QUESTION = 0.7
FEWEST_WORDS = 2

LONGEST_SMALL_TALK = 8
APOSTROPHES = str.maketrans("’‘´", "'''")
WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
MARKS = str.maketrans("’‘´üáàíìç", "'''uaaiic")


@dataclass(frozen=True, slots=True)
class OutcomeCue:
    """``back`` says how many messages back the thing it is about lies: 0 for the last one."""

    kind: str
    evidence: str
    back: int = 0


def find_cues(message: str, before: Sequence[str], answer: str = "") -> list[OutcomeCue]:
    """The cues in a message about the answers before it.

    ``before`` are the user's own earlier messages, newest first, ``answer`` is what the message reacts to.
    """
    if not before:
        return []
    found: list[OutcomeCue] = []
    opening = message.translate(APOSTROPHES).strip()[:OPENING].casefold()
    questioned = answer.rstrip().endswith(("?", "؟"))
    if wrong := CORRECTION.search(opening) or (None if questioned else REFUSAL.search(opening)):
        found.append(OutcomeCue(CORRECTS, wrong[0].strip()))
    elif (glad := GRATITUDE.search(opening)) and not BEFOREHAND.search(opening):
        found.append(OutcomeCue(THANKS, glad[0].strip()))
    if not is_small_talk(message) and (again := find_repeated_question(message, before)) is not None:
        found.append(OutcomeCue(REPEATS, before[again][:LONGEST_EVIDENCE], again))
    return found


def find_repeated_question(message: str, before: Sequence[str]) -> int | None:
    """The position of the latest earlier message that asked the same."""
    terms = set(extract_terms(message[:2_000]))
    if len(terms) < FEWEST_WORDS:
        return None
    for back, earlier in enumerate(before):
        words = set(extract_terms(earlier[:2_000]))
        if words and len(terms & words) / len(terms | words) >= SAME_QUESTION:
            return back
    return None


def is_small_talk(message: str) -> bool:
    """Whether it is a greeting, thanks or an acknowledgement, which needs no outcome."""
    words = [word.translate(MARKS) for word in WORD.findall(message.casefold().translate(MARKS))]
    return len(words) <= LONGEST_SMALL_TALK and all(word in SMALL_TALK for word in words)
