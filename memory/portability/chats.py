"""Chats of other products through the console: kept when they are checked, written by the worker, taken back whole.

What is kept are the messages as they were read, so that the worker needs no file. It writes them in batches that are
recognised when they come again: a killed worker loses nothing, and the next goes on.
"""

import json
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Final

import structlog
from django.db.models import Count

from memory.access.confinement import EVERYTHING, confine_to
from memory.access.locks import try_task_lock
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.lifecycle.purging import PurgeFilter, PurgeResult
from memory.models import EndUser, MemoryItem, Transfer
from memory.models.transfers import TransferKind, TransferState
from memory.portability.jobs import ADDED, DUE, MAX_ATTEMPTS, OPEN, end_import, iterate_kept_lines, keep_parts
from memory.portability.restoring import NEW, THERE
from memory.portability.withdrawing import withdraw_source
from memory.store.admission import WriteRefused
from memory.tiers import Tier
from memory.transfer.chats.importing import (
    ChatFile,
    ImportProgress,
    build_import,
    count_new_memories,
    write_import,
)
from memory.transfer.chats.messages import ImportedKind, ImportedMessage
from memory.transfer.chats.statements import Telling
from outcomes.exchanges import rereading
from outcomes.exchanges.rereading import ReadingCounts

logger = structlog.get_logger(__name__)

# What was checked and neither imported nor discarded.
KEPT_FOR: Final = timedelta(days=1)
# What the memory bank took when the file was checked, and had no room for since.
BANK_REFUSED: Final = "refused by the memory bank: no room"
# Of a message, as text in what is kept.
TIMES: Final = ("said_at", "until")
ENDED: Final = (TransferState.COMPLETED, TransferState.FAILED)


def check_chats(user: EndUser, path: Path, spool: IO[bytes], *, tier: Tier, now: datetime, actor: str) -> Transfer:
    """Read all of a file, count what it would add, and keep it for a day. Raises BrokenExport; writes no memory."""
    with confine_to(EVERYTHING):
        file = ChatFile(path)
        survey = file.survey()
        new = count_new_memories(user, file, tier)
    for message in file.read_messages():
        if isinstance(message, ImportedMessage):
            times = {name: moment.isoformat() if (moment := getattr(message, name)) else None for name in TIMES}
            spool.write(json.dumps(asdict(message) | times).encode() + b"\n")
    spool.seek(0)
    told = {
        "format": survey.kind,
        "tier": tier.value,
        "messages": survey.messages,
        "memories": survey.holds[ImportedKind.MESSAGE],
        "threads": len(survey.threads),
        "earliest": survey.earliest.isoformat() if survey.earliest else None,
        "latest": survey.latest.isoformat() if survey.latest else None,
        "skipped": dict(survey.skipped),
    }
    counts = {
        name_kind(kind, survey.kind): {NEW: new[kind], THERE: survey.holds[kind] - new[kind]}
        for kind in ImportedKind
        if survey.holds[kind] or kind is ImportedKind.MESSAGE
    }
    job = Transfer(
        user=user,
        kind=TransferKind.CHATS,
        state=TransferState.CHECKED,
        actor=actor,
        lines=survey.memories,
        survey=told,
        counts=counts,
        created_at=now,
    )
    return keep_parts(job, spool)


def start_import(user: EndUser, job_id: uuid.UUID, *, now: datetime) -> bool:
    """Let the worker write what was checked. False when it was started, discarded or is too old."""
    return move(user, job_id, ADDED, (TransferState.CHECKED,), TransferState.PENDING, now)


def start_undo(user: EndUser, job_id: uuid.UUID, *, now: datetime) -> bool:
    """Let the worker take back what an import has added. False unless it has ended."""
    return move(user, job_id, (TransferKind.CHATS,), ENDED, TransferState.UNDOING, now)


def move(
    user: EndUser,
    job_id: uuid.UUID,
    kinds: tuple[TransferKind, ...],
    before: tuple[TransferState, ...],
    after: TransferState,
    now: datetime,
) -> bool:
    with user_scope(user):
        held = Transfer.objects.filter(user=user, pk=job_id, kind__in=kinds, state__in=before)
        moved = held.update(state=after, attempts=0, error="", finished_at=None)
        if moved:
            DUE.mark(user, now)
    return bool(moved)


def discard_checked(user: EndUser, job_id: uuid.UUID) -> bool:
    """Forget a file that was only checked."""
    with user_scope(user):
        held = Transfer.objects.filter(user=user, pk=job_id, kind__in=ADDED, state=TransferState.CHECKED)
        return bool(held.delete()[0])


def drop_abandoned(user: EndUser, *, now: datetime) -> None:
    with user_scope(user):
        left = Transfer.objects.filter(user=user, kind__in=ADDED, state=TransferState.CHECKED)
        left.filter(created_at__lt=now - KEPT_FOR).delete()


def preview_undo(user: EndUser, job: Transfer, *, now: datetime) -> PurgeResult:
    """What taking an import back would remove."""
    return withdraw_source(user, select_added(job), now=now, actor="", dry_run=True)[0]


def select_added(job: Transfer) -> PurgeFilter:
    return PurgeFilter(source={"type": "import", "transfer": str(job.pk)})


def work_on_import(user: EndUser, job_id: uuid.UUID, *, now: datetime) -> Transfer | None:
    """Write or take back one import unless another process does. None when there is nothing to do."""
    with try_task_lock("import person", user.pk) as is_mine, confine_to(EVERYTHING):
        job = begin_work(user, job_id) if is_mine else None
        if job is None:
            return None
        if job.attempts > MAX_ATTEMPTS:
            return end_import(
                user, job, TransferState.FAILED, error=f"the worker was lost {MAX_ATTEMPTS} times", now=now
            )
        if job.state == TransferState.UNDOING:
            return undo_import(user, job, now=now)
        try:
            return write_chats(user, job, now=now)
        except WriteRefused as refusal:
            return end_import(user, job, TransferState.FAILED, error=f"{refusal.field}: {refusal.rule}", now=now)


def begin_work(user: EndUser, job_id: uuid.UUID) -> Transfer | None:
    with user_scope(user):
        job = Transfer.objects.filter(user=user, pk=job_id, kind=TransferKind.CHATS, state__in=OPEN).first()
        if job is None:
            return None
        job.attempts += 1
        if job.state == TransferState.PENDING:
            job.state = TransferState.PROCESSING
        job.save(update_fields=["attempts", "state"])
    return job


def write_chats(user: EndUser, job: Transfer, *, now: datetime) -> Transfer:
    threads = set[str]()
    # Those of an attempt that was stopped.
    before = count_added(user, job)

    def note(written: ImportProgress, _batch: int) -> None:
        job.counts = count_kinds(job.survey["format"], before, written)
        if refused := written.told[Telling.REFUSED].total():
            job.survey = {**job.survey, "skipped": {**job.survey["skipped"], BANK_REFUSED: refused}}
        with user_scope(user):
            job.save(update_fields=["counts", "survey"])

    note(ImportProgress(), 0)
    messages = iterate_messages(user, job, threads)
    write_import(user, build_import(messages, Tier(job.survey["tier"]), str(job.pk)), now=now, on_batch=note)
    if memory_conf().flags["profile_detection"]:
        teach_facts(user, job, threads, now=now)
    return end_import(user, job, TransferState.COMPLETED, now=now)


def name_kind(kind: ImportedKind, format_name: str) -> str:
    """Messages are counted under the name of their format."""
    return format_name if kind is ImportedKind.MESSAGE else kind.value


def count_added(user: EndUser, job: Transfer) -> Counter[ImportedKind]:
    with user_scope(user):
        added = MemoryItem.objects.for_user(user).filter(select_added(job).wording).order_by()
        rows = added.values_list("source__part").annotate(number=Count("pk"))
        return Counter({ImportedKind(part or ImportedKind.MESSAGE): number for part, number in rows})


def count_kinds(format_name: str, before: Counter[ImportedKind], written: ImportProgress) -> dict[str, dict[str, int]]:
    new, there = written.told[Telling.NEW], written.told[Telling.THERE]
    return {
        name_kind(kind, format_name): {NEW: before[kind] + new[kind], THERE: max(0, there[kind] - before[kind])}
        for kind in ImportedKind
        if kind is ImportedKind.MESSAGE or before[kind] or new[kind] or there[kind]
    }


def teach_facts(user: EndUser, job: Transfer, threads: set[str], *, now: datetime) -> None:
    """Facts of what people said, once all of it is stored: the newest thread often comes first."""
    counts = ReadingCounts()
    turns, _machines = rereading.list_imported_turns(user, None, threads)

    def note(_read: int) -> None:
        # After the batch, which counts itself before it tells.
        job.survey = {**job.survey, "turns": len(turns), "read": counts.turns, "facts": counts.new}
        with user_scope(user):
            job.save(update_fields=["survey"])

    note(0)
    rereading.read_turns(user, turns, counts, now=now, on_turns=note)


def iterate_messages(user: EndUser, job: Transfer, threads: set[str]) -> Iterator[ImportedMessage]:
    """What was kept, noting the threads that are met."""
    for raw in iterate_kept_lines(user, job):
        value = json.loads(raw)
        # A file that was held by an earlier release has no ends.
        value |= {name: datetime.fromisoformat(told) if (told := value.get(name)) else None for name in TIMES}
        value["attachments"] = tuple(value["attachments"])
        # A file that was held by an earlier release names no kind.
        value["holds"] = ImportedKind(value.get("holds", ImportedKind.MESSAGE))
        if value["holds"] is ImportedKind.MESSAGE:
            threads.add(value["thread_id"])
        yield ImportedMessage(**value)


def undo_import(user: EndUser, job: Transfer, *, now: datetime) -> Transfer:
    """Remove what the import added and all that came of it. The same file may be imported again."""
    with user_scope(user):
        # Nobody deletes these one by one: unlike a message that a person deleted, none is refused when it comes again.
        MemoryItem.objects.for_user(user).filter(select_added(job).wording).update(origin=None)
    result, _exchanges = withdraw_source(user, select_added(job), now=now, actor=job.actor)
    logger.info("import undone", user=user.pk, transfer=str(job.pk), removed=result.removed)
    return end_import(user, job, TransferState.UNDONE, now=now)
