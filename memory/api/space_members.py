"""Who belongs to the spaces of an organisation, for its operators: a key of the whole organisation, in no role.

So a space whose last curator has gone is not lost. What is in a space these calls do not tell.
"""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router

from memory.access.spaces import SpaceAccess, find_space
from memory.access.users import find_user
from memory.api.acting import open_facade
from memory.api.spaces import MemberIn, MemberList, MemberOut, SpaceList, SpaceOut
from memory.models import Space
from memory.web.auth import ADMIN_WHOLE, get_principal
from memory.web.fields import UserId
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.problems import FieldError, Problem, not_found

router = Router(tags=["Spaces"])

MOST_LISTED = 1_000


def require_organization(request: HttpRequest) -> int:
    """The organisation of a key that is bound to none of its people."""
    principal = get_principal(request)
    if principal.user_ids is not None:
        raise Problem(403, "forbidden", "Spaces are the whole organisation's; this key acts for some of it.")
    return principal.organization_id


def find_any_or_404(request: HttpRequest, slug: str) -> SpaceAccess:
    access = find_space(require_organization(request), slug)
    if access is None:
        raise not_found()
    return access


def unknown_member() -> Problem:
    # The key reads who is known as well: nothing is told to whom it is not.
    rule = "is no person of this organisation"
    return Problem(404, "not_found", f"member: {rule}", errors=[FieldError("member", rule)])


@router.get(
    "/spaces",
    auth=ADMIN_WHOLE,
    response=describe_responses(200, SpaceList),
    operation_id="list_organization_spaces",
    summary="All spaces of the organisation",
)
def list_all(request: HttpRequest) -> HttpResponse:
    """The newest thousand, each with the role of a curator, which is what this key may do with members."""
    rows = Space.objects.filter(organization_id=require_organization(request)).order_by("-pk")[:MOST_LISTED]
    return json_response(200, SpaceList(items=[SpaceOut.of(SpaceAccess.of(row)) for row in rows]))


@router.get(
    "/spaces/{space}/members",
    auth=ADMIN_WHOLE,
    response=describe_responses(200, MemberList, may_miss=True),
    operation_id="list_members_of_space",
    summary="Who belongs to any space of the organisation",
)
def list_members(request: HttpRequest, space: str) -> HttpResponse:
    rows = open_facade(request).list_members(find_any_or_404(request, space), None)
    return json_response(200, MemberList(items=[MemberOut.of(row) for row in rows]))


@router.put(
    "/spaces/{space}/members/{member}",
    auth=ADMIN_WHOLE,
    response=describe_responses(200, MemberOut, reads_body=True, writes=True, may_miss=True),
    operation_id="set_member_of_space",
    summary="Invite somebody into any space, or change their role",
)
def set_member(request: HttpRequest, space: str, member: UserId, body: MemberIn) -> HttpResponse:
    """Somebody whom the organisation knows: a misspelt id would make a person whom nobody asks for."""
    access = find_any_or_404(request, space)
    whom = find_user(access.organization_id, member)
    if whom is None:
        raise unknown_member()
    row = open_facade(request).set_member(access, None, whom, body.role, now=timezone.now())
    return json_response(200, MemberOut.of(row))


@router.delete(
    "/spaces/{space}/members/{member}",
    auth=ADMIN_WHOLE,
    response=describe_responses(204, None, writes=True, may_miss=True),
    operation_id="remove_member_of_space",
    summary="Remove somebody from any space",
)
def remove_member(request: HttpRequest, space: str, member: UserId) -> HttpResponse:
    access = find_any_or_404(request, space)
    whom = find_user(access.organization_id, member)
    if whom is None:
        raise unknown_member()
    if not open_facade(request).remove_member(access, None, whom):
        raise not_found()
    return HttpResponse(status=204)
