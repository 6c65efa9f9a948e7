"""Request and response schemas of the hot path."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from knowledge_graph.hotmem.learning import TripleOutcome
from knowledge_graph.hotmem.turn import HotBullet, HotTurnResult
from memory.conf import memory_conf
from memory.models import Fact
from memory.web.fields import Flag, Name, RequestBody, Text, is_none

ThreadName = Annotated[Name, Field(min_length=1)]
Intent = Literal[
    "FACT_STATEMENT", "MULTIPLE_FACTS", "QUESTION_WITH_FACT", "PURE_QUESTION", "CORRECTION", "REACTION",
    "HYPOTHETICAL", "INSTRUCTION",
]  # fmt: skip


class HotTurnIn(RequestBody):
    thread_id: ThreadName
    text: Text
    lang: str | None = Field(
        default=None, strict=True, pattern="^[a-z]{2}$", description="The turn's language, where the client knows it."
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

    @classmethod
    def of(cls, one: HotBullet) -> "HotBulletOut":
        subject, relation, value = one.triple
        return cls(text=one.text, s=subject, r=relation, d=value, score=one.score)


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
