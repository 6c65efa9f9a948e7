"""Finding a page of the console, a person or a memory by a few letters: for the palette, and as a page of its own."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.db.models import F
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.console.acting import open_facade
from memory.console.forms import FindForm
from memory.console.people import list_nameable
from memory.console.places import OF_INSTALLATION, OF_OPERATOR, OF_ORGANIZATIONS, OF_PERSON, ConsolePlace, list_open
from memory.models import EndUser, MemoryItem, Operator
from memory.store.listing import ItemFilter
from memory.web.pages import OperatorRequest, operator_page, person_page, render_page
from memory.web.viewing import ViewedPerson, can_see_everybody, list_visible_organizations

MOST: Final = 6
# With one letter, half of what a person said begins so.
FEWEST_LETTERS: Final = 2


@dataclass(frozen=True, slots=True)
class FoundPlace:
    name: str
    icon: str
    address: str


@require_safe
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    return render_found(request, None)


@require_safe
@person_page
def page_of_person(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    return render_found(request, person)


def render_found(request: OperatorRequest, person: ViewedPerson | None) -> HttpResponse:
    """Nothing typed yet: the pages there are."""
    form = FindForm(request.GET)
    query: str = form.cleaned_data["q"] if form.is_valid() else ""
    pages = find_places(request.user, person, query)
    people = find_people(request.user, query)
    memories = find_memories(person, query) if person else []
    context = {
        "person": person,
        "query": query,
        "search": urlencode({"query": query}),
        "pages": pages,
        "people": people,
        "memories": memories,
        "found_count": len(pages) + len(people) + len(memories),
        "now": timezone.now(),
    }
    return render_page(request, "console/find/page.html", "console/find/_found.html", context)


def find_places(operator: Operator, person: ViewedPerson | None, query: str) -> list[FoundPlace]:
    words = query.casefold().split()
    found = list_addresses(OF_PERSON, words, person.path) if person else []
    found += list_addresses(list_open(OF_ORGANIZATIONS, operator), words, ())
    found += list_addresses(OF_OPERATOR, words, ())
    if can_see_everybody(operator):
        found += list_addresses(OF_INSTALLATION, words, ())
    return found


def list_addresses(places: Iterable[ConsolePlace], words: list[str], path: tuple[str, ...]) -> list[FoundPlace]:
    return [
        FoundPlace(str(place.name), place.icon, reverse(f"console:{place.view}", args=path))
        for place in places
        if place.answers_to(words)
    ]


def find_people(operator: Operator, query: str) -> list[EndUser]:
    """Those whose id holds the words, the most recently active first."""
    if not query:
        return []
    rows = list_nameable().filter(organization__in=list_visible_organizations(operator), external_id__icontains=query)
    latest = rows.order_by(F("last_active_at").desc(nulls_last=True), "external_id")
    return list(latest.select_related("organization")[:MOST])


def find_memories(person: ViewedPerson, query: str) -> list[MemoryItem]:
    """Active ones by their words, the newest first: nothing is embedded while somebody types."""
    if len(query) < FEWEST_LETTERS:
        return []
    return open_facade(person).list_items(person.user, ItemFilter(words=query, is_typing=True), limit=MOST)
