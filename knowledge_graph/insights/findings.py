"""The parts of insights as values, and their JSON for clients. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from knowledge_graph.rates import RatedWithPartial

RECENT_MINUTES = 30


@dataclass(frozen=True, slots=True)
class Approach(RatedWithPartial):
    """A memory with outcomes, or its lesson. ``share`` is the part of the question it covers.

    ``reason`` is the lesson that was noted with its last failure.
    """

    memory_id: UUID
    tier: str
    status: str
    content: str
    uses: int
    worked: int
    failed: int
    partial: int
    last_outcome: str
    last_used_at: datetime | None
    occurred_at: datetime
    source: str
    share: float
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "memory_id": str(self.memory_id),
            "tier": self.tier,
            "status": self.status,
            "content": self.content,
            "uses": self.uses,
            "worked": self.worked,
            "failed": self.failed,
            "partial": self.partial,
            "success_rate": round(self.success_rate, 4),
            "wilson_score": round(self.wilson, 4),
            "last_outcome": self.last_outcome or None,
            "last_used_at": format_moment(self.last_used_at),
            "occurred_at": format_moment(self.occurred_at),
            "source": self.source,
        }

    def as_failure(self) -> dict[str, Any]:
        return self.as_json() | {"reason": self.reason or self.content}


@dataclass(frozen=True, slots=True)
class BankFact:
    """A relevant item of the memory bank."""

    memory_id: UUID
    content: str
    tags: tuple[str, ...]
    source: str

    def as_json(self) -> dict[str, Any]:
        return {
            "memory_id": str(self.memory_id),
            "tier": "memory_bank",
            "content": self.content,
            "tags": list(self.tags),
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class TierAdvice:
    """How often searches for a concept were answered well from a tier."""

    tier: str
    concept: str
    success_rate: float
    wilson_score: float
    uses: int


@dataclass(frozen=True, slots=True)
class ToolAdvice:
    """How often an action helped in this kind of work."""

    action: str
    tier: str | None
    success_rate: float
    wilson_score: float
    uses: int


@dataclass(frozen=True, slots=True)
class ConversationTopic:
    """A topic that continues, and earlier related topics."""

    topic: str
    related: tuple[str, ...] = ()
    times: int = 0
    last_at: datetime | None = None

    def as_json(self) -> dict[str, Any]:
        return read_columns(self) | {"related": list(self.related), "last_at": format_moment(self.last_at)}


@dataclass(frozen=True, slots=True)
class Repetition:
    """The same question asked before: when last, whether in this thread just now, how often in all."""

    query: str
    asked_at: datetime
    times: int
    in_thread: bool
    minutes_ago: int
    is_asked: bool = True

    @property
    def is_recent(self) -> bool:
        return self.in_thread or self.minutes_ago <= RECENT_MINUTES

    def as_json(self) -> dict[str, Any]:
        columns = {name: value for name, value in read_columns(self).items() if name != "is_asked"}
        return columns | {"asked_at": format_moment(self.asked_at)}


@dataclass(frozen=True, slots=True)
class ActiveConcept:
    """A concept of the question that the graph knows, with where it is best looked for."""

    concept: str
    best_collection: str | None = None
    success_rate: float | None = None
    usage_count: int | None = None


@dataclass(frozen=True, slots=True)
class Insights:
    context_type: str
    matched_concepts: tuple[str, ...] = ()
    active_concepts: tuple[ActiveConcept, ...] = ()
    tier_recommendations: tuple[TierAdvice, ...] = ()
    relevant_patterns: tuple[Approach, ...] = ()
    past_failures: tuple[Approach, ...] = ()
    you_already_know: tuple[BankFact, ...] = ()
    topic_continuity: tuple[ConversationTopic, ...] = ()
    repetition: Repetition | None = None
    tool_statistics: tuple[ToolAdvice, ...] = ()
    directives: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As the API answers. The words of memories are not shortened."""
        return {
            "context_type": self.context_type,
            "matched_concepts": list(self.matched_concepts),
            "active_concepts": [read_columns(one) for one in self.active_concepts],
            "tier_recommendations": [read_columns(one) for one in self.tier_recommendations],
            "relevant_patterns": [one.as_json() for one in self.relevant_patterns],
            "past_failures": [one.as_failure() for one in self.past_failures],
            "you_already_know": [one.as_json() for one in self.you_already_know],
            "topic_continuity": [one.as_json() for one in self.topic_continuity],
            "repetition": self.repetition.as_json() if self.repetition else None,
            "tool_statistics": [read_columns(one) for one in self.tool_statistics],
            "directives": list(self.directives),
        }

    def as_meta(self) -> dict[str, Any]:
        """Their part of MemoryMetaV1."""
        return {
            "matched_concepts": list(self.matched_concepts),
            "active_concepts": [read_columns(one) for one in self.active_concepts],
            "tier_recommendations": [read_columns(one) for one in self.tier_recommendations] or None,
            "you_already_know": [one.as_json() for one in self.you_already_know] or None,
            "directives": list(self.directives) or None,
        }


def read_columns(one: TierAdvice | ToolAdvice | ConversationTopic | Repetition | ActiveConcept) -> dict[str, Any]:
    """The fields by name."""
    # They are plain values, which `asdict` would copy one by one.
    return {name: getattr(one, name) for name in one.__slots__}


def format_moment(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
