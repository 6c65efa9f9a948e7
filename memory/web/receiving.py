"""Receives a request's body before the request takes a slot: however slowly it comes, it keeps a thread and no more.

The web server passes a request on as soon as its head is there. While bodies were read in slots, six clients that
stopped in the midst of one held six of a process's eight, and eight that sent a chat held all of them.
"""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from io import BytesIO
from threading import BoundedSemaphore
from typing import IO, Any, Final

from django.core.handlers.wsgi import WSGIRequest

from memory.conf import max_body_bytes, memory_conf
from memory.platform.slots import PATIENCE_S
from memory.web.large_bodies import CHUNK, RECEIVED, find_body_limit, open_spool
from memory.web.middleware import GATEWAY, PREFIX, find_early_problem, has_plausible_key
from memory.web.overload import StartResponse, answer_problem
from memory.web.problems import Problem, busy, invalid_field, unavailable

Application = Callable[[dict[str, Any], StartResponse], Iterable[bytes]]
# What is longer comes seldom and is better on the disk than in the memory of every thread.
KEPT_IN_MEMORY: Final = 1024 * 1024


class ReceivingApplication:
    """A WSGI application that calls the one within when the whole body is here; ``most`` are received at a time.

    What is refused by its head is passed on unread.
    """

    def __init__(self, application: Application, most: int) -> None:
        self._application = application
        self._receivers = BoundedSemaphore(most)

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        # Of a copy: a request decodes its path in place, and what is decoded twice is another path.
        length = find_length(WSGIRequest(dict(environ))) if environ.get("CONTENT_LENGTH") else 0
        if not length:
            return self._application(environ, start_response)
        try:
            body = self._receive(environ["wsgi.input"], length)
        except Problem as problem:
            return answer_problem(problem, environ, start_response)
        with body:
            environ["wsgi.input"] = environ[RECEIVED] = body
            return self._application(environ, start_response)

    def _receive(self, sent: IO[bytes], length: int) -> IO[bytes]:
        if not self._receivers.acquire(timeout=PATIENCE_S):
            raise busy("Too many requests are still sending their bodies; try again.")
        try:
            return receive_body(sent, length)
        finally:
            self._receivers.release()


def find_length(request: WSGIRequest) -> int:
    """How many bytes are to be received, 0 where none are."""
    if request.path_info in GATEWAY:
        limit = memory_conf().chat.get("max_body_bytes")
    elif request.path_info.startswith(PREFIX) and (find_early_problem(request) or not has_plausible_key(request)):
        return 0
    else:
        limit = find_body_limit(request, max_body_bytes())
    length = str(request.META["CONTENT_LENGTH"])
    return int(length) if length.isdecimal() and (limit is None or int(length) <= limit) else 0


def receive_body(sent: IO[bytes], length: int) -> IO[bytes]:
    """The body from its beginning. Raises Problem where the sender or the disk gives up."""
    with ExitStack() as given_up:
        try:
            body = given_up.enter_context(BytesIO() if length <= KEPT_IN_MEMORY else open_spool())
            while (missing := length - body.tell()) and (chunk := sent.read(min(missing, CHUNK))):
                body.write(chunk)
        except OSError as error:
            raise unavailable("The body could not be received; try again.") from error
        if missing:
            raise invalid_field("", "the body ended before it was complete")
        given_up.pop_all()
    body.seek(0)
    return body
