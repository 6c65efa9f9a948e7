"""Maintenance calls for clients: promotion, statistics, index status, health."""

from typing import Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from ninja import Router
from pydantic import BaseModel, Field

from memory.api.acting import facade
from memory.api.schemas import IndexStatusOut
from memory.indexing.queue import IndexCounts
from memory.lifecycle.promotion import LISTED, Promoted
from memory.operations import health
from memory.tiers import Outcome, Status, Tier
from memory.web.auth import ADMIN, READ, identify, known_user
from memory.web.fields import Body, Flag, UserId, is_none
from memory.web.idempotency import answer_once, reply
from memory.web.openapi import answers
from memory.web.problems import Problem, from_status, problem_of

router = Router(tags=["Operations"])


class PromoteIn(Body):
    dry_run: Flag = False


class MoveOut(BaseModel):
    memory_id: UUID
    source: Tier = Field(serialization_alias="from")
    target: Tier = Field(serialization_alias="to")
    reason: str


class ArchivedOut(BaseModel):
    memory_id: UUID
    reason: str


class PromoteOut(BaseModel):
    promoted: list[MoveOut]
    archived: list[ArchivedOut]
    unchanged: int
    counts: dict[Literal["promoted", "archived"], int] | None = Field(
        default=None,
        exclude_if=is_none,
        description=f"Of all memories; present only when a list was cut at its {LISTED:,}th entry.",
    )

    @classmethod
    def of(cls, done: Promoted) -> "PromoteOut":
        return cls(
            promoted=[
                MoveOut(memory_id=one.memory_id, source=one.source, target=one.target, reason=one.reason)
                for one in done.promoted
            ],
            archived=[ArchivedOut(memory_id=one.memory_id, reason=one.reason) for one in done.archived],
            unchanged=done.unchanged,
            counts={"promoted": done.moved, "archived": done.let_go} if done.is_cut else None,
        )


@router.post(
    "/users/{u}/promote",
    auth=ADMIN,
    response=answers(200, PromoteOut, reads_body=True, writes=True),
    operation_id="promote",
    summary="Run a promotion pass now",
    by_alias=True,
)
def promote(request: HttpRequest, u: UserId, body: PromoteIn = PromoteIn()) -> HttpResponse:  # noqa: B008
    """Promotes proven memories and archives expired ones. ``dry_run`` only reports what it would do."""
    user, door = known_user(request, u), facade(request)
    if user is None:
        return reply(200, PromoteOut.of(Promoted()))
    # Outside the transaction that keeps the answer: a pass is many short ones, and doing it again changes nothing.
    return answer_once(
        request,
        user,
        lambda: reply(200, PromoteOut.of(door.promote(user, now=timezone.now(), dry_run=body.dry_run))),
    )


class StatsOut(BaseModel):
    tiers: dict[Tier, dict[Status, int]]
    outcomes: dict[Outcome, int]
    exchanges: int
    signals: dict[str, int] = Field(description="Hints noticed in conversations and faults of tools, by kind.")
    indexing: IndexStatusOut
    graphs: dict[str, int] = Field(description="Sizes of the user's graphs, by name.")


@router.get(
    "/users/{u}/stats",
    auth=READ,
    response=answers(200, StatsOut),
    operation_id="stats",
    summary="How much is remembered, and how well it served",
)
def stats(request: HttpRequest, u: UserId) -> HttpResponse:
    user = known_user(request, u)
    found = facade(request).stats(user) if user else None
    tiers = found.tiers if found else {}
    counts = {tier: {status: tiers.get(tier, {}).get(status, 0) for status in Status} for tier in Tier}
    return reply(
        200,
        StatsOut(
            tiers=counts,
            outcomes={outcome: found.outcomes.get(outcome, 0) if found else 0 for outcome in Outcome},
            exchanges=found.exchanges if found else 0,
            signals=found.signals if found else {},
            indexing=index_counts(found.indexing if found else None),
            graphs=facade(request).graph_sizes(user) if user else {},
        ),
    )


@router.get(
    "/users/{u}/index-status",
    auth=READ,
    response=answers(200, IndexStatusOut),
    operation_id="index_status",
    summary="How far memories are on their way into the index",
)
def index_status(request: HttpRequest, u: UserId) -> HttpResponse:
    user = known_user(request, u)
    return reply(200, index_counts(facade(request).index_status(user) if user else None))


def index_counts(counts: IndexCounts | None) -> IndexStatusOut:
    if counts is None:
        return IndexStatusOut(pending=0, ready=0, failed=0)
    return IndexStatusOut(pending=counts.pending, ready=counts.ready, failed=counts.failed)


@csrf_exempt
def health_view(request: HttpRequest) -> HttpResponse:
    """Without a key only the overall status; with one, every component."""
    if request.method != "GET":
        return from_status(405, headers={"Allow": "GET"}).response()
    report = health.current()
    if "Authorization" not in request.headers:
        return JsonResponse({"status": report.status})
    try:
        identify(request)
    except Problem as problem:
        return problem.response()
    except Exception as error:  # noqa: BLE001 -- the key cannot be checked: answer as to anybody
        problem_of(error)
        return JsonResponse({"status": report.status})
    return JsonResponse(report.as_dict())
