"""Maintenance calls for clients: promotion, statistics, index status, health."""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from ninja import Router
from pydantic import BaseModel, Field

from memory.access.users import is_stranger
from memory.api.acting import open_facade
from memory.api.schemas import IndexStatusOut
from memory.facade import Stats
from memory.indexing.queue import IndexCounts
from memory.lifecycle.promotion import MOST_LISTED, PromotionResult, RetiredMemory
from memory.models import EndUser
from memory.operations import health
from memory.tiers import Outcome, Status, Tier
from memory.web.auth import ADMIN, READ, authenticate_request
from memory.web.endpoints import answer_once, optional_user
from memory.web.fields import Flag, RequestBody, is_none
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.problems import Problem, problem_from_status, to_problem

router = Router(tags=["Operations"])


class PromoteIn(RequestBody):
    dry_run: Flag = False


class MoveOut(BaseModel):
    memory_id: UUID
    source: Tier = Field(serialization_alias="from")
    target: Tier = Field(serialization_alias="to")
    reason: str


class ArchivedOut(BaseModel):
    memory_id: UUID
    reason: str

    @classmethod
    def list_of(cls, retired: Sequence[RetiredMemory]) -> "list[ArchivedOut]":
        return [cls(memory_id=one.memory_id, reason=one.reason) for one in retired]


class PromoteOut(BaseModel):
    promoted: list[MoveOut]
    dormant: list[ArchivedOut] = Field(description="Past their time in their tier, and still found by a search.")
    archived: list[ArchivedOut]
    deleted: int = Field(description="Dormant memories past RETENTION_DAYS.")
    unchanged: int
    counts: dict[Literal["promoted", "dormant", "archived"], int] | None = Field(
        default=None,
        exclude_if=is_none,
        description=f"Of all memories; present only when a list was cut at its {MOST_LISTED:,}th entry.",
    )

    @classmethod
    def of(cls, done: PromotionResult) -> "PromoteOut":
        counts: dict[Literal["promoted", "dormant", "archived"], int] = {
            "promoted": done.moved,
            "dormant": done.rested,
            "archived": done.let_go,
        }
        return cls(
            promoted=[
                MoveOut(memory_id=one.memory_id, source=one.source, target=one.target, reason=one.reason)
                for one in done.promoted
            ],
            dormant=ArchivedOut.list_of(done.dormant),
            archived=ArchivedOut.list_of(done.archived),
            deleted=done.deleted,
            unchanged=done.unchanged,
            counts=counts if done.is_cut else None,
        )


@router.post(
    "/users/{user_id}/promote",
    auth=ADMIN,
    response=describe_responses(200, PromoteOut, reads_body=True, writes=True),
    operation_id="promote",
    summary="Run a promotion pass now",
    by_alias=True,
)
@answer_once
def run_promotion(request: HttpRequest, user: EndUser, body: PromoteIn = PromoteIn()) -> HttpResponse:  # noqa: B008
    """Promotes proven memories, archives useless ones, makes dormant what is past its time; ``dry_run`` tells."""
    if is_stranger(user):
        return json_response(200, PromoteOut.of(PromotionResult()))
    done = open_facade(request).promote(user, now=timezone.now(), dry_run=body.dry_run)
    return json_response(200, PromoteOut.of(done))


class StatsOut(BaseModel):
    tiers: dict[Tier, dict[Status, int]]
    outcomes: dict[Outcome, int]
    exchanges: int
    signals: dict[str, int] = Field(description="Hints noticed in conversations and faults of tools, by kind.")
    indexing: IndexStatusOut
    graphs: dict[str, int] = Field(description="Sizes of the user's graphs, by name.")

    @classmethod
    def of(cls, found: Stats, graphs: dict[str, int]) -> "StatsOut":
        return cls(
            tiers={tier: {status: found.tiers.get(tier, {}).get(status, 0) for status in Status} for tier in Tier},
            outcomes={outcome: found.outcomes.get(outcome, 0) for outcome in Outcome},
            exchanges=found.exchanges,
            signals=found.signals,
            indexing=render_index_counts(found.indexing),
            graphs=graphs,
        )


@router.get(
    "/users/{user_id}/stats",
    auth=READ,
    response=describe_responses(200, StatsOut),
    operation_id="stats",
    summary="How much is remembered, and how well it served",
)
@optional_user
def get_stats(request: HttpRequest, user: EndUser | None) -> HttpResponse:
    memory = open_facade(request)
    found, graphs = (memory.get_stats(user), memory.count_graph_rows(user)) if user else (Stats(), {})
    return json_response(200, StatsOut.of(found, graphs))


@router.get(
    "/users/{user_id}/index-status",
    auth=READ,
    response=describe_responses(200, IndexStatusOut),
    operation_id="index_status",
    summary="How far memories are on their way into the index",
)
@optional_user
def get_index_status(request: HttpRequest, user: EndUser | None) -> HttpResponse:
    counts = open_facade(request).count_indexing(user) if user else IndexCounts()
    return json_response(200, render_index_counts(counts))


def render_index_counts(counts: IndexCounts) -> IndexStatusOut:
    return IndexStatusOut(pending=counts.pending, ready=counts.ready, failed=counts.failed)


@csrf_exempt
def health_view(request: HttpRequest) -> HttpResponse:
    """Without a key only the overall status; with one, every component."""
    if request.method != "GET":
        return problem_from_status(405, headers={"Allow": "GET"}).response()
    report = health.current()
    # Liveness is for load balancers, which have no key; components and sizes are nobody's business without one.
    if "Authorization" not in request.headers:
        return JsonResponse({"status": report.status})
    try:
        authenticate_request(request)
    except Problem as problem:
        return problem.response()
    except Exception as error:  # noqa: BLE001 -- the key cannot be checked: answer as to anybody
        to_problem(error)
        return JsonResponse({"status": report.status})
    return JsonResponse(report.as_dict())
