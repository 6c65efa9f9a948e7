"""The operators of each organisation and their roles: added, made owner or member, taken out; never the last owner."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from memory.access.keys import list_keys_made_by, revoke_key
from memory.access.members import MemberRefused, add_member, change_role, is_owner, remove_member
from memory.console.settings.forms import MemberForm
from memory.models import Membership, Operator, Organization
from memory.models.people import OperatorRole
from memory.web.notices import tell_with_undo
from memory.web.pages import OperatorRequest, operator_page
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import list_owned_organizations, list_visible_organizations


@dataclass(frozen=True, slots=True)
class OrganizationMembers:
    organization: Organization
    members: list[Membership]
    may_change: bool


@require_http_methods(["GET", "HEAD", "POST"])
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    if request.method != "POST":
        return render_members(request, MemberForm(request.user))
    action = request.POST.get("action", "add")
    if action == "add":
        return add(request)
    if action == "revoke_keys":
        return revoke_left_keys(request)
    row = find_member(request, request.POST.get("member", ""))
    try:
        if action == "remove":
            return take_out(request, row)
        appoint(request, row, request.POST.get("role", ""))
    except MemberRefused as refused:
        messages.error(request, _("Not done: %(rule)s.") % {"rule": word_refusal(str(refused))})
    return redirect("console:members")


def render_members(request: OperatorRequest, form: MemberForm, *, status: int = 200, **more: Any) -> HttpResponse:
    owned = {organization.pk for organization in list_owned_organizations(request.user)}
    context = {
        "form": form,
        "may_add": bool(owned),
        "groups": [
            OrganizationMembers(organization, list_members(organization), organization.pk in owned)
            for organization in list_visible_organizations(request.user)
        ],
        **list_left_keys(request),
        "superusers": Operator.objects.filter(is_superuser=True, is_active=True).count(),
        **more,
    }
    return render(request, "console/settings/members.html", context, status=status)


def find_owned(request: OperatorRequest, number: str) -> Organization | None:
    owned = list_owned_organizations(request.user)
    return owned.filter(pk=int(number)).first() if number.isdecimal() and len(number) < 19 else None


def list_left_keys(request: OperatorRequest) -> dict[str, Any]:
    """Taking somebody out ends no key they made: those are told apart, with a button that ends them."""
    name, number = request.GET.get("left", ""), request.GET.get("organization", "")
    organization = find_owned(request, number)
    if not name or organization is None:
        return {}
    keys = list_keys_made_by(f"operator:{name}", organization.pk, now=timezone.now())
    return {"left": name, "left_organization": organization, "left_keys": keys}


def list_members(organization: Organization) -> list[Membership]:
    rows = Membership.objects.filter(organization=organization).select_related("operator")
    return list(rows.order_by("-role", "operator__username"))


def find_member(request: OperatorRequest, member_id: str) -> Membership:
    """A membership that this operator may change."""
    owned = Membership.objects.filter(organization__in=list_owned_organizations(request.user))
    is_id = member_id.isdecimal() and len(member_id) < 19
    row = owned.select_related("operator", "organization").filter(pk=int(member_id)).first() if is_id else None
    if row is None:
        raise Http404("no such member")
    return row


def add(request: OperatorRequest) -> HttpResponse:
    form = MemberForm(request.user, request.POST)
    if not form.is_valid():
        return render_members(request, form, status=422)
    given = form.cleaned_data
    try:
        row, password = add_member(
            given["organization"],
            given["username"],
            OperatorRole(given["role"]),
            now=timezone.now(),
            actor=request.user.actor,
        )
    except MemberRefused as refused:
        form.add_error(refused.field, word_refusal(str(refused)))
        return render_members(request, form, status=422)
    if password:
        # Shown in this answer and never again.
        return render_members(request, MemberForm(request.user), made=row, password=password)
    named = {"name": given["username"], "organization": row.organization}
    messages.success(request, _("%(name)s belongs to %(organization)s now.") % named)
    return redirect("console:members")


def revoke_left_keys(request: OperatorRequest) -> HttpResponse:
    organization, name = find_owned(request, request.POST.get("organization", "")), request.POST.get("left", "")
    if organization is None:
        raise Http404("no such organisation")
    now = timezone.now()
    keys = list_keys_made_by(f"operator:{name}", organization.pk, now=now)
    revoked = sum(revoke_key(key, now=now, actor=request.user.actor) for key in keys)
    said = ngettext(
        "%(number)d key is revoked: its next call is refused.",
        "%(number)d keys are revoked: their next calls are refused.",
        revoked,
    )
    messages.success(request, said % {"number": revoked})
    return redirect("console:members")


def take_out(request: OperatorRequest, row: Membership) -> HttpResponse:
    role = remove_member(row, now=timezone.now(), actor=request.user.actor)
    name = row.operator.get_username()
    said = _("%(name)s sees nothing of %(organization)s any more.") % {"name": name, "organization": row.organization}
    if not is_owner(request.user, row.organization_id):
        # Whoever took themselves out cannot take it back.
        messages.success(request, said)
        return redirect("console:members")
    back = {"action": "add", "organization": str(row.organization_id), "username": name, "role": role.value}
    tell_with_undo(request, said, reverse("console:members"), **back)
    if not list_keys_made_by(row.operator.actor, row.organization_id, now=timezone.now()):
        return redirect("console:members")
    left = urlencode({"left": name, "organization": row.organization_id})
    return redirect(f"{reverse('console:members')}?{left}")


def appoint(request: OperatorRequest, row: Membership, wanted: str) -> None:
    if wanted not in list(OperatorRole):
        raise Http404("no such role")
    before = change_role(row, OperatorRole(wanted), now=timezone.now(), actor=request.user.actor)
    if before == wanted:
        return
    name = row.operator.get_username()
    is_now_owner = wanted == OperatorRole.OWNER
    said = _("%(name)s is an owner now.") if is_now_owner else _("%(name)s is a member now.")
    if not is_owner(request.user, row.organization_id):
        messages.success(request, said % {"name": name})
        return
    back = {"action": "role", "member": str(row.pk), "role": before.value}
    tell_with_undo(request, said % {"name": name}, reverse("console:members"), **back)
