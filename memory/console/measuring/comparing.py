"""One question of a run asked again under both settings, side by side: what moved, and where it went."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.console.acting import open_facade
from memory.console.measuring.lines import build_run_line
from memory.measuring.asking import AskedQuestion
from memory.models import EvaluationRun, MemoryItem
from memory.web.pages import OperatorRequest, person_page
from memory.web.viewing import ViewedPerson

SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class RankedLine:
    """``moved`` is how far it stands from its place under the other setting, None where it is not found there."""

    place: int
    item: MemoryItem
    is_expected: bool
    moved: int | None


@require_safe
@person_page
def compare(request: OperatorRequest, person: ViewedPerson, run_id: uuid.UUID, number: int) -> HttpResponse:
    """As the memories are now, and not as they were when it was measured."""
    memory, now = open_facade(person), timezone.now()
    run = memory.find_measuring(person.user, run_id)
    if run is None:
        raise Http404("no such run")
    result = read_result(run, number)
    asked = memory.ask_again(person.user, run, result, now=now)
    if asked is None:
        raise Http404("the question is not kept any more")
    question, sides = asked
    items = memory.list_found(person.user, [item_id for side in sides for item_id in side.found[:SHOWN]])
    expected = {str(item_id) for item_id in question.expected}
    before, after = sides
    line = build_run_line(run, now)
    ranked = rank_lines(before, after, items, expected), rank_lines(after, before, items, expected)
    context = {
        "person": person,
        "now": now,
        "line": line,
        "question": question,
        "columns": list(zip(line.sides, ranked, strict=True)),
    }
    return render(request, "console/measuring/compare.html", context)


def read_result(run: EvaluationRun, number: int) -> Mapping[str, Any]:
    if not 0 <= number < len(run.results):
        raise Http404("no such question")
    found: Mapping[str, Any] = run.results[number]
    return found


def rank_lines(
    side: AskedQuestion, other: AskedQuestion, items: Mapping[str, MemoryItem], expected: set[str]
) -> Sequence[RankedLine]:
    places = {item_id: place for place, item_id in enumerate(other.found, start=1)}
    return [
        RankedLine(place, items[item_id], item_id in expected, places[item_id] - place if item_id in places else None)
        for place, item_id in enumerate(side.found[:SHOWN], start=1)
        if item_id in items
    ]
