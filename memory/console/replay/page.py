"""Replay: what a past turn was handed, what another setting would have found, and the same for a new question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memory.console.acting import open_facade
from memory.console.context_preview import REASONS, TITLES
from memory.console.explanations import describe_fallbacks
from memory.console.measuring.forms import word_settings
from memory.console.replay.forms import ReplayedCaseForm, ReplayForm
from memory.console.replay.rankings import count_moves, line_up
from memory.measuring.cases import NewCase
from memory.models import MemoryItem, Turn
from memory.retrieval.results import SearchResult
from memory.retrieval.variants import AS_CONFIGURED, ReplayedQuestion
from memory.store.admission import WriteRefused
from memory.web.pages import OperatorRequest, person_page
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

LISTED: Final = 30
DEPTH: Final = 10


@dataclass(frozen=True, slots=True)
class HandedPart:
    """A section as the turn keeps it, with the memories it told as they are today; ``x`` and ``width`` are its
    percentages of the bar of tokens. ``gone`` counts those that are deleted."""

    name: str
    title: str
    reason: str
    tokens: int
    items: Sequence[MemoryItem]
    gone: int
    x: float
    width: float


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    return render_replay(request, person)


def render_replay(request: OperatorRequest, person: ViewedPerson, refused: str = "") -> HttpResponse:
    """``refused`` is why the question was not saved."""
    form = ReplayForm(request.GET)
    is_valid = form.is_valid()
    turn_id = form.cleaned_data.get("turn")
    turn = open_facade(person).find_turn(person.user, turn_id) if turn_id else None
    is_gone = turn_id is not None and turn is None
    query = turn.query if turn else form.cleaned_data.get("query", "")
    context: dict[str, Any] = {"person": person, "now": timezone.now(), "form": form, "turn": turn, "query": query}
    context["is_gone"] = is_gone
    if not query:
        context["turns"] = list_judged_turns(person)
    if turn is not None:
        context |= describe_turn(person, turn)
    if query and is_valid:
        context |= compare_rankings(person, form, turn, query)
    context["refused"] = refused
    status = 404 if is_gone else 200 if is_valid and not refused else 422
    return render(request, "console/replay/page.html", context, status=status)


def list_judged_turns(person: ViewedPerson) -> list[tuple[Turn, str]]:
    """The latest turns, each with the outcome that stands, if there is one."""
    memory = open_facade(person)
    turns = memory.list_turns(person.user, LISTED)
    outcomes = memory.find_turn_outcomes(person.user, [turn.turn_id for turn in turns])
    return [(turn, outcomes.get(turn.turn_id, "")) for turn in turns]


def describe_turn(person: ViewedPerson, turn: Turn) -> dict[str, Any]:
    """What the turn handed over; of a mere search its hits."""
    sections = [(str(name), int(tokens), list(ids)) for name, tokens, ids in turn.sections]
    found = [str(item_id) for item_id, _tier in turn.positions]
    named = {item_id for _name, _tokens, ids in sections for item_id in ids}
    items = open_facade(person).list_found(person.user, [*found, *named])
    return {
        "parts": list_parts(sections, items),
        "tokens": sum(tokens for _name, tokens, _ids in sections),
        "found": [items[item_id] for item_id in found if item_id in items],
        "gone": sum(item_id not in items for item_id in found),
        "warnings": describe_fallbacks(
            turn.debug.get("fallbacks_used", []), str(turn.debug.get("vector_stage_status", "enabled"))
        ),
    }


def list_parts(sections: Sequence[tuple[str, int, list[str]]], items: Mapping[str, MemoryItem]) -> list[HandedPart]:
    whole = sum(tokens for _name, tokens, _ids in sections) or 1
    parts, x = [], 0.0
    for name, tokens, ids in sections:
        width = 100 * tokens / whole
        there = [items[item_id] for item_id in ids if item_id in items]
        title, reason = TITLES.get(name, name), REASONS.get(name, "")
        parts.append(
            HandedPart(name, title, reason, tokens, there, len(ids) - len(there), round(x, 3), round(width, 3))
        )
        x += width
    return parts


def compare_rankings(person: ViewedPerson, form: ReplayForm, turn: Turn | None, query: str) -> dict[str, Any]:
    """The question as configured and, where something is to differ, under that setting."""
    settings, moment = form.cleaned_data["settings"], form.read_moment() or (turn.created_at if turn else None)
    asked = ReplayedQuestion(query, moment, turn.agent_id if turn else "", turn.project_id if turn else "")
    wanted = [AS_CONFIGURED, settings] if settings else [AS_CONFIGURED]
    results = open_facade(person).replay_question(person.user, asked, wanted, limit=DEPTH, now=timezone.now())
    return {"as_of": moment, "change": word_settings(settings), **lay_out(results)}


def lay_out(results: Sequence[SearchResult]) -> dict[str, Any]:
    before, after = results[0], results[-1]
    columns = [(_("As configured"), line_up(before.hits, after.hits), before)]
    moves = None
    if len(results) > 1:
        columns.append((_("With the change"), line_up(after.hits, before.hits, explains=True), after))
        moves = count_moves(before.hits, after.hits)
    return {"columns": columns, "moves": moves}


@require_POST
@person_page
def save(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """Keep the question, as of when it was asked, with the memories that should have been found."""
    form = ReplayedCaseForm(request.POST)
    if not form.is_valid():
        raise Http404("no such question")
    fields = form.cleaned_data
    turn = open_facade(person).find_turn(person.user, fields["turn"]) if fields["turn"] else None
    new = NewCase(fields["question"], fields["expected"])
    if turn is not None:
        new = NewCase(turn.query, fields["expected"], {}, turn.thread_id, turn.turn_id, turn.created_at)
    try:
        open_facade(person).save_case(person.user, new, now=timezone.now())
    except WriteRefused as refusal:
        # The address has what is replayed, and under which setting.
        return render_replay(request, person, _("Not saved: {rule}.").format(rule=word_refusal(refusal.rule)))
    messages.success(request, _("The question is saved; the next measurement asks it."))
    return redirect("console:measure", *person.path)
