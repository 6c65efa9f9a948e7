"""One fact: what speaks for it, what it replaced and what replaced it, and what may be done about it."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from memory.claims.claim import SPEAKER
from memory.console.acting import open_facade
from memory.console.fact_history import build_fact_history, describe_evidence
from memory.console.fact_lines import build_fact_line, build_fact_lines, format_day
from memory.console.forms import EndForm, FactForm
from memory.facade.facts import FactDetails
from memory.models import Fact, FactEvidence
from memory.models.facts import FactState
from memory.store.admission import WriteRefused
from memory.tiers import Trust
from memory.web.labels import TRUST_NAMES
from memory.web.notices import tell
from memory.web.pages import OperatorRequest, person_page, render_page, wants_fragment
from memory.web.refusal_wordings import word_refusal
from memory.web.relation_wordings import name_subject
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

EVIDENCE = 40
EVENTS = 100


def find_fact(person: ViewedPerson, fact_id: uuid.UUID) -> FactDetails:
    details = open_facade(person).get_fact(person.user, fact_id)
    # Of a forgotten one there is nothing left to show.
    if details is None or details.fact.state == FactState.FORGOTTEN:
        raise Http404("no such fact")
    return details


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson, fact_id: uuid.UUID) -> HttpResponse:
    context = build_fact_context(person, find_fact(person, fact_id))
    return render_page(request, "console/fact/page.html", "console/fact/_actions.html", context)


def build_fact_context(person: ViewedPerson, details: FactDetails) -> dict[str, Any]:
    memory, now, fact = open_facade(person), timezone.now(), details.fact
    chain = memory.trace_fact(person.user, fact)
    successors = memory.find_successors(person.user, chain)
    item = memory.get(person.user, fact.bank_item_id) if fact.bank_item_id else None
    return {
        "person": person,
        "now": now,
        "subject": name_subject(fact.subject) if fact.subject_key != SPEAKER else name_person(person),
        "line": build_fact_line(fact, successors.get(fact.pk), now),
        "fact": fact,
        "chain": build_fact_lines(chain, successors, now) if len(chain) > 1 else [],
        "item": item,
        "trust_name": TRUST_NAMES[Trust(fact.trust)],
        "evidence": describe_evidence(person, details.evidence[:EVIDENCE]),
        "told_before": describe_evidence(person, list_evidence_before(person, fact, chain)[:EVIDENCE]),
        "more_evidence": len(details.evidence) > EVIDENCE,
        "history": build_fact_history(details.history[:EVENTS]),
        "more_events": len(details.history) > EVENTS,
    }


def name_person(person: ViewedPerson) -> str:
    """To an operator a person is not "you"."""
    return open_facade(person).find_name(person.user) or person.user.external_id


def list_evidence_before(person: ViewedPerson, fact: Fact, chain: Sequence[Fact]) -> list[FactEvidence]:
    """What told the words that were corrected to these: a conversation does not tell what it was corrected to."""
    memory = open_facade(person)
    corrected = [one.pk for one in chain if one.superseded_by == fact.pk and one.state == FactState.RETRACTED]
    found = [details for fact_id in corrected if (details := memory.get_fact(person.user, fact_id))]
    return [row for details in found for row in details.evidence]


def redirect_to_fact(request: OperatorRequest, person: ViewedPerson, fact_id: uuid.UUID) -> HttpResponse:
    target = reverse("console:fact", args=[*person.path, fact_id])
    return HttpResponseClientRedirect(target) if wants_fragment(request) else redirect(target)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def correct(request: OperatorRequest, person: ViewedPerson, fact_id: uuid.UUID) -> HttpResponse:
    fact = find_fact(person, fact_id).fact
    if request.method != "POST":
        return render_fact_form(request, person, fact, FactForm.of(fact))
    form = FactForm(request.POST, label_suffix="")
    if form.is_valid() and is_current_revision(form, fact) and (left := save_correction(person, fact, form)):
        if left == fact_id:
            tell_correction(request, person, fact, form)
        else:
            tell(request, _("Another fact says the same already; the two are one now."))
        return redirect_to_fact(request, person, left)
    return render_fact_form(request, person, fact, form, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def end(request: OperatorRequest, person: ViewedPerson, fact_id: uuid.UUID) -> HttpResponse:
    """It was so and no longer is: neither wrong nor replaced."""
    fact, now = find_fact(person, fact_id).fact, timezone.now()
    if fact.state != FactState.ACTIVE:
        return redirect_to_fact(request, person, fact_id)
    form = EndForm(fact, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and is_current_revision(form, fact):
        ends = form.read_end(now)
        try:
            changed = open_facade(person).revise_fact(person.user, fact_id, now=now, valid_to=ends)
        except WriteRefused as error:
            form.add_error("until", word_refusal(error.rule))
        else:
            if changed is None:
                raise Http404("no such fact")
            before = {"until": fact.valid_to.isoformat()} if fact.valid_to else {}
            undo = write_undo(person, fact_id, has_ended=ends <= now)
            tell(request, tell_end(ends, now), undo, **before)
            return redirect_to_fact(request, person, changed.pk)
    status = 422 if request.method == "POST" else 200
    return render(request, "console/fact/end.html", {"person": person, "fact": fact, "form": form}, status=status)


def write_undo(person: ViewedPerson, fact_id: uuid.UUID, *, has_ended: bool) -> str:
    """What takes a change back: of a fact that ended with it, its end."""
    return reverse(f"console:{'restore' if has_ended else 'undo'}_fact", args=[*person.path, fact_id])


def read_moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None


def tell_end(ends: datetime, now: datetime) -> str:
    if ends <= now:
        return _("The fact has ended. It is kept for questions about the past.")
    return _("The fact ends after {day}.").format(day=format_day(ends))


def render_fact_form(
    request: OperatorRequest, person: ViewedPerson, fact: Fact, form: FactForm, status: int = 200
) -> HttpResponse:
    context = {"person": person, "fact": fact, "form": form}
    return render_page(request, "console/fact/correct.html", "console/fact/_form.html", context, status=status)


def is_current_revision(form: FactForm | EndForm, fact: Fact) -> bool:
    """Whether the fact is still the one the operator started from; says so in the form if not."""
    if form.cleaned_data["revision"] == fact.revision:
        return True
    form.add_error(None, _("This fact changed while you were writing. Open it again to see what it says now."))
    return False


def tell_correction(request: OperatorRequest, person: ViewedPerson, fact: Fact, form: FactForm) -> None:
    changes, now = form.changes(fact), timezone.now()
    ends = changes.get("valid_to")
    said = tell_end(ends, now) if ends is not None and len(changes) == 1 else _("The fact was corrected.")
    tell(request, said, write_undo(person, fact.pk, has_ended=ends is not None and ends <= now))


def save_correction(person: ViewedPerson, fact: Fact, form: FactForm) -> uuid.UUID | None:
    """The fact that says so now; None when it is refused, and the form says why."""
    changes = form.changes(fact)
    if not changes:
        return fact.pk
    is_endless = "valid_to" in changes and changes["valid_to"] is None
    try:
        held = open_facade(person).revise_fact(
            person.user, fact.pk, now=timezone.now(), is_endless=is_endless, **changes
        )
    except WriteRefused as error:
        # The bank calls its words "text".
        field = "statement" if error.field == "text" else error.field
        form.add_error(field if field in form.fields else None, word_refusal(error.rule))
        return None
    if held is None:
        raise Http404("no such fact")
    return held.merged_into if held.state == FactState.MERGED else held.pk


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def confirm(request: OperatorRequest, person: ViewedPerson, fact_id: uuid.UUID) -> HttpResponse:
    find_fact(person, fact_id)
    if request.method != "POST":
        return redirect_to_fact(request, person, fact_id)
    changed = open_facade(person).confirm_fact(person.user, fact_id, now=timezone.now())
    undo = reverse("console:undo_fact", args=[*person.path, fact_id])
    return respond_to_change(request, person, changed, _("The fact was confirmed: it no longer fades."), undo)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def reject(request: OperatorRequest, person: ViewedPerson, fact_id: uuid.UUID) -> HttpResponse:
    """Nobody is asked first: undoing is as near as rejecting was."""
    fact, memory = find_fact(person, fact_id).fact, open_facade(person)
    if request.method != "POST":
        return redirect_to_fact(request, person, fact_id)
    before = memory.trace_fact(person.user, fact) if fact.state == FactState.ACTIVE else []
    has_replaced = any(one.superseded_by == fact.pk and one.state == FactState.SUPERSEDED for one in before)
    changed = memory.reject_fact(person.user, fact_id, now=timezone.now())
    undo = reverse("console:restore_fact", args=[*person.path, fact_id])
    given_back = _("The fact was rejected: it was never true. What it had replaced is current again.")
    said = given_back if has_replaced else _("The fact was rejected: it was never true.")
    return respond_to_change(request, person, changed, said, undo)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def drop_reading(request: OperatorRequest, person: ViewedPerson, fact_id: uuid.UUID) -> HttpResponse:
    """The sentence is right, only what was read into it is wrong."""
    find_fact(person, fact_id)
    if request.method != "POST":
        return redirect_to_fact(request, person, fact_id)
    changed = open_facade(person).drop_reading(person.user, fact_id, now=timezone.now())
    if changed is not None and changed.state == FactState.MERGED and changed.merged_into:
        tell(request, _("Another fact says the same already; the two are one now."), "")
        return redirect_to_fact(request, person, changed.merged_into)
    undo = reverse("console:undo_fact", args=[*person.path, fact_id])
    said = _("The sentence is kept as it was said, without what was read into it.")
    return respond_to_change(request, person, changed, said, undo)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def restore(request: OperatorRequest, person: ViewedPerson, fact_id: uuid.UUID) -> HttpResponse:
    before = find_fact(person, fact_id).fact.state
    if request.method != "POST":
        return redirect_to_fact(request, person, fact_id)
    try:
        changed = open_facade(person).restore_fact(person.user, fact_id, now=timezone.now())
        if changed is not None and (until := read_moment(request.POST.get("until", ""))):
            # It had another end, which the one that is taken back had replaced.
            changed = open_facade(person).revise_fact(person.user, fact_id, now=timezone.now(), valid_to=until)
    except WriteRefused as error:
        messages.error(request, _("Not undone: {rule}.").format(rule=word_refusal(error.rule)))
        return redirect_to_fact(request, person, fact_id)
    if changed is not None and changed.state != FactState.ACTIVE:
        messages.error(request, _("Not undone: another fact that is current says the same."))
        return redirect_to_fact(request, person, fact_id)
    said = _("The fact is current again.")
    if before == FactState.SUPERSEDED:
        said = _("The fact is current again. What took its place is too.")
    return respond_to_change(request, person, changed, said)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def undo_change(request: OperatorRequest, person: ViewedPerson, fact_id: uuid.UUID) -> HttpResponse:
    """Take back what was said of it last: a correction, or that it is so."""
    find_fact(person, fact_id)
    if request.method != "POST":
        return redirect_to_fact(request, person, fact_id)
    try:
        changed = open_facade(person).undo_fact_change(person.user, fact_id, now=timezone.now())
    except WriteRefused as error:
        messages.error(request, _("Not taken back: the fact {rule}.").format(rule=word_refusal(error.rule)))
        return redirect_to_fact(request, person, fact_id)
    return respond_to_change(request, person, changed, _("Taken back: the fact is as it was before."))


def respond_to_change(
    request: OperatorRequest, person: ViewedPerson, changed: Fact | None, message: str, undo: str = ""
) -> HttpResponse:
    if changed is None:
        raise Http404("no such fact")
    tell(request, message, undo)
    return redirect_to_fact(request, person, changed.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def forget(request: OperatorRequest, person: ViewedPerson, fact_id: uuid.UUID) -> HttpResponse:
    details = find_fact(person, fact_id)
    if request.method != "POST":
        context = {"person": person, "fact": details.fact}
        part = "_confirm.html" if wants_fragment(request) else "confirm.html"
        return render(request, f"console/fact/{part}", context)
    if not open_facade(person).forget_fact(person.user, fact_id, now=timezone.now()):
        raise Http404("no such fact")
    messages.success(request, _("The fact was forgotten."))
    return redirect("console:facts", *person.path)
