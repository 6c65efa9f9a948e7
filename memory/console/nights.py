"""What the nights did with a person's facts: each consolidation with its numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.console.acting import open_facade
from memory.models import FactRun
from memory.models.episodes import RunState
from memory.web.pages import OperatorRequest, person_page
from memory.web.viewing import ViewedPerson

RUNS: Final = 30
# In the order of a run.
EFFECTS: Final = {
    "episodes": ("episode kept", "episodes kept"),
    "embedded": ("vector made", "vectors made"),
    "supported": ("fact supported", "facts supported"),
    "ended": ("fact ended", "facts ended"),
    "deprecated": ("fact faded", "facts faded"),
    "merged": ("fact merged", "facts merged"),
    "superseded": ("fact superseded", "facts superseded"),
    "doubted": ("pair doubted", "pairs doubted"),
    "review": ("pair to review", "pairs to review"),
    "answered": ("pair decided by a model", "pairs decided by a model"),
    "debated": ("pair argued by a model", "pairs argued by a model"),
    "reworded": ("memory worded anew", "memories worded anew"),
    "united": ("memory made of several", "memories made of several"),
}
STATES: Final = {RunState.RUNNING: "goes on", RunState.DONE: "done", RunState.PARTIAL: "partly done"}


@dataclass(frozen=True, slots=True)
class NightLine:
    """A run in words. ``missing`` names the services that were away; the next run does what they were needed for."""

    at: datetime
    state: str
    is_partial: bool
    did: str
    missing: str
    model_calls: int
    took_s: float | None


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    runs = open_facade(person).list_runs(person.user, RUNS)
    context = {"person": person, "now": timezone.now(), "nights": [describe_run(run) for run in runs]}
    return render(request, "console/nights/page.html", context)


def find_last_night(person: ViewedPerson) -> NightLine | None:
    runs = open_facade(person).list_runs(person.user, 1)
    return describe_run(runs[0]) if runs else None


def describe_run(run: FactRun) -> NightLine:
    took = (run.finished_at - run.started_at).total_seconds() if run.finished_at else None
    return NightLine(
        run.started_at,
        STATES[RunState(run.state)],
        run.state == RunState.PARTIAL,
        describe_counts(run.counts),
        ", ".join(run.missing),
        run.model_calls,
        took,
    )


def describe_counts(counts: Mapping[str, int]) -> str:
    told = [f"{counts[name]:,} {words[counts[name] != 1]}" for name, words in EFFECTS.items() if counts.get(name)]
    return ", ".join(told) or "nothing to do"
