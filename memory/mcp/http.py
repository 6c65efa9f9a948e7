"""The streamable HTTP transport: each request is authenticated before the protocol handler sees it.

A session belongs to the key and the user it was opened with. The SDK compares them at every request; for anybody else
the session does not exist.
"""

import re
from dataclasses import replace
from io import BytesIO
from urllib.parse import urlsplit

from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.http.request import validate_host
from django.utils import timezone
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from memory.access.confinement import confine_to, current_scope
from memory.access.grants import TOKEN_PATTERN, authenticate_access_token
from memory.access.keys import Principal
from memory.conf import list_allowed_hosts, max_body_bytes, memory_conf
from memory.mcp.server import Context, build_server
from memory.mcp.threads import run_in_thread
from memory.operations import mcp_activity
from memory.web.addresses import build_resource_url, read_base_url, show_way_in
from memory.web.auth import admit_principal, authenticate_request, get_local_principal
from memory.web.callers import Caller, resolve_caller
from memory.web.problems import MEDIA_TYPE, Problem, invalid_field, not_found, to_problem, unavailable
from memory.web.scoping import narrow_scope

PATH, HEALTH = "/mcp", "/health"
# Set by the web process for a local program when no key is required.
LOCAL = "X-Commonplace-Local"
CALLER = "commonplace.caller"
SESSION_ID = re.compile(r"[0-9a-f]{32}")
# Sessions live in this one process's memory, and clients forget to close them.
MOST_SESSIONS = 1_000
LARGEST_BODY = 2 * 1024 * 1024


def build_application() -> ASGIApp:
    inner = build_server(get_caller, wants_documents).streamable_http_app(
        streamable_http_path=PATH,
        # Every answer is a single JSON body, which any proxy can forward; a stream would gain nothing.
        json_response=True,
        max_request_body_size=max_body_bytes() or LARGEST_BODY,
        max_sessions=MOST_SESSIONS,
        # Host and origin have been checked by the middleware.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return McpAuthMiddleware(inner)


def get_caller(context: Context) -> Caller:
    request = context.request
    found: Caller = request.scope[CALLER]  # type: ignore[union-attr]
    return found


def wants_documents(context: Context) -> bool:
    """Whether ``search`` and ``fetch`` are listed: to whoever came by consent, and where the address asks for all."""
    query = context.request.scope["query_string"]  # type: ignore[union-attr]
    return get_caller(context).principal.is_connector or b"tools=all" in query.split(b"&")


class McpAuthMiddleware:
    """ASGI middleware: passes on authenticated requests for ``/mcp`` from allowed origins, answers all others."""

    def __init__(self, inner: ASGIApp) -> None:
        self.inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        if scope["path"] == HEALTH:
            await JSONResponse({"status": "ok"})(scope, receive, send)
            return
        try:
            # Keys are looked up in the database, which the event loop must not wait for.
            who = await run_in_thread(lambda: authenticate_caller(scope))
        except TimeoutError:
            await render_problem(unavailable("The memory took too long; try again."))(scope, receive, send)
        except Exception as error:  # noqa: BLE001 -- every failure is a problem in JSON
            problem = show_way_in(to_problem(error), ASGIRequest(scope, BytesIO()))
            await render_problem(problem)(scope, receive, send)
        else:
            await self.inner({**scope, "path": PATH, "user": build_session_owner(who), CALLER: who}, receive, send)


def authenticate_caller(scope: Scope) -> Caller:
    if scope["path"].rstrip("/") != PATH:
        raise not_found()
    request = ASGIRequest(scope, BytesIO())
    check_host_and_origin(request)
    by_header, by_query = request.headers.get("X-User-Id"), request.GET.get("user")
    # Taking either would sooner or later write one person's words to another.
    if by_header and by_query and by_header != by_query:
        raise invalid_field("user", "the header X-User-Id names somebody else")
    principal = admit_principal(request, identify_principal)
    # Many clients can only be given an address.
    with confine_to(narrow_scope(current_scope(), request.GET.get("agent_id"), request.GET.get("project_id"))):
        who = replace(resolve_caller(principal, by_header or by_query), site=read_base_url(request))
    notice_request(request, principal)
    return who


def notice_request(request: ASGIRequest, principal: Principal) -> None:
    """Count the session it belongs to. One that the server does not know is refused later, and counts for an hour."""
    session = request.headers.get("Mcp-Session-Id", "")
    if not SESSION_ID.fullmatch(session):
        return
    if request.method == "DELETE":
        mcp_activity.forget_session(principal.organization_id, session)
    else:
        mcp_activity.notice_session(principal.organization_id, session, now=timezone.now())


def identify_principal(request: ASGIRequest) -> Principal:
    """The principal of the key; without one, if no authentication is required, that of this machine."""
    token = find_access_token(request)
    if token and (
        principal := authenticate_access_token(token, resource=build_resource_url(request), now=timezone.now())
    ):
        return principal
    is_local = request.headers.get(LOCAL) == "1" and not memory_conf().require_auth
    return (
        get_local_principal() if is_local and "Authorization" not in request.headers else authenticate_request(request)
    )


def find_access_token(request: ASGIRequest) -> str:
    """What stands in place of a key, for a client that was allowed to by consent."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token if scheme.lower() == "bearer" and TOKEN_PATTERN.fullmatch(token) else ""


def check_host_and_origin(request: ASGIRequest) -> None:
    """Protects against DNS rebinding: a foreign web page must not reach a server on its reader's machine."""
    try:
        request.get_host()
    except DisallowedHost as error:
        raise Problem(403, "forbidden", "This server does not answer to that host name.") from error
    origin = request.headers.get("Origin")
    if origin and not validate_host(urlsplit(origin).hostname or "", list_allowed_hosts()):
        raise Problem(403, "forbidden", "Pages of that origin may not ask this server.")


def build_session_owner(who: Caller) -> AuthenticatedUser:
    """The identity a session is bound to, without the key itself."""
    subject = f"{who.principal.organization_id}/{who.external_id}"
    token = AccessToken(
        token="", client_id=f"key:{who.principal.key_id}", scopes=sorted(who.principal.scopes), subject=subject
    )
    return AuthenticatedUser(token)


def render_problem(problem: Problem) -> Response:
    answer = problem.response()
    return Response(answer.content, answer.status_code, dict(problem.headers), MEDIA_TYPE)
