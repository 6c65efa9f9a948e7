"""Memories: store, list, read, change, archive, delete."""

from functools import partial
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router

from memory.api.acting import open_facade
from memory.api.filters import build_conditions
from memory.api.schemas import (
    BatchedMemoryOut,
    BatchIn,
    BatchOut,
    ErasureOut,
    EventOut,
    EventPage,
    ListOptions,
    MemoryIn,
    MemoryPage,
    MemoryPatch,
    StoreOptions,
    VersionOut,
    VersionPage,
)
from memory.models import EndUser, MemoryItem
from memory.store.admission import NewMemory
from memory.store.listing import ItemFilter
from memory.tiers import Indexing
from memory.web import paging
from memory.web.auth import READ, WRITE, WRITE_WHOLE, get_user_or_404
from memory.web.endpoints import optional_user, require_user, write_once
from memory.web.fields import ItemId, RecordPageOptions, UserId
from memory.web.idempotency import ModelResponse, json_response, replace_stored_response
from memory.web.items import MemoryOut
from memory.web.openapi import describe_if_match, describe_responses
from memory.web.polling import poll_until
from memory.web.preconditions import expect_unchanged, set_etag
from memory.web.problems import invalid_field, not_found
from memory.web.scoping import confine_to_fields

router = Router(tags=["Memories"])

# Longer than the worker takes for one memory, shorter than clients and proxies wait for an answer.
WAIT_S = 10.0


@router.post(
    "/users/{user_id}/memories",
    auth=WRITE,
    response=describe_responses(201, MemoryOut, reads_body=True, writes=True),
    operation_id="store_memory",
    summary="Store a memory",
)
def store_memory(request: HttpRequest, user_id: UserId, body: MemoryIn, options: Query[StoreOptions]) -> HttpResponse:
    """The memory can be found by words at once, and by meaning when ``indexing`` is ``ready``.

    A ``memory_bank`` item needs a tag and passes a guard against secrets, raw exchanges and orders to the assistant;
    what the guard only suspects is stored with ``warnings`` and ``review: true``, until a person vouches for it. A
    duplicate of an existing item is merged into that one, named by ``duplicate_of``.
    """
    with confine_to_fields(options):
        response = write_memory(request, user_id, body.as_new())
    # A replayed answer has waited before.
    if options.wait and isinstance(response, ModelResponse) and isinstance(response.body, MemoryOut):
        user = get_user_or_404(request, user_id)
        read = partial(open_facade(request).get, user, response.body.id)
        item = poll_until(read, lambda item: item is None or item.indexing != Indexing.PENDING, WAIT_S)
        response = render_item(item, response.body.duplicate_of, status=201)
        replace_stored_response(request, user, response)
    return response


def find_duplicate(request: HttpRequest, user: EndUser | None, new: NewMemory) -> UUID | None:
    return open_facade(request).find_duplicate(user, new)


@write_once(creates_user=True, duplicate_id=find_duplicate)
def write_memory(request: HttpRequest, user: EndUser, new: NewMemory, duplicate_id: UUID | None) -> HttpResponse:
    stored = open_facade(request).store(user, new, now=timezone.now(), similar_to=duplicate_id)
    return render_item(stored.item, stored.duplicate_of, status=201)


@router.post(
    "/users/{user_id}/memories/batch",
    auth=WRITE,
    response=describe_responses(202, BatchOut, reads_body=True, writes=True),
    operation_id="store_memories",
    summary="Store many memories, all or none",
)
@write_once(creates_user=True)
def store_memories(request: HttpRequest, user: EndUser, body: BatchIn) -> HttpResponse:
    """``items`` says of each, in order, what the answer to a single write says of it; ``ids`` are theirs."""
    batch = [item.as_new() for item in body.items]
    stored = open_facade(request).store_batch(user, batch, now=timezone.now())
    items = [BatchedMemoryOut.of(MemoryOut.of(one.item, one.duplicate_of)) for one in stored if one is not None]
    return json_response(202, BatchOut(ids=[item.id for item in items], items=items))


@router.get(
    "/users/{user_id}/memories",
    auth=READ,
    response=describe_responses(200, MemoryPage),
    operation_id="list_memories",
    summary="List memories",
)
@optional_user
def list_memories(request: HttpRequest, user: EndUser | None, options: Query[ListOptions]) -> HttpResponse:
    conditions = build_conditions(options, options.thread_id)
    filters = [options.sort, options.status, options.tier, options.tag, options.q, options.review]
    filters += conditions.as_json()
    listing = ["memories", user.pk if user else 0, *filters]
    after = paging.read_item_cursor(options.sort, listing, options.cursor)
    item_filter = ItemFilter(
        options.status, options.tier, options.tag, options.q, rows=conditions, review=options.review
    )
    rows = open_facade(request).list_items(user, item_filter, sort=options.sort, after=after, limit=options.limit + 1)
    page, cursor = paging.cut_item_page(rows, options.limit, options.sort, listing)
    return json_response(200, MemoryPage(items=[MemoryOut.of(row) for row in page], next_cursor=cursor))


@router.get(
    "/users/{user_id}/memories/{memory_id}",
    auth=READ,
    response=describe_responses(200, MemoryOut, may_miss=True),
    operation_id="get_memory",
    summary="Read a memory",
)
@require_user
def get_memory(request: HttpRequest, user: EndUser, memory_id: ItemId) -> HttpResponse:
    return render_item(open_facade(request).get(user, UUID(memory_id)))


def render_item(item: MemoryItem | None, duplicate_of: UUID | None = None, status: int = 200) -> HttpResponse:
    if item is None:
        raise not_found()
    return set_etag(json_response(status, MemoryOut.of(item, duplicate_of)), item)


def render_merged(item: MemoryItem | None, requested: UUID) -> HttpResponse:
    """The item; if ``requested`` was merged into another one, that one, named by ``duplicate_of``."""
    return render_item(item, item.pk if item and item.pk != requested else None)


@router.patch(
    "/users/{user_id}/memories/{memory_id}",
    auth=WRITE,
    response=describe_responses(200, MemoryOut, reads_body=True, writes=True, may_miss=True, may_expect=True),
    openapi_extra=describe_if_match(with_version=True),
    operation_id="revise_memory",
    summary="Change a memory",
)
@require_user
def revise_memory(request: HttpRequest, user: EndUser, memory_id: ItemId, body: MemoryPatch) -> HttpResponse:
    """A new text makes a new version; the one before stays readable under ``versions``.

    A passage of a book keeps its text.

    A ``memory_bank`` item that now duplicates another is merged with it. The item with the better wording is returned,
    named by ``duplicate_of`` if it is the other one.
    """
    changes = body.changes()
    # An empty change would answer 200 and leave the client believing that something happened.
    if not changes:
        raise invalid_field("", "name at least one field to change")
    memory, key = open_facade(request), UUID(memory_id)
    duplicate_id = memory.find_duplicate_of(user, key, text=body.text) if "text" in changes else None
    with expect_unchanged(request, partial(memory.hold_memory, user, key)):
        item = memory.revise(user, key, changes, now=timezone.now(), similar_to=duplicate_id, is_strict=body.strict)
    return render_merged(item, key)


@router.delete(
    "/users/{user_id}/memories/{memory_id}",
    auth=WRITE,
    response=describe_responses(204, None, writes=True, may_miss=True, may_expect=True),
    openapi_extra=describe_if_match(with_version=True),
    operation_id="delete_memory",
    summary="Delete a memory for good",
)
@require_user
def delete_memory(request: HttpRequest, user: EndUser, memory_id: ItemId) -> HttpResponse:
    """Gone from every answer at once, with its versions and events. A passage of a book is refused: that goes whole."""
    memory, key = open_facade(request), UUID(memory_id)
    with expect_unchanged(request, partial(memory.hold_memory, user, key)):
        if not memory.remove_alone(user, key, now=timezone.now()):
            raise not_found()
    return HttpResponse(status=204)


@router.post(
    "/users/{user_id}/memories/{memory_id}/archive",
    auth=WRITE,
    response=describe_responses(200, MemoryOut, writes=True, may_miss=True),
    operation_id="archive_memory",
    summary="Take a memory out of every answer, and keep it",
)
@write_once()
def archive_memory(request: HttpRequest, user: EndUser, memory_id: ItemId) -> HttpResponse:
    return render_item(open_facade(request).archive(user, UUID(memory_id), now=timezone.now()))


def find_duplicate_of(request: HttpRequest, user: EndUser, memory_id: str, *_: object, **__: object) -> UUID | None:
    """The bank item that an archived one duplicates once it is back."""
    return open_facade(request).find_duplicate_of(user, UUID(memory_id))


@router.post(
    "/users/{user_id}/memories/{memory_id}/restore",
    auth=WRITE,
    response=describe_responses(200, MemoryOut, writes=True, may_miss=True),
    operation_id="restore_memory",
    summary="Bring an archived memory back",
)
@write_once(duplicate_id=find_duplicate_of)
def restore_memory(request: HttpRequest, user: EndUser, memory_id: ItemId, duplicate_id: UUID | None) -> HttpResponse:
    key = UUID(memory_id)
    item = open_facade(request).restore(user, key, now=timezone.now(), similar_to=duplicate_id)
    return render_merged(item, key)


@router.get(
    "/users/{user_id}/memories/{memory_id}/versions",
    auth=READ,
    response=describe_responses(200, VersionPage, may_miss=True),
    operation_id="list_versions",
    summary="Earlier and merged wordings, newest first",
)
@require_user
def list_versions(
    request: HttpRequest, user: EndUser, memory_id: ItemId, options: Query[RecordPageOptions]
) -> HttpResponse:
    memory, key, listing = open_facade(request), UUID(memory_id), ["versions", user.pk, str(UUID(memory_id))]
    if memory.get(user, key) is None:
        raise not_found()
    before = paging.read_number_cursor(listing, options.cursor)
    rows = memory.list_versions(user, key, before=before, limit=options.limit + 1)
    page, cursor = paging.cut_page(rows, options.limit, lambda row: paging.sign_cursor(listing, [row.version]))
    return json_response(200, VersionPage(items=[VersionOut.of(row) for row in page], next_cursor=cursor))


@router.get(
    "/users/{user_id}/memories/{memory_id}/events",
    auth=READ,
    response=describe_responses(200, EventPage, may_miss=True),
    operation_id="list_events",
    summary="What happened to a memory and why, newest first",
)
@require_user
def list_events(
    request: HttpRequest, user: EndUser, memory_id: ItemId, options: Query[RecordPageOptions]
) -> HttpResponse:
    memory, key, listing = open_facade(request), UUID(memory_id), ["events", user.pk, str(UUID(memory_id))]
    if memory.get(user, key) is None:
        raise not_found()
    before = paging.read_number_cursor(listing, options.cursor)
    rows = memory.list_events(user, key, before=before, limit=options.limit + 1)
    page, cursor = paging.cut_page(rows, options.limit, lambda row: paging.sign_cursor(listing, [row.pk]))
    return json_response(200, EventPage(items=[EventOut.of(row) for row in page], next_cursor=cursor))


@router.delete(
    "/users/{user_id}",
    auth=WRITE_WHOLE,
    response=describe_responses(202, ErasureOut, writes=True, may_miss=True),
    operation_id="erase_user",
    summary="Forget a user for good",
)
@require_user
def erase_user(request: HttpRequest, user: EndUser) -> HttpResponse:
    """Takes effect at once; a background job removes rows, vectors and caches."""
    erasure = open_facade(request).request_erasure(user, now=timezone.now())
    return json_response(202, ErasureOut(job_id=erasure.pk))
