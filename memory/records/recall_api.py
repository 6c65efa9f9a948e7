"""Recall over REST: the search, the log of its calls, and what waits for its vector or was given up."""

from datetime import datetime
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router
from pydantic import BaseModel, Field

from memory.models import EndUser
from memory.platform.queue import enqueue
from memory.records import queue, recall, state, tasks
from memory.records.choosing import DEFAULT_TOP_K, Omission, RecallBias, RecallOptions
from memory.records.models import RecallLog
from memory.records.state import RecallPlace
from memory.records.texts import Kind
from memory.web import paging
from memory.web.auth import READ, WRITE
from memory.web.endpoints import answer_once, optional_user, write_once
from memory.web.fields import Flag, JsonValue, QueryText, RecordPageOptions, RequestBody
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses

router = Router(tags=["Personal records"])


class FiltersIn(RequestBody):
    kinds: list[Kind] | None = Field(default=None, min_length=1, max_length=len(Kind))


class RecallIn(RequestBody):
    query: QueryText
    filters: FiltersIn = Field(default_factory=FiltersIn)
    top_k: int = Field(default=DEFAULT_TOP_K, strict=True, ge=1, le=20)
    bias: RecallBias | None = Field(
        default=None, description="What it is for: to-dos and recent messages, or recent journals and gratitude, ahead."
    )
    max_per_kind: int | None = Field(default=None, strict=True, ge=1, le=20)
    debug: Flag = Field(default=False, description="With `developer`: how each place came about.")

    def as_options(self) -> RecallOptions:
        kinds = [kind for kind in Kind if self.filters.kinds is None or kind in self.filters.kinds]
        return RecallOptions(kinds, self.top_k, self.bias, self.max_per_kind)


class RecalledOut(BaseModel):
    kind: Kind
    ref_id: UUID
    snippet: str
    score: float
    created_at: datetime


class FactorsOut(BaseModel):
    """The score is their product."""

    ref_id: UUID
    similarity: float
    recency: float
    preference: float


class OmittedOut(RecalledOut, FactorsOut):
    why: Omission


class DeveloperCard(BaseModel):
    model: str
    candidates: int
    asked: dict[str, JsonValue]
    factors: list[FactorsOut] = Field(description="Of the results, in their order.")
    omitted: list[OmittedOut] = Field(description="Near, and not shown.")


class Diagnostics(BaseModel):
    tool: str
    duration_ms: float
    results: list[RecalledOut]


class DetailedDiagnostics(Diagnostics):
    """With `debug` only."""

    developer: DeveloperCard


class RecallOut(BaseModel):
    status: str
    type: str
    title: str
    body: str
    meta: dict[str, JsonValue]
    persisted_ids: dict[str, JsonValue]
    diagnostics: DetailedDiagnostics | Diagnostics


@router.post(
    "/users/{user_id}/recall/search",
    auth=READ,
    response=describe_responses(200, RecallOut, reads_body=True, writes=True),
    operation_id="recall",
    summary="Recall personal records by meaning",
)
@answer_once
def recall_records(request: HttpRequest, user: EndUser, body: RecallIn) -> HttpResponse:
    """Scores of 0.35 and more, recent ones ahead, at most 1,200 tokens. Fails with one of three codes."""
    found = recall.recall_records(user, body.query, now=timezone.now(), options=body.as_options())
    return json_response(200, RecallOut(**found.as_card(with_details=body.debug)))


class RecallNoteOut(BaseModel):
    """One call, without its words."""

    at: datetime
    tool: str
    status: str = Field(description="`ok`, or the code it failed with.")
    duration_ms: float
    top_k_effective: int = Field(description="How many records it showed.")
    filters: dict[str, JsonValue]


class RecallNotePage(BaseModel):
    items: list[RecallNoteOut]
    next_cursor: str | None


@router.get(
    "/users/{user_id}/recall/log",
    auth=READ,
    response=describe_responses(200, RecallNotePage),
    operation_id="list_recalls",
    summary="List the recalls of the last thirty days",
)
@optional_user
def list_recalls(request: HttpRequest, user: EndUser | None, options: InQuery[RecordPageOptions]) -> HttpResponse:
    """Newest first."""
    listing = ["recalls", user.pk if user else 0]
    position = paging.read_cursor(listing, options.cursor)
    before = RecallPlace(datetime.fromisoformat(position[0]), int(position[1])) if position else None
    rows = state.list_recalls(user, before=before, limit=options.limit + 1)
    page, cursor = paging.cut_page(
        rows, options.limit, lambda row: paging.sign_cursor(listing, [row.at.isoformat(), row.pk])
    )
    return json_response(200, RecallNotePage(items=[render_note(row) for row in page], next_cursor=cursor))


def render_note(row: RecallLog) -> RecallNoteOut:
    return RecallNoteOut.model_validate(row, from_attributes=True)


class FailedRecordOut(BaseModel):
    kind: Kind
    ref_id: UUID
    error: str


class RecallStateOut(BaseModel):
    model: str
    pending: int
    ready: int
    failed: int = Field(description="Refused by the embedder again and again, and not found until they are retried.")
    failures: list[FailedRecordOut] = Field(description="The latest twenty of the failed.")


@router.get(
    "/users/{user_id}/recall/status",
    auth=READ,
    response=describe_responses(200, RecallStateOut),
    operation_id="get_recall_status",
    summary="Count the records that recall finds, and those that wait or failed",
)
@optional_user
def get_recall_status(request: HttpRequest, user: EndUser | None) -> HttpResponse:
    return json_response(200, RecallStateOut.model_validate(state.load_recall_state(user), from_attributes=True))


class RetriedOut(BaseModel):
    retried: int


@router.post(
    "/users/{user_id}/recall/retry",
    auth=WRITE,
    response=describe_responses(200, RetriedOut, writes=True, may_miss=True),
    operation_id="retry_recall",
    summary="Embed the records that failed once more",
)
@write_once()
def retry_recall(request: HttpRequest, user: EndUser) -> HttpResponse:
    number = queue.retry_failures(user, now=timezone.now())
    if number:
        enqueue(tasks.embed_user_records, user.pk)
    return json_response(200, RetriedOut(retried=number))
