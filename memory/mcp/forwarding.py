"""Forwards ``/mcp`` from the web process to the MCP process, so that there is one port to open."""

from functools import cache

import httpx
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from memory.conf import memory_conf
from memory.platform import http
from memory.platform.deadline import Deadline
from memory.web.addresses import show_way_in
from memory.web.auth import authenticate_request
from memory.web.problems import Problem, not_found, to_problem, unavailable

LOCAL = "X-Commonplace-Local"
METHODS = ("POST", "DELETE")
# Added to the deadline of the other process, for the round trip.
SPARE_S = 2.0
HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "transfer-encoding"}
    | {"upgrade", "content-length", "content-encoding", "date", "server"}
)


@csrf_exempt
def forward_mcp(request: HttpRequest) -> HttpResponse:
    try:
        return forward_request(request)
    except Exception as error:  # noqa: BLE001 -- every failure is a problem in JSON
        return show_way_in(to_problem(error), request).response()


def forward_request(request: HttpRequest) -> HttpResponse:
    url = memory_conf().mcp.url
    if not url:
        raise not_found()
    headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
    # Whoever could send it would be taken for a program of this machine.
    headers.pop(LOCAL, None)
    if "Authorization" not in headers:
        authenticate_request(request)  # Raises unless this machine's own programs need no key.
        headers[LOCAL] = "1"
    # After the key: clients find out by a GET whether they have to ask for consent.
    if request.method not in METHODS:
        # A GET would open a stream of server messages; there are none, and the protocol allows refusing it.
        raise Problem(405, "method_not_allowed", "Use POST.", headers={"Allow": ", ".join(METHODS)})
    target = f"/mcp?{request.META.get('QUERY_STRING', '')}".rstrip("?")
    try:
        with http.limit_to_deadline(Deadline(memory_conf().deadlines.hard_s + SPARE_S)):
            answer = connect_client(url).request(str(request.method), target, headers=headers, content=request.body)
    except httpx.HTTPError as error:
        raise unavailable("The process that speaks MCP does not answer; try again.") from error
    returned = {name: value for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP}
    return HttpResponse(answer.content, status=answer.status_code, headers=returned)


@cache
def connect_client(url: str) -> httpx.Client:
    return http.open_client(url, {})
