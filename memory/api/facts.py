"""What is held true of a person: state, list, search, correct, confirm, reject, forget, decide between two."""

from datetime import datetime
from functools import partial
from typing import cast
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router

from memory.access.scope import user_scope
from memory.access.users import is_stranger
from memory.api.acting import open_facade
from memory.api.fact_schemas import (
    ConsolidateIn,
    ConsolidationOut,
    DecisionIn,
    FactDetailsOut,
    FactId,
    FactListOptions,
    FactPage,
    FactPatch,
    FactSearchIn,
    FactSearchOut,
    FoundOut,
    OpenReview,
    ReviewId,
    ReviewOut,
    ReviewPage,
    StatedEffect,
    StatedOut,
    StatementIn,
    StoredFactOut,
    StreamOptions,
    StreamOut,
)
from memory.facade.known import FoundKind
from memory.facts.recording import FactEffect, RecordedFact
from memory.facts.streaming import ThreadStream, is_streaming_for
from memory.lifecycle.consolidation import ConsolidationResult
from memory.lifecycle.learning import DraftedStatement
from memory.models import EndUser, Fact
from memory.models.facts import FactState, ReviewKind
from memory.web import paging
from memory.web.auth import ADMIN, READ, WRITE
from memory.web.endpoints import answer_once, optional_user, require_user, write_once
from memory.web.fields import RecordPageOptions
from memory.web.idempotency import json_response
from memory.web.openapi import describe_if_match, describe_responses
from memory.web.preconditions import expect_unchanged, set_etag
from memory.web.problems import Problem, invalid_field, not_found

router = Router(tags=["Facts"])

KINDS: dict[str, tuple[FoundKind, ...]] = {
    "facts": ("fact",),
    "episodes": ("episode",),
    "both": ("fact", "episode"),
}


def find_said_at(body: StatementIn, now: datetime) -> datetime:
    # What held once is not said of today, where it would end what holds now.
    return min(body.occurred_at or body.valid_from or body.valid_to or now, now)


def draft_statement(request: HttpRequest, user: EndUser | None, body: StatementIn) -> list[DraftedStatement]:
    said_at = find_said_at(body, timezone.now())
    drafted = open_facade(request).draft_fact(user, body.statement, said_at=said_at, thread_id=body.thread_id or "")
    if (days := body.list_days()) and sum(len(one.drafts) for one in drafted) > 1:
        raise invalid_field(days[0], "is of one fact, and the statement tells several: state each by itself")
    return drafted


@router.post(
    "/users/{user_id}/facts",
    auth=WRITE,
    response=describe_responses(201, StatedOut, reads_body=True, writes=True),
    operation_id="state_fact",
    summary="State a fact",
)
@write_once(creates_user=True, drafted=draft_statement)
def state_fact(request: HttpRequest, user: EndUser, body: StatementIn, drafted: list[DraftedStatement]) -> HttpResponse:
    """``effect`` says what the statement did to what was known.

    Said again it reinforces the fact, in other words it is merged into it; a later value supersedes the earlier one,
    and what neither time nor speaker decides waits in ``reviews``.
    """
    now, facade = timezone.now(), open_facade(request)
    with user_scope(user):
        recorded = facade.state_fact(user, body.statement, now=now, thread_id=body.thread_id or "", drafted=drafted)
        if body.list_days() and recorded.fact is not None:
            recorded.fact = facade.revise_fact(
                user, recorded.fact.pk, now=now, valid_from=body.valid_from, valid_to=body.valid_to
            )
    return render_recorded(recorded, now)


def render_recorded(recorded: RecordedFact, now: datetime) -> HttpResponse:
    fact, effect = recorded.fact, recorded.effect
    if fact is None or effect is FactEffect.BLOCKED:
        raise invalid_field("occurred_at", "the person had this forgotten since; say it with a later time")
    changed = [other.pk for other in recorded.closed if other.pk != fact.pk]
    if effect in {FactEffect.REINFORCED, FactEffect.MERGED}:
        changed.append(fact.pk)
    review = recorded.review
    return json_response(
        201,
        StatedOut(
            fact=StoredFactOut.of(fact, now),
            effect=cast("StatedEffect", effect.value),
            affected=changed,
            review=None if review is None else OpenReview(id=review.pk, kind=ReviewKind(review.kind)),
        ),
    )


@router.get(
    "/users/{user_id}/facts",
    auth=READ,
    response=describe_responses(200, FactPage),
    operation_id="list_facts",
    summary="List facts",
)
@optional_user
def list_facts(request: HttpRequest, user: EndUser | None, options: Query[FactListOptions]) -> HttpResponse:
    """Latest mention first: what holds now, or with ``as_of`` what held then."""
    listing = ["facts", user.pk if user else 0, *options.describe()]
    after = paging.read_moment_cursor(listing, options.cursor)
    now, facade = timezone.now(), open_facade(request)
    wanted, limit = options.as_filter(), options.limit
    rows = facade.list_facts(user, wanted, now=now, after=after, limit=limit + 1) if user else []
    page, cursor = paging.cut_page(rows, limit, lambda row: paging.sign_moment_cursor(listing, row.last_seen, row.pk))
    believed_at = options.as_of or now
    return json_response(200, FactPage(items=[StoredFactOut.of(row, believed_at) for row in page], next_cursor=cursor))


# Before the address of one fact, which would take their names for an id.
@router.post(
    "/users/{user_id}/facts/search",
    auth=READ,
    response=describe_responses(200, FactSearchOut, reads_body=True, writes=True),
    operation_id="search_facts",
    summary="Search facts and past exchanges",
)
@answer_once
def search_facts(request: HttpRequest, user: EndUser, body: FactSearchIn) -> HttpResponse:
    """Best first, in whole lines and under 400 tokens together. Only facts that hold now are found."""
    found = open_facade(request).search_known(
        user, body.query, kinds=KINDS[body.search_type], now=timezone.now(), limit=body.limit
    )
    return json_response(200, FactSearchOut(results=[FoundOut.of_line(line) for line in found]))


@router.get(
    "/users/{user_id}/facts/stream",
    auth=READ,
    response=describe_responses(200, StreamOut),
    operation_id="read_stream",
    summary="What the next turn of a thread is reminded of",
)
@optional_user
def read_stream(request: HttpRequest, user: EndUser | None, options: Query[StreamOptions]) -> HttpResponse:
    """Chosen after each exchange by what was said last; a context tells of it what nothing else in it says."""
    if user is None:
        return json_response(200, StreamOut.of(options.thread_id, ThreadStream(), is_told=False))
    stream = open_facade(request).read_stream(user, options.thread_id, now=timezone.now())
    return json_response(200, StreamOut.of(options.thread_id, stream, is_told=is_streaming_for(user)))


@router.post(
    "/users/{user_id}/facts/consolidate",
    auth=ADMIN,
    response=describe_responses(200, ConsolidationOut, reads_body=True, writes=True),
    operation_id="consolidate_facts",
    summary="Run the nightly consolidation of a person's facts now",
)
@answer_once
def consolidate_facts(request: HttpRequest, user: EndUser, body: ConsolidateIn = ConsolidateIn()) -> HttpResponse:  # noqa: B008
    """Merges what says the same, counts evidence, ends what contradicts and lets fade what nobody mentions any more.

    ``dry_run`` only tells what it would do. A run that goes on already is answered with ``state`` ``busy``.
    """
    if is_stranger(user):
        return json_response(200, ConsolidationOut.of(ConsolidationResult(is_dry=body.dry_run)))
    done = open_facade(request).consolidate(user, now=timezone.now(), dry_run=body.dry_run)
    return json_response(200, ConsolidationOut.of(done))


@router.get(
    "/users/{user_id}/facts/reviews",
    auth=READ,
    response=describe_responses(200, ReviewPage),
    operation_id="list_fact_reviews",
    summary="Pairs of facts that wait for a decision",
)
@optional_user
def list_reviews(request: HttpRequest, user: EndUser | None, options: Query[RecordPageOptions]) -> HttpResponse:
    """Newest first, each with what speaks for either fact."""
    listing = ["fact_reviews", user.pk if user else 0]
    after = paging.read_moment_cursor(listing, options.cursor)
    now, facade = timezone.now(), open_facade(request)
    rows = facade.list_reviews(user, after=after, limit=options.limit + 1) if user else []
    page, cursor = paging.cut_page(
        rows, options.limit, lambda row: paging.sign_moment_cursor(listing, row.created_at, row.pk)
    )
    compared = [fact_id for row in page for fact_id in (row.fact_id, row.other_id)]
    evidence = facade.list_evidence(user, compared) if user else {}
    return json_response(200, ReviewPage(items=[ReviewOut.of(row, evidence, now) for row in page], next_cursor=cursor))


@router.post(
    "/users/{user_id}/facts/reviews/{review_id}",
    auth=WRITE,
    response=describe_responses(200, ReviewOut, reads_body=True, writes=True, may_miss=True),
    operation_id="decide_fact_review",
    summary="Decide between two facts",
)
@write_once()
def decide_review(request: HttpRequest, user: EndUser, review_id: ReviewId, body: DecisionIn) -> HttpResponse:
    """``merge``: they say the same. ``supersede``: the later holds, the earlier until then. ``keep_both``: both hold.

    ``reject``: the later never was so. The same decision again changes nothing, another one is a conflict.
    """
    facade, now = open_facade(request), timezone.now()
    review = facade.decide_review(user, UUID(review_id), body.decision, now=now)
    if review is None:
        raise not_found()
    if review.decision != body.decision:
        raise Problem(409, "conflict", f"This was decided before: {review.decision}.")
    evidence = facade.list_evidence(user, [review.fact_id, review.other_id])
    return json_response(200, ReviewOut.of(review, evidence, now))


@router.get(
    "/users/{user_id}/facts/{fact_id}",
    auth=READ,
    response=describe_responses(200, FactDetailsOut, may_miss=True),
    operation_id="get_fact",
    summary="Read a fact with its evidence and history",
)
@require_user
def get_fact(request: HttpRequest, user: EndUser, fact_id: FactId) -> HttpResponse:
    """Of a forgotten fact nothing is left but that it was forgotten."""
    found = open_facade(request).get_fact(user, UUID(fact_id))
    if found is None:
        raise not_found()
    return set_etag(json_response(200, FactDetailsOut.of_details(found, timezone.now())), found.fact)


@router.patch(
    "/users/{user_id}/facts/{fact_id}",
    auth=WRITE,
    response=describe_responses(200, StoredFactOut, reads_body=True, writes=True, may_miss=True, may_expect=True),
    openapi_extra=describe_if_match(),
    operation_id="revise_fact",
    summary="Correct a fact's wording or validity",
)
@require_user
def revise_fact(request: HttpRequest, user: EndUser, fact_id: FactId, body: FactPatch) -> HttpResponse:
    """The memory bank's item says what the fact says from then on.

    Reworded to what another fact says it is merged into that one; with a ``valid_to`` that has passed it has ended.
    With ``relation`` the sentence stays as a plain statement, and what it had replaced is current again.
    """
    changes = body.changes()
    # An empty change would answer 200 and leave the client believing that something happened.
    if not changes:
        raise invalid_field("", "name at least one field to change")
    now, facade = timezone.now(), open_facade(request)
    is_misread = changes.pop("relation", None) is not None
    if is_misread and changes:
        # New words are read anew, and would not be the sentence that is right.
        raise invalid_field("relation", "goes with no other change")
    key = UUID(fact_id)
    with expect_unchanged(request, partial(facade.hold_fact, user, key)):
        if is_misread:
            return render_fact(facade.drop_reading(user, key, now=now), now)
        return render_fact(facade.revise_fact(user, key, now=now, **changes), now)


@router.delete(
    "/users/{user_id}/facts/{fact_id}",
    auth=WRITE,
    response=describe_responses(204, None, writes=True, may_miss=True, may_expect=True),
    openapi_extra=describe_if_match(),
    operation_id="forget_fact",
    summary="Forget a fact for good",
)
@require_user
def forget_fact(request: HttpRequest, user: EndUser, fact_id: FactId) -> HttpResponse:
    """Its words, evidence, history and bank item go, with memories that say nothing else, and what was said before
    does not bring it back. Conversations that told it stay: the ``memory_id`` of its evidence, to be deleted by it.
    """
    facade, key = open_facade(request), UUID(fact_id)
    with expect_unchanged(request, partial(facade.hold_fact, user, key)):
        if not facade.forget_fact(user, key, now=timezone.now()):
            raise not_found()
    return HttpResponse(status=204)


def render_fact(fact: Fact | None, now: datetime) -> HttpResponse:
    if fact is None or fact.state == FactState.FORGOTTEN:
        raise not_found()
    return set_etag(json_response(200, StoredFactOut.of(fact, now)), fact)


@router.post(
    "/users/{user_id}/facts/{fact_id}/confirm",
    auth=WRITE,
    response=describe_responses(200, StoredFactOut, writes=True, may_miss=True),
    operation_id="confirm_fact",
    summary="Say that a fact is so",
)
@write_once()
def confirm_fact(request: HttpRequest, user: EndUser, fact_id: FactId) -> HttpResponse:
    """Believed outright from then on. One that had ended holds again."""
    now = timezone.now()
    return render_fact(open_facade(request).confirm_fact(user, UUID(fact_id), now=now), now)


@router.post(
    "/users/{user_id}/facts/{fact_id}/reject",
    auth=WRITE,
    response=describe_responses(200, StoredFactOut, writes=True, may_miss=True),
    operation_id="reject_fact",
    summary="Say that a fact never was so",
)
@write_once()
def reject_fact(request: HttpRequest, user: EndUser, fact_id: FactId) -> HttpResponse:
    """Kept as ``retracted``, in no answer at any time, and what it had replaced is current again. ``restore`` takes
    both back.
    """
    now = timezone.now()
    return render_fact(open_facade(request).reject_fact(user, UUID(fact_id), now=now), now)


@router.post(
    "/users/{user_id}/facts/{fact_id}/restore",
    auth=WRITE,
    response=describe_responses(200, StoredFactOut, writes=True, may_miss=True),
    operation_id="restore_fact",
    summary="Take back that a fact was rejected, superseded or merged",
)
@write_once()
def restore_fact(request: HttpRequest, user: EndUser, fact_id: FactId) -> HttpResponse:
    """It holds again, with its bank item and its evidence. Nothing happens to what took its place."""
    now = timezone.now()
    return render_fact(open_facade(request).restore_fact(user, UUID(fact_id), now=now), now)
