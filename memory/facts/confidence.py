"""How far a fact is believed: evidence adds, time takes away, and some things do not wear off. Pure.

confidence(t) = base x exp(-0.01 x days since the last evidence), about a tenth in ten days; evidence moves it by
c + step x (1 - c). The decay is computed from the base whenever it is asked for: written back each night it would
compound with itself.
"""

import math
from datetime import datetime
from typing import Final

DECAY_A_DAY: Final = 0.01
SECONDS_A_DAY: Final = 86_400.0
# Below this a fact is in no answer.
LEAST_USED: Final = 0.3

# How far one more mention moves the confidence: a person who says it again means it.
STEP_SAID_AGAIN: Final = 0.3
# What a person confirms by hand is believed outright.
CONFIRMED: Final = 1.0

# Without these a name told once at .9 would be gone in 110 days.
LASTING_RELATIONS: Final = frozenset(
    {"name", "surname", "nickname", "goes_by", "age", "birthday", "born_in", "blood_type", "native_language"}
    | {"allergic_to", "has_condition", "asked_to_remember", "style", "nationality", "religion", "diet", "takes"}
)
LASTING_CATEGORIES: Final = frozenset({"name", "family", "identity", "constraint"})


def is_lasting(relation: str, category: str, *, is_confirmed: bool, is_published: bool) -> bool:
    """Whether time takes nothing away: names, birth, kin, allergies, and what was confirmed or stands in the bank."""
    return is_confirmed or is_published or relation in LASTING_RELATIONS or category in LASTING_CATEGORIES


def decay_confidence(base: float, evidence_at: datetime, now: datetime) -> float:
    """The confidence at a time. Evidence of the future counts as of now."""
    days = max(0.0, (now - evidence_at).total_seconds() / SECONDS_A_DAY)
    return base * math.exp(-DECAY_A_DAY * days)


def add_support(confidence: float, step: float) -> float:
    """One more piece of evidence: c + step x (1 - c), which never reaches 1."""
    return confidence + step * (1.0 - confidence)
