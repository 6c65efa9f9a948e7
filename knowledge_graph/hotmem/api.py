"""Endpoints of the hot path."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router

from knowledge_graph.hotmem import triples
from knowledge_graph.hotmem.schemas import (
    ForgetIn,
    ForgottenOut,
    HeldTripleOut,
    HeldTriplePage,
    HotTurnIn,
    HotTurnOut,
    ImportedOut,
    TripleListOptions,
    TriplesIn,
)
from knowledge_graph.hotmem.turn import NewHotTurn, run_hot_turn
from memory.models import EndUser
from memory.web import paging
from memory.web.auth import READ, WRITE, get_actor, get_principal, get_stranger, lookup_user
from memory.web.endpoints import optional_user, write_once
from memory.web.fields import UserId
from memory.web.idempotency import json_response, run_once
from memory.web.openapi import describe_responses
from memory.web.persons import run_for_writing
from memory.web.problems import Problem
from memory.web.redaction import refuse_secrets
from memory.web.scoping import confine_to_fields

router = Router(tags=["The hot path"])


@router.post(
    "/users/{user_id}/hot/turn",
    auth=READ,
    response=describe_responses(200, HotTurnOut, reads_body=True, writes=True),
    operation_id="hot_turn",
    summary="Read a turn at once and get what is known of it",
)
def take_hot_turn(request: HttpRequest, user_id: UserId, body: HotTurnIn) -> HttpResponse:
    """What the person's words tell is kept, and what is known of the matter comes back in their language.

    With ``observe`` false nothing of the turn is kept, and a key with the scope read is enough.
    """
    known = lookup_user(request, user_id)
    with confine_to_fields(body):
        if body.observe:
            require_write(request)
            return run_for_writing(request, user_id, known, lambda user: answer_turn(request, user, body))
        return answer_turn(request, known or get_stranger(request, user_id), body)


def require_write(request: HttpRequest) -> None:
    if "write" not in get_principal(request).scopes:
        raise Problem(403, "forbidden", "This key lacks the scope write; send observe=false.")
    refuse_secrets(request)


def answer_turn(request: HttpRequest, user: EndUser, body: HotTurnIn) -> HttpResponse:
    new = NewHotTurn(body.thread_id, body.text, body.lang, body.observe, body.last_reply or "")

    def run() -> HttpResponse:
        result = run_hot_turn(user, new, now=timezone.now(), actor=get_actor(request))
        return json_response(200, HotTurnOut.of(result))

    return run_once(request, user, run) if user.pk and body.observe else run()


@router.post(
    "/users/{user_id}/hot/triples",
    auth=WRITE,
    response=describe_responses(201, ImportedOut, reads_body=True, writes=True),
    operation_id="import_triples",
    summary="Bring triples in",
)
@write_once(creates_user=True)
def import_triples(request: HttpRequest, user: EndUser, body: TriplesIn) -> HttpResponse:
    """In the order they held. What was said later replaces what was said before, whichever came in first."""
    given = [one.as_triple() for one in body.triples]
    counts = triples.import_triples(user, given, now=timezone.now(), actor=get_actor(request))
    return json_response(201, ImportedOut(stored=counts.stored, reinforced=counts.reinforced, skipped=counts.skipped))


@router.get(
    "/users/{user_id}/hot/triples",
    auth=READ,
    response=describe_responses(200, HeldTriplePage),
    operation_id="list_triples",
    summary="Export triples",
)
@optional_user
def list_triples(request: HttpRequest, user: EndUser | None, options: Query[TripleListOptions]) -> HttpResponse:
    """The latest mention first: what holds now, or with ``as_of`` what held then."""
    listing = ["triples", user.pk if user else 0, *options.describe()]
    after = paging.read_moment_cursor(listing, options.cursor)
    now, limit = timezone.now(), options.limit
    rows = triples.list_triples(user, options.as_filter(), now=now, after=after, limit=limit + 1) if user else []
    page, cursor = paging.cut_page(rows, limit, lambda row: paging.sign_moment_cursor(listing, row.last_seen, row.pk))
    believed_at = options.as_of or now
    return json_response(
        200, HeldTriplePage(items=[HeldTripleOut.of(row, believed_at) for row in page], next_cursor=cursor)
    )


@router.post(
    "/users/{user_id}/hot/forget",
    auth=WRITE,
    response=describe_responses(200, ForgottenOut, reads_body=True, writes=True, may_miss=True),
    operation_id="forget_triples",
    summary="Forget triples for good",
)
@write_once()
def forget_triples(request: HttpRequest, user: EndUser, body: ForgetIn) -> HttpResponse:
    """Their words, evidence and bank items go, and what was said before does not bring them back.

    `named_in` are memories that tell more, as a whole exchange, and name what was forgotten still: delete those as well
    where nothing of it may stay.
    """
    forgotten = triples.forget_triples(user, body.s, body.r, body.d, now=timezone.now(), actor=get_actor(request))
    return json_response(200, ForgottenOut(forgotten=forgotten.count, named_in=list(forgotten.named_in)))
