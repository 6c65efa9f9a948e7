"""The list of a person's memories, a page at a time with a cursor for the address bar."""

from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.console.acting import open_facade
from memory.console.forms import FilterForm
from memory.console.scope_choices import list_scope_choices
from memory.store.listing import RECENT, SCORE, ItemCursor, ItemFilter, build_item_cursor
from memory.web.page_cursors import parse_moment, read_page_cursor, write_page_cursor
from memory.web.pages import OperatorRequest, person_page, render_page
from memory.web.viewing import ViewedPerson

PAGE = 40


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    form = FilterForm(request.GET, label_suffix="")
    scopes = list_scope_choices(open_facade(person).list_scopes(person.user))
    if not form.is_valid():
        context = {"person": person, "form": form, "items": [], "scopes": scopes}
        return render_page(request, "console/memories/page.html", "console/memories/_list.html", context, status=422)
    fields, item_filter, cursor = form.cleaned_data, form.as_filter(), request.GET.get("cursor", "")
    sort = fields["sort"] or RECENT
    after = read_cursor(cursor, sort)
    found = open_facade(person).list_items(person.user, item_filter, sort=sort, after=after, limit=PAGE + 1)
    items = found[:PAGE]
    context = {
        "person": person,
        "form": form,
        "scopes": scopes,
        "now": timezone.now(),
        "items": items,
        # The status, where nothing else narrows the list.
        "only_status": "" if fields["tag"] or fields["q"] or fields["tier"] or fields["scope"] else fields["status"],
        "is_filtered": item_filter != ItemFilter(),
        "cursor": cursor,
        "next_page": build_next_query(fields, build_item_cursor(items[-1], sort)) if len(found) > PAGE else "",
    }
    # What follows a list is only its rows; a list that was filtered anew is the whole list.
    part = "console/memories/_rows.html" if cursor else "console/memories/_list.html"
    return render_page(request, "console/memories/page.html", part, context)


def build_next_query(fields: dict[str, Any], last: ItemCursor) -> str:
    """The query string of the page that follows."""
    given = {name: value for name, value in fields.items() if value}
    return urlencode({**given, "cursor": write_cursor(last)})


def write_cursor(last: ItemCursor) -> str:
    key = last.key.isoformat() if isinstance(last.key, datetime) else repr(last.key)
    return write_page_cursor(key, last.item_id)


def read_cursor(cursor: str, sort: str) -> ItemCursor | None:
    """The row a page ended with; None when the cursor is none of ours."""
    key, item_id = read_page_cursor(cursor) or ("", None)
    place = parse_score(key) if sort == SCORE else parse_moment(key)
    return ItemCursor(place, item_id) if place is not None and item_id else None


def parse_score(key: str) -> float | None:
    try:
        score = float(key)
    except ValueError:
        return None
    return score if 0 <= score <= 1 else None
