"""``If-Match``: a change of what somebody else changed meanwhile is refused with 412.

An entity tag changes with every change of a memory, of a fact, and of what is counted of them. The tag of a memory
begins with its version, which alone may be sent as well: only its words are to be the same then.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from django.http import HttpRequest, HttpResponse

from memory.models import Fact, MemoryItem
from memory.web.problems import Problem

HEADER: Final = "If-Match"
ANY: Final = "*"


def make_etag(thing: MemoryItem | Fact) -> str:
    changed_at = int(thing.updated_at.timestamp() * 1_000_000)
    return f"{thing.version if isinstance(thing, MemoryItem) else thing.revision}-{changed_at:x}"


def set_etag(response: HttpResponse, thing: MemoryItem | Fact) -> HttpResponse:
    response.headers["ETag"] = f'"{make_etag(thing)}"'
    return response


def read_if_match(request: HttpRequest) -> frozenset[str] | None:
    """The tags of which one must be the present one; None where nothing is asked."""
    sent = request.headers.get(HEADER)
    if sent is None:
        return None
    # A proxy that compresses answers makes strong tags weak ones.
    return frozenset(one.strip().removeprefix("W/").strip('"') for one in sent.split(","))


@contextmanager
def expect_unchanged(
    request: HttpRequest, hold: Callable[[], AbstractContextManager[MemoryItem | Fact | None]]
) -> Iterator[None]:
    """What happens within, of a request with ``If-Match``, happens to the thing that its sender has seen."""
    expected = read_if_match(request)
    if expected is None:
        yield
        return
    with hold() as thing:
        if thing is not None:
            check_unchanged(expected, thing)
        yield


def check_unchanged(expected: frozenset[str], thing: MemoryItem | Fact) -> None:
    present = make_etag(thing)
    accepted = {ANY, present, present.partition("-")[0]} if isinstance(thing, MemoryItem) else {ANY, present}
    if not expected & accepted:
        raise Problem(
            412,
            "precondition_failed",
            f'It was changed meanwhile and is now "{present}"; read it again and send the change with that If-Match.',
            headers={"ETag": f'"{present}"'},
        )
