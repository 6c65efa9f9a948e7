"""Recall in the console: ask for records and see what placed them, what failed to embed, and the calls of a month."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from memory.platform.queue import enqueue
from memory.records import queue, recall, state, tasks
from memory.records.choosing import DEFAULT_TOP_K, Omission, RecallBias, RecallOptions, RecordHit
from memory.records.models import RecallLog
from memory.records.recall import RecallFailed, RecallResult
from memory.records.state import RecallPlace
from memory.records.texts import Kind
from memory.tiers import MAX_QUERY_CHARS
from memory.web.page_cursors import parse_moment, read_page_cursor, write_page_cursor
from memory.web.pages import OperatorRequest, person_page, render_page
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

TOOL = _("console")
NOTES = 20
SHOWN_OMITTED = 10
KIND_NAMES = {
    Kind.MESSAGE: _("Messages"),
    Kind.JOURNAL: _("Journals"),
    Kind.TODO: _("To-dos"),
    Kind.PREFERENCE: _("Preferences"),
    Kind.GRATITUDE: _("Gratitude"),
}
ONE_OF = {
    Kind.MESSAGE: _("Message"),
    Kind.JOURNAL: _("Journal"),
    Kind.TODO: _("To-do"),
    Kind.PREFERENCE: _("Preferences"),
    Kind.GRATITUDE: _("Gratitude"),
}
BIASES = (
    ("", _("any question")),
    (RecallBias.PLANNING.value, _("planning")),
    (RecallBias.JOURNALING.value, _("journaling")),
)
MOST_OF_A_KIND = (("", _("any number")), ("1", "1"), ("2", "2"), ("3", "3"), ("5", "5"))
REASONS = {
    Omission.SCORE: _("too far from the question"),
    Omission.KIND_FULL: _("enough of this kind"),
    Omission.ENOUGH: _("others came first"),
    Omission.BUDGET: _("no room left in 1,200 tokens"),
}
FAILURES = {
    recall.EMBEDDING_AWAY: _("The embedding model does not answer, and words alone would look like meaning."),
    recall.SEARCH_FAILED: _("The vectors could not be searched."),
    recall.READ_FAILED: _("The records could not be read."),
}
CALLERS = {recall.TOOL: _("client"), TOOL: _("console")}


class RecallForm(forms.Form):
    """A question to the records, as it stands in the address."""

    query = forms.CharField(required=False, max_length=MAX_QUERY_CHARS, strip=True)
    kinds = forms.MultipleChoiceField(required=False, choices=[(kind.value, name) for kind, name in KIND_NAMES.items()])
    bias = forms.ChoiceField(required=False, choices=BIASES)
    most = forms.TypedChoiceField(required=False, choices=MOST_OF_A_KIND, coerce=int, empty_value=None)

    def as_options(self) -> RecallOptions:
        fields = self.cleaned_data
        kinds = [kind for kind in Kind if kind.value in fields["kinds"]] or tuple(Kind)
        bias = RecallBias(fields["bias"]) if fields["bias"] else None
        return RecallOptions(kinds, DEFAULT_TOP_K, bias, fields["most"])


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    if "calls" in request.GET:
        context = {"person": person, **build_log_context(person, request.GET["calls"])}
        return render_page(request, "console/recall/page.html", "console/recall/_calls.html", context)
    form = RecallForm(request.GET if "query" in request.GET else None)
    context = {"person": person, "form": form, "kinds": KIND_NAMES.items()}
    status = 200
    if form.is_bound and not form.is_valid():
        status = 422
    elif form.is_bound and form.cleaned_data["query"]:
        context |= build_answer_context(person, form)
    context |= build_log_context(person) | {"state": state.load_recall_state(person.user)}
    return render_page(request, "console/recall/page.html", "console/recall/_found.html", context, status=status)


def build_answer_context(person: ViewedPerson, form: RecallForm) -> dict[str, Any]:
    options = form.as_options()
    try:
        found = recall.recall_records(
            person.user, form.cleaned_data["query"], now=timezone.now(), options=options, tool=TOOL
        )
    except RecallFailed as error:
        return {"failure": FAILURES.get(error.code, error.code)}
    return {"found": found, "hits": [describe_hit(hit) for hit in found.hits], "omitted": list_omitted(found)}


def describe_hit(hit: RecordHit) -> dict[str, Any]:
    return {"hit": hit, "kind": ONE_OF[hit.kind], "level": min(1.0, hit.score), "numbers": list_factors(hit)}


def list_factors(hit: RecordHit) -> Sequence[tuple[str, float, str]]:
    """Name, value and meaning of what the score is the product of."""
    return (
        (_("Similarity"), hit.similarity, _("how near it is to the question in meaning")),
        (_("Recency"), hit.recency, _("up to 1.15 for what is new, fading over weeks")),
        (_("Preference"), hit.preference, _("up to 1.2 for the kinds that the bias prefers")),
    )


def list_omitted(found: RecallResult) -> list[tuple[RecordHit, str, str]]:
    return [(hit, ONE_OF[hit.kind], REASONS[why]) for hit, why in found.omitted[:SHOWN_OMITTED]]


def build_log_context(person: ViewedPerson, cursor: str = "") -> dict[str, Any]:
    rows = state.list_recalls(person.user, before=read_cursor(cursor), limit=NOTES + 1)
    last = rows[NOTES - 1] if len(rows) > NOTES else None
    return {
        "now": timezone.now(),
        "calls": [(row, CALLERS.get(row.tool, row.tool), describe_filters(row)) for row in rows[:NOTES]],
        "older": write_page_cursor(last.at.isoformat(), UUID(int=last.pk)) if last else "",
    }


def read_cursor(cursor: str) -> RecallPlace | None:
    key, log_id = read_page_cursor(cursor) or ("", None)
    moment = parse_moment(key)
    return RecallPlace(moment, log_id.int) if moment and log_id and log_id.int < 2**63 else None


def describe_filters(row: RecallLog) -> str:
    """What was asked for, in a few words: rows of an earlier release say less."""
    kinds = [KIND_NAMES[kind] for kind in Kind if kind.value in row.filters.get("kinds", ())]
    said = [_("all kinds") if len(kinds) == len(Kind) else ", ".join(map(str, kinds)).lower()]
    if bias := row.filters.get("bias"):
        said.append(_("for {bias}").format(bias=bias))
    if most := row.filters.get("max_per_kind"):
        said.append(_("at most {most} of a kind").format(most=most))
    return "; ".join(str(part) for part in said if part)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def retry(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """Embed once more what was given up."""
    if request.method == "POST" and (number := queue.retry_failures(person.user, now=timezone.now())):
        enqueue(tasks.embed_user_records, person.user.pk)
        told = ngettext(
            "{count} text will be embedded once more.", "{count} texts will be embedded once more.", number
        ).format(count=number)
        messages.success(request, told)
    return redirect("console:recall", *person.path)
