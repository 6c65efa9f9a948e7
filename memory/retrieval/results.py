"""The request and the result of a search."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar

import structlog

from memory.access.confinement import ScopeFilter
from memory.access.spaces import SpaceAccess
from memory.inference.base import QuestionVector
from memory.language.text import preview_text
from memory.models import MemoryItem
from memory.models.conditions import RowConditions
from memory.platform.breakers import list_breaker_states
from memory.platform.faults import BadReply, Unavailable
from memory.platform.tracing import open_span
from memory.scoring import wilson_lower_bound
from memory.tiers import Status, Tier

logger = structlog.get_logger(__name__)
T = TypeVar("T")

VECTOR, LEXICAL, RERANK, RATE = "vector", "lexical", "rerank", "rate"
STAGES = frozenset({VECTOR, LEXICAL, RERANK, RATE})
RELEVANCE, RECENCY, SCORE = "relevance", "recency", "score"
# The reason under which a turn was lowered for what somebody else says in it.
OTHER_VOICE = "other_voice"


# A limit that leaves it to the question: few for one fact, more for several, most for "everything about".
AS_MANY_AS_ASKED = 0


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """``tiers`` None means all; ``metadata`` keeps items that contain it, ``rows`` those that it lets through.
    ``thread_id`` is that of the turn.

    ``stages``, ``boosts`` and ``fusion`` are for measuring a part alone or a change; ``boosts`` None and no ``fusion``
    mean those of the settings.
    """

    query: str
    tiers: frozenset[Tier] | None = None
    limit: int = AS_MANY_AS_ASKED
    sort_by: str = RELEVANCE
    metadata: dict[str, Any] | None = None
    rows: RowConditions = field(default_factory=RowConditions)
    # How many at most, where those beyond the limit are so short that all take no more room than usual.
    limit_of_short: int = 0
    # Only what belongs to these agents and projects, of what the caller's scope sees.
    scope: ScopeFilter | None = None
    # Whether memories past their time are looked for as well; always where no tiers are named.
    dormant: bool = False
    # Slugs of the spaces that are asked beside the person's own memories; None is all they belong to. None of them
    # unless a door asks: each has to tell which space a hit is from.
    spaces: frozenset[str] | None = frozenset()
    thread_id: str = ""
    turn_id: uuid.UUID | None = None
    stages: frozenset[str] = STAGES
    boosts: tuple[str, ...] | None = None
    fusion: str = ""
    # Whether nothing is found where what was found is most likely not about the question.
    is_silent_when_low: bool = False
    # The messages that the query was put together of, where they are several.
    said: tuple[str, ...] = ()
    deadline_s: float | None = None

    @property
    def conditions(self) -> RowConditions:
        """What is asked of the rows beside their tier and status."""
        return replace(self.rows, metadata=RowConditions.of(self.metadata).metadata) if self.metadata else self.rows

    @property
    def statuses(self) -> frozenset[str]:
        return frozenset({Status.ACTIVE, Status.DORMANT}) if self.dormant else frozenset({Status.ACTIVE})


@dataclass(frozen=True, slots=True)
class Superseded:
    """That a memory told something that has ended, and what holds instead; ``statement`` is empty where nothing does.

    ``memory_id`` is a memory that tells what holds.
    """

    fact_id: uuid.UUID
    statement: str
    until: datetime | None
    memory_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True)
class TalkBeside:
    """Of an exchange the question that it answers, and the few words that answer its own."""

    asked: str = ""
    reply: str = ""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """``is_dormant`` is true from the moment its time has passed, also before the pass that writes it down."""

    position: int
    item: MemoryItem
    final_score: float
    explain: dict[str, Any]
    is_dormant: bool = False
    superseded_by: Superseded | None = None
    # Those that say the same and were left out, best first.
    duplicates: tuple[uuid.UUID, ...] = ()
    # The space it is shared in; None for the person's own.
    space: SpaceAccess | None = None
    # Of retrieval in stages: which one brought it, and the title of the conversation it is from.
    stage: str = ""
    thread_title: str = ""
    # Filled where it is told to an assistant.
    beside: TalkBeside = TalkBeside()

    @property
    def preview(self) -> str:
        return preview_text(self.item.text)

    @property
    def is_other_voice(self) -> bool:
        """Whether what it has to say to a question about the person is said by somebody else."""
        return OTHER_VOICE in self.explain.get("boosts", ())

    def summary(self, now: datetime) -> dict[str, Any]:
        """The score summary of the API: match, outcomes and age."""
        item = self.item
        return {
            "final_score": round(self.final_score, 6),
            "wilson_score": round(wilson_lower_bound(item.worked, item.failed, item.partial), 4),
            "uses": item.uses,
            "last_outcome": item.last_outcome or None,
            "age_s": max(0, int((now - item.occurred_at).total_seconds())),
        }


@dataclass(slots=True)
class SearchDebug:
    """Diagnostics of a search: timings, fallbacks, errors."""

    normalized_query: str
    tiers_considered: list[str]
    tiers_used: list[str] = field(default_factory=list)
    fallbacks_used: list[str] = field(default_factory=list)
    stage_timings_ms: dict[str, float] = field(default_factory=dict)
    errors: list[dict[str, str | None]] = field(default_factory=list)
    retrieval_confidence: str = "low"
    # The probability behind the grade.
    confidence: float = 0.0
    vector_stage_status: str = "enabled"
    # What retrieval in stages looked for, in terms of the vocabulary.
    intent: dict[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        intent = {} if self.intent is None else {"intent": self.intent}
        return intent | {
            "retrieval_confidence": self.retrieval_confidence,
            "normalized_query": self.normalized_query,
            "tiers_considered": self.tiers_considered,
            "tiers_used": self.tiers_used,
            "fallbacks_used": self.fallbacks_used,
            "stage_timings_ms": self.stage_timings_ms,
            "errors": self.errors,
            "vector_stage_status": self.vector_stage_status,
        }

    @contextmanager
    def time_stage(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            with open_span(f"search.{stage}"):
                yield
        finally:
            spent_ms = (time.perf_counter() - started) * 1000
            self.stage_timings_ms[stage] = round(self.stage_timings_ms.get(stage, 0.0) + spent_ms, 3)

    def attempt(self, stage: str, call: Callable[[], T], otherwise: T) -> T:
        """What the stage returns; its substitute, with the failure named, when it is unavailable. Its time is kept."""
        with self.time_stage(stage):
            return self.skip_on_failure(stage, call, otherwise)

    def skip_on_failure(self, stage: str, call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except Unavailable as error:
            self.note_skipped(stage, error.reason, error.code)
            if stage in {"embed", VECTOR}:
                self.vector_stage_status = name_vector_status(error)
            logger.warning("search stage skipped", stage=stage, dependency=error.dependency, reason=error.reason)
            return otherwise

    def note_skipped(self, stage: str, reason: str, code: str) -> None:
        self.fallbacks_used.append(f"{stage}_skipped")
        self.errors.append({"stage": stage, "message": reason, "code": code})


def name_vector_status(error: Unavailable) -> str:
    if isinstance(error, BadReply):
        return "disabled_schema_mismatch"
    return "disabled_breaker_open" if list_breaker_states().get(error.dependency) == "open" else "enabled"


@dataclass(frozen=True, slots=True)
class SearchValidity:
    """What of all that was found no longer holds.

    ``superseded`` says so of memories, for sure. ``doubted`` are facts that are held true, of which something said
    later most likely took the place, with when it was said; ``outdated`` are the memories that tell them.
    """

    superseded: Mapping[uuid.UUID, Superseded] = field(default_factory=dict)
    doubted: Mapping[uuid.UUID, datetime] = field(default_factory=dict)
    outdated: frozenset[uuid.UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """``vector`` is the question's, for whoever compares it with something else; None where it was not embedded.

    ``validity`` is that of everything that was found, beyond the hits, and so is ``nearness``: the cosines of the
    candidates, on the scale of all thresholds.
    """

    turn_id: uuid.UUID
    hits: list[SearchHit]
    debug: SearchDebug
    vector: QuestionVector | None = None
    validity: SearchValidity = field(default_factory=SearchValidity)
    nearness: Mapping[uuid.UUID, float] = field(default_factory=dict)
