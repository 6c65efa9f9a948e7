"""Stored exchanges: list, read, export, and the state of a thread."""

import json
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Path, Query, Router
from pydantic import BaseModel, Field, JsonValue

from memory.api.acting import open_facade
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.tiers import Outcome
from memory.web import paging
from memory.web.auth import READ, get_user_or_404, lookup_user
from memory.web.fields import NAME_LIMIT, PageSize, QueryParameters, ThreadId, UserId, is_none
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.problems import not_found
from outcomes.exchanges.listing import ExchangeCursor, ExchangeDetail, ThreadState
from outcomes.models import ActionTaken, ConversationSignal, Detection, Exchange, OutcomeEvent, SignalKind, Source

router = Router(tags=["A turn"])

NDJSON = "application/x-ndjson"
ExchangeId = Annotated[UUID, Path(..., description="The exchange's id.")]
Thread = Annotated[str, Field(max_length=NAME_LIMIT)]


class VerdictOut(BaseModel):
    outcome: Outcome
    source: Source = Field(description="Who says so: explicit, or the detector.")
    confidence: float
    actor: str
    at: datetime

    @classmethod
    def of(cls, event: OutcomeEvent) -> "VerdictOut":
        return cls(
            outcome=Outcome(event.outcome),
            source=Source(event.source),
            confidence=event.confidence,
            actor=event.actor,
            at=event.at,
        )


class SignalOut(BaseModel):
    """A hint of how the answer was taken, or a tool that failed. Moves no score unless a flag allows it."""

    kind: SignalKind
    evidence: str
    heard_in: UUID
    at: datetime

    @classmethod
    def of(cls, signal: ConversationSignal) -> "SignalOut":
        return cls(kind=SignalKind(signal.kind), evidence=signal.evidence, heard_in=signal.heard_in, at=signal.at)


class ActionOut(BaseModel):
    action: str
    ok: bool
    timed_out: bool
    ms: float
    error: str
    tiers: list[str]

    @classmethod
    def of(cls, action: ActionTaken) -> "ActionOut":
        return cls(
            action=action.action,
            ok=action.ok,
            timed_out=action.timed_out,
            ms=action.ms,
            error=action.error,
            tiers=action.tiers,
        )


class DetectionOut(BaseModel):
    state: Detection
    told: dict[str, JsonValue] = Field(description="The detector's whole answer, or why it was not asked.")

    @classmethod
    def of(cls, exchange: Exchange) -> "DetectionOut | None":
        return cls(state=Detection(exchange.detection), told=exchange.detected) if exchange.detection else None


class KeptExchangeOut(BaseModel):
    exchange_id: UUID
    thread_id: str
    turn_id: UUID | None
    memory_id: UUID | None
    user_message: str
    assistant_message: str
    interrupted: bool
    created_at: datetime
    required_scoring: bool
    state: str = Field(description="scored, or unscored while its outcome is asked for.")
    outcome: VerdictOut | None
    signals: list[SignalOut]
    actions: list[ActionOut]
    detection: DetectionOut | None = Field(default=None, exclude_if=is_none, description="Present only when set.")

    @classmethod
    def of(cls, told: ExchangeDetail) -> "KeptExchangeOut":
        exchange = told.exchange
        return cls(
            exchange_id=exchange.pk,
            thread_id=exchange.thread_id,
            turn_id=exchange.turn_id,
            memory_id=exchange.memory_id,
            user_message=exchange.user_message,
            assistant_message=exchange.assistant_message,
            interrupted=exchange.interrupted,
            created_at=exchange.created_at,
            required_scoring=exchange.required_scoring,
            state=told.state,
            outcome=VerdictOut.of(told.outcome) if told.outcome else None,
            signals=[SignalOut.of(signal) for signal in told.signals],
            actions=[ActionOut.of(action) for action in told.actions],
            detection=DetectionOut.of(exchange),
        )


class ExchangePage(BaseModel):
    items: list[KeptExchangeOut]
    next_cursor: str | None


class ExchangeOptions(QueryParameters):
    thread_id: Thread | None = None
    cursor: str | None = Field(default=None, max_length=1_000)
    limit: PageSize = 50


class ExportOptions(QueryParameters):
    thread_id: Thread | None = None


@router.get(
    "/users/{u}/exchanges",
    auth=READ,
    response=describe_responses(200, ExchangePage),
    operation_id="list_exchanges",
    summary="List exchanges, newest first",
)
def list_exchanges(request: HttpRequest, u: UserId, options: Query[ExchangeOptions]) -> HttpResponse:
    """Each with its outcome, the signals noticed and the tools that ran."""
    user = lookup_user(request, u)
    mark = ["exchanges", user.pk if user else 0, options.thread_id]
    place = paging.read_cursor(mark, options.cursor)
    if user is None:
        return json_response(200, ExchangePage(items=[], next_cursor=None))
    after = ExchangeCursor(datetime.fromisoformat(place[0]), uuid.UUID(place[1])) if place else None
    found, following = open_facade(request).exchanges(
        user, thread_id=options.thread_id or "", limit=options.limit, after=after
    )
    cursor = (
        paging.sign_cursor(mark, [following.created_at.isoformat(), str(following.exchange_id)]) if following else None
    )
    return json_response(200, ExchangePage(items=[KeptExchangeOut.of(told) for told in found], next_cursor=cursor))


STREAMED: dict[str, Any] = {
    "responses": {200: {"description": "One JSON object a line.", "content": {NDJSON: {"schema": {"type": "string"}}}}}
}


@router.get(
    "/users/{u}/exchanges/export",
    auth=READ,
    response=describe_responses(200, None),
    openapi_extra=STREAMED,
    operation_id="export_exchanges",
    summary="Every exchange as JSON Lines, oldest first",
)
def export_exchanges(request: HttpRequest, u: UserId, options: Query[ExportOptions]) -> StreamingHttpResponse:
    """Streamed in batches; the same records as ``manage.py export_exchanges``."""
    user, door = lookup_user(request, u), open_facade(request)
    lines = render_lines(door, user, options.thread_id or "") if user else iter(())
    response = StreamingHttpResponse(lines, content_type=NDJSON)
    response.headers["Content-Disposition"] = 'attachment; filename="exchanges.jsonl"'
    return response


def render_lines(door: MemoryFacade, user: EndUser, thread_id: str) -> Iterator[bytes]:
    for record in door.exchange_lines(user, thread_id=thread_id):
        yield json.dumps(record, ensure_ascii=False).encode() + b"\n"


@router.get(
    "/users/{u}/exchanges/{exchange_id}",
    auth=READ,
    response=describe_responses(200, KeptExchangeOut, may_miss=True),
    operation_id="get_exchange",
    summary="One exchange",
)
def get_exchange(request: HttpRequest, u: UserId, exchange_id: ExchangeId) -> HttpResponse:
    told = open_facade(request).exchange_by_id(get_user_or_404(request, u), exchange_id)
    if told is None:
        raise not_found()
    return json_response(200, KeptExchangeOut.of(told))


class ThreadOut(BaseModel):
    thread_id: str
    exchanges: int
    last_exchange_id: UUID | None
    last_turn_id: UUID | None
    last_at: datetime | None
    required_scoring: bool = Field(description="Whether the last exchange waits for its outcome.")
    state: str = Field(description="scored, or unscored while the outcome of the last exchange is asked for.")
    blocking: bool = Field(description="Whether a client should not go on before it is told; a setting asks for it.")

    @classmethod
    def of(cls, state: ThreadState) -> "ThreadOut":
        last = state.last
        return cls(
            thread_id=state.thread_id,
            exchanges=state.exchanges,
            last_exchange_id=last.pk if last else None,
            last_turn_id=last.turn_id if last else None,
            last_at=last.created_at if last else None,
            required_scoring=state.waits,
            state=state.state,
            blocking=state.blocking,
        )


@router.get(
    "/users/{u}/threads/{thread_id}",
    auth=READ,
    response=describe_responses(200, ThreadOut),
    operation_id="thread_state",
    summary="Where a thread stands",
)
def thread_state(request: HttpRequest, u: UserId, thread_id: ThreadId) -> HttpResponse:
    """Whether its last exchange waits for an outcome. An unknown thread is empty, not a 404."""
    user = lookup_user(request, u)
    state = open_facade(request).thread_state(user, thread_id) if user else ThreadState(thread_id, 0, None, waits=False)
    return json_response(200, ThreadOut.of(state))
