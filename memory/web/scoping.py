"""The agent and project a request works for: by its key, its headers or its address, and its body.

The headers ``X-Agent-Id`` and ``X-Project-Id`` are taken by every call, the fields ``agent_id`` and ``project_id`` by
bodies and by addresses with parameters. Each may leave out what another gives, and none may say otherwise.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, copy_context
from functools import partial
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from pydantic import BaseModel, Field

from memory.access.confinement import (
    EVERYTHING,
    RowScope,
    ScopeRefused,
    bind_to_scope,
    confine_to,
    current_scope,
)
from memory.access.keys import Principal
from memory.access.membership import NOBODY, act_as
from memory.web.patterns import SCOPE_ID
from memory.web.problems import invalid_field

T = TypeVar("T")

AGENT = "The agent it belongs to or is asked for; left out, that of the key or the header."
PROJECT = "The project it belongs to or is asked for; left out, that of the key or the header."


class ScopedFields(BaseModel):
    """What names a scope in a body or an address."""

    agent_id: str | None = Field(default=None, strict=True, pattern=SCOPE_ID, description=AGENT)
    project_id: str | None = Field(default=None, strict=True, pattern=SCOPE_ID, description=PROJECT)


def read_request_scope(request: HttpRequest, principal: Principal) -> RowScope:
    """Raises Problem for an id that breaks the rule, or that is not the one the key is bound to."""
    return narrow_scope(principal.scope, request.headers.get("X-Agent-Id"), request.headers.get("X-Project-Id"))


def narrow_scope(scope: RowScope, agent_id: str | None, project_id: str | None) -> RowScope:
    try:
        return scope.narrow(agent_id, project_id)
    except ScopeRefused as error:
        raise invalid_field(error.field, error.rule) from error


@contextmanager
def confine_to_fields(*given: object) -> Iterator[None]:
    """Work in the scope that bodies among the arguments name, within the one that holds."""
    scope = current_scope()
    for body in given:
        if isinstance(body, ScopedFields):
            scope = narrow_scope(scope, body.agent_id, body.project_id)
    with confine_to(scope):
        yield


class ScopeMiddleware:
    """Ends what a request was confined to, also where its answer is written later, line by line."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with confine_to(EVERYTHING), bind_to_scope(bound=True), act_as(NOBODY):
            response = self.get_response(request)
            if isinstance(response, StreamingHttpResponse) and not response.is_async:
                keep_context(response)
            return response


def keep_context(response: Any) -> None:  # noqa: ANN401 -- what Django closes with an answer is not in its types
    """Make the parts of an answer, and end it, in the scope that holds now."""
    # A client that goes away ends it from wherever the server is, and what was said until then is stored then.
    closers = [partial(run_in, copy_context(), close) for close in response._resource_closers]
    response._resource_closers = closers
    response.streaming_content = stream_in_context(iter(response.streaming_content))


def run_in(context: Context, work: Callable[[], None]) -> None:
    context.run(work)


def stream_in_context(parts: Iterator[T]) -> Iterator[T]:
    """The parts, each made in the scope that held when this was called."""
    context = copy_context()
    end = object()

    def iterate() -> Iterator[T]:
        while (part := context.run(next, parts, end)) is not end:
            yield part  # type: ignore[misc]

    return iterate()
