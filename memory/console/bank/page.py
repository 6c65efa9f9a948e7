"""The memory bank: its statements, its numbers, and a form that says what the guard thinks while one writes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.console.acting import open_facade
from memory.console.bank.forms import VIEWS, BankFilterForm, StatementForm
from memory.console.memories import read_cursor, write_cursor
from memory.facade.bank import BankStats
from memory.models import MemoryItem
from memory.store.admission import WriteRefused
from memory.store.listing import RECENT, build_item_cursor
from memory.tiers import Status
from memory.web.labels import describe_warnings
from memory.web.pages import OperatorRequest, person_page, wants_fragment
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

PAGE: Final = 40
# Tags that are offered; those that were chosen stand there in any case.
CHIPS: Final = 20
# In the session: what was done last, so that it can be taken back.
LAST_CHANGE: Final = "bank_change"


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    return render_bank(request, person, StatementForm.empty())


def render_bank(
    request: OperatorRequest, person: ViewedPerson, form: StatementForm, *, status: int = 200, **more: object
) -> HttpResponse:
    filters = BankFilterForm(request.GET, label_suffix="")
    is_right = filters.is_valid()
    view = filters.status if is_right else Status.ACTIVE
    cursor = request.GET.get("cursor", "") if is_right else ""
    found = list_statements(person, filters, cursor) if is_right else []
    items, memory = found[:PAGE], open_facade(person)
    stats = memory.get_bank_stats(person.user, view)
    chosen: Sequence[str] = filters.cleaned_data.get("tags") or ()
    undo = request.session.get(LAST_CHANGE) or {}
    context: dict[str, Any] = {
        "person": person,
        "now": timezone.now(),
        "form": form,
        "filters": filters,
        "views": VIEWS,
        "view": view.value,
        "items": items,
        "cursor": cursor,
        "next_page": build_next_page(filters, items[-1]) if len(found) > PAGE else "",
        "stats": stats,
        "tags": offer_tags(stats, chosen),
        "chosen": chosen,
        "undo": undo if undo.get("person") == list(person.path) else None,
        # Where a change leads back to.
        "query": urlencode({**filters.cleaned_data, "tags": chosen}, doseq=True) if is_right else "",
        **more,
    }
    if not wants_fragment(request):
        return render(request, "console/bank/page.html", context, status=status)
    return render(request, "console/bank/_rows.html" if cursor else "console/bank/_list.html", context, status=status)


def list_statements(person: ViewedPerson, filters: BankFilterForm, cursor: str) -> list[MemoryItem]:
    after = read_cursor(cursor, RECENT)
    return open_facade(person).list_items(person.user, filters.as_filter(), after=after, limit=PAGE + 1)


def build_next_page(filters: BankFilterForm, last: MemoryItem) -> str:
    given = {name: value for name, value in filters.cleaned_data.items() if value}
    return urlencode({**given, "cursor": write_cursor(build_item_cursor(last, RECENT))}, doseq=True)


def offer_tags(stats: BankStats, chosen: Sequence[str]) -> list[tuple[str, int]]:
    counts = dict(stats.tags)
    offered = dict(stats.tags[:CHIPS]) | {tag: counts.get(tag, 0) for tag in chosen}
    return list(offered.items())


@require_POST
@person_page
def judge(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """What the guard makes of a statement that is being written. Nothing is stored."""
    judged = judge_form(person, StatementForm(request.POST, label_suffix=""))
    return render(request, "console/bank/_judged.html", judged)


def judge_form(person: ViewedPerson, form: StatementForm) -> dict[str, Any]:
    """``warnings`` are what it is suspected of, ``refused`` why it is not taken. Half a statement is not judged."""
    judged: dict[str, Any] = {"is_judged": True, "form": form, "warnings": "", "refused": "", "redacted": False}
    if not form.is_valid():
        return {**judged, "is_judged": False}
    given = form.as_new()
    try:
        # Its tags may be still to come.
        new = open_facade(person).judge_statement(replace(given, tags=given.tags or ["context"]))
    except WriteRefused as refusal:
        return {**judged, "refused": word_refusal(refusal.rule)}
    return {**judged, "warnings": describe_warnings(new.warnings), "redacted": new.text != given.text}


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def add(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """What the guard suspects is asked about first, and put in when the operator answers for it."""
    if request.method != "POST":
        return redirect("console:bank", *person.path)
    form = StatementForm(request.POST, label_suffix="")
    judged = judge_form(person, form)
    if not form.is_valid() or not form.has_tags():
        return render_bank(request, person, form, status=422)
    if judged["warnings"] and not form.cleaned_data["anyway"]:
        del judged["form"]
        return render_bank(request, person, form, status=422, must_decide=True, **judged)
    memory, new = open_facade(person), form.as_new()
    try:
        duplicate_id = memory.find_duplicate(person.user, new)
        stored = memory.store(person.user, new, now=timezone.now(), similar_to=duplicate_id)
    except WriteRefused as refusal:
        form.add_error(refusal.field if refusal.field in form.fields else None, word_refusal(refusal.rule))
        return render_bank(request, person, form, status=422)
    merged = stored.duplicate_of is not None
    messages.success(
        request, _("The bank held this already; the two are one now.") if merged else _("It is in the bank.")
    )
    return redirect("console:bank", *person.path)
