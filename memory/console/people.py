"""Whom to look at: the front door, and the list of organisations with the people they remember. Owners add one."""

from dataclasses import dataclass

from django.contrib import messages
from django.db.models import F, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from memory.access.users import find_user, get_or_create_user
from memory.console.forms import PeopleForm
from memory.console.settings.forms import PersonForm
from memory.models import EndUser, Operator, Organization
from memory.web.pages import LAST_VIEWED, OperatorRequest, operator_page, render_page
from memory.web.viewing import find_viewed_person, list_owned_organizations, list_visible_organizations
from memory.web.wordings import translate as _

# People listed of one organisation; the search field finds the others.
PEOPLE_LISTED = 60
# How external ids begin that no client can give.
UNNAMEABLE = "#"


@dataclass(frozen=True, slots=True)
class OrganizationPeople:
    organization: Organization
    users: list[EndUser]
    total: int


@require_safe
@operator_page
def home(request: OperatorRequest) -> HttpResponse:
    """Where this operator was last, or the only person there is, or the list."""
    last = request.session.get(LAST_VIEWED)
    if last:
        try:
            return redirect("console:overview", *find_viewed_person(request.user, *last).path)
        except Http404:
            del request.session[LAST_VIEWED]
    # Two rows are enough to know whether there is just one.
    only = list_nameable().filter(organization__in=list_visible_organizations(request.user))[:2]
    if len(only) == 1:
        return redirect("console:overview", only[0].organization.slug, only[0].external_id)
    return redirect("console:people")


@require_http_methods(["GET", "HEAD", "POST"])
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    adding = PersonForm(request.user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and adding.is_valid():
        return add_person(request, adding.cleaned_data["organization"], adding.cleaned_data["external_id"])
    form = PeopleForm(request.GET)
    query = form.cleaned_data["q"] if form.is_valid() else ""
    context = {
        "form": form,
        "query": query,
        "organizations": list_people(request.user, query),
        "people_listed": PEOPLE_LISTED,
        "form_add": adding if list_owned_organizations(request.user).exists() else None,
    }
    status = 422 if adding.errors else 200
    return render_page(
        request, "console/people/page.html", "console/people/_organizations.html", context, status=status
    )


def add_person(request: OperatorRequest, organization: Organization, external_id: str) -> HttpResponse:
    """To what comes next: a client for whoever is new, and what is remembered of whoever is not."""
    if find_user(organization.pk, external_id):
        messages.info(
            request, _("{name} is here already. This is what is remembered of them.").format(name=external_id)
        )
        return redirect("console:overview", organization.slug, external_id)
    get_or_create_user(organization, external_id)
    messages.success(request, _("{name} is added. Nothing is remembered of them yet.").format(name=external_id))
    return redirect("console:connect", organization.slug, external_id)


def list_nameable() -> QuerySet[EndUser]:
    """Without the partitions of spaces, and without people whose rows are being erased."""
    return EndUser.objects.exclude(external_id__startswith=UNNAMEABLE)


def list_people(operator: Operator, query: str) -> list[OrganizationPeople]:
    found = []
    for organization in list_visible_organizations(operator):
        users = list_nameable().filter(organization=organization, external_id__icontains=query)
        latest = users.order_by(F("last_active_at").desc(nulls_last=True), "external_id")
        found.append(OrganizationPeople(organization, list(latest[:PEOPLE_LISTED]), users.count()))
    return found
