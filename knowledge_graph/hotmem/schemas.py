"""Request and response schemas of the hot path."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, WithJsonSchema

from knowledge_graph.hotmem.learning import TripleOutcome
from knowledge_graph.hotmem.triples import GivenTriple
from knowledge_graph.hotmem.turn import HotBullet, HotTurnResult
from memory.claims.claim import SPEAKER
from memory.claims.frames.triples import Intent
from memory.conf import memory_conf
from memory.facts.evidence import compute_confidence
from memory.facts.keys import OPEN_RELATIONS
from memory.facts.queries import FactFilter
from memory.models import Fact
from memory.models.facts import KEY_CHARS, FactState
from memory.web.fields import (
    Flag,
    Moment,
    Name,
    PageSize,
    Polarity,
    QueryParameters,
    RequestBody,
    Tense,
    Text,
    is_none,
    parse_moment,
    validate_readable,
)
from memory.web.patterns import LANGUAGE_PATTERN, RELATION_PATTERN
from memory.web.scoping import ScopedFields

MOST_TRIPLES = 500
ThreadName = Annotated[Name, Field(min_length=1)]


class HotTurnIn(ScopedFields, RequestBody):
    thread_id: ThreadName
    text: Text
    lang: str | None = Field(
        default=None,
        strict=True,
        pattern=LANGUAGE_PATTERN,
        description="The turn's language, where the client knows it; one of `HOTMEM_LANGS`.",
    )
    last_reply: Text | None = Field(
        default=None,
        description="What the assistant said just before, where no stored exchange of the conversation holds it. A "
        "question that it ends with is what a few words answer; nothing of it is kept as the person's.",
    )
    observe: Flag = Field(
        default=True, description="Whether what the turn tells is kept; then the key needs the scope write."
    )


class TripleBase(BaseModel):
    s: str
    r: str
    d: str


class TurnFactOut(TripleBase):
    confidence: float
    status: Literal["stored", "reinforced", "skipped", "retracted", "superseded"]
    reason: str | None = Field(default=None, exclude_if=is_none, description="Why it was skipped.")
    fact_id: UUID | None = Field(default=None, exclude_if=is_none)

    @classmethod
    def of(cls, one: TripleOutcome) -> "TurnFactOut":
        subject, relation, value = one.triple
        fact_id = one.fact.pk if one.fact is not None else None
        return cls(
            s=subject, r=relation, d=value, confidence=one.confidence, status=one.status,
            reason=one.reason or None, fact_id=fact_id,
        )  # fmt: skip


class EndedFactOut(TripleBase):
    fact_id: UUID

    @classmethod
    def of(cls, fact: Fact) -> "EndedFactOut":
        return cls(s=fact.subject, r=fact.relation, d=fact.object, fact_id=fact.pk)


class HotBulletOut(TripleBase):
    text: str
    score: float
    found_by: Literal["words", "meaning"] = Field(
        description="Whether the turn names it or asks for it, or its sentence lies near the question by its meaning."
    )

    @classmethod
    def of(cls, one: HotBullet) -> "HotBulletOut":
        subject, relation, value = one.triple
        found_by: Literal["words", "meaning"] = "meaning" if one.is_near else "words"
        return cls(text=one.text, s=subject, r=relation, d=value, score=one.score, found_by=found_by)


class DroppedOut(BaseModel):
    text: str
    reason: str


class HotTimingsOut(BaseModel):
    intent: float
    extraction: float
    update: float
    retrieval: float
    total: float


class HotTurnOut(BaseModel):
    lang: str
    intent: Intent
    turn: int = Field(description="Of the thread, counted from 1.")
    facts: list[TurnFactOut] = Field(description="What the turn tells, and what became of it.")
    retracted: list[EndedFactOut] = Field(description="What the person took back: it never was so.")
    superseded: list[EndedFactOut] = Field(description="What held until now.")
    dropped: list[DroppedOut] = Field(description="What looked like a fact and was none to keep.")
    bullets: list[HotBulletOut] = Field(description="What is known of the matter and was not said a moment ago.")
    system_message: str | None = Field(description="Replaces the one of the turn before; null removes it.")
    role: Literal["system", "user"] = Field(description="Under which the message is meant to be sent.")
    timings_ms: HotTimingsOut

    @classmethod
    def of(cls, result: HotTurnResult) -> "HotTurnOut":
        update, reading = result.update, result.reading
        return cls(
            lang=reading.lang,
            intent=reading.intent,
            turn=result.number,
            facts=[TurnFactOut.of(one) for one in update.told],
            retracted=[EndedFactOut.of(fact) for fact in update.retracted],
            superseded=[EndedFactOut.of(fact) for fact in update.superseded],
            dropped=[DroppedOut(text=one.text, reason=one.reason) for one in reading.dropped],
            bullets=[HotBulletOut.of(one) for one in result.bullets],
            system_message=result.system_message,
            role="user" if memory_conf().hot.role == "user" else "system",
            timings_ms=HotTimingsOut(**result.timings_ms),
        )


Part = Annotated[str, Field(strict=True, min_length=1, max_length=KEY_CHARS), AfterValidator(validate_readable)]
Relation = Annotated[
    str, Field(strict=True, pattern=RELATION_PATTERN), AfterValidator(lambda value: refuse_open(value))
]
# Unlike when something was said, what held may be asked of any time.
PointInTime = Annotated[
    datetime,
    BeforeValidator(parse_moment),
    WithJsonSchema({"type": "string", "format": "date-time", "description": "Without an offset it is UTC."}),
]


def refuse_open(relation: str) -> str:
    if relation in OPEN_RELATIONS:
        raise ValueError("names no slot; state it as a fact")
    return relation


class GivenTripleIn(RequestBody):
    s: Part = Field(description='Whom it is about; "you" is the person.', examples=[SPEAKER])
    r: Relation = Field(examples=["lives_in"])
    d: Part = Field(examples=["york"])
    occurred_at: Moment | None = None

    def as_triple(self) -> GivenTriple:
        return GivenTriple(self.s, self.r, self.d, self.occurred_at)


class TriplesIn(ScopedFields, RequestBody):
    triples: list[GivenTripleIn] = Field(min_length=1, max_length=MOST_TRIPLES)


class ImportedOut(BaseModel):
    stored: int = Field(description="New, or in the place of what they replace.")
    reinforced: int = Field(description="Known before.")
    skipped: int = Field(description="Forgotten by the person since, a secret, or an order.")


class ForgetIn(ScopedFields, RequestBody):
    """Everything of a subject, of one of its slots, or one value."""

    s: Part
    r: Relation | None = None
    d: Part | None = None


class ForgottenOut(BaseModel):
    forgotten: int
    named_in: list[UUID] = Field(description="Memories whose words name it still, the newest first, at most 50.")


class TripleListOptions(QueryParameters):
    as_of: PointInTime | None = Field(default=None, description="What held at this time, as far as is known now.")
    state: Literal["active", "deprecated", "merged", "superseded", "retracted", "all"] | None = Field(
        default=None, description="`active` unless asked otherwise; with `as_of`, whatever became of them since."
    )
    cursor: str | None = Field(default=None, max_length=1000)
    limit: PageSize = 50

    def as_filter(self) -> FactFilter:
        asked = self.state or ("all" if self.as_of else "active")
        return FactFilter(state=None if asked == "all" else FactState(asked), as_of=self.as_of)

    def describe(self) -> list[Any]:
        """What a cursor is bound to."""
        return [self.state or "", self.as_of.isoformat() if self.as_of else ""]


class HeldTripleOut(TripleBase):
    polarity: Polarity
    tense: Tense
    fact_id: UUID
    statement: str
    lang: str
    confidence: float
    state: str
    valid_from: datetime | None
    valid_to: datetime | None
    first_seen: datetime
    last_seen: datetime
    evidence_count: int

    @classmethod
    def of(cls, fact: Fact, at: datetime) -> "HeldTripleOut":
        triple: dict[str, Any] = {"s": fact.subject, "r": fact.relation, "d": fact.object, "fact_id": fact.pk}
        rest = {name: getattr(fact, name) for name in cls.model_fields if name not in {*triple, "confidence"}}
        return cls(**triple, **rest, confidence=round(compute_confidence(fact, at), 3))


class HeldTriplePage(BaseModel):
    items: list[HeldTripleOut]
    next_cursor: str | None
