"""The tools over REST, for clients that execute a model's tool calls themselves."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Router
from pydantic import BaseModel, ConfigDict, Field, JsonValue, RootModel

from memory import tools
from memory.api.acting import open_facade
from memory.models import EndUser
from memory.tools import PreparedCall, TargetNotFound, Tool, ToolCall, ToolError, ToolResult, UnknownTool
from memory.web.auth import READ, get_principal, lookup_user
from memory.web.endpoints import answer_once, write_once
from memory.web.fields import UserId
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.problems import FieldError, Problem, invalid_fields
from memory.web.redaction import refuse_secrets

router = Router(tags=["Tools"])

ToolName = Annotated[
    str, Path(..., min_length=1, max_length=64, description="One of the names that `GET /tools` lists.")
]


class FunctionOut(BaseModel):
    name: str
    description: str
    parameters: dict[str, JsonValue]


class ToolOut(BaseModel):
    type: str
    function: FunctionOut


class ToolList(RootModel[list[ToolOut]]):
    """As OpenAI's chat API takes them under ``tools``."""


class ToolArguments(BaseModel):
    """What the tool's own definition says; each tool checks its arguments itself."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [{"query": "when does the train leave?"}]})


class ToolResultOut(BaseModel):
    tool: str
    result: dict[str, JsonValue]
    content: str = Field(description="The result in words, to be handed to the model; stored text is quoted as data.")


class ToolTraitsOut(BaseModel):
    name: str
    title: str
    scope: Literal["read", "write"]
    priority: int = Field(description="0-100: how early to think of it beside other tools.")
    latency: Literal["fast", "medium"]
    messages: dict[str, str] = Field(description="What to say while it works, by language.")


class ToolRegistry(BaseModel):
    items: list[ToolTraitsOut]


@router.get(
    "/tools/registry",
    auth=READ,
    response=describe_responses(200, ToolRegistry),
    operation_id="list_tool_traits",
    summary="What to know of the tools before a model does",
)
def list_tool_traits(request: HttpRequest) -> HttpResponse:
    """For a client that chooses among many tools, and that shows its user what is being done."""
    return json_response(200, ToolRegistry(items=[describe_traits(tool) for tool in tools.TOOLS.values()]))


def describe_traits(tool: Tool) -> ToolTraitsOut:
    return ToolTraitsOut(
        name=tool.name,
        title=tool.title,
        scope=tool.scope,
        priority=tool.priority,
        latency=tool.latency,
        messages=tool.messages,
    )


@router.get(
    "/tools",
    auth=READ,
    response=describe_responses(200, ToolList),
    operation_id="list_tools",
    summary="Tool definitions",
)
def list_tools(request: HttpRequest) -> list[dict[str, Any]]:
    return tools.list_definitions()


@router.post(
    "/users/{user_id}/tools/{name}",
    auth=READ,
    response=describe_responses(200, ToolResultOut, reads_body=True, writes=True, may_miss=True),
    operation_id="call_tool",
    summary="Call a tool",
)
def call_tool(request: HttpRequest, user_id: UserId, name: ToolName, body: ToolArguments) -> HttpResponse:
    """Arguments may come as models send them: ``q`` or ``text`` for ``query``, numbers as text, one for a list.

    Tools that change something need the scope write. ``memory.search`` is an old name of ``memory_search``.
    """
    try:
        call = tools.read_call(name, body.model_extra)
        # The route needs read alone, as one route serves tools of both scopes.
        if call.tool.scope not in get_principal(request).scopes:
            raise Problem(403, "forbidden", f"This key lacks the scope {call.tool.scope}.")
        if call.tool.scope != "read":
            refuse_secrets(request)
        with tools.record_failures(
            open_facade(request), lambda: lookup_user(request, user_id), call, now=timezone.now()
        ):
            run = run_reading_tool if call.tool.scope == "read" else run_writing_tool
            return run(request, user_id, call)
    except ToolError as error:
        raise problem_from_tool_error(error) from error


def problem_from_tool_error(error: ToolError) -> Problem:
    if isinstance(error, UnknownTool | TargetNotFound):
        return Problem(404, "not_found", str(error), errors=[FieldError(*one) for one in error.errors])
    return invalid_fields(FieldError(*one) for one in error.errors)


def prepare_tool(request: HttpRequest, user: EndUser | None, call: ToolCall) -> PreparedCall:
    return tools.prepare_call(open_facade(request), user, call, now=timezone.now())


@answer_once
def run_reading_tool(request: HttpRequest, user: EndUser, call: ToolCall) -> HttpResponse:
    return render_result(call, prepare_tool(request, user, call)(user))


@write_once(creates_user=True, prepared=prepare_tool)
def run_writing_tool(request: HttpRequest, user: EndUser, call: ToolCall, prepared: PreparedCall) -> HttpResponse:
    return render_result(call, prepared(user))


def render_result(call: ToolCall, result: ToolResult) -> HttpResponse:
    return json_response(200, ToolResultOut(tool=call.tool.name, result=result.data, content=result.text))
