"""Labelled questions of a person, and runs that ask them under two settings."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Router
from pydantic import BaseModel, Field

from memory.api.acting import open_facade
from memory.measuring.cases import MOST_EXPECTED, NewCase
from memory.measuring.labels import ChosenQuestions, LabelledQuestion, LabelSource, QuestionSet
from memory.measuring.runs import NewRun
from memory.models import EndUser, EvaluationCase, EvaluationRun
from memory.models.evaluation import QUESTION_CHARS, MeasuringState
from memory.retrieval.variants import FUSIONS, MOST_ASKED, BadSetting, SearchSettings, parse_settings
from memory.store.admission import WriteRefused
from memory.tiers import Tier
from memory.web.auth import READ, WRITE
from memory.web.endpoints import optional_user, require_user
from memory.web.fields import Moment, Name, QueryParameters, RequestBody, UuidText
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.problems import not_found

router = Router(tags=["Measuring"])


class SearchSettingsIn(RequestBody):
    """What differs from the search as configured."""

    tiers: list[Tier] | None = Field(default=None, max_length=len(Tier), description="Only these.")
    limit: int | None = Field(default=None, ge=1, le=MOST_ASKED, description="How many are found; otherwise ten.")
    without: list[Name] | None = Field(default=None, max_length=64, description="Ranking signals that are left out.")
    skip: list[Name] | None = Field(default=None, max_length=8, description="Of vector, lexical, rerank and rate.")
    fusion: Name | None = Field(default=None, description=f"One of {', '.join(FUSIONS)}.")

    def parse(self, field: str) -> SearchSettings:
        try:
            return parse_settings(self.model_dump(exclude_none=True, mode="json"))
        except BadSetting as error:
            raise WriteRefused(f"{field}.{error.field}", error.rule) from error


class CaseIn(RequestBody):
    question: str = Field(min_length=1, max_length=QUESTION_CHARS, examples=["Where is the key of the shed?"])
    expected_ids: list[UuidText] = Field(
        min_length=1, max_length=MOST_EXPECTED, description="Ids of the memories that should be found."
    )
    asked_at: Moment | None = Field(
        default=None, description="Asked as of then: what was said later is not found. Without it, whenever measured."
    )
    thread_id: Name | None = None
    turn_id: UuidText | None = Field(default=None, description="The turn it was asked in, if it was.")


class CaseOut(BaseModel):
    id: UUID | None = Field(description="Of a saved question; null for one of a turn.")
    source: LabelSource
    question: str
    expected_ids: list[UUID]
    asked_at: datetime | None
    turn_id: UUID | None
    is_named: bool = Field(description="Whether the outcome named its memories; else all that was shown is expected.")

    @classmethod
    def of(cls, one: LabelledQuestion) -> "CaseOut":
        return cls(
            id=one.case_id,
            source=one.source,
            question=one.question,
            expected_ids=list(one.expected),
            asked_at=one.asked_at,
            turn_id=one.turn_id,
            is_named=one.is_named,
        )

    @classmethod
    def of_row(cls, row: EvaluationCase) -> "CaseOut":
        return cls(
            id=row.pk,
            source=LabelSource.SAVED,
            question=row.question,
            expected_ids=row.expected_ids,
            asked_at=row.asked_at,
            turn_id=row.turn_id,
            is_named=True,
        )


class CaseListOut(BaseModel):
    items: list[CaseOut]
    left_out: dict[str, int] = Field(
        description="Questions that cannot be asked: what they expect is `gone`, was stored `later`, or is `repeated`."
    )


class CaseListOptions(QueryParameters):
    questions: ChosenQuestions = ChosenQuestions.ALL


class RunIn(RequestBody):
    b: SearchSettingsIn | None = Field(
        default=None, description="The change. Without it the search as configured is compared with the last run."
    )
    a: SearchSettingsIn | None = Field(default=None, description="What it is compared to; the search as configured.")
    questions: ChosenQuestions = ChosenQuestions.ALL


class RunOut(BaseModel):
    id: UUID
    state: MeasuringState
    settings_a: dict[str, Any]
    settings_b: dict[str, Any]
    questions: ChosenQuestions
    done: int
    total: int
    figures: dict[str, Any]
    error: str
    created_at: datetime
    finished_at: datetime | None

    @classmethod
    def read(cls, run: EvaluationRun) -> dict[str, Any]:
        names = ("state", "settings_a", "settings_b", "done", "total", "figures", "error", "created_at", "finished_at")
        chosen = run.chosen or ChosenQuestions.ALL
        return {"id": run.pk, "questions": chosen, **{name: getattr(run, name) for name in names}}


class RunDetailOut(RunOut):
    results: list[dict[str, Any]] = Field(description="Of each question: ids, and its figures under both settings.")


class RunListOut(BaseModel):
    items: list[RunOut]


@router.get(
    "/users/{user_id}/evaluation/cases",
    auth=READ,
    response=describe_responses(200, CaseListOut),
    operation_id="list_evaluation_cases",
    summary="The questions that are measured with",
)
@optional_user
def list_cases(request: HttpRequest, user: EndUser | None, options: Query[CaseListOptions]) -> HttpResponse:
    """Saved ones, and those of turns whose outcome was reported as worked; the latest 500."""
    found = open_facade(request).read_questions(user, options.questions) if user else QuestionSet()
    items = [CaseOut.of(one) for one in found.questions]
    return json_response(200, CaseListOut(items=items, left_out=dict(found.left_out)))


@router.post(
    "/users/{user_id}/evaluation/cases",
    auth=WRITE,
    response=describe_responses(201, CaseOut, reads_body=True, writes=True, may_miss=True),
    operation_id="save_evaluation_case",
    summary="Save a question to measure with",
)
@require_user
def save_case(request: HttpRequest, user: EndUser, body: CaseIn) -> HttpResponse:
    """The same question with the same memories is kept once."""
    new = NewCase(
        body.question,
        [UUID(item_id) for item_id in body.expected_ids],
        thread_id=body.thread_id or "",
        turn_id=UUID(body.turn_id) if body.turn_id else None,
        asked_at=body.asked_at,
    )
    return json_response(201, CaseOut.of_row(open_facade(request).save_case(user, new, now=timezone.now())))


@router.delete(
    "/users/{user_id}/evaluation/cases/{case_id}",
    auth=WRITE,
    response=describe_responses(204, None, writes=True, may_miss=True),
    operation_id="delete_evaluation_case",
    summary="Delete a saved question",
)
@require_user
def delete_case(request: HttpRequest, user: EndUser, case_id: Path[UUID]) -> HttpResponse:
    if not open_facade(request).delete_case(user, case_id):
        raise not_found()
    return HttpResponse(status=204)


@router.post(
    "/users/{user_id}/evaluation/runs",
    auth=WRITE,
    response=describe_responses(202, RunOut, reads_body=True, writes=True, may_miss=True),
    operation_id="start_evaluation_run",
    summary="Ask the questions under two settings, or once more",
)
@require_user
def start_run(request: HttpRequest, user: EndUser, body: RunIn = RunIn()) -> HttpResponse:  # noqa: B008
    """In the background; one at a time for each person. Changes no setting and stores no turn. Without a change it
    tells what became of the questions since the last run: what was stored, corrected and archived meanwhile."""
    before = (body.a or SearchSettingsIn()).parse("a")
    new = NewRun((body.b or SearchSettingsIn()).parse("b"), before, body.questions)
    run = open_facade(request).start_measuring(user, new, now=timezone.now())
    return json_response(202, RunOut(**RunOut.read(run)))


@router.get(
    "/users/{user_id}/evaluation/runs",
    auth=READ,
    response=describe_responses(200, RunListOut),
    operation_id="list_evaluation_runs",
    summary="Runs, the latest first",
)
@optional_user
def list_runs(request: HttpRequest, user: EndUser | None) -> HttpResponse:
    """The last fifty."""
    found = open_facade(request).list_measurings(user) if user else []
    return json_response(200, RunListOut(items=[RunOut(**RunOut.read(run)) for run in found]))


@router.get(
    "/users/{user_id}/evaluation/runs/{run_id}",
    auth=READ,
    response=describe_responses(200, RunDetailOut, may_miss=True),
    operation_id="get_evaluation_run",
    summary="A run with what each question came to",
)
@require_user
def get_run(request: HttpRequest, user: EndUser, run_id: Path[UUID]) -> HttpResponse:
    run = open_facade(request).find_measuring(user, run_id)
    if run is None:
        raise not_found()
    return json_response(200, RunDetailOut(**RunOut.read(run), results=run.results))
