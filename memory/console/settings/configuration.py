"""Flags, limits and everything else that is set, as it is in force in this process, and where each comes from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.http import Http404, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from memory.console.forms import FindForm
from memory.operations.configuration import list_configuration
from memory.web.pages import OperatorRequest, operator_page, render_page
from memory.web.viewing import can_see_everybody

KINDS: Final[Mapping[str, str | Promise]] = {
    "flag": _("Flags"),
    "number": _("Limits and numbers"),
    "text": _("Choices, names and lists"),
    "secret": _("Addresses and secrets"),
}
SOURCES: Final[Mapping[str, str | Promise]] = {
    "environment": _("environment"),
    "file": _("file named by the environment"),
    "data directory": _("data directory"),
    "default": _("default"),
}


@dataclass(frozen=True, slots=True)
class SettingLine:
    """One setting, with its source in words; ``is_own`` where somebody chose it."""

    setting: Mapping[str, Any]
    source: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class SettingGroup:
    name: str
    lines: list[SettingLine]


@require_safe
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    # Addresses of services and limits for everybody: no business of somebody who sees a part.
    if not can_see_everybody(request.user):
        raise Http404("not for this operator")
    form = FindForm(request.GET)
    query = form.cleaned_data["q"] if form.is_valid() else ""
    only_own = request.GET.get("own") == "1"
    groups = group_settings(list_configuration(), query.casefold(), only_own=only_own)
    context = {
        "groups": groups,
        "query": query,
        "only_own": only_own,
        "found_count": sum(len(group.lines) for group in groups),
    }
    return render_page(request, "console/settings/configuration.html", "console/settings/_configuration.html", context)


def group_settings(settings: list[Mapping[str, Any]], words: str, *, only_own: bool) -> list[SettingGroup]:
    found = [
        SettingLine(one, str(SOURCES.get(one["source"], one["source"])), one["source"] != "default")
        for one in settings
        if words in f"{one['name']} {one['about']}".casefold()
    ]
    lines = [line for line in found if line.is_own or not only_own]
    groups = [
        SettingGroup(str(name), [line for line in lines if line.setting["kind"] == kind])
        for kind, name in KINDS.items()
    ]
    return [group for group in groups if group.lines]
