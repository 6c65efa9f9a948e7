"""Request and response schemas of the endpoints of facts."""

import re
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Path
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from memory.facade.facts import FactDetails
from memory.facade.known import FoundLine
from memory.facts.evidence import compute_confidence
from memory.facts.pairs.voice import cut_questions
from memory.facts.queries import FactFilter
from memory.facts.streaming import ThreadStream
from memory.lifecycle.consolidation import MOST_LISTED, ConsolidationResult
from memory.models import Fact, FactEvidence, FactReview
from memory.models.facts import KEY_CHARS, STATEMENT_CHARS, EvidenceKind, FactState, ReviewDecision, ReviewKind
from memory.web.fields import (
    NAME_LIMIT,
    Flag,
    JsonValue,
    Moment,
    Name,
    PageSize,
    Polarity,
    QueryParameters,
    QueryText,
    RequestBody,
    RowModel,
    Tense,
    is_none,
    parse_day_or_moment,
    validate_readable,
)
from memory.web.patterns import UUID_PATTERN
from memory.web.scoping import ScopedFields

FactId = Annotated[str, Path(..., pattern=UUID_PATTERN, description="The fact's id.")]
ReviewId = Annotated[str, Path(..., pattern=UUID_PATTERN, description="The review's id.")]
LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def validate_statement(value: object) -> object:
    """What is asked, or is said by signs alone, is nothing that could be so."""
    if not isinstance(value, str):
        return value
    if not LETTER_OR_DIGIT.search(validate_readable(value)):
        raise ValueError("must say something in words")
    if not cut_questions(value):
        raise ValueError("must be a statement, not a question")
    return value


Statement = Annotated[
    str, Field(strict=True, min_length=1, max_length=STATEMENT_CHARS), BeforeValidator(validate_statement)
]
# Unlike when something was said, a validity may lie ahead.
PointInTime = Annotated[
    datetime,
    BeforeValidator(parse_day_or_moment),
    WithJsonSchema(
        {
            "type": "string",
            "format": "date-time",
            "description": "Without an offset it is UTC; a day alone is its beginning.",
        }
    ),
]
EVERY_STATE = "all"
StateFilter = Literal["active", "deprecated", "merged", "superseded", "retracted", "forgotten", "all"]
# Beyond these numbers a filter of words is no longer one that a person typed.
MOST_WORDS = 20


class StatementIn(ScopedFields, RequestBody):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"statement": "I live in York and work at the harbour."}]}
    )

    statement: Statement
    occurred_at: Moment | None = Field(
        default=None, description="When it was said; `valid_from` where that has passed, else now."
    )
    thread_id: Name | None = None
    valid_from: PointInTime | None = Field(default=None, description="Since when it holds. Of one fact alone.")
    valid_to: PointInTime | None = Field(default=None, description="Until when it holds; ahead or past.")

    def list_days(self) -> list[str]:
        return [name for name in ("valid_from", "valid_to") if getattr(self, name) is not None]


class FactPatch(RequestBody):
    """Any of these, at least one."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"minProperties": 1})

    # Defaults that are never read: what was sent is told by model_fields_set, and null is refused by the types.
    statement: Statement = Field(default_factory=str)
    valid_from: PointInTime = Field(default_factory=datetime.now)
    valid_to: PointInTime = Field(default_factory=datetime.now)
    relation: Literal["about"] = Field(
        default="about",
        description="`about`: the sentence is right, and only what was read into it is wrong. By itself.",
    )

    def changes(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.model_fields_set}


class FactListOptions(QueryParameters):
    state: StateFilter | None = Field(
        default=None, description="`active` unless asked otherwise; with `as_of`, whatever became of them since."
    )
    relation: str = Field(default="", max_length=64)
    subject: str = Field(default="", max_length=KEY_CHARS)
    min_confidence: float = Field(default=0.0, ge=0, le=1, allow_inf_nan=False)
    as_of: PointInTime | None = Field(default=None, description="What held at this time, as believed then.")
    q: str = Field(default="", max_length=1000, description="Words the statement holds, in any order.")
    cursor: str | None = Field(default=None, max_length=1000)
    limit: PageSize = 50

    def as_filter(self) -> FactFilter:
        asked = self.state or (EVERY_STATE if self.as_of else FactState.ACTIVE.value)
        return FactFilter(
            state=None if asked == EVERY_STATE else FactState(asked),
            relation=self.relation,
            subject=self.subject,
            min_confidence=self.min_confidence,
            as_of=self.as_of,
            words=" ".join(self.q.split()[:MOST_WORDS]),
        )

    def describe(self) -> list[Any]:
        """What a cursor is bound to."""
        as_of = self.as_of.isoformat() if self.as_of else ""
        return [self.state or "", self.relation, self.subject, self.min_confidence, as_of, self.q]


class FactSearchIn(ScopedFields, RequestBody):
    query: QueryText
    search_type: Literal["facts", "episodes", "both"] = "both"
    limit: int = Field(default=5, strict=True, ge=1, le=50)


class DecisionIn(RequestBody):
    decision: ReviewDecision


class StoredFactOut(BaseModel):
    id: UUID
    statement: str
    subject: str = Field(description='"you" is the person.')
    relation: str = Field(description="Empty where the statement names no slot.")
    object: str
    polarity: Polarity
    tense: Tense
    category: str
    confidence: float = Field(description="At the time of the request, or at `as_of`; it decays without new evidence.")
    state: FactState
    valid_from: datetime | None
    valid_to: datetime | None = Field(description="When it ceased to hold.")
    first_seen: datetime
    last_seen: datetime
    evidence_count: int
    superseded_by: UUID | None
    merged_into: UUID | None
    bank_item_id: UUID | None = Field(description="The memory bank's item that says it.")
    lang: str
    agent_id: str = Field(description="The agent it was told to; empty for the person's own.")
    project_id: str = Field(description="The project it was told in; empty for the person's own.")

    @classmethod
    def describe(cls, fact: Fact, now: datetime) -> dict[str, Any]:
        fields = {name: getattr(fact, name) for name in StoredFactOut.model_fields if name != "confidence"}
        # A float's last digits differ between machines and would make equal answers unequal.
        return {**fields, "confidence": round(compute_confidence(fact, now), 6)}

    @classmethod
    def of(cls, fact: Fact, now: datetime) -> "StoredFactOut":
        return cls(**StoredFactOut.describe(fact, now))


class FactPage(BaseModel):
    items: list[StoredFactOut]
    next_cursor: str | None


class EvidenceOut(RowModel):
    kind: EvidenceKind
    ref_id: UUID = Field(description="The exchange, imported memory, bank item or request that it comes from.")
    memory_id: UUID | None
    thread_id: str
    occurred_at: datetime
    stance: Literal[1, -1] = Field(description="1 speaks for the fact, -1 against it.")
    step: float = Field(description="How far it moved the confidence.")


class FactEventOut(RowModel):
    kind: str
    reason: str
    before: dict[str, JsonValue]
    after: dict[str, JsonValue]
    actor: str
    at: datetime


class FactDetailsOut(StoredFactOut):
    evidence: list[EvidenceOut]
    history: list[FactEventOut] = Field(description="Newest first.")

    @classmethod
    def of_details(cls, found: FactDetails, now: datetime) -> "FactDetailsOut":
        return cls(
            **StoredFactOut.describe(found.fact, now),
            evidence=[EvidenceOut.of(row) for row in found.evidence],
            history=[FactEventOut.of(row) for row in found.history],
        )


class OpenReview(BaseModel):
    id: UUID
    kind: ReviewKind


StatedEffect = Literal["added", "reinforced", "merged", "superseded", "review"]


class StatedOut(BaseModel):
    fact: StoredFactOut
    effect: StatedEffect
    affected: list[UUID] = Field(description="The facts that the statement changed beside those it added.")
    review: OpenReview | None = Field(default=None, exclude_if=is_none, description="Present only when one is open.")


class FoundOut(RowModel):
    kind: Literal["fact", "episode"]
    text: str
    confidence: float
    timestamp: datetime
    similarity: float
    relevance_score: float
    later: str | None = Field(description="What was said since that ended a part of it or speaks against it.")
    fact_id: UUID | None = Field(description="Of a fact: `GET .../facts/{fact_id}` has its evidence and history.")
    memory_id: UUID | None = Field(description="Of a past exchange its memory; null where several were put together.")
    valid_from: datetime | None
    valid_to: datetime | None = Field(description="When the fact will cease to hold, where that is known.")

    @classmethod
    def of_line(cls, line: FoundLine) -> "FoundOut":
        return cls(
            kind=line.kind,
            text=line.text,
            confidence=round(line.confidence, 6),
            timestamp=line.timestamp,
            similarity=round(line.similarity, 6),
            relevance_score=round(line.relevance, 6),
            later=line.later or None,
            fact_id=line.fact.pk if line.fact else None,
            memory_id=line.memory_id,
            valid_from=line.fact.valid_from if line.fact else None,
            valid_to=line.fact.valid_to if line.fact else None,
        )


class FactSearchOut(BaseModel):
    results: list[FoundOut]


class ReviewedFact(StoredFactOut):
    evidence: list[EvidenceOut]


class ReviewOut(BaseModel):
    id: UUID
    kind: ReviewKind
    cosine: float | None
    fact: ReviewedFact = Field(description="The later statement.")
    other: ReviewedFact = Field(description="What was known before.")
    decision: ReviewDecision | None
    created_at: datetime
    decided_at: datetime | None
    debate: dict[str, Any] = Field(
        description="What a language model says for each: for_newer, for_older, both, conclusion. Empty without one."
    )

    @classmethod
    def of(cls, review: FactReview, evidence: dict[UUID, list[FactEvidence]], now: datetime) -> "ReviewOut":
        def show(fact: Fact) -> ReviewedFact:
            rows = evidence.get(fact.pk, [])
            return ReviewedFact(**StoredFactOut.describe(fact, now), evidence=[EvidenceOut.of(row) for row in rows])

        return cls(
            id=review.pk,
            kind=ReviewKind(review.kind),
            cosine=None if review.cosine is None else round(review.cosine, 6),
            fact=show(review.fact),
            other=show(review.other),
            decision=ReviewDecision(review.decision) if review.decision else None,
            created_at=review.created_at,
            decided_at=review.decided_at,
            debate=review.debate,
        )


class ReviewPage(BaseModel):
    items: list[ReviewOut]
    next_cursor: str | None


class ConsolidateIn(RequestBody):
    dry_run: Flag = False


class FactChangeOut(BaseModel):
    fact_id: UUID
    effect: str = Field(
        description="`merged`, `superseded`, `doubted`, `review`, `supported`, `deprecated`, `answered`."
    )
    other_id: UUID | None = Field(description="The fact it was merged into, ended by, or waits beside.")


class ConsolidationOut(BaseModel):
    run_id: UUID | None
    state: Literal["done", "partial", "busy", "dry_run"] = Field(
        description="`partial`: a service was away for some of it, and the next run does the rest."
    )
    counts: dict[str, int] = Field(description="What was done, by kind; empty when there was nothing to do.")
    changes: list[FactChangeOut] = Field(description=f"At most {MOST_LISTED:,}; the counts are of all.")
    missing: list[str] = Field(description="The services that were away.")
    model_calls: int
    started_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, done: ConsolidationResult) -> "ConsolidationOut":
        return cls(
            run_id=done.run_id,
            state=done.state,
            counts=dict(sorted(done.counts.items())),
            changes=[
                FactChangeOut(fact_id=one.fact_id, effect=one.effect, other_id=one.other_id) for one in done.changes
            ],
            missing=done.missing,
            model_calls=done.model_calls,
            started_at=done.started_at,
            finished_at=done.finished_at,
        )


class StreamOptions(QueryParameters):
    thread_id: Annotated[str, Field(min_length=1, max_length=NAME_LIMIT)]


class StreamedOut(BaseModel):
    kind: Literal["fact", "episode"]
    id: UUID
    text: str
    confidence: float
    timestamp: datetime = Field(description="When it was last said.")
    similarity: float
    relevance_score: float
    tokens: int


class StreamOut(BaseModel):
    thread_id: str
    is_told: bool = Field(description="Whether contexts of this person tell it: `MEMORY_STREAM_SHARE`.")
    made_at: datetime | None = Field(description="When it was chosen; null where nothing was chosen yet.")
    results: list[StreamedOut]

    @classmethod
    def of(cls, thread_id: str, stream: ThreadStream, *, is_told: bool) -> "StreamOut":
        results = [
            StreamedOut(
                kind=line.kind,
                id=line.id,
                text=line.text,
                confidence=line.confidence,
                timestamp=line.said_at,
                similarity=line.similarity,
                relevance_score=line.relevance,
                tokens=line.tokens,
            )
            for line in stream.lines
        ]
        return cls(thread_id=thread_id, is_told=is_told, made_at=stream.made_at, results=results)
