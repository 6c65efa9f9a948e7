"""The spaces a person belongs to: who is in them, what is there and who shared it; and sharing a memory.

All with the rights of the person who is looked at: what their role does not reach, the operator does not reach here.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.access.spaces import SpaceAccess
from memory.access.users import EXTERNAL_ID_PATTERN, find_user
from memory.console.acting import open_facade
from memory.console.item import find_item, redirect_to_item
from memory.facade.spaces import SharedMemory
from memory.lifecycle.spaces import NotAllowed
from memory.models import EndUser, SpaceMember
from memory.models.spaces import Role
from memory.store.admission import WriteRefused
from memory.store.listing import ItemFilter
from memory.web.labels import name_word
from memory.web.pages import OperatorRequest, person_page
from memory.web.refusal_wordings import name_field, word_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

MEMORIES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class SpacePanel:
    """A space as its panel shows it, with the newest of its memories."""

    access: SpaceAccess
    members: list[SpaceMember]
    shared: list[SharedMemory]


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    facade = open_facade(person)
    panels = [
        SpacePanel(
            access,
            facade.list_members(access, person.user),
            facade.list_shared(access, person.user, ItemFilter(), limit=MEMORIES_SHOWN),
        )
        for access in facade.list_spaces(person.user)
    ]
    context = {"person": person, "now": timezone.now(), "panels": panels, "most": MEMORIES_SHOWN, "roles": list(Role)}
    return render(request, "console/spaces/page.html", context)


@require_POST
@person_page
def make_space(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    facade, name = open_facade(person), request.POST.get("name", "")
    if name.strip().casefold() in {access.name.casefold() for access in facade.list_spaces(person.user)}:
        # Two of one name could not be told apart where a memory is shared.
        messages.error(
            request, _("{external_id} has a space of that name.").format(external_id=person.user.external_id)
        )
        return redirect("console:spaces", *person.path)
    with tell_refusals(request):
        access = facade.make_space(person.organization.pk, name, person.user, now=timezone.now())
        messages.success(
            request,
            _("{name} is made, with {external_id} as its curator.").format(
                name=access.name, external_id=person.user.external_id
            ),
        )
    return redirect("console:spaces", *person.path)


@require_POST
@person_page
def set_member(request: OperatorRequest, person: ViewedPerson, slug: str) -> HttpResponse:
    """Invite somebody of the organisation, or give another role."""
    access, whom = find_space_or_404(person, slug), find_named(person, request.POST.get("member", ""))
    role = request.POST.get("role", "")
    if whom is None:
        messages.error(request, _("There is no such person."))
    elif role not in list(Role):
        messages.error(request, _("A role is one of {roles}.").format(roles=", ".join(map(name_word, Role))))
    else:
        with tell_refusals(request):
            open_facade(person).set_member(access, person.user, whom, Role(role), now=timezone.now())
            messages.success(
                request,
                _("{external_id} is {role} of {name}.").format(
                    external_id=whom.external_id, role=name_word(role), name=access.name
                ),
            )
    return redirect("console:spaces", *person.path)


@require_POST
@person_page
def remove_member(request: OperatorRequest, person: ViewedPerson, slug: str) -> HttpResponse:
    access, whom = find_space_or_404(person, slug), find_named(person, request.POST.get("member", ""))
    with tell_refusals(request):
        gone = whom is not None and open_facade(person).remove_member(access, person.user, whom)
        messages.success(request, _("Out of the space.") if gone else _("They did not belong to it."))
    return redirect("console:spaces", *person.path)


@contextmanager
def tell_refusals(request: OperatorRequest) -> Iterator[None]:
    """What may not be is said on the next page."""
    try:
        yield
    except NotAllowed as error:
        messages.error(request, word_refusal(str(error)))
    except WriteRefused as error:
        messages.error(
            request,
            _("Not done: the {field} {rule}.").format(field=name_field(error.field), rule=word_refusal(error.rule)),
        )


def find_space_or_404(person: ViewedPerson, slug: str) -> SpaceAccess:
    access = open_facade(person).find_space(person.user, slug)
    if access is None:
        raise Http404("no such space")
    return access


def find_named(person: ViewedPerson, external_id: str) -> EndUser | None:
    """Somebody of the same organisation. The names of spaces' partitions lie outside the alphabet of ids."""
    named = external_id.strip()
    return find_user(person.organization.pk, named) if EXTERNAL_ID_PATTERN.fullmatch(named) else None


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def share(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    """Choose a space, then copy the memory there."""
    item, facade = find_item(person, item_id), open_facade(person)
    spaces = [access for access in facade.list_spaces(person.user) if access.role.may_write]
    if request.method != "POST":
        return render(request, "console/spaces/share.html", {"person": person, "item": item, "spaces": spaces})
    access = next((one for one in spaces if one.slug == request.POST.get("space")), None)
    if access is None:
        raise Http404("no such space, or none this person may share into")
    try:
        facade.share(access, person.user, item_id, now=timezone.now())
    except WriteRefused as error:
        messages.error(request, _("Not shared: it {rule}.").format(rule=word_refusal(error.rule)))
    else:
        messages.success(request, _("Shared in {name}. The memory stays the person's own.").format(name=access.name))
    return redirect_to_item(request, person, item_id)


@require_POST
@person_page
def unshare(request: OperatorRequest, person: ViewedPerson, slug: str, item_id: uuid.UUID) -> HttpResponse:
    """Take a memory out of a space, with the rights of the person who is looked at."""
    access = find_space_or_404(person, slug)
    with tell_refusals(request):
        gone = open_facade(person).unshare(access, person.user, item_id, now=timezone.now())
        messages.success(request, _("Taken out of the space.") if gone else _("It was gone already."))
    return redirect("console:spaces", *person.path)
