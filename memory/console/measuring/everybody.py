"""Measuring on everybody of an organisation: a run over all of them with its figures, and each person's part of it.

Whoever may see an organisation may see each person of it, so who reaches these pages could look at every run by itself.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.access.users import list_users
from memory.console.acting import open_facade
from memory.console.measuring.lines import RunLine, build_measures, build_notes, build_run_line, write_line
from memory.measuring.everybody import OrganizationRun, iterate_people
from memory.models import EndUser, EvaluationRun
from memory.models.evaluation import MeasuringState
from memory.web.pages import OperatorRequest, person_page, render_page
from memory.web.quantities import say_quantity
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

# People of one page of a run; each is looked up in their own scope, 1.5 ms.
LISTED_PEOPLE: Final = 40
MOST_PAGES: Final = 100_000


@dataclass(frozen=True, slots=True)
class OrganizationRunLine:
    """A run over everybody as one of a person is told, with how many people were asked."""

    batch: OrganizationRun
    told: RunLine
    people: int


@dataclass(frozen=True, slots=True)
class PersonLine:
    """A person's part of it."""

    user: EndUser
    told: RunLine
    questions: int


def build_batch_line(batch: OrganizationRun, now: datetime) -> OrganizationRunLine:
    run = as_run(batch)
    told = build_run_line(run, now)
    if not batch.settings_a and not batch.settings_b:
        told = replace(told, base=_("each person’s run before"), is_first=False)
    is_lost = batch.ended_at is None and batch.progress is None
    told = replace(told, is_lost=is_lost, is_open=batch.is_open, state=_("lost") if is_lost else told.state)
    return OrganizationRunLine(batch, told, batch.figures.get("people", 0))


def as_run(batch: OrganizationRun) -> EvaluationRun:
    """As if one person had been asked all of it, kept nowhere."""
    count, progress = batch.figures.get("questions", 0), batch.progress
    state = MeasuringState.RUNNING if progress and progress.done else MeasuringState.PENDING
    return EvaluationRun(
        id=batch.batch_id,
        state=MeasuringState.COMPLETED if batch.ended_at else state,
        settings_a=dict(batch.settings_a),
        settings_b=dict(batch.settings_b),
        figures=dict(batch.figures) if count else {},
        done=count,
        total=count,
        actor=batch.actor,
        created_at=batch.started_at,
        seen_at=batch.started_at,
    )


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson, batch_id: uuid.UUID) -> HttpResponse:
    """One run over everybody: how far it is, then its figures and what came of each person's questions."""
    now, memory = timezone.now(), open_facade(person)
    batch = memory.find_measuring_of_everybody(person.organization, batch_id)
    if batch is None:
        raise Http404("no such run")
    line = build_batch_line(batch, now)
    number = read_page_number(request)
    people, total = list_part(person, batch_id, number, now) if batch.ended_at else ([], 0)
    context = {
        "person": person,
        "now": now,
        "line": line.told,
        "batch": line,
        "measures": build_measures(line.told.run),
        "notes": [*build_notes(line.told.run), *note_missed(batch)] if line.told.headline else [],
        "people": people,
        "page_number": number,
        "has_more": number * LISTED_PEOPLE < total,
    }
    return render_page(request, "console/measuring/everybody.html", "console/measuring/_everybody.html", context)


def read_page_number(request: OperatorRequest) -> int:
    given = request.GET.get("page", "")
    return max(1, min(MOST_PAGES, int(given))) if given.isascii() and given.isdecimal() and len(given) < 9 else 1


def note_missed(batch: OrganizationRun) -> list[str]:
    missed = batch.figures.get("missed", {})
    told = (
        ("without", _("{people} had no question, or were being measured already.")),
        ("failed", _("Of {people} the run did not end; their questions are not in the figures.")),
    )
    return [said.format(people=say_quantity(missed[name], "people")) for name, said in told if missed.get(name)]


def list_part(person: ViewedPerson, batch_id: uuid.UUID, number: int, now: datetime) -> tuple[list[PersonLine], int]:
    """Those of one page who were asked something, and how many people there are on all pages."""
    memory, start = open_facade(person), (number - 1) * LISTED_PEOPLE
    users, total = list_users(person.organization.pk, None, start=start, limit=LISTED_PEOPLE)
    found = ((user, memory.find_measuring_in(user, batch_id)) for user in users)
    return [PersonLine(user, build_run_line(run, now), run.done) for user, run in found if run is not None], total


@require_safe
@person_page
def download(request: OperatorRequest, person: ViewedPerson) -> Any:  # noqa: ANN401 -- a stream is no HttpResponse
    """The questions of everybody as lines, each with the person whose it is; read person by person while it is sent."""
    name = f"{person.organization.slug}-questions.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    lines: HttpResponseBase = StreamingHttpResponse(
        iterate_lines(person), content_type="application/x-ndjson", headers=headers
    )
    return lines


def iterate_lines(person: ViewedPerson) -> Iterator[str]:
    memory = open_facade(person)
    for user in iterate_people(person.organization):
        for row in memory.read_questions(user).questions:
            yield write_line(row, user=user.external_id)
