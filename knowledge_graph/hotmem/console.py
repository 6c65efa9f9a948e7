"""A conversation of the hot path, turn by turn: what was read of each, and what was laid beside it."""

from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from knowledge_graph.hotmem.replay import ReplayedTriple, ReplayedTurn, list_hot_threads, replay_thread
from memory.web.pages import OperatorRequest, person_page, render_page
from memory.web.viewing import ViewedPerson

PAGE: Final = 20
MAX_DIGITS: Final = 7
INTENTS: Final = {
    "FACT_STATEMENT": "tells something",
    "MULTIPLE_FACTS": "tells several things",
    "QUESTION_WITH_FACT": "asks, and tells something",
    "PURE_QUESTION": "asks",
    "CORRECTION": "corrects",
    "REACTION": "reacts",
    "HYPOTHETICAL": "supposes",
    "INSTRUCTION": "wants something done",
}
REASONS: Final = {
    "hedged": "said without being sure",
    "negated": "said not to be so",
    "question": "asked, not told",
    "hypothetical": "supposed, not told",
    "quoted": "somebody else's words",
    "passing": "of the moment only",
    "over": "no longer so",
    "no_relation": "no relation is known for it",
    "unresolved": "it is not clear whom it is about",
    "unlikely": "hardly about the person's life",
    "secret": "a secret",
    "order": "an order to the assistant",
    "forgotten": "the person had it forgotten",
    "not_observed": "the client asked not to keep it",
    "extraction_is_off": "reading is switched off",
    "nothing_new": "changes nothing that is known",
    "known_to_have_ended": "known to have ended",
    "kept_by_hand": "written into the bank by hand",
    "waits_for_review": "waits for a decision",
}
BADGES: Final = {"stored": "good", "reinforced": "good", "retracted": "bad", "superseded": "watch"}


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    thread_id = request.GET.get("thread", "")
    context: dict[str, Any] = {"person": person, "now": timezone.now(), "thread_id": thread_id}
    if thread_id:
        context |= build_turns(request, person, thread_id)
    else:
        context["threads"] = list_hot_threads(person.user)
    return render_page(request, "console/hot/page.html", "console/hot/_turns.html", context)


def build_turns(request: OperatorRequest, person: ViewedPerson, thread_id: str) -> dict[str, Any]:
    found = replay_thread(person.user, thread_id, before=read_number(request), limit=PAGE + 1)
    turns = found[:PAGE]
    earlier = urlencode({"thread": thread_id, "before": turns[-1].number}) if len(found) > PAGE else ""
    return {"turns": [describe_turn(turn) for turn in turns], "next_page": earlier}


def read_number(request: OperatorRequest) -> int | None:
    digits = request.GET.get("before", "")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < MAX_DIGITS else None


def describe_turn(turn: ReplayedTurn) -> dict[str, Any]:
    return {
        "turn": turn,
        "intent": INTENTS.get(turn.intent, turn.intent),
        "triples": [describe_triple(one) for one in (*turn.triples, *turn.ended)],
        "said": [one for one in turn.bullets if one.is_said],
        "rested": [one for one in turn.bullets if not one.is_said],
    }


def describe_triple(one: ReplayedTriple) -> dict[str, Any]:
    return {"triple": one, "reason": REASONS.get(one.reason, one.reason), "badge": BADGES.get(one.status, "plain")}
