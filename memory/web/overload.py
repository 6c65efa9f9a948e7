"""Answers to requests that nobody has time for or that never arrive whole, made without Django, which costs time."""

from collections.abc import Callable, Iterable
from typing import Any

from memory.web.problems import Problem, busy

StartResponse = Callable[[str, list[tuple[str, str]]], Any]
DETAIL = "More requests arrive than can be served now; try again."


def refuse_request(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    """503 with Retry-After."""
    return answer_problem(busy(DETAIL), environ, start_response)


def answer_problem(problem: Problem, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    """A problem in JSON, and plain words to a browser."""
    answer = problem.response()
    if "text/html" in environ.get("HTTP_ACCEPT", ""):
        answer.content, answer.headers["Content-Type"] = problem.detail.encode(), "text/plain; charset=utf-8"
    answer.headers["Content-Length"] = str(len(answer.content))
    answer.headers["Cache-Control"] = "no-store"
    start_response(f"{answer.status_code} {answer.reason_phrase}", list(answer.headers.items()))
    return [answer.content]
