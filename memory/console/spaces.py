"""The spaces a person belongs to: who is in them, what is there and who shared it; and sharing a memory."""

import uuid
from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.access.spaces import SpaceAccess
from memory.console.acting import open_facade
from memory.console.item import find_item, redirect_to_item
from memory.facade.spaces import SharedMemory
from memory.lifecycle.spaces import NotAllowed
from memory.models import SpaceMember
from memory.store.admission import WriteRefused
from memory.store.listing import ItemFilter
from memory.web.pages import OperatorRequest, person_page
from memory.web.viewing import ViewedPerson

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
    context = {"person": person, "now": timezone.now(), "panels": panels, "most": MEMORIES_SHOWN}
    return render(request, "console/spaces/page.html", context)


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
        messages.error(request, f"Not shared: it {error.rule}.")
    else:
        messages.success(request, f"Shared in {access.name}. The memory stays the person's own.")
    return redirect_to_item(request, person, item_id)


@require_POST
@person_page
def unshare(request: OperatorRequest, person: ViewedPerson, slug: str, item_id: uuid.UUID) -> HttpResponse:
    """Take a memory out of a space, with the rights of the person who is looked at."""
    facade = open_facade(person)
    access = facade.find_space(person.user, slug)
    if access is None:
        raise Http404("no such space")
    try:
        gone = facade.unshare(access, person.user, item_id, now=timezone.now())
    except NotAllowed as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Taken out of the space." if gone else "It was gone already.")
    return redirect("console:spaces", *person.path)
