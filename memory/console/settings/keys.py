"""The keys of each organisation: made and shown once, limited, revoked, with when they were last used."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memory.access.keys import issue_key
from memory.conf import memory_conf
from memory.console import throttle
from memory.console.settings.forms import IssueKeyForm
from memory.models import ApiKey, Organization
from memory.web.pages import OperatorRequest, operator_page
from memory.web.viewing import list_owned_organizations, list_visible_organizations

# Of one organisation; those that are revoked come last, and the search finds the others.
LISTED: Final = 100
MOST_KEYS: Final = 20
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
        if not form.is_valid():
            status = 422
        elif wait_s := count_made_key(request):
            context["wait_minutes"], status = -(-wait_s // 60), 429
        else:
            return show_once(request, *make_key(request, form))
    context["groups"] = list_keys(request, context["now"])
    context["may_make"] = list_owned_organizations(request.user).exists()
    context["usual_rate"] = memory_conf().limits.requests_per_second
    response = render(request, "console/settings/keys.html", context, status=status)
    if context["made"] is not None:
        response.delete_cookie(MADE, path=reverse("console:keys"), samesite="Strict")
    return response


def count_made_key(request: OperatorRequest) -> int:
    """0 where another key may be made, else the seconds to wait. What is refused at its field makes none."""
    return throttle.count_attempt(f"keys of {request.user.actor}", "", MOST_KEYS)


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
