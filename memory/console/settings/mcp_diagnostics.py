"""Whether assistants reach the memory over MCP: address, tools, sessions, the last calls, and a try through /mcp."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any, Final

from django.core.handlers.wsgi import WSGIRequest
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import resolve
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from memory.access.keys import issue_key, revoke_key
from memory.conf import memory_conf
from memory.console import component_health, throttle
from memory.models import ApiKey, Organization
from memory.operations import mcp_activity
from memory.operations.mcp_activity import McpCall
from memory.tools import TOOLS
from memory.web.addresses import MCP_PATH, build_resource_url
from memory.web.pages import OperatorRequest, operator_page
from memory.web.viewing import list_owned_organizations, list_visible_organizations

PROTOCOL: Final = "2025-06-18"
# Of the key a try is made with; it is revoked before the page is shown.
TRY_LIFE: Final = timedelta(minutes=2)
MOST_TRIES: Final = 20
SHOWN_CALLS: Final = 20
SESSION: Final = "Mcp-Session-Id"


@dataclass(slots=True)
class McpTry:
    """What came of a try, step by step."""

    steps: list[tuple[str, int, str]] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return bool(self.tools)


@dataclass(frozen=True, slots=True)
class OrganizationActivity:
    organization: Organization
    sessions: int
    calls: list[tuple[McpCall, datetime | None, str]]


# Programs are told the titles in English.
TOOL_TITLES: Final = {
    "get_context_insights": gettext_lazy("Context insights"),
    "search_memory": gettext_lazy("Search memory"),
    "record_response": gettext_lazy("Record what came of it"),
    "add_to_memory_bank": gettext_lazy("Remember for good"),
    "update_memory": gettext_lazy("Correct a memory"),
    "archive_memory": gettext_lazy("Archive a memory"),
    "memory_search": gettext_lazy("Recall personal records"),
}


def find_condition() -> component_health.ComponentHealth | None:
    name = component_health.NAMES["mcp"]
    return next((one for one in component_health.list_component_health() if one.name == name), None)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    now = timezone.now()
    context: dict[str, Any] = {
        "now": now,
        "address": build_resource_url(request),
        "is_on": bool(memory_conf().mcp.url),
        "condition": find_condition(),
        "tools": [(tool, TOOL_TITLES[tool.name]) for tool in TOOLS.values()],
        "owned": list_owned_organizations(request.user),
    }
    if request.method == "POST":
        organization = find_owned(request)
        if throttle.count_attempt(f"mcp of {request.user.actor}", "", MOST_TRIES):
            return render_diagnostics(request, {**context, "is_throttled": True}, status=429)
        context["tried"] = try_tools(request, organization, now)
    return render_diagnostics(request, context)


def render_diagnostics(request: OperatorRequest, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    context["activities"] = [
        read_activity(organization, context["now"]) for organization in list_visible_organizations(request.user)
    ]
    return render(request, "console/settings/mcp.html", context, status=status)


def find_owned(request: OperatorRequest) -> Organization:
    slug = request.POST.get("organization", "")
    organization = list_owned_organizations(request.user).filter(slug=slug).first()
    if organization is None or not memory_conf().mcp.url:
        raise Http404("no such organisation, or nothing speaks MCP here")
    return organization


def read_activity(organization: Organization, now: datetime) -> OrganizationActivity:
    calls = mcp_activity.list_calls(organization.pk, SHOWN_CALLS)
    ids = {call["key"] for call in calls}
    names = dict(ApiKey.objects.filter(organization=organization, pk__in=ids).values_list("pk", "name"))
    return OrganizationActivity(
        organization,
        mcp_activity.count_sessions(organization.pk, now=now),
        [(call, parse_datetime(call["at"]), names.get(call["key"], _("a program of this machine"))) for call in calls],
    )


def try_tools(request: OperatorRequest, organization: Organization, now: datetime) -> McpTry:
    """A session is opened, its tools are listed and it is closed, with a key of two minutes that reads."""
    name = _("A try of MCP")
    key, plain = issue_key(organization, name, ["read"], now=now, lifetime=TRY_LIFE, actor=request.user.actor)
    try:
        return run_steps(request, plain)
    finally:
        revoke_key(key, now=timezone.now(), actor=request.user.actor)


def run_steps(request: OperatorRequest, plain: str) -> McpTry:
    done = McpTry()
    about = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "console", "version": "1"}}
    opened = send_message(request, plain, {"id": 1, "method": "initialize", "params": about})
    done.steps.append(("initialize", opened.status_code, explain_answer(opened)))
    if opened.status_code != 200:
        return done
    session = opened.headers.get(SESSION, "")
    started = send_message(request, plain, {"method": "notifications/initialized"}, session)
    done.steps.append(("notifications/initialized", started.status_code, explain_answer(started)))
    listed = send_message(request, plain, {"id": 2, "method": "tools/list"}, session)
    done.steps.append(("tools/list", listed.status_code, explain_answer(listed)))
    done.tools = [tool["name"] for tool in read_answer(listed).get("result", {}).get("tools", [])]
    if session:
        closed = send_message(request, plain, None, session)
        done.steps.append(("close", closed.status_code, explain_answer(closed)))
    return done


def send_message(
    request: OperatorRequest, plain: str, message: Mapping[str, Any] | None, session: str = ""
) -> HttpResponse:
    """Through the view that answers /mcp, as a client would be answered; None closes the session."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode() if message is not None else b""
    named = ("SERVER_NAME", "SERVER_PORT", "HTTP_HOST", "wsgi.url_scheme", "REMOTE_ADDR")
    environ = {name: request.META[name] for name in named if name in request.META}
    environ |= {
        "REQUEST_METHOD": "POST" if message is not None else "DELETE",
        "PATH_INFO": MCP_PATH,
        "QUERY_STRING": "",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_AUTHORIZATION": f"Bearer {plain}",
        "HTTP_ACCEPT": "application/json, text/event-stream",
        "HTTP_MCP_PROTOCOL_VERSION": PROTOCOL,
        "wsgi.input": BytesIO(body),
    }
    if session:
        environ["HTTP_MCP_SESSION_ID"] = session
    inner = WSGIRequest(environ)
    match = resolve(MCP_PATH)
    inner.resolver_match = match
    answer: HttpResponse = match.func(inner, *match.args, **match.kwargs)
    return answer


def read_answer(answer: HttpResponse) -> dict[str, Any]:
    try:
        read = json.loads(answer.content or b"{}")
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def explain_answer(answer: HttpResponse) -> str:
    """Why it failed, in the words of the answer; empty where it did not."""
    read = read_answer(answer)
    fault = read.get("error")
    if isinstance(fault, dict):
        return str(fault.get("message", ""))
    return str(read.get("detail", "")) if answer.status_code >= 400 else ""
