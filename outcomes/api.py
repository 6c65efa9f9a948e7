"""Endpoints of the end of a turn: storing the exchange, saying how it went, reading both again."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from ninja import Path, Query, Router

from memory.access.scope import user_scope
from memory.models import EndUser
from memory.web import paging
from memory.web.auth import READ, WRITE, get_actor, get_user_or_404
from memory.web.endpoints import optional_user, require_user, write_once
from memory.web.fields import ThreadId, UserId
from memory.web.idempotency import ModelResponse, json_response, replace_stored_response
from memory.web.openapi import describe_responses
from memory.web.polling import poll_until
from memory.web.problems import not_found
from memory.web.scoping import confine_to_fields
from outcomes.exchanges import listing, storing, threads
from outcomes.exchanges.listing import ExchangeCursor, ExchangeDetail, ThreadState
from outcomes.exchanges.storing import NewExchange
from outcomes.exchanges.threads import ConversationKey, ThreadCursor, TitledThread
from outcomes.schemas import (
    AwaitedExchangeOut,
    ExchangeIn,
    ExchangeOptions,
    ExchangeOut,
    ExchangePage,
    ExportOptions,
    KeptExchangeOut,
    LearnedOut,
    OutcomeIn,
    OutcomeOut,
    StoreExchangeOptions,
    ThreadListOptions,
    ThreadOut,
    ThreadPage,
    ThreadPatch,
    TitledThreadOut,
)
from outcomes.verdicts import recording

router = Router(tags=["A turn"])

NDJSON = "application/x-ndjson"
WAIT_S = 5.0
ExchangeId = Annotated[UUID, Path(..., description="The exchange's id.")]


@router.post(
    "/users/{user_id}/threads/{path:thread_id}/exchanges",
    auth=WRITE,
    response=describe_responses(201, ExchangeOut, reads_body=True, writes=True),
    operation_id="store_exchange",
    summary="Store a finished exchange",
)
def store_exchange(
    request: HttpRequest, user_id: UserId, thread_id: ThreadId, body: ExchangeIn, options: Query[StoreExchangeOptions]
) -> HttpResponse:
    """Stores the exchange, and a memory of it in ``working``. The exchange is kept whole, the memory as far as one may.

    ``required_scoring`` when its turn showed memories that an outcome could score, unless it was told already, the
    answer was broken off (``interrupted``) or the message was small talk.
    """
    with confine_to_fields(body, options):
        new = [replace(one, is_awaited=bool(options.wait)) for one in body.list_new(thread_id)]
        response = write_exchanges(request, user_id, new)
    if options.wait and isinstance(response, ModelResponse) and isinstance(response.body, ExchangeOut):
        response = await_learned(request, get_user_or_404(request, user_id), response.body)
    return response


def await_learned(request: HttpRequest, user: EndUser, stored: ExchangeOut) -> HttpResponse:
    """The answer with what was learned, or null where it was not read in time."""
    read = partial(find_exchanges, user, stored.list_ids())
    found = poll_until(read, lambda found: all(is_settled(one) for one in found), WAIT_S)
    is_read = all(one is not None and is_settled(one) for one in found)
    learned = LearnedOut.list_of([item for one in found if one for item in one.learned]) if is_read else None
    response = json_response(201, AwaitedExchangeOut(**{**dict(stored), "learned": learned}))
    replace_stored_response(request, user, response)
    return response


def find_exchanges(user: EndUser, ids: Sequence[UUID]) -> list[ExchangeDetail | None]:
    return [listing.find_exchange(user, exchange_id) for exchange_id in ids]


def is_settled(detail: ExchangeDetail | None) -> bool:
    """Whether it was read, or is gone."""
    return detail is None or detail.exchange.profiled_at is not None


@write_once(creates_user=True)
def write_exchanges(request: HttpRequest, user: EndUser, new: Sequence[NewExchange]) -> HttpResponse:
    storing.check_turn(user, new[-1])
    now, actor = timezone.now(), get_actor(request)
    # One transaction with the answer: an exchange stored twice would ask for two outcomes.
    with user_scope(user):
        stored = [
            storing.store_exchange(user, one, now=now + place * storing.STEP, actor=actor)
            for place, one in enumerate(new)
        ]
    return json_response(201, ExchangeOut.of_all(stored))


@router.post(
    "/users/{user_id}/outcomes",
    auth=WRITE,
    response=describe_responses(201, OutcomeOut, reads_body=True, writes=True, may_miss=True),
    operation_id="record_outcome",
    summary="Say how it went",
)
@write_once(creates_user=True)
def record_outcome(request: HttpRequest, user: EndUser, body: OutcomeIn) -> HttpResponse:
    """Moves the scores of what the turn showed, or of ``related``. Books and the memory bank are never scored.

    A memory counts once in a turn: a later outcome takes the place of the earlier one of the memories it is about, and
    the same outcome again changes nothing. Without a turn or exchange each call counts.
    """
    recorded = recording.record_outcome(
        user,
        body.outcome,
        now=timezone.now(),
        turn_id=UUID(body.turn_id) if body.turn_id else None,
        exchange_id=UUID(body.exchange_id) if body.exchange_id else None,
        key_takeaway=body.key_takeaway or "",
        related=body.related,
        actor=get_actor(request),
    )
    return json_response(201, OutcomeOut.of(recorded))


@router.get(
    "/users/{user_id}/exchanges",
    auth=READ,
    response=describe_responses(200, ExchangePage),
    operation_id="list_exchanges",
    summary="List exchanges, newest first",
)
@optional_user
def list_exchanges(request: HttpRequest, user: EndUser | None, options: Query[ExchangeOptions]) -> HttpResponse:
    """Each with its outcome, the signals noticed and the tools that ran."""
    own = ["exchanges", user.pk if user else 0, options.thread_id]
    position = paging.read_moment_cursor(own, options.cursor)
    if user is None:
        return json_response(200, ExchangePage(items=[], next_cursor=None))
    after = ExchangeCursor(*position) if position else None
    page, last = listing.list_exchanges(user, thread_id=options.thread_id or "", limit=options.limit, after=after)
    cursor = paging.sign_moment_cursor(own, last.created_at, last.exchange_id) if last else None
    return json_response(200, ExchangePage(items=[KeptExchangeOut.of(detail) for detail in page], next_cursor=cursor))


STREAMED: dict[str, Any] = {
    "responses": {200: {"description": "One JSON object a line.", "content": {NDJSON: {"schema": {"type": "string"}}}}}
}


@router.get(
    "/users/{user_id}/exchanges/export",
    auth=READ,
    response=describe_responses(200, None),
    openapi_extra=STREAMED,
    operation_id="export_exchanges",
    summary="Every exchange as JSON Lines, oldest first",
)
@optional_user
def export_exchanges(
    request: HttpRequest, user: EndUser | None, options: Query[ExportOptions]
) -> StreamingHttpResponse:
    """Streamed in batches; the same records as ``manage.py export_exchanges``."""
    # Streamed, as a year of conversations does not fit a process's memory.
    lines = render_lines(user, options.thread_id or "") if user else iter(())
    response = StreamingHttpResponse(lines, content_type=NDJSON)
    # A browser would otherwise try to show it.
    response.headers["Content-Disposition"] = 'attachment; filename="exchanges.jsonl"'
    return response


def render_lines(user: EndUser, thread_id: str) -> Iterator[bytes]:
    for row in listing.iterate_export_rows(user, thread_id):
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


@router.get(
    "/users/{user_id}/exchanges/{exchange_id}",
    auth=READ,
    response=describe_responses(200, KeptExchangeOut, may_miss=True),
    operation_id="get_exchange",
    summary="One exchange",
)
@require_user
def get_exchange(request: HttpRequest, user: EndUser, exchange_id: ExchangeId) -> HttpResponse:
    detail = listing.find_exchange(user, exchange_id)
    if detail is None:
        raise not_found()
    return json_response(200, KeptExchangeOut.of(detail))


@router.get(
    "/users/{user_id}/threads",
    auth=READ,
    response=describe_responses(200, ThreadPage),
    operation_id="list_threads",
    summary="List conversations with their titles, the latest first",
)
@optional_user
def list_threads(request: HttpRequest, user: EndUser | None, options: Query[ThreadListOptions]) -> HttpResponse:
    """A title is given by a person, comes with an imported chat, or is made of what was said first."""
    own = ["conversations", user.pk if user else 0, options.q]
    position = paging.read_cursor(own, options.cursor)
    if user is None:
        return json_response(200, ThreadPage(items=[], next_cursor=None))
    after = ThreadCursor(datetime.fromisoformat(position[0]), ConversationKey(*position[1:])) if position else None
    found = threads.list_titled_threads(user, limit=options.limit + 1, words=options.q or "", after=after)

    def sign(thread: TitledThread) -> str:
        return paging.sign_cursor(own, [thread.last_at.isoformat(), *ConversationKey.of(thread)])

    page, cursor = paging.cut_page(found, options.limit, sign)
    return json_response(200, ThreadPage(items=[TitledThreadOut.of(one) for one in page], next_cursor=cursor))


@router.patch(
    "/users/{user_id}/threads/{path:thread_id}",
    auth=WRITE,
    response=describe_responses(200, TitledThreadOut, reads_body=True, writes=True, may_miss=True),
    operation_id="rename_thread",
    summary="Give a conversation a title",
)
@require_user
def rename_thread(request: HttpRequest, user: EndUser, thread_id: ThreadId, body: ThreadPatch) -> HttpResponse:
    """``null`` takes it back: the title is then the imported one, or made of what was said first."""
    renamed = threads.give_title(user, thread_id, body.title or "", now=timezone.now(), actor=get_actor(request))
    if renamed is None:
        raise not_found()
    return json_response(200, TitledThreadOut.of(renamed))


@router.get(
    "/users/{user_id}/threads/{path:thread_id}",
    auth=READ,
    response=describe_responses(200, ThreadOut),
    operation_id="thread_state",
    summary="Where a thread stands",
)
@optional_user
def get_thread_state(request: HttpRequest, user: EndUser | None, thread_id: ThreadId) -> HttpResponse:
    """Whether its last exchange waits for an outcome. An unknown thread is empty, not a 404.

    Two projects that use one name have two threads: told is that of the agent and project of the request.
    """
    state = listing.load_thread_state(user, thread_id) if user else ThreadState(thread_id, 0, None, waits=False)
    return json_response(200, ThreadOut.of(state))
