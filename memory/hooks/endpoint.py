"""The view: ``POST /hooks/<client>`` with the body of an event."""

from pathlib import Path

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from memory.conf import max_body_bytes
from memory.hooks.answers import CLIENTS, word_answer
from memory.hooks.bodies import HookKind, read_event
from memory.hooks.events import HookCall, handle_event
from memory.web.auth import admit_principal, authenticate_request
from memory.web.callers import resolve_caller
from memory.web.problems import Problem, not_found, to_problem, too_large

# What the console tells people to fetch; the same for everybody, and no secret.
SCRIPT = Path(__file__).parents[2] / "integrations" / "shim" / "commonplace-hook"


@require_safe
def send_script(request: HttpRequest) -> HttpResponse:
    return HttpResponse(SCRIPT.read_bytes(), content_type="text/x-shellscript; charset=utf-8")


@csrf_exempt
def answer_hook(request: HttpRequest, client: str) -> HttpResponse:
    """Every client takes a refusal as a hook that failed, shows it, and goes on."""
    try:
        response = reply_to_event(request, client)
    except Exception as error:  # noqa: BLE001 -- every failure is a problem in JSON
        response = to_problem(error).response()
    # Every answer is about one person: no proxy may keep it.
    response.headers["Cache-Control"] = "no-store"
    return response


def reply_to_event(request: HttpRequest, client: str) -> HttpResponse:
    if client not in CLIENTS:
        raise not_found()
    if request.method != "POST":
        raise Problem(405, "method_not_allowed", "Use POST.", headers={"Allow": "POST"})
    caller = resolve_caller(admit_principal(request, authenticate_request), request.headers.get("X-User-Id"))
    limit = max_body_bytes()
    if limit is not None and len(request.body) > limit:
        raise too_large(limit)
    event = read_event(request)
    if event.kind is HookKind.OTHER:
        return JsonResponse({})
    context = handle_event(HookCall(caller, event, timezone.now()))
    return JsonResponse(word_answer(client, event, context))
