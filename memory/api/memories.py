"""Memories: store, list, read, change, archive, delete."""

import time
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router

from memory import tasks
from memory.api.acting import open_facade
from memory.api.schemas import (
    BatchIn,
    BatchOut,
    ErasureOut,
    EventOut,
    EventPage,
    ListOptions,
    MemoryIn,
    MemoryOut,
    MemoryPage,
    MemoryPatch,
    StoreOptions,
    VersionOut,
    VersionPage,
)
from memory.conf import memory_conf
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.platform.queue import enqueue
from memory.store import listing
from memory.store.admission import NewMemory, validate_memory
from memory.store.listing import ItemFilter
from memory.tiers import Indexing, Tier
from memory.web import paging
from memory.web.auth import READ, WRITE, for_writing, get_user_or_404, lookup_user
from memory.web.fields import ItemId, PageOptions, UserId
from memory.web.idempotency import do_once, has_stored_response, json_response, replace_stored_response
from memory.web.openapi import describe_responses
from memory.web.problems import invalid_field, not_found

if TYPE_CHECKING:
    from memory.store.writing import StoreResult

router = Router(tags=["Memories"])

WAIT_S = 10.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.02, 0.25


@router.post(
    "/users/{u}/memories",
    auth=WRITE,
    response=describe_responses(201, MemoryOut, reads_body=True, writes=True),
    operation_id="store_memory",
    summary="Store a memory",
)
def store_memory(request: HttpRequest, u: UserId, body: MemoryIn, options: Query[StoreOptions]) -> HttpResponse:
    """The memory can be found by words at once, and by meaning when ``indexing`` is ``ready``.

    A ``memory_bank`` item needs a tag and passes a guard against secrets, raw exchanges and orders to the assistant;
    a duplicate of an existing item is merged into that one, named by ``duplicate_of``.
    """
    door, new, known = open_facade(request), body.as_new(), lookup_user(request, u)
    twin = find_duplicate(request, door, known, new)
    done: list[tuple[EndUser, StoreResult]] = []

    def stored(user: EndUser) -> HttpResponse:
        result = door.store(user, new, now=timezone.now(), similar_to=twin)
        done.append((user, result))
        return json_response(201, MemoryOut.of(result.item, result.duplicate_of))

    response = for_writing(request, u, known, lambda user: do_once(request, user, lambda: stored(user)))
    if options.wait and done:
        [(user, result)] = done
        item = wait_until_indexed(door, user, result.item)
        response = json_response(201, MemoryOut.of(item, result.duplicate_of))
        replace_stored_response(request, user, response)
    return response


def find_duplicate(request: HttpRequest, door: MemoryFacade, user: EndUser | None, new: NewMemory) -> UUID | None:
    """The bank item that this one duplicates. Called outside transactions, and not for a stored answer."""
    if new.tier is not Tier.MEMORY_BANK or user is None or has_stored_response(request, user):
        return None
    # A refused text is not sent to any service.
    return door.twin_of(user, validate_memory(new), Deadline(memory_conf().deadlines.default_s))


def wait_until_indexed(door: MemoryFacade, user: EndUser, item: MemoryItem) -> MemoryItem:
    """The item once it is no longer ``pending``, or after ten seconds. Waits outside any transaction."""
    deadline, pause = Deadline(WAIT_S), FIRST_PAUSE_S
    while item.indexing == Indexing.PENDING and not deadline.expired:
        if not connection.in_atomic_block:
            # Return the connection to the pool while sleeping.
            connection.close()
        time.sleep(min(pause, deadline.remaining()))
        pause = min(pause * 1.5, LONGEST_PAUSE_S)
        item = door.get(user, item.pk) or item
    return item


@router.post(
    "/users/{u}/memories/batch",
    auth=WRITE,
    response=describe_responses(202, BatchOut, reads_body=True, writes=True),
    operation_id="store_memories",
    summary="Store many memories, all or none",
)
def store_memories(request: HttpRequest, u: UserId, body: BatchIn) -> HttpResponse:
    door, batch = open_facade(request), [item.as_new() for item in body.items]

    def stored(user: EndUser) -> HttpResponse:
        ids = door.store_many(user, batch, now=timezone.now())
        return json_response(202, BatchOut(ids=[item_id for item_id in ids if item_id]))

    return for_writing(request, u, lookup_user(request, u), lambda user: do_once(request, user, lambda: stored(user)))


@router.get(
    "/users/{u}/memories",
    auth=READ,
    response=describe_responses(200, MemoryPage),
    operation_id="list_memories",
    summary="List memories",
)
def list_memories(request: HttpRequest, u: UserId, options: Query[ListOptions]) -> HttpResponse:
    wanted = ItemFilter(options.status, options.tier, options.tag, options.q)
    filters = [options.sort, options.status, options.tier, options.tag, options.q]
    user = lookup_user(request, u)
    mark = ["memories", user.pk if user else 0, *filters]
    after = paging.read_item_cursor(options.sort, mark, options.cursor)
    rows = listing.list_items(user, wanted, sort=options.sort, after=after, limit=options.limit + 1) if user else []
    page, following = paging.cut_page(
        rows,
        options.limit,
        lambda row: paging.sign_item_cursor(options.sort, mark, listing.build_item_cursor(row, options.sort)),
    )
    return json_response(200, MemoryPage(items=[MemoryOut.of(row) for row in page], next_cursor=following))


@router.get(
    "/users/{u}/memories/{item_id}",
    auth=READ,
    response=describe_responses(200, MemoryOut, may_miss=True),
    operation_id="get_memory",
    summary="Read a memory",
)
def get_memory(request: HttpRequest, u: UserId, item_id: ItemId) -> HttpResponse:
    user = get_user_or_404(request, u)
    return render_item(open_facade(request).get(user, UUID(item_id)))


def render_item(item: MemoryItem | None, asked: UUID | None = None) -> HttpResponse:
    """The item as an answer; if it was merged into another than ``asked``, with ``duplicate_of``."""
    if item is None:
        raise not_found()
    return json_response(200, MemoryOut.of(item, item.pk if asked not in {None, item.pk} else None))


@router.patch(
    "/users/{u}/memories/{item_id}",
    auth=WRITE,
    response=describe_responses(200, MemoryOut, reads_body=True, writes=True, may_miss=True),
    operation_id="revise_memory",
    summary="Change a memory",
)
def revise_memory(request: HttpRequest, u: UserId, item_id: ItemId, body: MemoryPatch) -> HttpResponse:
    """A new text makes a new version; the one before stays readable under ``versions``.

    A ``memory_bank`` item that now duplicates another is merged with it. The item with the better wording is returned,
    named by ``duplicate_of`` if it is the other one.
    """
    changes = body.changes()
    if not changes:
        raise invalid_field("", "name at least one field to change")
    user, door, key = get_user_or_404(request, u), open_facade(request), UUID(item_id)
    twin = None
    if "text" in changes:
        twin = door.twin_of_item(user, key, Deadline(memory_conf().deadlines.default_s), text=body.text)
    return render_item(door.revise(user, key, changes, now=timezone.now(), similar_to=twin), key)


@router.delete(
    "/users/{u}/memories/{item_id}",
    auth=WRITE,
    response=describe_responses(204, None, writes=True, may_miss=True),
    operation_id="delete_memory",
    summary="Delete a memory for good",
)
def delete_memory(request: HttpRequest, u: UserId, item_id: ItemId) -> HttpResponse:
    """Gone from every answer at once, with its versions and events."""
    user = get_user_or_404(request, u)
    if not open_facade(request).remove(user, UUID(item_id), now=timezone.now()):
        raise not_found()
    return HttpResponse(status=204)


@router.post(
    "/users/{u}/memories/{item_id}/archive",
    auth=WRITE,
    response=describe_responses(200, MemoryOut, writes=True, may_miss=True),
    operation_id="archive_memory",
    summary="Take a memory out of every answer, and keep it",
)
def archive_memory(request: HttpRequest, u: UserId, item_id: ItemId) -> HttpResponse:
    user, door = get_user_or_404(request, u), open_facade(request)
    return do_once(request, user, lambda: render_item(door.archive(user, UUID(item_id), now=timezone.now())))


@router.post(
    "/users/{u}/memories/{item_id}/restore",
    auth=WRITE,
    response=describe_responses(200, MemoryOut, writes=True, may_miss=True),
    operation_id="restore_memory",
    summary="Bring an archived memory back",
)
def restore_memory(request: HttpRequest, u: UserId, item_id: ItemId) -> HttpResponse:
    user, door, key = get_user_or_404(request, u), open_facade(request), UUID(item_id)
    twin = find_duplicate_of_restored(request, door, user, key)
    return do_once(
        request, user, lambda: render_item(door.restore(user, key, now=timezone.now(), similar_to=twin), key)
    )


def find_duplicate_of_restored(request: HttpRequest, door: MemoryFacade, user: EndUser, item_id: UUID) -> UUID | None:
    """The bank item that a restored one duplicates. Not looked up for a stored answer."""
    if has_stored_response(request, user):
        return None
    return door.twin_of_item(user, item_id, Deadline(memory_conf().deadlines.default_s))


@router.get(
    "/users/{u}/memories/{item_id}/versions",
    auth=READ,
    response=describe_responses(200, VersionPage, may_miss=True),
    operation_id="list_versions",
    summary="Earlier and merged wordings, newest first",
)
def list_versions(request: HttpRequest, u: UserId, item_id: ItemId, options: Query[PageOptions]) -> HttpResponse:
    user, key, mark, before = read_history_request(request, u, item_id, "versions", options)
    rows = listing.list_versions(user, key, before=before, limit=options.limit + 1)
    page, following = paging.cut_page(rows, options.limit, lambda row: paging.sign_cursor(mark, [row.version]))
    return json_response(200, VersionPage(items=[VersionOut.of(row) for row in page], next_cursor=following))


@router.get(
    "/users/{u}/memories/{item_id}/events",
    auth=READ,
    response=describe_responses(200, EventPage, may_miss=True),
    operation_id="list_events",
    summary="What happened to a memory and why, newest first",
)
def list_events(request: HttpRequest, u: UserId, item_id: ItemId, options: Query[PageOptions]) -> HttpResponse:
    user, key, mark, before = read_history_request(request, u, item_id, "events", options)
    rows = listing.list_events(user, key, before=before, limit=options.limit + 1)
    page, following = paging.cut_page(rows, options.limit, lambda row: paging.sign_cursor(mark, [row.pk]))
    return json_response(200, EventPage(items=[EventOut.of(row) for row in page], next_cursor=following))


def read_history_request(
    request: HttpRequest, u: str, item_id: str, kind: str, options: PageOptions
) -> tuple[EndUser, UUID, list[str | int], int | None]:
    """The user, item and start of a page of its history."""
    user, key = get_user_or_404(request, u), UUID(item_id)
    if open_facade(request).get(user, key) is None:
        raise not_found()
    mark: list[str | int] = [kind, user.pk, str(key)]
    place = paging.read_cursor(mark, options.cursor)
    return user, key, mark, int(place[0]) if place else None


@router.delete(
    "/users/{u}",
    auth=WRITE,
    response=describe_responses(202, ErasureOut, writes=True, may_miss=True),
    operation_id="erase_user",
    summary="Forget a user for good",
)
def erase_user(request: HttpRequest, u: UserId) -> HttpResponse:
    """Takes effect at once; a background job removes rows, vectors and caches."""
    user = get_user_or_404(request, u)
    erasure = open_facade(request).request_erasure(user, now=timezone.now())
    enqueue(tasks.erase_user, str(erasure.pk))
    return json_response(202, ErasureOut(job_id=erasure.pk))
