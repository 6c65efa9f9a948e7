"""The answer to a request that nobody has time for, made without Django, which would cost what there is none of."""

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from memory.web.problems import busy

StartResponse = Callable[[str, list[tuple[str, str]]], Any]
DETAIL = "More requests arrive than can be served now; try again."
STATUS = f"{HTTPStatus.SERVICE_UNAVAILABLE.value} {HTTPStatus.SERVICE_UNAVAILABLE.phrase}"


def refuse_request(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    """503 with Retry-After: a problem in JSON, and plain words to a browser."""
    answer = busy(DETAIL).response()
    if "text/html" in environ.get("HTTP_ACCEPT", ""):
        answer.content, answer.headers["Content-Type"] = DETAIL.encode(), "text/plain; charset=utf-8"
    answer.headers["Content-Length"] = str(len(answer.content))
    answer.headers["Cache-Control"] = "no-store"
    start_response(STATUS, list(answer.headers.items()))
    return [answer.content]
