"""What the nights did with a person's facts: each consolidation with its numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import ngettext_lazy
from django.views.decorators.http import require_safe

from memory.console.acting import open_facade
from memory.console.component_health import NAMES
from memory.models import FactRun
from memory.models.episodes import RunState
from memory.web.pages import OperatorRequest, person_page
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

RUNS: Final = 30
# In the order of a run.
EFFECTS: Final = {
    "episodes": ngettext_lazy("%(count)d episode kept", "%(count)d episodes kept", "count"),
    "embedded": ngettext_lazy("%(count)d vector made", "%(count)d vectors made", "count"),
    "supported": ngettext_lazy("%(count)d fact supported", "%(count)d facts supported", "count"),
    "ended": ngettext_lazy("%(count)d fact ended", "%(count)d facts ended", "count"),
    "deprecated": ngettext_lazy("%(count)d fact faded", "%(count)d facts faded", "count"),
    "merged": ngettext_lazy("%(count)d fact merged", "%(count)d facts merged", "count"),
    "superseded": ngettext_lazy("%(count)d fact superseded", "%(count)d facts superseded", "count"),
    "doubted": ngettext_lazy("%(count)d pair doubted", "%(count)d pairs doubted", "count"),
    "review": ngettext_lazy("%(count)d pair to review", "%(count)d pairs to review", "count"),
    "answered": ngettext_lazy("%(count)d pair decided by a model", "%(count)d pairs decided by a model", "count"),
    "debated": ngettext_lazy("%(count)d pair argued by a model", "%(count)d pairs argued by a model", "count"),
    "reworded": ngettext_lazy("%(count)d memory worded anew", "%(count)d memories worded anew", "count"),
    "united": ngettext_lazy("%(count)d memory made of several", "%(count)d memories made of several", "count"),
}
STATES: Final = {RunState.RUNNING: _("goes on"), RunState.DONE: _("done"), RunState.PARTIAL: _("partly done")}


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
        ", ".join(str(NAMES.get(name, name)) for name in run.missing),
        run.model_calls,
        took,
    )


def describe_counts(counts: Mapping[str, int]) -> str:
    told = [words % {"count": counts[name]} for name, words in EFFECTS.items() if counts.get(name)]
    return ", ".join(told) or _("nothing to do")
