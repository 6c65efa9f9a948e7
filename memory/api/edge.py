"""Around everything under ``/api/``: bodies bounded before they are read, every failure a problem in JSON."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from memory.api.errors import MEDIA_TYPE, Problem, from_status, not_found, too_large
from memory.conf import largest_body

Next = Callable[[HttpRequest], HttpResponseBase]
PREFIX = "/api/"
KEPT = ("Allow", "Retry-After", "WWW-Authenticate")


class ApiEdgeMiddleware:
    """Also answers for what fails outside the API's own views: unknown routes, methods, hosts."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(PREFIX):
            return self.get_response(request)
        problem = body_problem(request)
        response = problem.response() if problem else as_problem(self.get_response(request))
        response.headers.setdefault("Cache-Control", "no-store")
        return response


def as_problem(response: HttpResponseBase) -> HttpResponseBase:
    if response.status_code < 400 or response.headers.get("Content-Type", "").startswith(MEDIA_TYPE):
        return response
    headers = {name: response.headers[name] for name in KEPT if name in response.headers}
    return from_status(response.status_code, headers=headers).response()


def body_problem(request: HttpRequest) -> Problem | None:
    limit = largest_body()
    length = str(request.META.get("CONTENT_LENGTH") or "")
    if not length:
        if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
            return Problem(411, "validation_failed", "Send a Content-Length: chunked bodies are not read.")
        return None
    if not length.isdecimal():
        return Problem(400, "validation_failed", "Content-Length is not a number.")
    return too_large(limit) if limit is not None and int(length) > limit else None


def unknown_route(request: HttpRequest, rest: str = "") -> HttpResponse:
    return not_found().response()


unknown_route.csrf_exempt = True  # type: ignore[attr-defined]
