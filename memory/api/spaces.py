"""Spaces: several people read what one of them shared. Every call is made for one member, and asks for their role.

A space that is not there and one the person does not belong to are the same 404.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router
from pydantic import BaseModel, Field

from memory.access.spaces import SpaceAccess
from memory.access.users import get_or_create_user, is_stranger
from memory.api.acting import open_facade
from memory.api.schemas import MemoryPatch
from memory.facade.spaces import SharedMemory
from memory.lifecycle.spaces import NotAllowed
from memory.models import EndUser, SpaceMember
from memory.models.spaces import Role
from memory.store.admission import NewMemory
from memory.store.listing import RECENT, ItemFilter
from memory.store.sharing import SpaceContribution
from memory.tiers import Status, Tier
from memory.web import paging
from memory.web.auth import READ, WRITE_WHOLE, create_request_user, lookup_user
from memory.web.endpoints import answer_once, optional_user, require_user
from memory.web.fields import ItemId, Name, RecordPageOptions, RequestBody, Tags, Text, UserId, UuidText
from memory.web.idempotency import json_response
from memory.web.items import MemoryOut
from memory.web.openapi import describe_responses
from memory.web.problems import Problem, invalid_field, not_found

router = Router(tags=["Spaces"])


class SpaceIn(RequestBody):
    name: Name = Field(min_length=1, max_length=100)


class MemberIn(RequestBody):
    role: Role


class ShareIn(RequestBody):
    """Either a memory of the person's own, which is copied, or words that are the space's from the start."""

    memory_id: UuidText | None = None
    text: Text | None = None
    tier: Tier = Tier.PATTERNS
    tags: Tags | None = None


class SpaceOut(BaseModel):
    slug: str
    name: str
    role: Role = Field(description="The person's own.")

    @classmethod
    def of(cls, access: SpaceAccess) -> "SpaceOut":
        return cls(slug=access.slug, name=access.name, role=access.role)


class SpaceList(BaseModel):
    items: list[SpaceOut]
    next_cursor: str | None = None


class MemberOut(BaseModel):
    user: str
    role: Role
    added_by: str
    added_at: datetime

    @classmethod
    def of(cls, row: SpaceMember) -> "MemberOut":
        return cls(user=row.user.external_id, role=Role(row.role), added_by=row.added_by, added_at=row.added_at)


class MemberList(BaseModel):
    items: list[MemberOut]
    next_cursor: str | None = None


class SharedOut(BaseModel):
    memory: MemoryOut
    shared_by: str = Field(description="Who shared it; empty where that is not known.")
    shared_from: UUID | None = Field(description="The memory of theirs that it is a copy of.")
    shared_at: datetime | None

    @classmethod
    def of(cls, found: SharedMemory) -> "SharedOut":
        share = found.share
        return cls(
            memory=MemoryOut.of(found.item),
            shared_by=share.contributor_name if share else "",
            shared_from=share.source_item_id if share else None,
            shared_at=share.at if share else None,
        )


class SharedPage(BaseModel):
    items: list[SharedOut]
    next_cursor: str | None


class DeletionOut(BaseModel):
    job_id: UUID


@contextmanager
def answer_refusals() -> Iterator[None]:
    try:
        yield
    except NotAllowed as error:
        raise Problem(403, "forbidden", str(error)) from error


def find_space_or_404(request: HttpRequest, user: EndUser, slug: str) -> SpaceAccess:
    access = open_facade(request).find_space(user, slug)
    if access is None:
        raise not_found()
    return access


def render_shared(found: SharedMemory | None, status: int = 200) -> HttpResponse:
    if found is None:
        raise not_found()
    return json_response(status, SharedOut.of(found))


@router.post(
    "/users/{user_id}/spaces",
    auth=WRITE_WHOLE,
    response=describe_responses(201, SpaceOut, reads_body=True, writes=True),
    operation_id="make_space",
    summary="Make a space, as its curator",
)
@answer_once
def make_space(request: HttpRequest, user: EndUser, body: SpaceIn) -> HttpResponse:
    curator = create_request_user(request, user.external_id) if is_stranger(user) else user
    access = open_facade(request).make_space(curator.organization_id, body.name, curator, now=timezone.now())
    return json_response(201, SpaceOut.of(access))


@router.get(
    "/users/{user_id}/spaces",
    auth=READ,
    response=describe_responses(200, SpaceList),
    operation_id="list_spaces",
    summary="The spaces a person belongs to",
)
@optional_user
def list_spaces(request: HttpRequest, user: EndUser | None) -> HttpResponse:
    held = open_facade(request).list_spaces(user) if user else []
    return json_response(200, SpaceList(items=[SpaceOut.of(access) for access in held]))


@router.get(
    "/users/{user_id}/spaces/{space}",
    auth=READ,
    response=describe_responses(200, SpaceOut, may_miss=True),
    operation_id="get_space",
    summary="A space and the person's role in it",
)
@require_user
def get_space(request: HttpRequest, user: EndUser, space: str) -> HttpResponse:
    return json_response(200, SpaceOut.of(find_space_or_404(request, user, space)))


@router.patch(
    "/users/{user_id}/spaces/{space}",
    auth=WRITE_WHOLE,
    response=describe_responses(200, SpaceOut, reads_body=True, writes=True, may_miss=True),
    operation_id="rename_space",
    summary="Rename a space, as a curator",
)
@require_user
def rename_space(request: HttpRequest, user: EndUser, space: str, body: SpaceIn) -> HttpResponse:
    access = find_space_or_404(request, user, space)
    with answer_refusals():
        return json_response(200, SpaceOut.of(open_facade(request).rename_space(access, body.name)))


@router.delete(
    "/users/{user_id}/spaces/{space}",
    auth=WRITE_WHOLE,
    response=describe_responses(202, DeletionOut, writes=True, may_miss=True),
    operation_id="delete_space",
    summary="Delete a space with all that is in it, as a curator",
)
@require_user
def delete_space(request: HttpRequest, user: EndUser, space: str) -> HttpResponse:
    access = find_space_or_404(request, user, space)
    with answer_refusals():
        job_id = open_facade(request).delete_space(access, user, now=timezone.now())
    return json_response(202, DeletionOut(job_id=job_id))


@router.get(
    "/users/{user_id}/spaces/{space}/members",
    auth=READ,
    response=describe_responses(200, MemberList, may_miss=True),
    operation_id="list_space_members",
    summary="Who belongs to a space",
)
@require_user
def list_members(request: HttpRequest, user: EndUser, space: str) -> HttpResponse:
    rows = open_facade(request).list_members(find_space_or_404(request, user, space), user)
    return json_response(200, MemberList(items=[MemberOut.of(row) for row in rows]))


@router.put(
    "/users/{user_id}/spaces/{space}/members/{member}",
    auth=WRITE_WHOLE,
    response=describe_responses(200, MemberOut, reads_body=True, writes=True, may_miss=True),
    operation_id="set_space_member",
    summary="Invite somebody or change their role, as a curator",
)
@require_user
def set_member(request: HttpRequest, user: EndUser, space: str, member: UserId, body: MemberIn) -> HttpResponse:
    """A person nobody wrote to yet is made, so that the answer says nothing of who is known."""
    access = find_space_or_404(request, user, space)
    with answer_refusals():
        whom = get_or_create_user(access.organization_id, member)
        row = open_facade(request).set_member(access, user, whom, body.role, now=timezone.now())
    return json_response(200, MemberOut.of(row))


@router.delete(
    "/users/{user_id}/spaces/{space}/members/{member}",
    auth=WRITE_WHOLE,
    response=describe_responses(204, None, writes=True, may_miss=True),
    operation_id="remove_space_member",
    summary="Leave a space, or remove somebody as a curator",
)
@require_user
def remove_member(request: HttpRequest, user: EndUser, space: str, member: UserId) -> HttpResponse:
    access = find_space_or_404(request, user, space)
    whom = lookup_user(request, member)
    with answer_refusals():
        if whom is None or not open_facade(request).remove_member(access, user, whom):
            raise not_found()
    return HttpResponse(status=204)


@router.post(
    "/users/{user_id}/spaces/{space}/memories",
    auth=WRITE_WHOLE,
    response=describe_responses(201, SharedOut, reads_body=True, writes=True, may_miss=True),
    operation_id="share_memory",
    summary="Share a memory into a space, or write one there",
)
@answer_once
def share_memory(request: HttpRequest, user: EndUser, space: str, body: ShareIn) -> HttpResponse:
    """What is there already is answered as it is, so that sharing twice adds nothing."""
    access, now = find_space_or_404(request, user, space), timezone.now()
    if (body.memory_id is None) == (body.text is None):
        raise invalid_field("memory_id", "name a memory, or give a text, and not both")
    facade = open_facade(request)
    with answer_refusals():
        if body.memory_id is not None:
            stored = facade.share(access, user, UUID(body.memory_id), now=now)
        else:
            new = NewMemory(body.text or "", tier=body.tier, tags=body.tags or [], speaker=user.external_id)
            stored = facade.write_in_space(access, new, SpaceContribution(user), now=now)
    return render_shared(facade.get_shared(access, user, stored.item.pk) if stored else None, 201)


@router.get(
    "/users/{user_id}/spaces/{space}/memories",
    auth=READ,
    response=describe_responses(200, SharedPage, may_miss=True),
    operation_id="list_shared_memories",
    summary="The memories of a space, newest first",
)
@require_user
def list_shared(request: HttpRequest, user: EndUser, space: str, options: Query[RecordPageOptions]) -> HttpResponse:
    access = find_space_or_404(request, user, space)
    listing = ["shared", access.space_id]
    after = paging.read_item_cursor(RECENT, listing, options.cursor)
    found = open_facade(request).list_shared(
        access, user, ItemFilter(Status.ACTIVE), after=after, limit=options.limit + 1
    )
    shared = {one.item.pk: one for one in found}
    page, cursor = paging.cut_item_page([one.item for one in found], options.limit, RECENT, listing)
    return json_response(200, SharedPage(items=[SharedOut.of(shared[row.pk]) for row in page], next_cursor=cursor))


@router.get(
    "/users/{user_id}/spaces/{space}/memories/{memory_id}",
    auth=READ,
    response=describe_responses(200, SharedOut, may_miss=True),
    operation_id="get_shared_memory",
    summary="A memory of a space",
)
@require_user
def get_shared(request: HttpRequest, user: EndUser, space: str, memory_id: ItemId) -> HttpResponse:
    access = find_space_or_404(request, user, space)
    return render_shared(open_facade(request).get_shared(access, user, UUID(memory_id)))


@router.patch(
    "/users/{user_id}/spaces/{space}/memories/{memory_id}",
    auth=WRITE_WHOLE,
    response=describe_responses(200, SharedOut, reads_body=True, writes=True, may_miss=True),
    operation_id="revise_shared_memory",
    summary="Change a memory of a space: a writer what they shared, a curator any",
)
@require_user
def revise_shared(
    request: HttpRequest, user: EndUser, space: str, memory_id: ItemId, body: MemoryPatch
) -> HttpResponse:
    access, changes = find_space_or_404(request, user, space), body.changes()
    if not changes:
        raise invalid_field("", "name at least one field to change")
    if changes.get("always_inject"):
        raise invalid_field("always_inject", "is for a person's own memories")
    with answer_refusals():
        key = UUID(memory_id)
        return render_shared(open_facade(request).revise_shared(access, user, key, changes, now=timezone.now()))


@router.post(
    "/users/{user_id}/spaces/{space}/memories/{memory_id}/archive",
    auth=WRITE_WHOLE,
    response=describe_responses(200, SharedOut, writes=True, may_miss=True),
    operation_id="archive_shared_memory",
    summary="Take a memory of a space out of every answer, and keep it",
)
@answer_once
def archive_shared(request: HttpRequest, user: EndUser, space: str, memory_id: ItemId) -> HttpResponse:
    access = find_space_or_404(request, user, space)
    with answer_refusals():
        return render_shared(open_facade(request).archive_shared(access, user, UUID(memory_id), now=timezone.now()))


@router.delete(
    "/users/{user_id}/spaces/{space}/memories/{memory_id}",
    auth=WRITE_WHOLE,
    response=describe_responses(204, None, writes=True, may_miss=True),
    operation_id="unshare_memory",
    summary="Take a memory out of a space for good",
)
@require_user
def unshare_memory(request: HttpRequest, user: EndUser, space: str, memory_id: ItemId) -> HttpResponse:
    access = find_space_or_404(request, user, space)
    with answer_refusals():
        if not open_facade(request).unshare(access, user, UUID(memory_id), now=timezone.now()):
            raise not_found()
    return HttpResponse(status=204)
