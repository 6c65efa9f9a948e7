"""The list of a person's memories."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.console.browsing import list_page
from memory.console.forms import FilterForm
from memory.console.pages import OperatorRequest, place_page, render_page
from memory.console.places import ViewedPerson
from memory.store.listing import RECENT, ItemFilter


@require_safe
@place_page
def page(request: OperatorRequest, place: ViewedPerson) -> HttpResponse:
    form = FilterForm(request.GET, label_suffix="")
    if not form.is_valid():
        context = {"place": place, "form": form, "items": []}
        return render_page(request, "console/memories/page.html", "console/memories/_list.html", context, status=422)
    asked = form.cleaned_data
    wanted = form.wanted()
    cursor = request.GET.get("cursor", "")
    found = list_page(place.user, wanted, sort=asked["sort"] or RECENT, cursor=cursor)
    context = {
        "place": place,
        "form": form,
        "now": timezone.now(),
        "items": found.items,
        # The status, where nothing else narrows the list.
        "only_status": "" if asked["tag"] or asked["q"] or asked["tier"] else asked["status"],
        "narrowed": wanted != ItemFilter(),
        "cursor": cursor,
        "next_page": build_next_query(asked, found.next_cursor),
    }
    # What follows a list is only its rows; a list that was filtered anew is the whole list.
    part = "console/memories/_rows.html" if cursor else "console/memories/_list.html"
    return render_page(request, "console/memories/page.html", part, context)


def build_next_query(asked: dict[str, Any], cursor: str) -> str:
    """The query string of the page that follows; empty on the last one."""
    if not cursor:
        return ""
    return urlencode({**{name: value for name, value in asked.items() if value}, "cursor": cursor})
