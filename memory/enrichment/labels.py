"""The labels of one message, as values."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Importance(StrEnum):
    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


class Confidence(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


MOST_TOPICS: Final = 3
ENTITY_CHARS: Final = 100
MOST_ENTITIES: Final = 24


@dataclass(frozen=True, slots=True)
class MentionedEntity:
    """``value`` is as the text writes it."""

    type: str
    value: str

    @property
    def key(self) -> str:
        return fold_entity(self.value)


def fold_entity(value: str) -> str:
    """One for all spellings: "#88-41207" and "88-41207" are one order."""
    return " ".join(value.casefold().strip(" #.,:;!?\"'()").split())[:ENTITY_CHARS]


@dataclass(frozen=True, slots=True)
class MessageLabels:
    topics: tuple[str, ...]
    category: str
    message_type: str
    importance: Importance
    entities: tuple[MentionedEntity, ...] = ()
    confidence: Confidence = Confidence.HIGH
    # A topic that the vocabulary has no term for, where none fitted.
    suggested_topic: str = ""
