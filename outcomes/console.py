"""Conversations: threads, their exchanges, what came of each, and buttons to say so."""

import uuid
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.access.confinement import RowScope
from memory.store.admission import WriteRefused
from memory.tiers import Outcome
from memory.web.conversation_addresses import write_conversation_query
from memory.web.labels import OUTCOME_NAMES, SIGNAL_NAMES, VERDICTS
from memory.web.pages import OperatorRequest, person_page, render_page, wants_fragment
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _
from outcomes.exchanges import listing
from outcomes.exchanges.listing import ExchangeDetail
from outcomes.exchanges.recollection import Recollection, load_recollections
from outcomes.exchanges.storing import UNSCORED
from outcomes.exchanges.threads import (
    TITLE_LIMIT,
    ConversationKey,
    TitleSource,
    find_conversation,
    give_title,
    read_titles,
)
from outcomes.verdicts import recording

PAGE = 20
THREADS = 40
TURNS = 100
MAX_DIGITS = 7
MOST_RELATED = 100
MOST_WORDS = 200


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    thread_id = request.GET.get("thread", "")
    if thread_id:
        context = build_thread_context(request, person, choose_conversation(request, person, thread_id))
    else:
        context = build_threads_context(request, person)
    part = "_rows.html"
    if "kept" in request.GET:
        part = "_turns.html" if thread_id else "_memory_threads.html"
    return render_page(request, "console/conversations/page.html", f"console/conversations/{part}", context)


def build_threads_context(request: OperatorRequest, person: ViewedPerson) -> dict[str, Any]:
    """Both lists, or the further rows of one of them."""
    start, memory_start = read_offset(request, "from"), read_offset(request, "kept")
    narrowed = read_narrowing(request)
    words, outcome = narrowed.get("q", ""), narrowed.get("outcome", "")
    threads, memory_threads = [], []
    if not memory_start:
        threads = listing.list_threads(person.user, limit=THREADS + 1, offset=start, words=words, outcome=outcome)
    # What is kept as memories alone has no outcome.
    if not start and not outcome:
        memory_threads = listing.list_memory_threads(person.user, limit=THREADS + 1, offset=memory_start, words=words)
    begins = [ConversationKey.of(one.last) for one in threads] + [
        ConversationKey.of(one.first) for one in memory_threads
    ]
    titles = read_titles(person.user, begins)
    return {
        "person": person,
        "now": timezone.now(),
        "threads": [(one, titles[ConversationKey.of(one.last)][0]) for one in threads[:THREADS]],
        "next_page": urlencode({**narrowed, "from": start + THREADS}) if len(threads) > THREADS else "",
        "words": words,
        "outcome": outcome,
        "outcomes": VERDICTS,
        "is_narrowed": bool(narrowed),
        "memory_threads": [(one, titles[ConversationKey.of(one.first)][0]) for one in memory_threads[:THREADS]],
        "next_memory_threads": (
            urlencode({**narrowed, "kept": memory_start + THREADS}) if len(memory_threads) > THREADS else ""
        ),
    }


def read_narrowing(request: OperatorRequest) -> dict[str, str]:
    """The words and the outcome that the address asks for."""
    words, outcome = request.GET.get("q", "").strip()[:MOST_WORDS], request.GET.get("outcome", "")
    known = {value.value for value, _name in VERDICTS}
    return ({"q": words} if words else {}) | ({"outcome": outcome} if outcome in known else {})


def read_offset(request: OperatorRequest, name: str) -> int:
    """How many rows to skip; 0 when the address names none."""
    # A number of thousands of digits takes seconds to read.
    digits = request.GET.get(name, "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < MAX_DIGITS else 0


def read_place(request: OperatorRequest) -> RowScope | None:
    """The agent and project that the address names, if it does: without both it is no conversation of a project."""
    if "agent" not in request.GET and "project" not in request.GET:
        return None
    return RowScope(request.GET.get("agent", ""), request.GET.get("project", ""))


def choose_conversation(request: OperatorRequest, person: ViewedPerson, thread_id: str) -> ConversationKey:
    """Of those that share the name: the one of the exchange that the address names, or of its agent and project."""
    exchange_id, place = read_uuid(request.GET.get("exchange", "")), read_place(request)
    detail = listing.find_exchange(person.user, exchange_id) if exchange_id else None
    if detail is not None and detail.exchange.thread_id == thread_id:
        return ConversationKey.of(detail.exchange)
    scope = place or RowScope()
    known = find_conversation(person.user, thread_id, place)
    return known or ConversationKey(thread_id, scope.agent_id, scope.project_id)


def read_uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def build_turns_context(
    request: OperatorRequest, person: ViewedPerson, conversation: ConversationKey
) -> dict[str, Any]:
    """The memories of a conversation whose exchanges are not stored."""
    start = read_offset(request, "kept")
    found = listing.list_thread_memories(person.user, conversation, limit=TURNS + 1, offset=start)
    following = write_conversation_query(conversation, kept=start + TURNS) if len(found) > TURNS else ""
    return {"turns": found[:TURNS], "next_turns": following}


def build_thread_context(
    request: OperatorRequest, person: ViewedPerson, conversation: ConversationKey
) -> dict[str, Any]:
    thread_id, place = conversation.thread_id, RowScope.of(conversation)
    start = find_start(request, person, conversation)
    found = listing.list_conversation(person.user, conversation, limit=PAGE + 1, offset=start)
    title, source = read_titles(person.user, [conversation])[conversation]
    return {
        # A conversation without exchanges may still have been imported as memories.
        **({} if found else build_turns_context(request, person, conversation)),
        "person": person,
        "now": timezone.now(),
        "thread_id": thread_id,
        "conversation": conversation,
        "title": title,
        "given_title": title if source is TitleSource.PERSON else "",
        "title_limit": TITLE_LIMIT,
        "state": listing.load_thread_state(person.user, thread_id, place),
        "exchanges": describe_exchanges(person, found[:PAGE]),
        "next_page": turn_page(conversation, start + PAGE) if len(found) > PAGE else "",
        "page_before": turn_page(conversation, max(0, start - PAGE)) if start else "",
    }


def find_start(request: OperatorRequest, person: ViewedPerson, conversation: ConversationKey) -> int:
    """Where the page begins: so that it holds the exchange that the address names, if it names one."""
    exchange_id = read_uuid(request.GET.get("exchange", ""))
    detail = listing.find_exchange(person.user, exchange_id) if exchange_id and "from" not in request.GET else None
    if detail is None or ConversationKey.of(detail.exchange) != conversation:
        return read_offset(request, "from")
    return listing.count_said_before(person.user, detail.exchange) // PAGE * PAGE


def turn_page(conversation: ConversationKey, start: int) -> str:
    return f"{write_conversation_query(conversation)}&{urlencode({'from': start})}"


def describe_exchanges(person: ViewedPerson, details: Sequence[ExchangeDetail]) -> list[dict[str, Any]]:
    recollections = load_recollections(person.user, details)
    return [describe_exchange(detail, recollections[detail.exchange.pk]) for detail in details]


def describe_exchange(detail: ExchangeDetail, recollection: Recollection) -> dict[str, Any]:
    outcome = detail.outcome
    return {
        "recollection": recollection,
        "detail": detail,
        "exchange": detail.exchange,
        "outcome": outcome,
        "outcome_name": OUTCOME_NAMES[Outcome(outcome.outcome)] if outcome else "",
        "is_unscored": detail.state == UNSCORED,
        "signals": [(SIGNAL_NAMES[signal.kind], signal.evidence) for signal in detail.signals],
        "buttons": [(value.value, name, bool(outcome and outcome.outcome == value)) for value, name in VERDICTS],
    }


@require_POST
@person_page
def rename(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """Give a conversation a title; an empty one takes it back."""
    thread_id, title, place = request.GET.get("thread", ""), request.POST.get("title", ""), read_place(request)
    try:
        renamed = give_title(person.user, thread_id, title, now=timezone.now(), actor=person.actor, place=place)
    except WriteRefused as error:
        messages.error(request, _("The title {rule}.").format(rule=word_refusal(error.rule)))
    else:
        if renamed is None:
            raise Http404("no such conversation")
        messages.success(
            request, _("The title is kept.") if title.strip() else _("The title is made of the words again.")
        )
    return redirect(f"{reverse('console:conversations', args=person.path)}?{request.GET.urlencode()}")


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def record_outcome(request: OperatorRequest, person: ViewedPerson, exchange_id: uuid.UUID) -> HttpResponse:
    """An operator's verdict, as explicit as the user's own."""
    outcome = request.POST.get("outcome", "")
    exchange = find_exchange(person, exchange_id)
    if request.method != "POST":
        return redirect_to_exchange(person, exchange)
    if outcome not in {value.value for value, _name in VERDICTS}:
        raise Http404("no such outcome")
    now = timezone.now()
    # None ticked: all that the turn showed.
    related = request.POST.getlist("related")[:MOST_RELATED] or None
    recording.record_outcome(
        person.user, Outcome(outcome), now=now, exchange_id=exchange_id, related=related, actor=person.actor
    )
    # Without JavaScript the page comes again, at the exchange that was judged.
    if not wants_fragment(request):
        return redirect_to_exchange(person, exchange)
    [shown] = describe_exchanges(person, [find_exchange(person, exchange_id)])
    context = {"person": person, "now": now, "shown": shown, "recorded": True}
    return render(request, "console/conversations/_exchange.html", context)


def find_exchange(person: ViewedPerson, exchange_id: uuid.UUID) -> ExchangeDetail:
    detail = listing.find_exchange(person.user, exchange_id)
    if detail is None:
        raise Http404("no such exchange")
    return detail


def redirect_to_exchange(person: ViewedPerson, detail: ExchangeDetail) -> HttpResponse:
    target = reverse("console:conversations", args=person.path)
    query = write_conversation_query(detail.exchange, exchange=detail.exchange.pk)
    return redirect(f"{target}?{query}#exchange-{detail.exchange.pk}")
