"""Who changed what of an organisation or the installation: by name, by kind, by who did it, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.access.audit import list_changes
from memory.console.settings.wordings import CHANGES
from memory.models import ApiKey, AuditEvent, EndUser
from memory.models.administration import AuditAction
from memory.web.pages import OperatorRequest, operator_page
from memory.web.viewing import can_see_everybody, list_visible_organizations
from memory.web.wordings import translate as _

PAGE: Final = 50
MOST_PAGES: Final = 1_000


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """``subject`` is what was changed, by the name it has now; ``address`` leads to it where it has a page."""

    event: AuditEvent
    subject: str
    address: str = ""


class ChangesForm(forms.Form):
    action = forms.ChoiceField(label=_("What"), required=False)
    actor = forms.CharField(label=_("By"), required=False, max_length=150, strip=True)
    page = forms.IntegerField(required=False, min_value=1, max_value=MOST_PAGES, widget=forms.HiddenInput)

    def __init__(self, data: Any) -> None:  # noqa: ANN401 -- what a form is given
        super().__init__(data, label_suffix="")
        choices = [("", _("Everything")), *((str(action), name) for action, name in CHANGES.items())]
        self.fields["action"].choices = choices  # type: ignore[attr-defined]


@require_safe
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    form = ChangesForm(request.GET)
    given = form.cleaned_data if form.is_valid() else {}
    action, actor, number = given.get("action", ""), given.get("actor", ""), given.get("page") or 1
    found = list_changes(
        list(list_visible_organizations(request.user).values_list("pk", flat=True)),
        limit=PAGE + 1,
        start=PAGE * (number - 1),
        actions=[AuditAction(action)] if action else (),
        actor=actor,
        of_installation=can_see_everybody(request.user),
    )
    filters = {name: value for name, value in (("action", action), ("actor", actor)) if value}
    context = {
        "now": timezone.now(),
        "form": form,
        "changes": describe_changes(found[:PAGE]),
        "next_page": urlencode({**filters, "page": number + 1}) if len(found) > PAGE else "",
    }
    return render(request, "console/settings/changes.html", context)


def describe_changes(events: Sequence[AuditEvent]) -> list[ChangeLine]:
    """Events hold no name of a key or a person, as one may be erased: who is still there is named."""
    numbers = [number for one in events if isinstance(number := one.details.get("key"), int)]
    keys = {key.pk: key for key in ApiKey.objects.filter(pk__in=numbers)}
    numbers = [number for one in events if isinstance(number := one.details.get("person"), int)]
    # Whoever is being erased has no name any more.
    named = EndUser.objects.filter(pk__in=numbers).exclude(external_id__startswith="#")
    people = {person.pk: person for person in named.select_related("organization")}
    return [
        describe_subject(event, keys.get(event.details.get("key")), people.get(event.details.get("person")))
        for event in events
    ]


def describe_subject(event: AuditEvent, key: ApiKey | None, person: EndUser | None) -> ChangeLine:
    if key is not None:
        return ChangeLine(event, f"{key.name} ({event.subject})", reverse("console:key", args=[key.pk]))
    if person is not None:
        address = reverse("console:overview", args=[person.organization.slug, person.external_id])
        return ChangeLine(event, person.external_id, address)
    if event.action == AuditAction.PERSON_ERASED:
        # The number of the erasure is for programs, and nobody is called by it.
        return ChangeLine(event, str(_("somebody who is erased")))
    return ChangeLine(event, event.subject)
