"""One key: what it opens, and everything about it that can be changed after it was made."""

from collections.abc import Callable, Mapping
from datetime import UTC
from typing import Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from memory.access.audit import list_changes
from memory.access.keys import change_key_end, limit_key, rename_key, revoke_key, rotate_key
from memory.access.members import is_owner
from memory.conf import memory_conf
from memory.console.forms import end_day
from memory.console.settings.changes import describe_changes
from memory.console.settings.forms import KeyEndForm, KeyNameForm, RateForm, RotateKeyForm, list_unknown
from memory.console.settings.keys import count_made_key, describe_key_state, show_once
from memory.console.tags import exact
from memory.models import ApiKey, AuditEvent
from memory.web.notices import tell_with_undo
from memory.web.pages import OperatorRequest, operator_page, require_owner
from memory.web.viewing import list_visible_organizations

SHOWN_CHANGES: Final = 20


def find_key(request: OperatorRequest, key_id: int) -> ApiKey:
    own = ApiKey.objects.filter(organization__in=list_visible_organizations(request.user))
    row = own.select_related("organization").filter(pk=key_id).first()
    if row is None:
        raise Http404("no such key")
    return row


@require_http_methods(["GET", "HEAD", "POST"])
@operator_page
def page(request: OperatorRequest, key_id: int) -> HttpResponse:
    key = find_key(request, key_id)
    if request.method != "POST":
        return render_key(request, key)
    # A member sees the key on this page and may not change it.
    require_owner(request.user, key.organization)
    if key.revoked_at is not None:
        return redirect("console:key", key.pk)
    return ACTIONS.get(request.POST.get("action", ""), change_limit)(request, key)


def revoke(request: OperatorRequest, key: ApiKey) -> HttpResponse:
    if revoke_key(key, now=timezone.now(), actor=request.user.actor):
        messages.success(request, _("%(name)s is revoked: its next call is refused.") % {"name": key.name})
    return redirect("console:key", key.pk)


def change_limit(request: OperatorRequest, key: ApiKey) -> HttpResponse:
    form = RateForm(request.POST, label_suffix="")
    if not form.is_valid():
        return render_key(request, key, limit=form)
    limit = form.cleaned_data["requests_per_second"]
    before = limit_key(key, limit, now=timezone.now(), actor=request.user.actor)
    if before != limit:
        tell_limit(request, key, limit, before)
    return redirect("console:key", key.pk)


def tell_limit(request: OperatorRequest, key: ApiKey, limit: int | None, before: int | None) -> None:
    address = reverse("console:key", args=[key.pk])
    told = {"requests_per_second": str(before or "")}
    said = ""
    if limit:
        most = ngettext(
            "At most %(limit)d request a second from now on.", "At most %(limit)d requests a second from now on.", limit
        )
        said = most % {"limit": limit}
    tell_with_undo(request, said or _("As many requests as the installation allows from now on."), address, **told)


def rename(request: OperatorRequest, key: ApiKey) -> HttpResponse:
    form = KeyNameForm(request.POST, label_suffix="")
    if not form.is_valid():
        return render_key(request, key, name=form)
    if rename_key(key, form.cleaned_data["name"], now=timezone.now(), actor=request.user.actor):
        messages.success(request, _("The key is called %(name)s from now on.") % {"name": key.name})
    return redirect("console:key", key.pk)


def change_end(request: OperatorRequest, key: ApiKey) -> HttpResponse:
    form = KeyEndForm(request.POST, initial=read_end(key), label_suffix="")
    if not form.is_valid():
        return render_key(request, key, end=form)
    # A day that stands there already is not moved to its last moment.
    if form.has_changed():
        day = form.cleaned_data["ends"]
        change_key_end(key, end_day(day) if day else None, now=timezone.now(), actor=request.user.actor)
        messages.success(request, _("The end of the key is changed.") if day else _("The key does not end by itself."))
    return redirect("console:key", key.pk)


def rotate(request: OperatorRequest, key: ApiKey) -> HttpResponse:
    """To the page that shows the new key once, as after making one."""
    form = RotateKeyForm(request.POST, label_suffix="")
    if not form.is_valid() or not can_rotate(key):
        return render_key(request, key, rotate=form)
    if count_made_key(request):
        messages.error(request, _("Many keys were made just now. Try again in a quarter of an hour."))
        return redirect("console:key", key.pk)
    old_for = form.cleaned_data["old_for"]
    made, plain = rotate_key(key, old_for=old_for, now=timezone.now(), actor=request.user.actor)
    messages.success(request, describe_old_key(ApiKey.objects.get(pk=key.pk)))
    return show_once(request, made, plain)


def describe_old_key(key: ApiKey) -> str:
    told = {"hint": key.hint, "until": ""}
    if key.revoked_at is not None:
        return _("The old key %(hint)s… is revoked: its next call is refused.") % told
    if key.expires_at is None:
        return _("The old key %(hint)s… works until somebody revokes it.") % told
    told["until"] = exact(key.expires_at)
    return _("The old key %(hint)s… works until %(until)s.") % told


ACTIONS: Final[Mapping[str, Callable[[OperatorRequest, ApiKey], HttpResponse]]] = {
    "limit": change_limit,
    "name": rename,
    "end": change_end,
    "rotate": rotate,
    "revoke": revoke,
}


def can_rotate(key: ApiKey) -> bool:
    """Nobody has the key of a client that was allowed in: its tokens change by themselves."""
    return describe_key_state(key, timezone.now()).css == "good" and not hasattr(key, "grant")


def read_end(key: ApiKey) -> dict[str, object]:
    return {"ends": key.expires_at.astimezone(UTC).date() if key.expires_at else None}


def render_key(request: OperatorRequest, key: ApiKey, **refused: forms.Form) -> HttpResponse:
    """``refused`` is the form that was sent and could not be taken, by what it changes."""
    now = timezone.now()
    offered: dict[str, forms.Form] = {
        "name": KeyNameForm(initial={"name": key.name}, label_suffix=""),
        "limit": RateForm(initial={"requests_per_second": key.requests_per_second}, label_suffix=""),
        "end": KeyEndForm(initial=read_end(key), label_suffix=""),
        "rotate": RotateKeyForm(label_suffix=""),
    }
    context = {
        "key": key,
        "state": describe_key_state(key, now),
        "forms": offered | refused,
        "now": now,
        "may_change": key.revoked_at is None and is_owner(request.user, key.organization_id),
        "can_rotate": can_rotate(key),
        "usual_rate": memory_conf().limits.requests_per_second,
        "unknown": list_unknown(key.organization, key.user_ids or ()),
        "changes": describe_changes(list_key_changes(key)),
    }
    return render(request, "console/settings/key.html", context, status=422 if refused else 200)


def list_key_changes(key: ApiKey) -> list[AuditEvent]:
    changes = list_changes([key.organization_id], limit=SHOWN_CHANGES * 10)
    return [one for one in changes if one.details.get("key") == key.pk][:SHOWN_CHANGES]
