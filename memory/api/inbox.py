"""What waits for a person's decision: counted, listed, decided one by one or as a whole kind, and taken back."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Router
from pydantic import BaseModel, Field

from memory.api.acting import open_facade
from memory.inbox.matters import SOURCES, Matter
from memory.models import DecidedMatter, EndUser, Fact, FactReview, MemoryItem
from memory.models.inbox import MatterDecision, MatterKind
from memory.web.auth import ADMIN, READ
from memory.web.endpoints import optional_user, write_once
from memory.web.fields import PageSize, QueryParameters, RequestBody
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.patterns import MATTER_PATTERN, UUID_PATTERN
from memory.web.problems import not_found
from outcomes.models import OutcomeEvent

router = Router(tags=["Inbox"])

MatterId = Annotated[
    str, Path(..., pattern=MATTER_PATTERN, description="Of what waits: a UUID; of a failure the verdict's number.")
]
DecisionId = Annotated[str, Path(..., pattern=UUID_PATTERN, description="The decision's id.")]


class WaitingKind(BaseModel):
    kind: MatterKind
    waiting: int = Field(description="1000 stands for that many and more.")
    decisions: list[MatterDecision] = Field(description="What can be decided of it.")


class InboxOut(BaseModel):
    kinds: list[WaitingKind]


class MatterStatement(BaseModel):
    type: Literal["memory", "fact", "turn"]
    id: str
    text: str


class MatterOut(BaseModel):
    id: str
    kind: MatterKind
    at: datetime = Field(description="When it was said, found or told; of what expires, when it ends.")
    statements: list[MatterStatement] = Field(description="Of a pair first what would be kept, or what is newer.")
    warnings: list[str] = Field(description="What the guard suspects.")


class MatterList(BaseModel):
    items: list[MatterOut]


class InboxOptions(QueryParameters):
    limit: PageSize = 50


class MatterDecisionIn(RequestBody):
    decision: MatterDecision
    reason: str = Field(default="", max_length=2_000, description="Why it failed; needed by `explain`.")


class KindDecisionIn(RequestBody):
    decision: MatterDecision


class DecidedOut(BaseModel):
    id: UUID
    kind: MatterKind
    decision: MatterDecision
    actor: str
    decided_at: datetime | None

    @classmethod
    def of(cls, row: DecidedMatter) -> "DecidedOut":
        kind, decision = MatterKind(row.kind), MatterDecision(row.decision)
        return cls(id=row.pk, kind=kind, decision=decision, actor=row.actor, decided_at=row.decided_at)


class DecidedList(BaseModel):
    items: list[DecidedOut]


def describe_matter(matter: Matter) -> MatterOut:
    row = matter.row
    warnings = list(row.warnings) if isinstance(row, MemoryItem) else []
    return MatterOut(
        id=matter.id, kind=matter.kind, at=matter.at, statements=list_statements(matter), warnings=warnings
    )


def list_statements(matter: Matter) -> list[MatterStatement]:
    row = matter.row
    if isinstance(row, FactReview):
        return [MatterStatement(type="fact", id=str(fact.pk), text=fact.statement) for fact in (row.fact, row.other)]
    if isinstance(row, Fact):
        return [MatterStatement(type="fact", id=str(row.pk), text=row.statement)]
    if isinstance(row, OutcomeEvent) and not matter.items:
        return [MatterStatement(type="turn", id=str(row.turn_id or row.exchange_id or ""), text=row.query)]
    items = matter.items or ((row,) if isinstance(row, MemoryItem) else ())
    return [MatterStatement(type="memory", id=str(item.pk), text=item.text) for item in items]


@router.get(
    "/users/{user_id}/inbox",
    auth=READ,
    response=describe_responses(200, InboxOut),
    operation_id="count_inbox",
    summary="How much waits for a decision, by kind",
)
@optional_user
def count_inbox(request: HttpRequest, user: EndUser | None) -> HttpResponse:
    """Nothing waits here that no longer is so: it is asked of the memories and facts themselves."""
    counts = open_facade(request).count_waiting(user, now=timezone.now()) if user else {}
    kinds = [
        WaitingKind(kind=kind, waiting=counts.get(kind, 0), decisions=list(source.decisions))
        for kind, source in SOURCES.items()
    ]
    return json_response(200, InboxOut(kinds=kinds))


@router.get(
    "/users/{user_id}/inbox/decided",
    auth=READ,
    response=describe_responses(200, DecidedList),
    operation_id="list_decided",
    summary="The latest decisions, which can be taken back",
)
@optional_user
def list_decided(request: HttpRequest, user: EndUser | None, options: Query[InboxOptions]) -> HttpResponse:
    """The latest first, who decided beside each."""
    rows = open_facade(request).list_decided(user, limit=options.limit) if user else []
    return json_response(200, DecidedList(items=[DecidedOut.of(row) for row in rows]))


@router.get(
    "/users/{user_id}/inbox/{kind}",
    auth=READ,
    response=describe_responses(200, MatterList),
    operation_id="list_inbox",
    summary="What waits of one kind",
)
@optional_user
def list_inbox(
    request: HttpRequest, user: EndUser | None, kind: MatterKind, options: Query[InboxOptions]
) -> HttpResponse:
    """The latest first; of what expires what ends first. What is decided leaves the list, and the next ones follow."""
    found = open_facade(request).list_waiting(user, kind, now=timezone.now(), limit=options.limit) if user else []
    return json_response(200, MatterList(items=[describe_matter(matter) for matter in found]))


@router.post(
    "/users/{user_id}/inbox/{kind}",
    auth=ADMIN,
    response=describe_responses(200, DecidedList, reads_body=True, writes=True, may_miss=True),
    operation_id="decide_kind",
    summary="Decide a whole kind at once",
)
@write_once()
def decide_kind(request: HttpRequest, user: EndUser, kind: MatterKind, body: KindDecisionIn) -> HttpResponse:
    """The first hundred that wait, all of them or none. Each can be taken back by itself."""
    rows = open_facade(request).decide_all(user, kind, body.decision, now=timezone.now())
    return json_response(200, DecidedList(items=[DecidedOut.of(row) for row in rows]))


@router.post(
    "/users/{user_id}/inbox/decided/{decision_id}/undo",
    auth=ADMIN,
    response=describe_responses(200, DecidedOut, writes=True, may_miss=True),
    operation_id="undo_decision",
    summary="Take a decision back",
)
@write_once()
def undo_decision(request: HttpRequest, user: EndUser, decision_id: DecisionId) -> HttpResponse:
    """What it changed is as it was, and it waits again."""
    row = open_facade(request).undo_decision(user, UUID(decision_id), now=timezone.now())
    if row is None:
        raise not_found()
    return json_response(200, DecidedOut.of(row))


@router.post(
    "/users/{user_id}/inbox/{kind}/{matter_id}",
    auth=ADMIN,
    response=describe_responses(200, DecidedOut, reads_body=True, writes=True, may_miss=True),
    operation_id="decide_matter",
    summary="Decide one thing that waits",
)
@write_once()
def decide_matter(
    request: HttpRequest, user: EndUser, kind: MatterKind, matter_id: MatterId, body: MatterDecisionIn
) -> HttpResponse:
    """`GET /inbox` names the decisions of each kind. ``keep`` of a suspected statement vouches for it; ``archive`` of a
    pair archives the second."""
    facade, now = open_facade(request), timezone.now()
    row = facade.decide_matter(user, kind, matter_id, body.decision, now=now, reason=body.reason)
    if row is None:
        raise not_found()
    return json_response(200, DecidedOut.of(row))
