"""Leaving and arriving over REST: a file of everything, and its import."""

from collections.abc import Mapping
from datetime import datetime
from typing import IO, Any
from uuid import UUID

from django.http import FileResponse, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router
from pydantic import BaseModel, Field

from memory.access.confinement import EVERYTHING, confine_to
from memory.access.users import stand_in_for_stranger
from memory.api.acting import open_facade
from memory.models import EndUser, Transfer
from memory.models.transfers import TransferKind
from memory.portability.checking import BrokenFile, FileCheck
from memory.web.auth import ADMIN_WHOLE, create_request_user, get_principal, lookup_user
from memory.web.endpoints import require_user
from memory.web.fields import ItemId, QueryParameters, UserId
from memory.web.idempotency import json_response, run_once
from memory.web.large_bodies import get_spooled_body, open_spool
from memory.web.openapi import describe_responses
from memory.web.problems import FieldError, invalid_fields, not_found

router = Router(tags=["Leaving and arriving"])

NDJSON = "application/x-ndjson"
FILE = {"content": {NDJSON: {"schema": {"type": "string"}}}}


class ImportOptions(QueryParameters):
    dry_run: bool = Field(default=False, description="Check the file and count; write nothing.")


class LineCounts(BaseModel):
    """Of one type of line."""

    new: int = 0
    already_there: int = 0
    refused: int = Field(default=0, description="Deleted here before, or part of what was.")
    learned_again: int = Field(default=0, description="Rows of the graphs, which are learned again from the rest.")
    passed_over: int = Field(default=0, description="What the file tells of spaces, for the person to read.")


def tell_counts(counts: Mapping[str, Mapping[str, int]]) -> dict[str, LineCounts]:
    return {name: LineCounts(**counted) for name, counted in counts.items()}


class ImportPreview(BaseModel):
    dry_run: bool = True
    lines: int
    counts: dict[str, LineCounts]


class ImportStarted(BaseModel):
    job_id: UUID


class ImportStatus(BaseModel):
    job_id: UUID
    status: str = Field(description="`pending`, `processing`, `completed` or `failed`.")
    lines: int
    counts: dict[str, LineCounts] = Field(description="By type of line; empty until it is completed.")
    error: str | None
    created_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, job: Transfer) -> "ImportStatus":
        return cls(
            job_id=job.pk,
            status=job.state,
            lines=job.lines,
            counts=tell_counts(job.counts),
            error=job.error or None,
            created_at=job.created_at,
            finished_at=job.finished_at,
        )


@router.get(
    "/users/{user_id}/export",
    auth=ADMIN_WHOLE,
    response=describe_responses(200, None, may_miss=True),
    openapi_extra={"responses": {200: {"description": "A header, then one JSON object a line.", **FILE}}},
    operation_id="export_user",
    summary="Everything that is kept of a user, as JSON Lines",
)
@require_user
def export_user(request: HttpRequest, user: EndUser) -> Any:  # noqa: ANN401 -- a stream is no HttpResponse
    """Items of all states, versions, events, exchanges, outcomes, facts, graphs, records, own data and tombstones, as
    they are at one moment. No vectors and no keys. The last line is `{"type": "end", "lines": n}`."""
    spool = open_spool()
    try:
        # Whatever agent or project the request names: half of a person could not be imported.
        with confine_to(EVERYTHING):
            open_facade(request).export_person(user, spool, now=timezone.now())
    except BaseException:
        spool.close()
        raise
    spool.seek(0)
    # Closes the file when the client has it or is gone.
    return FileResponse(spool, as_attachment=True, filename=f"{user.external_id}.jsonl", content_type=NDJSON)


@router.post(
    "/users/{user_id}/import",
    auth=ADMIN_WHOLE,
    response={**describe_responses(202, ImportStarted, reads_body=True, writes=True), 200: ImportPreview},
    openapi_extra={"requestBody": {"required": True, **FILE}},
    operation_id="import_user",
    summary="Add what an export holds to a user",
)
def import_user(request: HttpRequest, user_id: UserId, options: Query[ImportOptions]) -> HttpResponse:
    """All of the file is checked first: a bad line is 422 with its number, field and rule, and nothing is written. The
    same file again adds nothing, and what was deleted here stays deleted."""
    stream = get_spooled_body(request, NDJSON)
    check = check_spooled(request, stream)
    now, memory = timezone.now(), open_facade(request)
    with confine_to(EVERYTHING):
        if options.dry_run:
            user = lookup_user(request, user_id) or stand_in_for_stranger(
                get_principal(request).organization_id, user_id
            )
            counts = memory.preview_import(user, stream, now=now)
            return json_response(200, ImportPreview(lines=check.lines, counts=tell_counts(counts)))
        user = create_request_user(request, user_id)

        def stage() -> HttpResponse:
            stream.seek(0)
            return json_response(202, ImportStarted(job_id=memory.stage_import(user, stream, check, now=now).pk))

        # The file alone adds nothing twice; with a key a request that is repeated has one job.
        return run_once(request, user, stage)


def check_spooled(request: HttpRequest, stream: IO[bytes]) -> FileCheck:
    try:
        check = open_facade(request).check_export_file(stream)
    except BrokenFile as broken:
        raise invalid_fields(
            FieldError(f"line {fault.line}" + (f": {fault.field}" if fault.field else ""), fault.rule)
            for fault in broken.faults
        ) from None
    stream.seek(0)
    return check


@router.get(
    "/users/{user_id}/import/{job_id}",
    auth=ADMIN_WHOLE,
    response=describe_responses(200, ImportStatus, may_miss=True),
    operation_id="get_import",
    summary="How far an import is",
)
@require_user
def get_import(request: HttpRequest, user: EndUser, job_id: ItemId) -> HttpResponse:
    job = open_facade(request).find_transfer(user, UUID(job_id))
    if job is None or job.kind != TransferKind.IMPORT:
        raise not_found()
    return json_response(200, ImportStatus.of(job))
