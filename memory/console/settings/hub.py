"""The way to everything that governs a memory, in a line each, and who changed what of it last."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from memory.access.audit import list_changes
from memory.console.places import OF_INSTALLATION, OF_OPERATOR, OF_ORGANIZATIONS, OF_PERSON, ConsolePlace, list_open
from memory.console.settings.changes import describe_changes
from memory.models import ApiKey, Membership, WebhookEndpoint
from memory.web.pages import LAST_VIEWED, OperatorRequest, operator_page
from memory.web.viewing import ViewedPerson, can_see_everybody, find_viewed_person, list_visible_organizations

SHOWN_CHANGES: Final = 30


@dataclass(frozen=True, slots=True)
class HubEntry:
    name: str
    icon: str
    line: str
    address: str
    figure: int = 0


@dataclass(frozen=True, slots=True)
class HubGroup:
    name: str
    entries: list[HubEntry] = field(default_factory=list)


@require_safe
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    own = list(list_visible_organizations(request.user).values_list("pk", flat=True))
    sees_everybody = can_see_everybody(request.user)
    of_organizations = list_open(OF_ORGANIZATIONS, request.user)
    groups = [HubGroup(str(_("Organisations")), list_entries(of_organizations, (), count_rows(own)))]
    if sees_everybody:
        groups.append(HubGroup(str(_("Installation")), list_entries(OF_INSTALLATION, ())))
    groups.append(HubGroup(str(_("Your account")), list_entries(OF_OPERATOR, ())))
    if person := find_last_viewed(request):
        name = str(_("Of %(person)s")) % {"person": person.user.external_id}
        groups.append(HubGroup(name, list_entries(OF_PERSON, person.path)))
    context = {
        "now": timezone.now(),
        "groups": groups,
        "changes": describe_changes(list_changes(own, limit=SHOWN_CHANGES, of_installation=sees_everybody)),
        "more_changes": True,
    }
    return render(request, "console/settings/hub.html", context)


def list_entries(
    places: Iterable[ConsolePlace], path: tuple[str, ...], figures: dict[str, int] | None = None
) -> list[HubEntry]:
    counted = figures or {}
    return [
        HubEntry(
            str(place.name),
            place.icon,
            str(place.line),
            reverse(f"console:{place.view}", args=path),
            counted.get(place.view, 0),
        )
        for place in places
        if place.line
    ]


def count_rows(organization_ids: list[int]) -> dict[str, int]:
    own = {"organization__in": organization_ids}
    return {
        "keys": ApiKey.objects.filter(**own, revoked_at=None).count(),
        "members": Membership.objects.filter(**own).count(),
        "webhooks": WebhookEndpoint.objects.filter(**own).count(),
    }


def find_last_viewed(request: OperatorRequest) -> ViewedPerson | None:
    last = request.session.get(LAST_VIEWED)
    try:
        return find_viewed_person(request.user, *last) if last else None
    except Http404:
        return None
