"""The endpoints."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import URLPattern, path
from django.views.decorators.csrf import csrf_exempt

from memory.gateway.chat import ChatCompletions
from memory.gateway.conf import chat_conf
from memory.gateway.errors import GatewayError
from memory.gateway.identity import require_scope
from memory.gateway.responses import ResponsesApi
from memory.gateway.serving import guard_answer, serve_turn
from memory.gateway.upstream import configured_upstream
from memory.platform.deadline import Deadline
from memory.platform.slots import leave_slot
from memory.web.auth import admit_principal, authenticate_request

# Of a list that is not ours.
MODELS_WITHIN_S: Final = 10.0
OFFERED: Final = ("/v1/chat/completions", "/v1/responses", "/v1/models")


def require_method(request: HttpRequest, method: str) -> None:
    if request.method != method:
        error = GatewayError(405, f"Use {method}.")
        error.headers = {"Allow": method}
        raise error


@csrf_exempt
@guard_answer
def complete_chat(request: HttpRequest) -> HttpResponseBase:
    require_method(request, "POST")
    return serve_turn(request, ChatCompletions())


@csrf_exempt
@guard_answer
def create_response(request: HttpRequest) -> HttpResponseBase:
    require_method(request, "POST")
    return serve_turn(request, ResponsesApi())


@csrf_exempt
@guard_answer
def list_models(request: HttpRequest) -> HttpResponse:
    require_method(request, "GET")
    return JsonResponse({"object": "list", "data": find_models(request)})


@csrf_exempt
@guard_answer
def get_model(request: HttpRequest, name: str) -> HttpResponse:
    require_method(request, "GET")
    for model in find_models(request):
        if model.get("id") == name:
            return JsonResponse(model)
    raise GatewayError(404, f"The model {name[:200]!r} does not exist here.", param="model", code="model_not_found")


@csrf_exempt
@guard_answer
def refuse_path(request: HttpRequest, rest: str = "") -> HttpResponse:
    """A page of the console would be shown to the client's user as the error."""
    message = f"Unknown request URL: {request.method} /v1/{rest[:200]}. The gateway has {', '.join(OFFERED)}."
    raise GatewayError(404, message, code="unknown_url")


def find_models(request: HttpRequest) -> list[dict[str, Any]]:
    """The configured model; without one those that the language model's server lists."""
    require_scope(admit_principal(request, authenticate_request))
    conf, upstream = chat_conf(), configured_upstream()
    if upstream is None:
        return []
    if conf.model:
        return [{"id": conf.model, "object": "model", "created": 0, "owned_by": "commonplace"}]
    leave_slot()
    opened = upstream.open("GET", "/models", None, Deadline(MODELS_WITHIN_S))
    try:
        data = opened.read_json().get("data")
    finally:
        opened.close()
    return [model for model in data if isinstance(model, dict)] if isinstance(data, list) else []


urlpatterns: list[URLPattern] = [
    path("chat/completions", complete_chat),
    path("responses", create_response),
    path("models", list_models),
    path("models/<path:name>", get_model),
]
