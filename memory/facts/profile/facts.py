"""The kinds of profile facts and their importance."""

from dataclasses import dataclass
from typing import Final, Literal

from memory.claims.claim import Claim
from memory.tiers import Trust

ProfileField = Literal[
    "name",
    "identity",
    "goals",
    "learning_goals",
    "short_term_goals",
    "long_term_goals",
    "skills",
    "technical_skills",
    "creative_skills",
    "interpersonal_skills",
    "values",
    "interests",
    "preferences",
    "projects",
    "challenges",
    "work_context",
    "colleagues",
    "family",
    "communication_style",
]
Confidence = Literal["high", "medium", "low"]
# "fair" is for words that name no relation: kept, and ranked as what was said rather than as a statement of fact.
Certainty = Literal["high", "medium", "fair", "low"]

DEFAULT_IMPORTANCE: Final = 0.6
# Other fields have DEFAULT_IMPORTANCE.
IMPORTANCE: Final[dict[ProfileField, float]] = {
    "name": 0.95,
    "identity": 0.9,
    "goals": 0.85,
    "learning_goals": 0.85,
    "short_term_goals": 0.85,
    "long_term_goals": 0.85,
    "projects": 0.8,
    "skills": 0.75,
    "technical_skills": 0.75,
    "creative_skills": 0.75,
    "interpersonal_skills": 0.75,
    "preferences": 0.7,
    "challenges": 0.7,
    "work_context": 0.65,
}
CONFIDENCE: Final[dict[Certainty, float]] = {"high": 0.9, "medium": 0.7, "fair": 0.6, "low": 0.4}

TAGS: Final[dict[ProfileField, tuple[str, ...]]] = {
    "name": ("identity", "name"),
    "identity": ("identity",),
    "goals": ("goal",),
    "learning_goals": ("goal", "learning"),
    "short_term_goals": ("goal", "short_term"),
    "long_term_goals": ("goal", "long_term"),
    "skills": ("identity", "skill"),
    "technical_skills": ("identity", "skill", "technical"),
    "creative_skills": ("identity", "skill", "creative"),
    "interpersonal_skills": ("identity", "skill", "interpersonal"),
    "values": ("preference", "value"),
    "interests": ("preference", "interest"),
    "preferences": ("preference",),
    "projects": ("project",),
    "challenges": ("context", "challenge"),
    "work_context": ("identity", "work"),
    "colleagues": ("context", "colleague"),
    "family": ("context", "family"),
    "communication_style": ("preference", "communication"),
}


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """A lasting fact a user stated about themselves, worded so that it can stand alone.

    ``trust`` is the lowest among the authors of the wording: the user alone, or a model as well.
    """

    field: ProfileField
    statement: str
    certainty: Certainty
    trust: Trust
    # What it claims, where the rules read it; a statement may hold several claims.
    claims: tuple[Claim, ...] = ()
    # Whether it is all that a turn tells, which is held against what is known only where none of its statements is.
    is_turn: bool = False

    @property
    def tags(self) -> tuple[str, ...]:
        return TAGS[self.field]

    @property
    def importance(self) -> float:
        return IMPORTANCE.get(self.field, DEFAULT_IMPORTANCE)

    @property
    def confidence(self) -> float:
        return CONFIDENCE[self.certainty]
