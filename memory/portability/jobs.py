"""Keeps an import until it is written: its checked lines stand in the database, so any worker can write them.

They are written in one transaction, so that a killed worker leaves nothing behind and the next begins again; after
three attempts the import has failed, and nothing of it was written.
"""

import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from io import BytesIO
from itertools import islice
from typing import IO, Any, Final

import structlog
from django.db import IntegrityError

from memory.access.locks import try_task_lock
from memory.access.outbox import Outbox
from memory.access.scope import UNHURRIED, user_scope
from memory.models import EndUser, Transfer, TransferDue, TransferPart
from memory.models.transfers import TransferKind, TransferState
from memory.portability.belonging import TOLD
from memory.portability.checking import FileCheck, ReadLine, iterate_raw_lines, parse_line, read_line
from memory.portability.exporting import END, write_export
from memory.portability.restoring import IdsTaken, Restoration

logger = structlog.get_logger(__name__)

DUE: Final = Outbox(TransferDue, "since")
MAX_ATTEMPTS: Final = 3
PART_BYTES: Final = 1024 * 1024
OPEN: Final = (TransferState.PENDING, TransferState.PROCESSING, TransferState.UNDOING)
WAITING: Final = (TransferState.CHECKED, *OPEN)
ADDED: Final = (TransferKind.IMPORT, TransferKind.CHATS)


class TransferFailed(Exception):
    """An attempt that wrote nothing."""


def export_person(user: EndUser, out: IO[bytes], *, now: datetime, actor: str, **watched: Any) -> Transfer:
    """Write the file, and who took it."""
    counts = write_export(user, out, now=now, **watched)
    with user_scope(user):
        taken = Transfer.objects.create(
            user=user,
            kind=TransferKind.EXPORT,
            state=TransferState.COMPLETED,
            actor=actor,
            lines=counts.total(),
            counts=counts,
            created_at=now,
            finished_at=now,
        )
    logger.info("person exported", user=user.pk, transfer=str(taken.pk), lines=taken.lines, actor=actor)
    return taken


def iterate_lines(stream: IO[bytes], pass_over: Callable[[str], None]) -> Iterator[ReadLine]:
    """The rows of a file that was checked, without header and end."""
    raw_lines = (raw for number, raw in iterate_raw_lines(stream) if number > 1)
    return iterate_rows(raw_lines, pass_over)


def iterate_rows(raw_lines: Iterable[bytes], pass_over: Callable[[str], None]) -> Iterator[ReadLine]:
    for raw in raw_lines:
        value = parse_line(raw)
        if value.get("type") in TOLD:
            pass_over(value["type"])
        elif value.get("type") != END:
            yield read_line(value)


def preview_import(user: EndUser, stream: IO[bytes], *, now: datetime) -> dict[str, dict[str, int]]:
    """What an import would add, by type."""
    with user_scope(user, settings=UNHURRIED):
        for has_own_ids in (False, True):
            stream.seek(0)
            try:
                preview = Restoration(user, now=now, actor="", has_own_ids=has_own_ids, is_dry=True)
                return tell_counts(preview.restore(iterate_lines(stream, preview.pass_over)))
            except IdsTaken:
                continue
    raise TransferFailed("the ids of the file cannot be read")


def stage_import(user: EndUser, stream: IO[bytes], check: FileCheck, *, now: datetime, actor: str) -> Transfer:
    """Keep the lines of a checked file for the worker."""
    return keep_parts(build_import_job(user, check, now=now, actor=actor), stream)


def build_import_job(user: EndUser, check: FileCheck, *, now: datetime, actor: str) -> Transfer:
    return Transfer(user=user, kind=TransferKind.IMPORT, actor=actor, lines=check.lines, created_at=now)


def hold_import(user: EndUser, stream: IO[bytes], check: FileCheck, *, now: datetime, actor: str) -> Transfer:
    """Keep the lines with what they would add, until a person says that they are to be written."""
    job = build_import_job(user, check, now=now, actor=actor)
    job.state, job.counts = TransferState.CHECKED, preview_import(user, stream, now=now)
    stream.seek(0)
    return keep_parts(job, stream)


def keep_parts(job: Transfer, stream: IO[bytes]) -> Transfer:
    """Save the job with the lines of its file."""
    user = job.user
    with user_scope(user, settings=UNHURRIED):
        job.save(force_insert=True)
        for number, body in enumerate(cut_parts(stream)):
            # A part of the largest line may have several megabytes; one at a time is held.
            TransferPart.objects.create(user=user, transfer=job, number=number, body=zlib.compress(body, 6))
        DUE.mark(user, job.created_at)
    return job


def cut_parts(stream: IO[bytes]) -> Iterator[bytes]:
    """Whole lines, about a megabyte together."""
    while lines := stream.readlines(PART_BYTES):
        yield b"".join(lines)


def write_import(user: EndUser, job_id: uuid.UUID, *, now: datetime) -> Transfer | None:
    """Write a staged import unless another process does. None when there is nothing to do."""
    with try_task_lock("import person", user.pk) as is_mine:
        if not is_mine:
            return None
        job = begin_attempt(user, job_id)
        if job is None:
            return None
        try:
            return attempt_import(user, job, now=now)
        except TransferFailed as failure:
            return end_import(user, job, TransferState.FAILED, error=str(failure), now=now)


def begin_attempt(user: EndUser, job_id: uuid.UUID) -> Transfer | None:
    """Counted before it begins, so that a file that kills its worker does not do so for ever."""
    with user_scope(user):
        job = Transfer.objects.filter(user=user, pk=job_id, kind=TransferKind.IMPORT, state__in=OPEN).first()
        if job is None:
            return None
        job.attempts += 1
        job.state = TransferState.PROCESSING
        job.save(update_fields=["attempts", "state"])
    return job


def attempt_import(user: EndUser, job: Transfer, *, now: datetime) -> Transfer:
    if job.attempts > MAX_ATTEMPTS:
        raise TransferFailed(f"the worker was lost {MAX_ATTEMPTS} times while it wrote; nothing was imported")
    try:
        return write_lines(user, job, now=now)
    except (IdsTaken, IntegrityError) as error:
        if job.has_own_ids or not is_about_ids(error):
            raise
    # An id of the file is somebody else's here; nothing was written.
    with user_scope(user):
        job.has_own_ids = True
        job.save(update_fields=["has_own_ids"])
    return write_lines(user, job, now=now)


def is_about_ids(error: Exception) -> bool:
    if isinstance(error, IdsTaken):
        return True
    diagnosis = getattr(error.__cause__, "diag", None)
    return str(getattr(diagnosis, "constraint_name", "")).endswith("_pkey")


def write_lines(user: EndUser, job: Transfer, *, now: datetime) -> Transfer:
    with user_scope(user, savepoint=True, settings=UNHURRIED):
        restoration = Restoration(user, now=now, actor=job.actor, has_own_ids=job.has_own_ids)
        job.counts = tell_counts(restoration.restore(iterate_rows(iterate_staged(user, job), restoration.pass_over)))
        return end_import(user, job, TransferState.COMPLETED, now=now)


def iterate_staged(user: EndUser, job: Transfer) -> Iterator[bytes]:
    """The rows of an export, without its header."""
    return islice(iterate_kept_lines(user, job), 1, None)


def iterate_kept_lines(user: EndUser, job: Transfer) -> Iterator[bytes]:
    with user_scope(user):
        kept = TransferPart.objects.filter(user=user, transfer=job).order_by("number")
        numbers = list(kept.values_list("number", flat=True))
    for number in numbers:
        with user_scope(user):
            part = TransferPart.objects.get(user=user, transfer=job, number=number)
        yield from BytesIO(zlib.decompress(part.body))


def end_import(user: EndUser, job: Transfer, state: TransferState, *, now: datetime, error: str = "") -> Transfer:
    with user_scope(user):
        job.state, job.finished_at, job.error = state, now, error[:300]
        job.save(update_fields=["state", "finished_at", "error", "counts"])
        TransferPart.objects.filter(user=user, transfer=job).delete()
    logger.info("person imported", user=user.pk, transfer=str(job.pk), state=state, lines=job.lines)
    return job


def list_open_imports(user: EndUser, kind: TransferKind = TransferKind.IMPORT) -> list[uuid.UUID]:
    with user_scope(user):
        waiting = Transfer.objects.filter(user=user, kind=kind, state__in=OPEN)
        return list(waiting.order_by("created_at").values_list("pk", flat=True))


def clear_user_mark(user: EndUser) -> bool:
    return DUE.clear(user, lambda one: Transfer.objects.filter(user=one, kind__in=ADDED, state__in=WAITING).exists())


def find_transfer(user: EndUser, job_id: uuid.UUID) -> Transfer | None:
    with user_scope(user):
        return Transfer.objects.filter(user=user, pk=job_id).first()


def list_transfers(user: EndUser, limit: int) -> list[Transfer]:
    """The latest first."""
    with user_scope(user):
        return list(Transfer.objects.filter(user=user).order_by("-created_at")[:limit])


def tell_counts(counts: Any) -> dict[str, dict[str, int]]:  # noqa: ANN401 -- counters by type
    return {name: dict(counted) for name, counted in counts.items()}
