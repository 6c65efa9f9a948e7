"""Endpoints of the hot path."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router

from knowledge_graph.hotmem.schemas import HotTurnIn, HotTurnOut
from knowledge_graph.hotmem.turn import NewHotTurn, run_hot_turn
from memory.models import EndUser
from memory.web.auth import READ, get_actor, get_principal, get_stranger, lookup_user
from memory.web.endpoints import run_for_writing
from memory.web.fields import UserId
from memory.web.idempotency import json_response, run_once
from memory.web.openapi import describe_responses
from memory.web.problems import Problem
from memory.web.redaction import refuse_secrets

router = Router(tags=["The hot path"])


@router.post(
    "/users/{u}/hot/turn",
    auth=READ,
    response=describe_responses(200, HotTurnOut, reads_body=True, writes=True),
    operation_id="hot_turn",
    summary="Read a turn at once and get what is known of it",
)
def take_hot_turn(request: HttpRequest, u: UserId, body: HotTurnIn) -> HttpResponse:
    """What the person's words tell is kept, and what is known of the matter comes back in their language.

    With ``observe=false`` nothing of the turn is kept, and a key with the scope read is enough.
    """
    known = lookup_user(request, u)
    if body.observe:
        require_write(request)
        return run_for_writing(request, u, known, lambda user: answer_turn(request, user, body))
    return answer_turn(request, known or get_stranger(request, u), body)


def require_write(request: HttpRequest) -> None:
    if "write" not in get_principal(request).scopes:
        raise Problem(403, "forbidden", "This key lacks the scope write; send observe=false.")
    refuse_secrets(request)


def answer_turn(request: HttpRequest, user: EndUser, body: HotTurnIn) -> HttpResponse:
    new = NewHotTurn(body.thread_id, body.text, body.lang, body.observe)

    def run() -> HttpResponse:
        result = run_hot_turn(user, new, now=timezone.now(), actor=get_actor(request))
        return json_response(200, HotTurnOut.of(result))

    return run_once(request, user, run) if user.pk and body.observe else run()
