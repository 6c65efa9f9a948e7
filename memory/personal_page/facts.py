"""What is held true of the person: by subject, to correct, to say that it is wrong, and to take that back."""

import uuid
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.console.fact_lines import build_fact_lines
from memory.console.forms import FactForm
from memory.facts.queries import FactFilter
from memory.models import Fact
from memory.models.facts import FactState
from memory.personal_page.forms import PAGE, ListForm
from memory.personal_page.session import PersonalVisit, personal_page
from memory.personal_page.told import redirect_back, redirect_with, tell_done
from memory.store.admission import WriteRefused
from memory.web.refused_forms import show_refusal
from memory.web.relation_wordings import name_subject
from memory.web.wordings import translate as _

ENDED: Final = (FactState.RETRACTED, FactState.SUPERSEDED, FactState.DEPRECATED)


@require_safe
@personal_page
def page(request: HttpRequest, visit: PersonalVisit) -> HttpResponse:
    form = ListForm(request.GET)
    if not form.is_valid():
        raise Http404("no such page")
    wanted = FactFilter(state=FactState.ACTIVE, words=form.words)
    now = timezone.now()
    found, total = visit.memory.list_facts_by_subject(visit.user, wanted, now=now, start=form.start, limit=PAGE)
    groups = [(name_subject(one.subject.name), build_fact_lines(one.facts, {}, now)) for one in found]
    context = {
        "groups": groups,
        "total": total,
        "query": form.words,
        "next_page": form.number + 1 if form.start + PAGE < total else 0,
        "done": tell_done(request),
    }
    return render(request, "personal/facts.html", context)


def find_fact(visit: PersonalVisit, fact_id: uuid.UUID) -> Fact:
    details = visit.memory.get_fact(visit.user, fact_id)
    if details is None or details.fact.state == FactState.FORGOTTEN:
        raise Http404("no such fact")
    return details.fact


@require_http_methods(["GET", "HEAD", "POST"])
@personal_page
def correct(request: HttpRequest, visit: PersonalVisit, fact_id: uuid.UUID) -> HttpResponse:
    fact = find_fact(visit, fact_id)
    if request.method != "POST":
        return render(request, "personal/correct.html", {"fact": fact, "form": FactForm.of(fact)})
    form = FactForm(request.POST, label_suffix="")
    if form.is_valid() and save_correction(visit, fact, form):
        return redirect_with("personal:facts", "corrected")
    return render(request, "personal/correct.html", {"fact": fact, "form": form}, status=422)


def save_correction(visit: PersonalVisit, fact: Fact, form: FactForm) -> bool:
    """False when it is refused, and the form says why."""
    if form.cleaned_data["revision"] != fact.revision:
        form.add_error(None, _("This changed while you were writing. Open it again to see what it says now."))
        return False
    changes = form.changes(fact)
    if not changes:
        return True
    is_endless = "valid_to" in changes and changes["valid_to"] is None
    try:
        held = visit.memory.revise_fact(visit.user, fact.pk, now=timezone.now(), is_endless=is_endless, **changes)
    except WriteRefused as error:
        show_refusal(form, error)
        return False
    if held is None:
        raise Http404("no such fact")
    return True


@require_POST
@personal_page
def reject(request: HttpRequest, visit: PersonalVisit, fact_id: uuid.UUID) -> HttpResponse:
    find_fact(visit, fact_id)
    visit.memory.reject_fact(visit.user, fact_id, now=timezone.now())
    return redirect_with("personal:facts", "rejected", fact_id)


@require_POST
@personal_page
def restore(request: HttpRequest, visit: PersonalVisit, fact_id: uuid.UUID) -> HttpResponse:
    find_fact(visit, fact_id)
    try:
        held = visit.memory.restore_fact(visit.user, fact_id, now=timezone.now())
    except WriteRefused:
        held = None
    is_back = held is not None and held.state == FactState.ACTIVE
    return redirect_back(request, "restored" if is_back else "not_restored")


@require_http_methods(["GET", "HEAD", "POST"])
@personal_page
def forget(request: HttpRequest, visit: PersonalVisit, fact_id: uuid.UUID) -> HttpResponse:
    fact = find_fact(visit, fact_id)
    if request.method != "POST":
        return render(request, "personal/confirm.html", {"words": fact.statement, "back": "personal:forgotten"})
    visit.memory.forget_fact(visit.user, fact_id, now=timezone.now())
    return redirect_with("personal:forgotten", "deleted")


def list_ended(visit: PersonalVisit, words: str) -> list[Fact]:
    """What no longer counts, the latest first."""
    now = timezone.now()
    rows = [
        fact
        for state in ENDED
        for fact in visit.memory.list_facts(visit.user, FactFilter(state=state, words=words), now=now, limit=PAGE)
    ]
    return sorted(rows, key=lambda fact: fact.last_seen, reverse=True)
