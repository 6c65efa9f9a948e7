"""What a turn tells as a whole, beside what it asks. Pure.

Many a change is told in no single clause: "can I still make the 8:05? it's half eight at the gym now, not six", "Got my
own place again!! It's in Ennis". Such a turn is held against what is known like a remark, and nothing by itself.
"""

import math
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.inner_dots import TITLE_DOT
from memory.claims.relations import ABOUT
from memory.claims.voices.others import mask_other_voices, speaks_for_others
from memory.facts.pairs.voice import SCALE, SUPPOSED, cut_questions, hear_voice
from memory.facts.profile.facts import ProfileFact
from memory.guard import judge_write
from memory.guard.annotation import annotate_text
from memory.guard.spelling import normalise_text
from memory.tiers import Trust

LONGEST: Final = 300
LEAST_CHARS: Final = 6
# As a logit, of a fifth: below it stand questions without their mark. Of 213 turns that replace something one does.
LEAST_TELLING: Final = math.log(0.2 / 0.8) / SCALE
ENDS: Final = (".", "!", "?", "…")
PARTING: Final = " .!?…,;:-–—"
MOST_WORDS_OF_ANSWER: Final = 6


def find_told_turn(message: str, asked: str = "", lead: str = "") -> ProfileFact | None:
    """None where the turn only asks, quotes or supposes, or goes on for longer than people speak.

    Where it answers in few words what was ``asked``, with that: "658" alone tells nothing. ``lead`` is the talk before.
    """
    if len(message) > 2 * LONGEST:
        return None
    spoken = " ".join(normalise_text(message).split())
    told = cut_questions(spoken)
    is_answer = bool(asked) and bool(told) and told.count(" ") < MOST_WORDS_OF_ANSWER
    if is_answer and lead:
        told = f"{cut_questions(' '.join(normalise_text(lead).split())).rstrip(PARTING)}. {told}".lstrip(". ")
    is_value = any(char.isdigit() for char in told)
    if not (len(told) >= LEAST_CHARS or (is_value and len(told) > 1)) or len(told) > LONGEST:
        return None
    if mask_other_voices(told).replace(TITLE_DOT, ".") != told:
        return None
    voice = hear_voice(told)
    is_own = voice.telling >= LEAST_TELLING and voice.kinds.isdisjoint(SUPPOSED)
    if not is_own or speaks_for_others(annotate_text(told)):
        return None
    told = f"{asked} {spoken}" if is_answer else told
    statement = told[:1].upper() + told[1:].rstrip(" ,;:-–—")
    statement = statement if statement.endswith(ENDS) else f"{statement}."
    if judge_write(statement, is_requested=True).refusal is not None:
        return None
    claim = Claim(SPEAKER, ABOUT, "", statement, (0, len(message)), is_remark=True, is_sure=True)
    return ProfileFact("identity", statement, "low", Trust.USER, (claim,), is_turn=True)
