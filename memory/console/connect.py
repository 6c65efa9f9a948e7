"""Connecting a client: choose one, make a key for this person alone, copy a block, see the first call come in.

Members look and see whom to ask: a key that writes can erase the person, which is the owners' to do.
"""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HTMX_STOP_POLLING

from memory.access.confinement import RowScope
from memory.access.keys import issue_key, revoke_key
from memory.conf import memory_conf
from memory.console import throttle
from memory.console.client_setups import GATEWAY, list_groups
from memory.console.forms import KeyForm
from memory.console.setup_blocks import Access, ClientSetup, SetupGroup
from memory.models import ApiKey
from memory.web.addresses import read_base_url
from memory.web.pages import OperatorRequest, person_page, require_owner, wants_fragment
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

# What a client of one person does; never admin, which is about everybody's data.
SCOPES = ("read", "write")
PLACEHOLDER = "cpl_..."
MOST_KEYS = 20


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    groups = list_offered_groups()
    chosen = choose_client(groups, request.POST.get("client", "") or request.GET.get("client", ""))
    context: dict[str, Any] = {"person": person, "groups": groups, "chosen": chosen, "now": timezone.now()}
    context["form"] = KeyForm(label_suffix="")
    if request.method == "POST":
        require_owner(request.user, person.organization)
        if chosen is None or not chosen.needs_key:
            raise Http404("no such client")
        if wait_s := throttle.count_attempt(f"keys of {person.actor}", "", MOST_KEYS):
            context["wait_minutes"] = -(-wait_s // 60)
            return render_connect(request, person, context, status=429)
        # Shown in this answer and never again: only its digest is kept, and no cache may keep the page.
        form = context["form"] = KeyForm(request.POST, label_suffix="")
        if not form.is_valid():
            return render_connect(request, person, context, status=422)
        context["key"], context["plain"] = make_key(person, chosen, form.scope)
    return render_connect(request, person, context)


def list_offered_groups() -> list[SetupGroup]:
    return list_groups(has_mcp=bool(memory_conf().mcp.url))


def choose_client(groups: list[SetupGroup], slug: str) -> ClientSetup | None:
    return next((client for group in groups for client in group.clients if client.slug == slug), None)


def make_key(person: ViewedPerson, client: ClientSetup, scope: RowScope) -> tuple[ApiKey, str]:
    return issue_key(
        person.organization,
        f"{client.name} of {person.user.external_id}"[:200],
        SCOPES,
        now=timezone.now(),
        user_ids=[person.user.external_id],
        scope=scope,
        actor=person.actor,
    )


def render_connect(
    request: OperatorRequest, person: ViewedPerson, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    chosen, plain = context["chosen"], context.get("plain", PLACEHOLDER)
    base = read_base_url(request)
    context["is_private"] = bool(chosen and not chosen.needs_key and not base.startswith("https://"))
    context["lacks_model"] = bool(chosen and chosen.door == GATEWAY and not memory_conf().chat.get("url"))
    context["steps"] = chosen.steps(Access(base, plain, person.user.external_id)) if chosen else []
    context["keys"] = list_own_keys(person)
    return render(request, "console/connect/page.html", context, status=status)


def list_own_keys(person: ViewedPerson) -> list[ApiKey]:
    """The keys that act for this person and nobody else, those that were revoked last."""
    own = ApiKey.objects.filter(organization=person.organization, user_ids=[person.user.external_id])
    return sorted(own, key=lambda key: (key.revoked_at is not None, -key.created_at.timestamp()))


def find_own_key(person: ViewedPerson, key_id: int) -> ApiKey:
    key = next((key for key in list_own_keys(person) if key.pk == key_id), None)
    if key is None:
        raise Http404("no such key of this person")
    return key


@require_safe
@person_page
def first_call(request: OperatorRequest, person: ViewedPerson, key_id: int) -> HttpResponse:
    """Whether the key was used yet: asked for again and again by the page, or once by whoever has no script."""
    key = find_own_key(person, key_id)
    context = {"person": person, "key": key, "now": timezone.now()}
    if not wants_fragment(request):
        return render(request, "console/connect/waiting.html", context)
    is_over = key.last_used_at is not None or key.revoked_at is not None
    # Below it the list of keys says whether each was used.
    context["swapped"] = True
    return render(request, "console/connect/_first_call.html", context, status=HTMX_STOP_POLLING if is_over else 200)


@require_POST
@person_page
def revoke(request: OperatorRequest, person: ViewedPerson, key_id: int) -> HttpResponse:
    require_owner(request.user, person.organization)
    key = find_own_key(person, key_id)
    if revoke_key(key, now=timezone.now(), actor=person.actor):
        messages.success(request, _("{name} is revoked: its next call is refused.").format(name=key.name))
    return redirect(reverse("console:connect", args=person.path))
