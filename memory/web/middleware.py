"""The edge of the site: request bodies are limited, and every failure under ``/api/`` is a problem in JSON."""

import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from memory.access.keys import is_well_formed
from memory.conf import max_body_bytes
from memory.web.large_bodies import close_spool, find_body_limit, find_form_limit, is_spooled, spool_body
from memory.web.problems import (
    MEDIA_TYPE,
    Problem,
    invalid_field,
    problem_from_status,
    to_problem,
    too_large,
    unknown_address,
)

Next = Callable[[HttpRequest], HttpResponseBase]
PREFIX = "/api/"
# They read their bodies themselves, which are larger and come slower than others.
GATEWAY = ("/v1/chat/completions", "/v1/responses")
# What is not deleted by itself, and how it is.
GONE_WITH = {
    re.compile(r"/exchanges/[^/]+$"): "An exchange goes with its memory: DELETE .../memories/{memory_id}.",
    re.compile(r"/threads/"): 'A conversation goes by POST .../memories/delete {"filters": {"thread_id": "..."}}.',
}
KEPT_HEADERS = ("Allow", "Retry-After", "WWW-Authenticate")


class ApiEdgeMiddleware:
    """Also answers for what fails outside the API's own views: unknown routes, methods, hosts."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info in GATEWAY:
            return self.get_response(request)
        if not request.path_info.startswith(PREFIX):
            refusal = self.read_ahead(request)
            return refusal.response() if refusal else self.get_response(request)
        # What can be refused by its head alone costs no thread and no connection.
        problem = find_early_problem(request)
        if not problem and has_plausible_key(request):
            problem = self.read_ahead(request)
        try:
            response = problem.response() if problem else convert_to_problem(request, self.get_response(request))
        finally:
            close_spool(request)
        # Every answer is about one person: no proxy may keep it.
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    def read_ahead(self, request: HttpRequest) -> Problem | None:
        """Read the body before the request holds a database connection, of which sixteen slow clients once held all.

        The product's own server has received it by now (`memory.web.receiving`); another may not have. API requests
        without a plausible key are refused unread.
        """
        if not request.META.get("CONTENT_LENGTH"):
            return None
        if most := find_form_limit(request):
            # Read by Django, which spools the file in it; its text fields keep the usual limit.
            length = request.META["CONTENT_LENGTH"]
            return None if length.isdecimal() and int(length) <= most else too_large(most)
        try:
            if is_spooled(request):
                spool_body(request)
            else:
                request.body  # noqa: B018 -- kept by the request
        except Exception as error:  # noqa: BLE001 -- every failure is a problem in JSON
            return to_problem(error)
        return None


def has_plausible_key(request: HttpRequest) -> bool:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    # The checksum alone decides: a guessed key costs no query and no body is read for it.
    return scheme.lower() == "bearer" and is_well_formed(token)


def convert_to_problem(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    # Django's own refusals (an unknown host, a failed parse) come as HTML.
    if response.status_code < 400 or response.headers.get("Content-Type", "").startswith(MEDIA_TYPE):
        return response
    headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    detail = describe_allowed(request, headers["Allow"]) if "Allow" in headers else ""
    return problem_from_status(response.status_code, detail, headers).response()


def describe_allowed(request: HttpRequest, allowed: str) -> str:
    hint = next((hint for place, hint in GONE_WITH.items() if place.search(request.path_info)), "")
    told = f" {hint}" if hint and request.method == "DELETE" else ""
    return f"Use {allowed}.{told}"


def has_readable_path(request: HttpRequest) -> bool:
    """Django leaves bytes that are not UTF-8 percent-encoded, so they would become part of a name."""
    try:
        unquote_to_bytes(request.path_info).decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def find_early_problem(request: HttpRequest) -> Problem | None:
    limit = find_body_limit(request, max_body_bytes())
    length = str(request.META.get("CONTENT_LENGTH") or "")
    if not has_readable_path(request):
        return invalid_field("path", "is not valid UTF-8")
    if not length:
        if "chunked" in request.headers.get("Transfer-Encoding", "").lower():
            return Problem(411, "validation_failed", "Send a Content-Length: chunked bodies are not read.")
        return None
    if not length.isdecimal():
        return Problem(400, "validation_failed", "Content-Length is not a number.")
    return too_large(limit) if limit is not None and int(length) > limit else None


def answer_unknown_route(request: HttpRequest, rest: str = "") -> HttpResponse:
    return unknown_address().response()


answer_unknown_route.csrf_exempt = True  # type: ignore[attr-defined]
