"""Measuring: the questions there are, what is to differ, and the runs so far."""

import uuid
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from memory.console.acting import open_facade
from memory.console.measuring.everybody import build_batch_line
from memory.console.measuring.forms import ChangeForm, QuestionForm
from memory.console.measuring.lines import (
    LEFT_OUT,
    SHOWN,
    build_answers,
    build_measures,
    build_notes,
    build_run_line,
    draw_runs,
    sort_results,
    write_line,
)
from memory.measuring.cases import NewCase
from memory.measuring.everybody import count_people
from memory.measuring.labels import LabelSource
from memory.measuring.words import read_words
from memory.models.evaluation import MeasuringState
from memory.retrieval.results import SearchHit, SearchRequest
from memory.store.admission import WriteRefused
from memory.web.pages import OperatorRequest, person_page, render_page, wants_fragment
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

LISTED_RUNS: Final = 20
LISTED_BATCHES: Final = 10
LISTED_QUESTIONS: Final = 15
CANDIDATES: Final = 10
# Questions that a page looks up with all they expect; of 500 that took 150 ms. A run and the download take all.
READ: Final = 100


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """``ask`` in the address is a question for which the memories that should be found are still to be chosen."""
    asked = request.GET.get("ask", "").strip()
    form = QuestionForm(QueryDict(urlencode({"question": asked}))) if asked else None
    hits = find_candidates(person, asked) if form is not None and form.is_valid() else []
    return render_measuring(request, person, ChangeForm(), asked=asked, question_form=form, hits=hits)


def find_candidates(person: ViewedPerson, question: str) -> list[SearchHit]:
    request = SearchRequest(question, limit=CANDIDATES)
    return open_facade(person).search(person.user, request, now=timezone.now(), remember=False).hits


def render_measuring(
    request: OperatorRequest, person: ViewedPerson, form: ChangeForm, *, status: int = 200, **more: object
) -> HttpResponse:
    memory, now = open_facade(person), timezone.now()
    questions = memory.read_questions(person.user, most=READ)
    runs = memory.list_measurings(person.user)
    lines = [build_run_line(run, now) for run in runs]
    batches = memory.list_measurings_of_everybody(person.organization, LISTED_BATCHES)
    context = {
        "person": person,
        "now": now,
        "form": form,
        "total": len(questions.questions),
        "of_turns": questions.count(LabelSource.OUTCOME),
        "saved": questions.count(LabelSource.SAVED),
        "is_more": any(questions.count(source) >= READ for source in LabelSource),
        "unnamed": len(questions.questions) - questions.named,
        "left_out": [(number, LEFT_OUT[why]) for why, number in questions.left_out.items()],
        "questions": questions.questions[:LISTED_QUESTIONS],
        "more_questions": max(0, len(questions.questions) - LISTED_QUESTIONS),
        "runs": lines[:LISTED_RUNS],
        "is_running": any(line.is_open for line in lines),
        "charts": draw_runs(runs),
        "people": count_people(person.organization),
        "batches": [build_batch_line(batch, now) for batch in batches],
        **more,
    }
    return render(request, "console/measuring/page.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def start(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    if request.method != "POST":
        return redirect("console:measure", *person.path)
    form = ChangeForm(request.POST)
    if not form.is_valid():
        return render_measuring(request, person, form, status=422)
    memory, new, now = open_facade(person), form.as_run(), timezone.now()
    try:
        if form.is_of_everybody:
            batch_id = memory.start_measuring_everybody(person.organization, new, now=now)
            return redirect("console:measure_everybody", *person.path, batch_id)
        run = memory.start_measuring(person.user, new, now=now)
    except WriteRefused as refusal:
        form.add_error(None, _("Not measured: {rule}.").format(rule=word_refusal(refusal.rule)))
        return render_measuring(request, person, form, status=422)
    return redirect("console:measure_run", *person.path, run.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def save_case(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    if request.method != "POST":
        return redirect("console:measure", *person.path)
    asked = request.POST.get("question", "").strip()
    hits = find_candidates(person, asked) if asked else []
    form = QuestionForm(request.POST, among=[hit.item.pk for hit in hits])
    if form.is_valid():
        try:
            new = NewCase(form.cleaned_data["question"], form.cleaned_data["expected"])
            open_facade(person).save_case(person.user, new, now=timezone.now())
            messages.success(request, _("The question is saved; the next measurement asks it."))
            return redirect("console:measure", *person.path)
        except WriteRefused as refusal:
            form.add_error("question" if refusal.field == "question" else "expected", word_refusal(refusal.rule))
    more: dict[str, Any] = {"asked": asked, "question_form": form, "hits": hits}
    return render_measuring(request, person, ChangeForm(), status=422, **more)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def delete_case(request: OperatorRequest, person: ViewedPerson, case_id: uuid.UUID) -> HttpResponse:
    if request.method == "POST":
        if not open_facade(person).delete_case(person.user, case_id):
            raise Http404("no such question")
        messages.success(request, _("The saved question is gone; no memory was changed."))
    return redirect("console:measure", *person.path)


@require_safe
@person_page
def download(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """The questions as lines, with the ids of what is expected."""
    rows = open_facade(person).read_questions(person.user).questions
    body = "".join(map(write_line, rows))
    name = f"{person.user.external_id}-questions.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(body, content_type="application/x-ndjson", headers=headers)


@require_safe
@person_page
def run(request: OperatorRequest, person: ViewedPerson, run_id: uuid.UUID) -> HttpResponse:
    """One run: how far it is, then its figures and the questions that came out otherwise."""
    now, found = timezone.now(), open_facade(person).find_measuring(person.user, run_id)
    if found is None:
        raise Http404("no such run")
    results = sort_results(found.results)[:SHOWN]
    is_done = found.state == MeasuringState.COMPLETED
    context = {
        "person": person,
        "now": now,
        "line": build_run_line(found, now),
        # What it is compared with is known when it has ended, and stands in the head, which is not asked for again.
        "is_part": wants_fragment(request),
        "measures": build_measures(found),
        "notes": build_notes(found) if is_done else [],
        "answers": build_answers(results, read_words(person.user, [result for _case, result in results])),
        "hidden": max(0, len(found.results) - SHOWN),
    }
    return render_page(request, "console/measuring/run.html", "console/measuring/_run.html", context)
