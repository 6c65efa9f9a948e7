"""The end of a turn: storing the exchange, and the outcome once it is known."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import AfterValidator, BaseModel, Field

from memory.api.acting import open_facade
from memory.models import EndUser
from memory.tiers import Outcome
from memory.web.auth import WRITE, for_writing, lookup_user
from memory.web.fields import Flag, RequestBody, Text, ThreadId, UserId, UuidText, is_none, validate_one_line
from memory.web.idempotency import do_once, json_response
from memory.web.openapi import describe_responses
from outcomes.exchanges.storing import NewExchange
from outcomes.verdicts.recording import RecordedOutcome

router = Router(tags=["A turn"])

LONGEST_CALL_MS = 86_400_000

FURTHEST = 2**31 - 1
Position = Annotated[int, Field(strict=True, ge=-FURTHEST, le=FURTHEST)]
Reference = Annotated[str, Field(strict=True, max_length=64), AfterValidator(validate_one_line)]
"""A memory's id. A position sent as text is read as a number; what names nothing is listed as ignored, not refused."""


class ToolIn(RequestBody):
    name: str = Field(strict=True, min_length=1, max_length=200)
    ok: Flag
    ms: float = Field(strict=True, ge=0, le=LONGEST_CALL_MS, allow_inf_nan=False)
    error: str | None = Field(default=None, strict=True, max_length=4_000)


class ExchangeIn(RequestBody):
    turn_id: UuidText | None = None
    user_message: Text
    assistant_message: Text
    tools: list[ToolIn] | None = Field(default=None, max_length=100)
    interrupted: Flag | None = None

    def as_new(self, thread_id: str) -> NewExchange:
        return NewExchange(
            thread_id=thread_id,
            user_message=self.user_message,
            assistant_message=self.assistant_message,
            turn_id=UUID(self.turn_id) if self.turn_id else None,
            tools=[tool.model_dump(exclude_none=True) for tool in self.tools or []],
            interrupted=bool(self.interrupted),
        )


class ExchangeOut(BaseModel):
    exchange_id: UUID
    memory_id: UUID
    required_scoring: bool
    state: str = Field(description="scored, or unscored while its outcome is asked for.")
    blocking: bool = Field(
        default=False, description="Whether a client should not go on before it is told; a setting asks for it."
    )


@router.post(
    "/users/{u}/threads/{thread_id}/exchanges",
    auth=WRITE,
    response=describe_responses(201, ExchangeOut, reads_body=True, writes=True),
    operation_id="store_exchange",
    summary="Store a finished exchange",
)
def store_exchange(request: HttpRequest, u: UserId, thread_id: ThreadId, body: ExchangeIn) -> HttpResponse:
    """Stores the exchange, and a memory of it in ``working``.

    ``required_scoring`` when its turn showed memories that an outcome could score, unless it was told already, the
    answer was broken off (``interrupted``) or the message was small talk.
    """
    door, new = open_facade(request), body.as_new(thread_id)

    def stored(user: EndUser) -> HttpResponse:
        kept = door.exchange(user, new, now=timezone.now())
        return json_response(
            201,
            ExchangeOut(
                exchange_id=kept.exchange_id,
                memory_id=kept.memory_id,
                required_scoring=kept.required_scoring,
                state=kept.state,
                blocking=kept.blocking,
            ),
        )

    return for_writing(request, u, lookup_user(request, u), lambda user: do_once(request, user, lambda: stored(user)))


class OutcomeIn(RequestBody):
    turn_id: UuidText | None = None
    exchange_id: UuidText | None = None
    outcome: Outcome
    key_takeaway: Text | None = None
    related: list[Position | Reference] | None = Field(
        default=None, max_length=100, description="Positions of the turn's last search, from 1, or memory ids."
    )


def is_empty(value: list[object]) -> bool:
    return not value


class ScoredOut(BaseModel):
    memory_id: UUID
    score: float
    uses: int


class OutcomeOut(BaseModel):
    scored: list[ScoredOut]
    learned: list[UUID] = Field(description="Books and memory bank items of the turn: noted, never scored.")
    takeaway_id: UUID | None = Field(default=None, exclude_if=is_none, description="Present only when set.")
    ignored: list[int | str] = Field(
        default_factory=list,
        exclude_if=is_empty,
        description="References of ``related`` that name no memory. When all are, all the turn showed is meant.",
    )
    replaced: Outcome | None = Field(
        default=None, exclude_if=is_none, description="The earlier outcome of this turn that no longer counts."
    )

    @classmethod
    def of(cls, done: RecordedOutcome) -> "OutcomeOut":
        return cls(
            scored=[
                ScoredOut(memory_id=one.memory_id, score=round(one.score, 6), uses=one.uses) for one in done.scored
            ],
            learned=done.learned,
            takeaway_id=done.takeaway_id,
            ignored=done.ignored,
            replaced=done.replaced,
        )


@router.post(
    "/users/{u}/outcomes",
    auth=WRITE,
    response=describe_responses(201, OutcomeOut, reads_body=True, writes=True, may_miss=True),
    operation_id="record_outcome",
    summary="Say how it went",
)
def record_outcome(request: HttpRequest, u: UserId, body: OutcomeIn) -> HttpResponse:
    """Moves the scores of what the turn showed, or of ``related``. Books and the memory bank are never scored.

    A turn counts once: a later outcome takes the place of an earlier one for the memories it is about, and the same
    outcome again changes nothing. Without a turn or exchange each call counts.
    """
    door = open_facade(request)

    def recorded(user: EndUser) -> HttpResponse:
        done = door.outcome(
            user,
            body.outcome,
            now=timezone.now(),
            turn_id=UUID(body.turn_id) if body.turn_id else None,
            exchange_id=UUID(body.exchange_id) if body.exchange_id else None,
            key_takeaway=body.key_takeaway or "",
            related=body.related,
        )
        return json_response(201, OutcomeOut.of(done))

    return for_writing(request, u, lookup_user(request, u), lambda user: do_once(request, user, lambda: recorded(user)))
