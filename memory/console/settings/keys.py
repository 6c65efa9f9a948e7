"""The keys of each organisation: made and shown once, limited, revoked, with when they were last used."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from memory.access.audit import list_changes
from memory.access.keys import issue_key, limit_key, revoke_key
from memory.access.members import is_owner
from memory.conf import memory_conf
from memory.console import throttle
from memory.console.settings.changes import describe_changes
from memory.console.settings.forms import IssueKeyForm, RateForm, list_unknown
from memory.models import ApiKey, AuditEvent, Organization
from memory.web.notices import tell_with_undo
from memory.web.pages import OperatorRequest, operator_page, require_owner
from memory.web.viewing import list_owned_organizations, list_visible_organizations

# Of one organisation; those that are revoked come last, and the search finds the others.
LISTED: Final = 100
MOST_KEYS: Final = 20
SHOWN_CHANGES: Final = 20
# The cookie with a key that was just made, until the next page has shown it.
MADE: Final = "commonplace_made_key"
MADE_S: Final = 60


@dataclass(frozen=True, slots=True)
class KeyState:
    """``css`` is good, watch or bad."""

    css: str
    name: str


@dataclass(frozen=True, slots=True)
class KeyLine:
    key: ApiKey
    state: KeyState


@dataclass(frozen=True, slots=True)
class OrganizationKeys:
    organization: Organization
    lines: list[KeyLine]
    total: int


@require_http_methods(["GET", "HEAD", "POST"])
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    context: dict[str, Any] = {"now": timezone.now(), "form": IssueKeyForm(request.user)}
    status = 200
    context["made"], context["plain"] = read_made(request)
    if request.method == "POST":
        form = context["form"] = IssueKeyForm(request.user, request.POST)
        if wait_s := throttle.count_attempt(f"keys of {request.user.actor}", "", MOST_KEYS):
            context["wait_minutes"], status = -(-wait_s // 60), 429
        elif form.is_valid():
            return show_once(request, *make_key(request, form))
        else:
            status = 422
    context["groups"] = list_keys(request, context["now"])
    context["may_make"] = list_owned_organizations(request.user).exists()
    context["usual_rate"] = memory_conf().limits.requests_per_second
    response = render(request, "console/settings/keys.html", context, status=status)
    if context["made"] is not None:
        response.delete_cookie(MADE, path=reverse("console:keys"), samesite="Strict")
    return response


def show_once(request: OperatorRequest, made: ApiKey, plain: str) -> HttpResponse:
    """Lead to the page that shows the key, which a reload then neither makes nor shows again.

    What opens the memory is kept nowhere here, so it goes by way of the browser that is about to show it.
    """
    response = redirect("console:keys")
    response.set_signed_cookie(
        MADE,
        f"{made.pk} {plain}",
        max_age=MADE_S,
        path=reverse("console:keys"),
        secure=request.is_secure(),
        httponly=True,
        samesite="Strict",
    )
    return response


def read_made(request: OperatorRequest) -> tuple[ApiKey | None, str]:
    """The key that was made a moment ago, and what it reads, once."""
    value = request.get_signed_cookie(MADE, "", max_age=MADE_S) if request.method == "GET" else ""
    number, _space, plain = (value or "").partition(" ")
    if not plain:
        return None, ""
    own = ApiKey.objects.filter(organization__in=list_visible_organizations(request.user))
    made = own.filter(pk=number).first()
    return made, plain if made is not None else ""


def make_key(request: OperatorRequest, form: IssueKeyForm) -> tuple[ApiKey, str]:
    given = form.cleaned_data
    return issue_key(
        given["organization"],
        given["name"],
        given["scopes"],
        now=timezone.now(),
        user_ids=given["people"],
        lifetime=form.lifetime,
        requests_per_second=given["requests_per_second"],
        secret_handling=form.secret_handling,
        scope=form.scope,
        actor=request.user.actor,
    )


def list_keys(request: OperatorRequest, now: datetime) -> list[OrganizationKeys]:
    """Those that open something first, the last used of them first."""
    groups = []
    for organization in list_visible_organizations(request.user):
        rows = ApiKey.objects.filter(organization=organization)
        keys = sorted(rows.order_by("-pk")[: LISTED * 2], key=lambda key: rank_key(key, now))[:LISTED]
        lines = [KeyLine(key, describe_key_state(key, now)) for key in keys]
        groups.append(OrganizationKeys(organization, lines, rows.count()))
    return groups


def rank_key(key: ApiKey, now: datetime) -> tuple[bool, float]:
    is_over = describe_key_state(key, now).css != "good"
    return is_over, -(key.last_used_at or key.created_at).timestamp()


def describe_key_state(key: ApiKey, now: datetime) -> KeyState:
    if key.revoked_at is not None:
        return KeyState("bad", _("revoked"))
    if key.expires_at is not None and key.expires_at <= now:
        return KeyState("watch", _("expired"))
    return KeyState("good", _("active"))


def find_key(request: OperatorRequest, key_id: int) -> ApiKey:
    own = ApiKey.objects.filter(organization__in=list_visible_organizations(request.user))
    row = own.select_related("organization").filter(pk=key_id).first()
    if row is None:
        raise Http404("no such key")
    return row


@require_http_methods(["GET", "HEAD", "POST"])
@operator_page
def detail(request: OperatorRequest, key_id: int) -> HttpResponse:
    key = find_key(request, key_id)
    if request.method != "POST":
        return render_key(
            request, key, RateForm(initial={"requests_per_second": key.requests_per_second}, label_suffix="")
        )
    # A member sees the key on this page and may not change it.
    require_owner(request.user, key.organization)
    if request.POST.get("action") == "revoke":
        if revoke_key(key, now=timezone.now(), actor=request.user.actor):
            messages.success(request, _("%(name)s is revoked: its next call is refused.") % {"name": key.name})
        return redirect("console:key", key.pk)
    form = RateForm(request.POST, label_suffix="")
    if not form.is_valid():
        return render_key(request, key, form, status=422)
    change_limit(request, key, form.cleaned_data["requests_per_second"])
    return redirect("console:key", key.pk)


def change_limit(request: OperatorRequest, key: ApiKey, limit: int | None) -> None:
    before = limit_key(key, limit, now=timezone.now(), actor=request.user.actor)
    if before == limit:
        return
    address = reverse("console:key", args=[key.pk])
    told = {"requests_per_second": str(before or "")}
    said = ""
    if limit:
        most = ngettext(
            "At most %(limit)d request a second from now on.", "At most %(limit)d requests a second from now on.", limit
        )
        said = most % {"limit": limit}
    tell_with_undo(request, said or _("As many requests as the installation allows from now on."), address, **told)


def render_key(request: OperatorRequest, key: ApiKey, form: RateForm, *, status: int = 200) -> HttpResponse:
    now = timezone.now()
    context = {
        "key": key,
        "state": describe_key_state(key, now),
        "form": form,
        "now": now,
        "may_change": key.revoked_at is None and is_owner(request.user, key.organization_id),
        "usual_rate": memory_conf().limits.requests_per_second,
        "unknown": list_unknown(key.organization, key.user_ids or ()),
        "changes": describe_changes(list_key_changes(key)),
    }
    return render(request, "console/settings/key.html", context, status=status)


def list_key_changes(key: ApiKey) -> list[AuditEvent]:
    changes = list_changes([key.organization_id], limit=SHOWN_CHANGES * 10)
    return [one for one in changes if one.details.get("key") == key.pk][:SHOWN_CHANGES]
