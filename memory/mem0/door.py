"""A call of mem0's clients: its key, its body and its failures, by the rules of every HTTP door."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from ninja.errors import ValidationError
from pydantic import BaseModel
from pydantic import ValidationError as ModelValidationError

from memory.access.keys import Principal
from memory.facade import MemoryFacade
from memory.web.auth import Scope, admit_key, authenticate_header
from memory.web.bodies import StrictJsonParser, check_query
from memory.web.problems import MEDIA_TYPE, Problem, problem_from_validation, to_problem
from memory.web.redaction import redact_query

Model = TypeVar("Model", bound=BaseModel)
# The clients send the first; the others are what their server takes as well.
SCHEMES = frozenset({"token", "bearer"})
# What our REST answers 422: mem0 says 400 of it, and some of its clients know no other.
REFUSED, REFUSED_HERE = 422, 400


@dataclass(frozen=True, slots=True)
class Mem0Call:
    """A request whose key was admitted. ``body`` is empty where none was sent."""

    request: HttpRequest
    principal: Principal
    body: Mapping[str, Any]
    query: Mapping[str, str]

    @property
    def memory(self) -> MemoryFacade:
        return MemoryFacade(actor=self.principal.actor)

    def read(self, model: type[Model], **given: object) -> Model:
        """The body as the model has it, with what the address says. Raises Problem, which names the field."""
        return validate_fields(model, {**self.body, **given})


Handler = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class Route:
    """What a method of an address does, and the scope of a key that may."""

    handle: Handler
    scope: Scope


def validate_fields(model: type[Model], fields: Mapping[str, Any]) -> Model:
    try:
        return model.model_validate(fields)
    except ModelValidationError as error:
        told = [{**one, "loc": ("body", "call", *one["loc"])} for one in error.errors(include_url=False)]
        raise problem_from_validation(ValidationError(told)) from error


def build_view(**routes: Route) -> Callable[..., HttpResponse]:
    """The view of an address, by method. Every failure is answered in the shape the clients make exceptions of."""

    @csrf_exempt
    @wraps(answer_call)
    def view(request: HttpRequest, **address: str) -> HttpResponse:
        try:
            response = answer_call(request, routes, address)
        except Exception as error:  # noqa: BLE001 -- every failure is an answer in JSON
            # What is no problem below /api/ would be taken for a page of Django's and worded anew.
            is_below_api = request.path_info.startswith("/api/")
            response = render_failure(to_problem(error), MEDIA_TYPE if is_below_api else "application/json")
        # Every answer is about one person: no proxy may keep it.
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return view


def answer_call(request: HttpRequest, routes: Mapping[str, Route], address: Mapping[str, str]) -> HttpResponse:
    route = routes.get(str(request.method))
    if route is None:
        allowed = ", ".join(routes)
        raise Problem(405, "method_not_allowed", f"Use {allowed}.", headers={"Allow": allowed})
    principal = admit_key(request, route.scope, authenticate_client)
    # Who asks, for the idempotency and the refusal of secrets.
    request.auth = principal  # type: ignore[attr-defined]
    call = Mem0Call(request, principal, read_object(request), read_parameters(request))
    return route.handle(call, **address)


def authenticate_client(request: HttpRequest) -> Principal:
    header = request.headers.get("Authorization", "")
    scheme, _, key = header.partition(" ")
    if not header and (sent := request.headers.get("X-API-Key", "")):
        scheme, key = "token", sent
    return authenticate_header(request, f"Bearer {key}" if scheme.lower() in SCHEMES else header)


def read_object(request: HttpRequest) -> dict[str, Any]:
    """The body, without secrets. A GET or DELETE may have one as well."""
    if not request.body:
        return {}
    body = StrictJsonParser().parse_body(request)
    if not isinstance(body, dict):
        raise Problem(422, "validation_failed", "the body must be a JSON object")
    return body


def read_parameters(request: HttpRequest) -> dict[str, str]:
    check_query(request.GET, request.META.get("QUERY_STRING", ""))
    return redact_query(request.GET.dict())


def render_failure(problem: Problem, media_type: str = "application/json") -> HttpResponse:
    """``detail`` is what both clients make the message of their exception of."""
    status = REFUSED_HERE if problem.status == REFUSED else problem.status
    errors = [{"field": error.field, "message": error.message} for error in problem.errors]
    body = {"detail": problem.detail, "code": problem.code, "errors": errors}
    return JsonResponse(body, status=status, headers=problem.headers, content_type=media_type)


def render_message(message: str, **further: object) -> HttpResponse:
    return JsonResponse({"message": message, **further})
