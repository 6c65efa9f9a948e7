"""Carries a job from its bytes to the last vector: read, cut, embed, store, index.

Nothing of a book is there before all of it is: its passages are made beforehand and written in one transaction, with
the book. A short one is embedded before that; of a long one the vectors follow, and until then it is found by its
words. Killed before it is stored, the next worker begins again; killed after, it goes on with what has no vector yet.
"""

import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from books import digests, jobs, publishing
from books.models import BookChunk, BookJob, BookUpload, JobStage, JobState
from books.passages import (
    BATCH,
    ReadBook,
    SecretFound,
    build_chunk,
    build_passages,
    describe_book,
    take_batches,
)
from books.progress import (
    BEGINS_AT,
    FoundByWords,
    JobProgress,
    JobStopped,
    WorkerStopping,
    go_on,
    go_on_unless_stopping,
)
from books.reading.chunking import cut_into_chunks
from books.reading.document import DocumentRefused, ReadDocument, ReadingLimits
from books.reading.sandbox import read_document
from memory.access.confinement import RowScope, confine_to
from memory.access.outbox import drain
from memory.access.scope import UNHURRIED, user_scope
from memory.conf import data_dir
from memory.indexing import queue
from memory.indexing.passages import build_passage, set_indexing_deadline
from memory.inference import embedder
from memory.models import EndUser, MemoryItem
from memory.platform import metrics
from memory.platform.faults import BadReply, RequestRejected, Unavailable
from memory.store.admission import WriteRefused
from memory.store.writing import insert_rows
from memory.tiers import Indexing

logger = structlog.get_logger(__name__)

Clock = Callable[[], datetime]
SECRET_REFUSED, NOT_STORABLE = "secret_refused", "not_storable"
ROWS_AT_ONCE: Final = 500
# With the embedder away a book is found by its words alone and the index queue goes on by itself: nobody waits longer.
INDEX_PATIENCE_S: Final = 30.0
INDEX_SLICE_S: Final = 5.0
RETRY_AFTER_S: Final = 0.5
# Passages sent at once to an embedder that was late with more: 64 took longer than it has time for where twenty others
# worked on the same two cores, and were asked for in vain again and again.
FEWEST: Final = 4
# Some 200 passages. Of 300 pages all vectors are made in 35 s and more, and to ask for a word nobody needs one.
EMBED_AHEAD_S: Final = 8.0
# Passages without a vector wait for this worker, so that what the person says meanwhile stands behind none of them in
# the queue of the index; for as long as a task may take, then they are that queue's.
HELD_FOR: Final = timedelta(hours=2)
# Files that a killed process left behind; no reading takes nearly as long.
STALE_AFTER: Final = timedelta(hours=1)


def run_job(user: EndUser, job_id: uuid.UUID, *, clock: Clock, between: Callable[[], None] = go_on) -> JobState | None:
    """Work on an open job until it is over, or the worker is to stop. None when there is nothing to do.

    What is wrong with the document ends the job; what is wrong around it raises, and the job is tried again.
    """
    job = jobs.begin_attempt(user, job_id, now=clock())
    if job is None:
        return None
    progress = JobProgress(user, job.pk, between)
    with confine_to(RowScope.of(job)):
        try:
            state, code, detail = carry_out(user, job, progress, clock)
        except JobStopped:
            logger.info("book cancelled", user=user.pk, job=str(job.pk))
            return JobState.CANCELLED
        except FoundByWords:
            jobs.put_back(user, job.pk)
            record_stages(job, progress, "book found by its words")
            return JobState.PENDING
        except WorkerStopping:
            jobs.put_back(user, job.pk)
            return JobState.PENDING
        jobs.end_job(user, job.pk, state, now=clock(), code=code, detail=detail)
        if state is JobState.COMPLETED:
            digests.request_digest(user, job.pk, now=clock())
    metrics.count("books", state)
    record_stages(job, progress, "book job over", state=state.value, code=code)
    return state


def record_stages(job: BookJob, progress: JobProgress, event: str, **told: str) -> None:
    spent = progress.finish()
    metrics.record_stages("book_stage", spent)
    ms = {stage: round(taken) for stage, taken in spent.items()}
    logger.info(event, user=job.user_id, job=str(job.pk), ms=ms, **told)


def carry_out(user: EndUser, job: BookJob, progress: JobProgress, clock: Clock) -> tuple[JobState, str, str]:
    """How it ended, with the code and the sentence of what was wrong. Raises FoundByWords."""
    try:
        book_id = job.book_id or bring_in(user, job, progress, clock)
    except DocumentRefused as refusal:
        return JobState.FAILED, str(refusal.code), refusal.detail
    except SecretFound as found:
        return JobState.FAILED, SECRET_REFUSED, str(found)
    except WriteRefused as refusal:
        return JobState.FAILED, NOT_STORABLE, f"A passage of it cannot be stored: it {refusal.rule}."
    if job.is_found:
        embed_behind(user, book_id, progress, clock)
    await_index(user, book_id, progress, clock)
    return JobState.COMPLETED, "", ""


def bring_in(user: EndUser, job: BookJob, progress: JobProgress, clock: Clock) -> uuid.UUID:
    """Read, embed and store. Returns the book's id. Raises FoundByWords where it is not embedded whole."""
    if job.document_id is None:
        document = read_upload(user, job, progress)
        book = describe_book(user, job, document, clock())
        whole = sum(len(block.text) for block in document.blocks)
        read = build_passages(user, job, book, cut_into_chunks(document), whole, progress)
    else:
        read = publishing.copy_document(user, job, progress, now=clock())
    embedded = embed_ahead(read.items, progress)
    progress.report(JobStage.STORING, 0.0)
    store_book(user, job, read, embedded, now=clock())
    if embedded < len(read.items):
        raise FoundByWords
    return read.row.pk


def read_upload(user: EndUser, job: BookJob, progress: JobProgress) -> ReadDocument:
    """Raises DocumentRefused."""
    progress.report(JobStage.READING, 0.0)
    with user_scope(user):
        body = BookUpload.objects.filter(user=user, job=job).values_list("body", flat=True).first()
    if body is None:
        raise JobStopped
    folder = data_dir() / "tmp" / "books"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    sweep_folder(folder)
    # The file's own name is told and never becomes a path.
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        file.write(body)
        file.flush()
        path, limits = Path(file.name), ReadingLimits()

        def report(_: str, share: float) -> None:
            progress.report(JobStage.READING, share)

        return read_document(path, job.file_name, limits=limits, on_progress=report)


def sweep_folder(folder: Path) -> None:
    """Remove what a killed process left behind."""
    for file in folder.iterdir():
        # Another worker's may go between being listed and looked at.
        with suppress(FileNotFoundError):
            if time.time() - file.stat().st_mtime > STALE_AFTER.total_seconds():
                file.unlink()


def embed_ahead(items: Sequence[MemoryItem], progress: JobProgress) -> int:
    """Have the vectors of a book in the cache before its first row is there, so that the index takes all at once.

    Returns how many passages have theirs when time is up. Fails open.
    """
    done, begun, size = 0, progress.own_time, BATCH
    while done < len(items):
        progress.report(JobStage.EMBEDDING, done / len(items))
        if progress.own_time - begun > EMBED_AHEAD_S:
            break
        texts = ["".join(build_passage(item)) for item in items[done : done + size]]
        try:
            embedder().embed_passages(texts, set_indexing_deadline(len(texts)))
        except Unavailable:
            size = max(FEWEST, size // 2)
            time.sleep(RETRY_AFTER_S)
            continue
        done, size = done + len(texts), min(BATCH, 2 * size)
    return done


def embed_behind(user: EndUser, book_id: uuid.UUID, progress: JobProgress, clock: Clock) -> None:
    """Bring the passages that were stored without a vector into the index, from the book's beginning on.

    Fails open: what is left at the end the queue of the index embeds.
    """
    total, moved_at, after, size = count_unindexed(user, book_id), progress.own_time, -1, BATCH
    left = total
    while part := list_held(user, book_id, after, size, now=clock()):
        progress.report(JobStage.EMBEDDING, 1 - left / max(1, total))
        try:
            queue.index_items(user, [item for _, item in part], now=clock())
        except (RequestRejected, BadReply):
            # The queue finds out which of the texts it is.
            logger.info("passages left to the queue", book=str(book_id))
        except Unavailable as error:
            # On a busy machine one late batch is no reason to leave the other thousand to the queue.
            if progress.own_time - moved_at > INDEX_PATIENCE_S:
                logger.warning("book not embedded", dependency=error.dependency, reason=error.reason)
                break
            size = max(FEWEST, size // 2)
            time.sleep(RETRY_AFTER_S)
            continue
        # What the person said meanwhile: the queue is not told of it while anything of theirs waits.
        drain_index(user, clock)
        after, left, moved_at, size = part[-1][0], left - len(part), progress.own_time, min(BATCH, 2 * size)
    release_held(user, book_id, now=clock())


def list_held(
    user: EndUser, book_id: uuid.UUID, after: int, most: int, *, now: datetime
) -> list[tuple[int, MemoryItem]]:
    """The next passages that wait for this worker, each with its place in the book."""
    with user_scope(user):
        held = BookChunk.objects.filter(
            user=user, book_id=book_id, position__gt=after, item__indexing=Indexing.PENDING, item__index_after__gt=now
        )
        places = list(held.order_by("position").values_list("position", "item_id")[:most])
        items = MemoryItem.objects.for_user(user).in_bulk([item_id for _, item_id in places])
    return [(position, items[item_id]) for position, item_id in places if item_id in items]


def release_held(user: EndUser, book_id: uuid.UUID, *, now: datetime) -> None:
    """Leave to the queue of the index what has no vector yet."""
    with user_scope(user):
        passages = BookChunk.objects.filter(user=user, book_id=book_id).values("item_id")
        held = MemoryItem.objects.for_user(user).filter(indexing=Indexing.PENDING, index_after__gt=now)
        held.filter(pk__in=passages).update(index_after=now)


def store_book(user: EndUser, job: BookJob, read: ReadBook, embedded: int, *, now: datetime) -> None:
    """All of a book or nothing; the first ``embedded`` passages have a vector in the cache.

    Raises JobStopped and WorkerStopping.
    """
    for item in read.items[embedded:]:
        item.index_after = now + HELD_FOR
    stage = JobStage.INDEXING if embedded == len(read.items) else JobStage.EMBEDDING
    with user_scope(user, settings=UNHURRIED):
        locked = jobs.lock_job(user, job.pk)
        if locked is None or locked.state != JobState.PROCESSING:
            raise JobStopped
        read.row.save(force_insert=True)
        for part in take_batches(iter(read.items), ROWS_AT_ONCE):
            go_on_unless_stopping()
            insert_rows(user, part, now=now, actor=job.actor)
        BookChunk.objects.bulk_create(
            [build_chunk(user, read.row, chunk, item) for chunk, item in read.passages], batch_size=ROWS_AT_ONCE
        )
        if job.document_id is not None:
            publishing.remove_document(user, job.document_id, now=now)
        locked.book_id, locked.stage, locked.progress = read.row.pk, stage, BEGINS_AT[stage]
        locked.finished_at = now if stage is JobStage.EMBEDDING else None
        locked.save(update_fields=["book_id", "stage", "progress", "finished_at"])
        BookUpload.objects.filter(user=user, job=locked).delete()


def await_index(user: EndUser, book_id: uuid.UUID, progress: JobProgress, clock: Clock) -> None:
    """Bring the passages into the index, together with whoever else is at it."""
    total = left = count_unindexed(user, book_id)
    moved_at = progress.own_time
    while left and progress.own_time - moved_at < INDEX_PATIENCE_S:
        progress.report(JobStage.INDEXING, 1 - left / total)
        if not drain_index(user, clock):
            time.sleep(0.2)
        before, left = left, count_unindexed(user, book_id)
        if left < before:
            moved_at = progress.own_time


def drain_index(user: EndUser, clock: Clock) -> int:
    """Index what is due of a person, unless somebody else is at it. Returns how much was taken."""
    drained = drain(
        "index",
        user.pk,
        partial(index_batch, user, clock),
        lambda: queue.clear_user_mark(user),
        seconds=INDEX_SLICE_S,
        is_backing_off=lambda: queue.PENDING.is_backing_off(user, clock()),
    )
    return drained.taken


def index_batch(user: EndUser, clock: Clock) -> int:
    taken = queue.index_batch(user, now=clock())
    metrics.count("indexed", amount=taken)
    return taken


def count_unindexed(user: EndUser, book_id: uuid.UUID) -> int:
    with user_scope(user):
        passages = BookChunk.objects.filter(user=user, book_id=book_id).values("item_id")
        return MemoryItem.objects.for_user(user).filter(indexing=Indexing.PENDING, pk__in=passages).count()
