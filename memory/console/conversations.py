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
from memory.console.pages import OperatorRequest, place_page, render_page, wants_fragment
from memory.console.places import ViewedPerson
from memory.tiers import Outcome
from outcomes.exchanges.listing import ExchangeCursor as Mark
from outcomes.exchanges.listing import ExchangeDetail

PAGE = 20
THREADS = 40
TURNS = 100
LONGEST_NUMBER = 7


@require_safe
@place_page
def page(request: OperatorRequest, place: ViewedPerson) -> HttpResponse:
    thread_id = request.GET.get("thread", "")
    context = build_thread_context(request, place, thread_id) if thread_id else build_threads_context(request, place)
    part = "_rows.html"
    if "kept" in request.GET:
        part = "_turns.html" if thread_id else "_kept.html"
    return render_page(request, "console/conversations/page.html", f"console/conversations/{part}", context)


def build_threads_context(request: OperatorRequest, place: ViewedPerson) -> dict[str, Any]:
    """Both lists, or the further rows of one of them."""
    start, kept_from = read_offset(request, "from"), read_offset(request, "kept")
    found = [] if kept_from else place.facade.threads(place.user, limit=THREADS + 1, offset=start)
    kept = [] if start else place.facade.kept_threads(place.user, limit=THREADS + 1, offset=kept_from)
    return {
        "place": place,
        "now": timezone.now(),
        "threads": found[:THREADS],
        "next_page": urlencode({"from": start + THREADS}) if len(found) > THREADS else "",
        "kept": kept[:THREADS],
        "next_kept": urlencode({"kept": kept_from + THREADS}) if len(kept) > THREADS else "",
    }


def read_offset(request: OperatorRequest, name: str) -> int:
    """How many rows are passed over; 0 when the address says none."""
    told = request.GET.get(name, "")
    return int(told) if told.isascii() and told.isdigit() and len(told) < LONGEST_NUMBER else 0


def build_turns_context(request: OperatorRequest, place: ViewedPerson, thread_id: str) -> dict[str, Any]:
    """The memories of a conversation whose exchanges are not stored."""
    start = read_offset(request, "kept")
    found = place.facade.kept_turns(place.user, thread_id, limit=TURNS + 1, offset=start)
    following = urlencode({"thread": thread_id, "kept": start + TURNS}) if len(found) > TURNS else ""
    title = str(found[0].metadata.get("thread_title") or "") if found else ""
    return {"turns": found[:TURNS], "title": title or thread_id, "next_turns": following}


def build_thread_context(request: OperatorRequest, place: ViewedPerson, thread_id: str) -> dict[str, Any]:
    found, following = place.facade.exchanges(
        place.user, thread_id=thread_id, limit=PAGE, after=read_cursor(request.GET.get("cursor", ""))
    )
    cursor = {"thread": thread_id, "cursor": write_cursor(following)} if following else {}
    return {
        **({} if found else build_turns_context(request, place, thread_id)),
        "place": place,
        "now": timezone.now(),
        "thread_id": thread_id,
        "state": place.facade.thread_state(place.user, thread_id),
        "exchanges": [describe_exchange(told) for told in found],
        "next_page": urlencode(cursor),
    }


def describe_exchange(told: ExchangeDetail) -> dict[str, Any]:
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
def record_outcome(request: OperatorRequest, place: ViewedPerson, exchange_id: uuid.UUID) -> HttpResponse:
    """An operator's verdict, as explicit as the user's own."""
    said = request.POST.get("outcome", "")
    told = place.facade.exchange_by_id(place.user, exchange_id)
    if told is not None and request.method != "POST":
        return redirect_to_exchange(place, told)
    if told is None or said not in {value.value for value, _ in VERDICTS}:
        raise Http404("no such exchange, or no such outcome")
    place.facade.outcome(place.user, Outcome(said), now=timezone.now(), exchange_id=exchange_id)
    if not wants_fragment(request):
        return redirect_to_exchange(place, told)
    told = place.facade.exchange_by_id(place.user, exchange_id)
    if told is None:
        raise Http404("no such exchange")
    context = {"place": place, "now": timezone.now(), "shown": describe_exchange(told), "recorded": True}
    return render(request, "console/conversations/_exchange.html", context)


def redirect_to_exchange(place: ViewedPerson, told: ExchangeDetail) -> HttpResponse:
    target = reverse("console:conversations", args=place.path)
    return redirect(f"{target}?{urlencode({'thread': told.exchange.thread_id})}#exchange-{told.exchange.pk}")


def write_cursor(mark: Mark) -> str:
    return base64.urlsafe_b64encode(f"{mark.created_at.isoformat()}|{mark.exchange_id}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> Mark | None:
    """The exchange a page ended with; None when the cursor is none of ours."""
    try:
        moment, _, last = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition("|")
        at, exchange_id = parse_datetime(moment), uuid.UUID(last)
    except (ValueError, binascii.Error):
        return None
    return Mark(at, exchange_id) if isinstance(at, datetime) and at.tzinfo is not None else None
