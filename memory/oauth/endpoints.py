"""What clients ask, without any page: what there is, a registration, tokens, their end."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from memory.access.grants import register_client
from memory.console import throttle
from memory.oauth.metadata import SCOPES, describe_resource, describe_server
from memory.oauth.registration import ClientDetails, ClientRefused, read_client
from memory.oauth.server import load_server
from memory.web.addresses import offers_grants
from memory.web.bodies import read_json
from memory.web.problems import Problem, not_found, to_problem

LARGEST_REGISTRATION = 16 * 1024
# Of one address in a quarter of an hour; behind a proxy that is everybody together.
MOST_REGISTRATIONS = 100

Endpoint = Callable[[HttpRequest], HttpResponse]


def answer_client(view: Endpoint) -> Endpoint:
    """An endpoint where there are grants at all, never kept by a cache, with JSON for every failure."""

    @csrf_exempt
    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        try:
            response = view(request) if offers_grants() else not_found().response()
        except Exception as error:  # noqa: BLE001 -- every failure is a problem in JSON
            response = to_problem(error).response()
        response.headers["Cache-Control"] = "no-store"
        return response

    return answer


@answer_client
@require_safe
def show_resource(request: HttpRequest) -> HttpResponse:
    return JsonResponse(describe_resource(request))


@answer_client
@require_safe
def show_server(request: HttpRequest) -> HttpResponse:
    return JsonResponse(describe_server(request))


@answer_client
@require_POST
def register(request: HttpRequest) -> HttpResponse:
    # No cookie and no right of anybody is involved, so a page of another site gains nothing by asking.
    if wait_s := throttle.count_attempt("registrations", request.META.get("REMOTE_ADDR", ""), MOST_REGISTRATIONS):
        refused = refuse_registration("temporarily_unavailable", "Too many clients registered just now.", 429)
        refused.headers["Retry-After"] = str(wait_s)
        return refused
    if len(request.body) > LARGEST_REGISTRATION:
        detail = f"A registration may have {LARGEST_REGISTRATION:,} bytes."
        return refuse_registration("invalid_client_metadata", detail, 413)
    try:
        details = read_client(read_json(request.body))
    except ClientRefused as refusal:
        return refuse_registration(refusal.code, str(refusal))
    except Problem as problem:
        return refuse_registration("invalid_client_metadata", problem.detail)
    return JsonResponse(keep_client(details), status=201)


def refuse_registration(code: str, description: str, status: int = 400) -> HttpResponse:
    return JsonResponse({"error": code, "error_description": description}, status=status)


def keep_client(details: ClientDetails) -> dict[str, Any]:
    """What the client is told: what was kept of its words, and nothing that was passed over."""
    row, secret = register_client(
        details.name, details.redirect_uris, details.auth_method, is_public=details.is_public, now=timezone.now()
    )
    return {
        "client_id": row.client_id,
        "client_id_issued_at": int(row.registered_at.timestamp()),
        "client_name": row.name,
        "redirect_uris": row.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": row.auth_method,
        "scope": " ".join(SCOPES),
        **({"client_secret": secret, "client_secret_expires_at": 0} if secret else {}),
    }


@answer_client
@require_POST
def give_token(request: HttpRequest) -> HttpResponse:
    # What was spent stays spent and what was ended stays ended, whatever is answered.
    with transaction.atomic():
        return finish_answer(load_server().create_token_response(request))


@answer_client
@require_POST
def revoke_token(request: HttpRequest) -> HttpResponse:
    with transaction.atomic():
        return finish_answer(load_server().create_endpoint_response("revocation", request))


def finish_answer(response: HttpResponse) -> HttpResponse:
    response.headers["Content-Type"] = "application/json"
    response.headers["Pragma"] = "no-cache"
    return response
