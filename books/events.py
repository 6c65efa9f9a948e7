"""How far a job is, as server-sent events: told when it changes, ended with the job or after a while.

Between two looks a stream holds a thread that only waits, no slot of the process and no database connection.
"""

import time
import uuid
from collections.abc import Iterator
from threading import BoundedSemaphore
from typing import Final

from django.http import StreamingHttpResponse

from books.jobs import find_job
from books.models import OPEN_STATES
from books.schemas import BookJobOut
from memory.models import EndUser
from memory.platform.per_process import PerProcess
from memory.platform.slots import leave_slot, work_in_slot
from memory.web.problems import busy

EVENT_STREAM: Final = "text/event-stream"
LOOK_EVERY_S: Final = 0.5
# Comments keep proxies from closing a stream in which nothing happens.
COMMENT_EVERY_S: Final = 15.0
# The client then asks again by itself; a stream nobody reads any more does not stay for ever.
LONGEST_S: Final = 300.0
# Of one web process, of its 240 threads. Whoever comes later asks for the status instead.
MOST_STREAMS: Final = 48


@PerProcess
def event_places() -> BoundedSemaphore:
    return BoundedSemaphore(MOST_STREAMS)


def stream_job(user: EndUser, job_id: uuid.UUID) -> StreamingHttpResponse:
    """Raises Problem when too many streams are open."""
    if not event_places().acquire(blocking=False):
        raise busy("Too many progress streams are open here; ask for the status instead.")
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(JobEvents(user, job_id), content_type=EVENT_STREAM, headers=headers)


class JobEvents:
    """The body of a stream. An object and no generator: one that was never begun would not be closed."""

    def __init__(self, user: EndUser, job_id: uuid.UUID) -> None:
        self._parts = iterate_events(user, job_id)
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._parts)

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            event_places().release()


def iterate_events(user: EndUser, job_id: uuid.UUID) -> Iterator[bytes]:
    yield b"retry: 2000\n\n"
    begun = spoke = time.monotonic()
    told = ""
    while True:
        state, data = look_at_job(user, job_id)
        if not data:
            yield b"event: gone\ndata: {}\n\n"
            return
        if data != told:
            told, spoke = data, time.monotonic()
            is_over = state not in OPEN_STATES
            yield f"event: {'end' if is_over else 'progress'}\ndata: {data}\n\n".encode()
            if is_over:
                return
        now = time.monotonic()
        if now - begun > LONGEST_S:
            return
        if now - spoke > COMMENT_EVERY_S:
            spoke = now
            yield b": still at it\n\n"
        time.sleep(LOOK_EVERY_S)


def look_at_job(user: EndUser, job_id: uuid.UUID) -> tuple[str, str]:
    """Its state, and what is told of it; nothing when it is gone."""
    with work_in_slot():
        job = find_job(user, job_id)
        # With the connection: the next look is half a second away.
        leave_slot()
    return (job.told_state, BookJobOut.of(job).model_dump_json()) if job else ("", "")
