"""Conversations: threads, their exchanges, what came of each, and buttons to say so."""

import base64
import binascii
import uuid
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_http_methods, require_safe

from memory.console.names import OUTCOME_NAMES, SIGNAL_NAMES, VERDICTS
from memory.console.pages import OperatorRequest, answer, place_page, wants_part
from memory.console.places import Place
from memory.tiers import Outcome
from outcomes.reading import Place as Mark
from outcomes.reading import Told

PAGE = 20
THREADS = 40


@require_safe
@place_page
def page(request: OperatorRequest, place: Place) -> HttpResponse:
    thread_id = request.GET.get("thread", "")
    context = thread_context(request, place, thread_id) if thread_id else threads_context(request, place)
    return answer(request, "console/conversations/page.html", "console/conversations/_rows.html", context)


def threads_context(request: OperatorRequest, place: Place) -> dict[str, Any]:
    told = request.GET.get("from", "")
    start = int(told) if told.isascii() and told.isdigit() and len(told) < 7 else 0
    found = place.facade.threads(place.user, limit=THREADS + 1, offset=start)
    following = urlencode({"from": start + THREADS}) if len(found) > THREADS else ""
    return {"place": place, "now": timezone.now(), "threads": found[:THREADS], "next_page": following}


def thread_context(request: OperatorRequest, place: Place, thread_id: str) -> dict[str, Any]:
    found, following = place.facade.exchanges(
        place.user, thread_id=thread_id, limit=PAGE, after=read_mark(request.GET.get("cursor", ""))
    )
    cursor = {"thread": thread_id, "cursor": write_mark(following)} if following else {}
    return {
        "place": place,
        "now": timezone.now(),
        "thread_id": thread_id,
        "state": place.facade.thread_state(place.user, thread_id),
        "exchanges": [shown(told) for told in found],
        "next_page": urlencode(cursor),
    }


def shown(told: Told) -> dict[str, Any]:
    outcome = told.outcome
    return {
        "told": told,
        "exchange": told.exchange,
        "outcome": outcome,
        "outcome_name": OUTCOME_NAMES[Outcome(outcome.outcome)] if outcome else "",
        "waits": told.state == "unscored",
        "signals": [(SIGNAL_NAMES[signal.kind], signal.evidence) for signal in told.signals],
        "buttons": [(value.value, name, bool(outcome and outcome.outcome == value)) for value, name in VERDICTS],
    }


@require_http_methods(["GET", "HEAD", "POST"])
@place_page
def record(request: OperatorRequest, place: Place, exchange_id: uuid.UUID) -> HttpResponse:
    """An operator's verdict, as explicit as the user's own."""
    said = request.POST.get("outcome", "")
    told = place.facade.exchange_by_id(place.user, exchange_id)
    if told is not None and request.method != "POST":
        return to_exchange(place, told)
    if told is None or said not in {value.value for value, _ in VERDICTS}:
        raise Http404("no such exchange, or no such outcome")
    place.facade.outcome(place.user, Outcome(said), now=timezone.now(), exchange_id=exchange_id)
    if not wants_part(request):
        return to_exchange(place, told)
    told = place.facade.exchange_by_id(place.user, exchange_id)
    if told is None:
        raise Http404("no such exchange")
    context = {"place": place, "now": timezone.now(), "shown": shown(told), "recorded": True}
    return render(request, "console/conversations/_exchange.html", context)


def to_exchange(place: Place, told: Told) -> HttpResponse:
    target = reverse("console:conversations", args=place.path)
    return redirect(f"{target}?{urlencode({'thread': told.exchange.thread_id})}#exchange-{told.exchange.pk}")


def write_mark(mark: Mark) -> str:
    return base64.urlsafe_b64encode(f"{mark.created_at.isoformat()}|{mark.exchange_id}".encode()).decode().rstrip("=")


def read_mark(cursor: str) -> Mark | None:
    """The exchange a page ended with; None when the cursor is none of ours."""
    try:
        moment, _, last = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition("|")
        at, exchange_id = parse_datetime(moment), uuid.UUID(last)
    except (ValueError, binascii.Error):
        return None
    return Mark(at, exchange_id) if isinstance(at, datetime) and at.tzinfo is not None else None
