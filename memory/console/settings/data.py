"""Managing what is kept: rebuild the index, compare it with the rows, back everything up, erase a person."""

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.db.models import F
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from django_htmx.http import HTMX_STOP_POLLING

from memory.console.acting import open_facade
from memory.console.forms import PeopleForm
from memory.console.people import list_nameable
from memory.facade import installation
from memory.facade.installation import TaskRefused
from memory.models import EndUser, Erasure
from memory.web.pages import (
    LAST_VIEWED,
    OperatorRequest,
    OwnersOnly,
    operator_page,
    person_page,
    require_owner,
    wants_fragment,
)
from memory.web.viewing import (
    ViewedPerson,
    governs_everything,
    list_owned_organizations,
    list_visible_organizations,
)

SHOWN_ERASURES: Final = 10
SHOWN_PEOPLE: Final = 20
SHOWN_RUNS: Final = 3


@require_http_methods(["GET", "HEAD", "POST"])
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    """The page; the part is what changes while work goes on, asked for until all of it rests."""
    owned = list_owned_organizations(request.user)
    if not owned.exists():
        raise OwnersOnly(list_visible_organizations(request.user).first())
    if request.method == "POST":
        return start_work(request)
    context = build_context(request)
    if wants_fragment(request) and "q" not in request.GET:
        status = 200 if context["is_running"] else HTMX_STOP_POLLING
        return render(request, "console/settings/_work.html", context, status=status)
    return render(request, "console/settings/data.html", {**context, **find_people(request)})


def build_context(request: OperatorRequest) -> dict[str, Any]:
    erasures = Erasure.objects.filter(organization__in=list_owned_organizations(request.user)).select_related(
        "organization"
    )
    context: dict[str, Any] = {
        "now": timezone.now(),
        "runs_installation": governs_everything(request.user),
        "erasures": list(erasures.order_by("-requested_at")[:SHOWN_ERASURES]),
    }
    is_running = any(one.finished_at is None for one in context["erasures"])
    if context["runs_installation"]:
        work = installation.read_work(SHOWN_RUNS)
        context["work"] = work
        is_running = is_running or work.is_running
    return {**context, "is_running": is_running}


def find_people(request: OperatorRequest) -> dict[str, Any]:
    """Whom one might erase: nobody is listed until somebody is looked for."""
    form = PeopleForm(request.GET)
    query = form.cleaned_data["q"] if form.is_valid() else ""
    rows = list_nameable().filter(organization__in=list_owned_organizations(request.user), external_id__icontains=query)
    latest = rows.select_related("organization").order_by(F("last_active_at").desc(nulls_last=True), "external_id")
    return {"query": query, "people": list(latest[:SHOWN_PEOPLE]) if query else []}


def start_work(request: OperatorRequest) -> HttpResponse:
    # The index and the backups are everybody's.
    if not governs_everything(request.user):
        raise OwnersOnly
    works: dict[str, tuple[Callable[..., object], str]] = {
        "reindex": (installation.start_reindex, _("The index is being rebuilt. The one there is answers meanwhile.")),
        "pause": (installation.pause_reindex, _("The rebuilding is paused.")),
        "resume": (installation.resume_reindex, _("The rebuilding goes on.")),
        "cancel": (
            installation.cancel_reindex,
            _("The rebuilding is given up; the index before goes on answering."),
        ),
        "check": (installation.start_check, _("Every row is compared with the index.")),
        "backup": (installation.start_backup, _("A backup is being written.")),
    }
    chosen = works.get(request.POST.get("action", ""))
    if chosen is None:
        raise Http404("no such work")
    start, said = chosen
    try:
        start(now=timezone.now(), actor=request.user.actor)
        messages.success(request, said)
    except TaskRefused as refused:
        messages.error(request, _("Not done: %(rule)s.") % {"rule": refused})
    return redirect("console:data")


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def erase(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """What would go, and a field that asks for the id: nobody erases by a slip of the hand."""
    require_owner(request.user, person.organization)
    typed = request.POST.get("confirm", "").strip()
    if request.method == "POST" and typed == person.user.external_id:
        erase_person(request, person)
        return redirect("console:data")
    stats = open_facade(person).get_stats(person.user)
    context = {
        "person": person,
        "now": timezone.now(),
        "memories": sum(sum(counts.values()) for counts in stats.tiers.values()),
        "exchanges": stats.exchanges,
        "is_wrong": request.method == "POST",
    }
    return render(request, "console/settings/erase.html", context, status=422 if context["is_wrong"] else 200)


def erase_person(request: OperatorRequest, person: ViewedPerson) -> None:
    user: EndUser = person.user
    open_facade(person).request_erasure(user, now=timezone.now())
    request.session.pop(LAST_VIEWED, None)
    # Not by name: the message stands in a session that outlives the person.
    messages.success(request, _("The person is gone from every answer, and is being erased."))
