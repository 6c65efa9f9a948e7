"""A conversation of the hot path, turn by turn: what was read of each, and what was laid beside it."""

from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import get_language_info
from django.views.decorators.http import require_safe

from knowledge_graph.hotmem.replay import (
    ReplayedTriple,
    ReplayedTurn,
    list_hot_threads,
    replay_thread,
)
from memory.access.confinement import EVERYTHING, RowScope
from memory.models.isolation import ScopedRow
from memory.web.pages import OperatorRequest, person_page, render_page
from memory.web.relation_wordings import name_subject, word_relation
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

PAGE: Final = 20
MAX_DIGITS: Final = 7
INTENTS: Final = {
    "FACT_STATEMENT": _("tells something"),
    "MULTIPLE_FACTS": _("tells several things"),
    "QUESTION_WITH_FACT": _("asks, and tells something"),
    "PURE_QUESTION": _("asks"),
    "CORRECTION": _("corrects"),
    "REACTION": _("reacts"),
    "HYPOTHETICAL": _("supposes"),
    "INSTRUCTION": _("wants something done"),
}
REASONS: Final = {
    "hedged": _("said without being sure"),
    "negated": _("said not to be so"),
    "question": _("asked, not told"),
    "hypothetical": _("supposed, not told"),
    "quoted": _("somebody else's words"),
    "passing": _("of the moment only"),
    "over": _("no longer so"),
    "no_relation": _("no relation is known for it"),
    "unresolved": _("it is not clear whom it is about"),
    "unlikely": _("hardly about the person's life"),
    "secret": _("a secret"),
    "order": _("an order to the assistant"),
    "forgotten": _("the person had it forgotten"),
    "not_observed": _("the client asked not to keep it"),
    "extraction_is_off": _("reading is switched off"),
    "nothing_new": _("changes nothing that is known"),
    "known_to_have_ended": _("known to have ended"),
    "kept_by_hand": _("written into the bank by hand"),
    "waits_for_review": _("waits for a decision"),
}
BADGES: Final = {"stored": "good", "reinforced": "good", "retracted": "bad", "superseded": "watch"}


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    thread_id = request.GET.get("thread", "")
    context: dict[str, Any] = {"person": person, "now": timezone.now(), "thread_id": thread_id}
    scope = choose_scope(request, person, thread_id) if thread_id else None
    if scope is not None:
        context |= build_turns(request, person, thread_id, scope)
    else:
        threads = list_hot_threads(person.user, thread_id)
        context["threads"] = [
            {"thread": one, "address": urlencode(build_address(one.thread_id, one))} for one in threads
        ]
    return render_page(request, "console/hot/page.html", "console/hot/_turns.html", context)


def choose_scope(request: OperatorRequest, person: ViewedPerson, thread_id: str) -> RowScope | None:
    """The agent and project whose conversation is shown; None where several have that name and none was chosen."""
    if "agent" in request.GET or "project" in request.GET:
        return RowScope(request.GET.get("agent", ""), request.GET.get("project", ""))
    threads = list_hot_threads(person.user, thread_id)
    if len(threads) > 1:
        return None
    return RowScope.of(threads[0]) if threads else EVERYTHING


def build_address(thread_id: str, scope: ScopedRow) -> dict[str, str]:
    return {"thread": thread_id, "agent": scope.agent_id, "project": scope.project_id}


def build_turns(request: OperatorRequest, person: ViewedPerson, thread_id: str, scope: RowScope) -> dict[str, Any]:
    found = replay_thread(person.user, thread_id, scope, before=read_number(request), limit=PAGE + 1)
    turns = found[:PAGE]
    address = build_address(thread_id, scope)
    earlier = urlencode({**address, "before": turns[-1].number}) if len(found) > PAGE else ""
    return {"turns": [describe_turn(turn) for turn in turns], "next_page": earlier, "scope": scope}


def read_number(request: OperatorRequest) -> int | None:
    digits = request.GET.get("before", "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < MAX_DIGITS else None


def describe_turn(turn: ReplayedTurn) -> dict[str, Any]:
    return {
        "turn": turn,
        "intent": INTENTS.get(turn.intent, turn.intent),
        "language": name_language(turn.lang or ""),
        "triples": [describe_triple(one) for one in (*turn.triples, *turn.ended)],
        "said": [one for one in turn.bullets if one.is_said],
        "rested": [one for one in turn.bullets if not one.is_said],
    }


def name_language(code: str) -> str:
    """The name of a language in the language of whoever looks; an unknown code stays as it is."""
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code


def describe_triple(one: ReplayedTriple) -> dict[str, Any]:
    return {
        "triple": one,
        "subject": name_subject(one.subject) if one.relation else "",
        "relation": word_relation(one.relation, is_denied=one.is_denied, is_over=False),
        "reason": REASONS.get(one.reason, one.reason),
        "badge": BADGES.get(one.status, "plain"),
    }
