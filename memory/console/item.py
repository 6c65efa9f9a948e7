"""One memory: its text, how it has served, its earlier wordings, what happened to it, and what may be done with it."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from memory.console.acting import open_facade
from memory.console.fact_lines import FactLine, build_fact_lines
from memory.console.forms import REVIEW, RevisionForm
from memory.console.provenance import list_provenance, name_source
from memory.console.text_diff import DiffRun, diff_texts
from memory.console.timeline import build_timeline
from memory.models import MemoryEvent, MemoryItem, MemoryVersion
from memory.models.facts import FactState
from memory.scoring import bank_quality, wilson_lower_bound
from memory.store.admission import WriteRefused
from memory.tiers import SCORED_TIERS, Tier, Trust
from memory.web.labels import OUTCOME_NAMES, TIER_NAMES, TRUST_NAMES, VERDICTS, describe_warnings
from memory.web.notices import tell, tell_with_undo
from memory.web.pages import OperatorRequest, person_page, render_page, wants_fragment
from memory.web.refusal_wordings import word_refusal
from memory.web.refused_forms import show_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _
from outcomes.exchanges.judged import JudgedTurn

MERGED = _("The bank held this already; the two are one now.")
VERDICT_NAMES = {f"outcome_{value}": name for value, name in OUTCOME_NAMES.items()}
VERSIONS = 20
EVENTS = 100
MAX_DIGITS = 6
# Characters from which a text is folded, so that what can be done with it stays in sight.
LONG = 800


@dataclass(frozen=True, slots=True)
class VersionDiff:
    """An earlier wording and how it differs from the one that came after it."""

    version: MemoryVersion
    runs: list[DiffRun]


def find_item(person: ViewedPerson, item_id: uuid.UUID) -> MemoryItem:
    item = open_facade(person).get(person.user, item_id)
    if item is None:
        raise Http404("no such memory")
    return item


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    item = find_item(person, item_id)
    return render_page(
        request, "console/item/page.html", "console/item/_actions.html", build_item_context(person, item)
    )


def build_item_context(person: ViewedPerson, item: MemoryItem) -> dict[str, Any]:
    memory = open_facade(person)
    versions = memory.list_versions(person.user, item.pk, limit=VERSIONS + 1)
    events = memory.list_events(person.user, item.pk, limit=EVENTS + 1)
    verdict = memory.find_withdrawable_verdict(person.user, item.pk)
    return {
        "person": person,
        "item": item,
        "now": timezone.now(),
        "tier_name": TIER_NAMES[Tier(item.tier)],
        "trust_name": TRUST_NAMES[Trust(item.trust)],
        "origin": list_provenance(item),
        "source_name": name_source(item.source_type),
        "thread_title": item.metadata.get("thread_title") or item.thread_id,
        "is_vouched": item.trust >= Trust.USER,
        "suspicion": describe_warnings(item.warnings),
        "is_scored": item.tier in SCORED_TIERS,
        "verdicts": VERDICTS,
        "is_long": len(item.text) > LONG,
        "wilson": wilson_lower_bound(item.worked, item.failed, item.partial),
        "quality": bank_quality(item.importance, item.confidence),
        "wordings": diff_versions(item, versions[:VERSIONS]),
        "more_versions": len(versions) > VERSIONS,
        "timeline": build_timeline(
            events[:EVENTS], verdict.pk if verdict else None, find_judged(person, item, events[:EVENTS])
        ),
        "verdict": verdict and {"event": verdict, "name": VERDICT_NAMES[verdict.kind]},
        "more_events": len(events) > EVENTS,
        **build_facts_context(person, item),
    }


def find_judged(person: ViewedPerson, item: MemoryItem, events: Sequence[MemoryEvent]) -> dict[int, JudgedTurn]:
    """The turn that each outcome in its history was about."""
    memory, moments = open_facade(person), {event.pk: event.at for event in events if event.kind in VERDICT_NAMES}
    if not moments:
        return {}
    verdicts = memory.find_verdicts_at(person.user, item.pk, list(moments.values()))
    turns = memory.find_judged_turns(person.user, list(verdicts.values()))
    return {key: turns[verdicts[at].pk] for key, at in moments.items() if at in verdicts}


def build_facts_context(person: ViewedPerson, item: MemoryItem) -> dict[str, list[FactLine]]:
    """What is held true because of it; and of what is superseded, what holds now."""
    memory, now = open_facade(person), timezone.now()
    facts = [fact for fact in memory.list_facts_of_memory(person.user, item.pk) if fact.state != FactState.FORGOTTEN]
    ended = [fact for fact in facts if fact.state == FactState.SUPERSEDED]
    current = memory.find_current(person.user, ended)
    return {
        "fact_lines": build_fact_lines(facts, memory.find_successors(person.user, facts), now),
        "superseded": build_fact_lines([fact for fact in ended if fact.pk in current], current, now),
    }


def diff_versions(item: MemoryItem, versions: Sequence[MemoryVersion]) -> list[VersionDiff]:
    """Newest first, each beside its successor. One that was merged in stood beside the item, not before it."""
    found, after = [], item.text
    for version in versions:
        found.append(VersionDiff(version, diff_texts(version.text, after)))
        if version.reason != "merged":
            after = version.text
    return found


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def edit(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    item = find_item(person, item_id)
    if request.method == "POST":
        form = RevisionForm(request.POST, label_suffix="")
        if form.is_valid() and is_current(form, item) and (left := save_revision(person, item, form)):
            tell_saved(request, person, item, left)
            return redirect_to_item(request, person, left)
        return render_edit_form(request, person, item, form, status=422)
    return render_edit_form(
        request, person, item, RevisionForm.of(item, find_version_text(person, item, request.GET.get("version", "")))
    )


def tell_saved(request: OperatorRequest, person: ViewedPerson, before: MemoryItem, left: uuid.UUID) -> None:
    newest = next(iter(open_facade(person).list_events(person.user, left, limit=1)), None)
    if left != before.pk:
        messages.success(request, MERGED)
    elif newest is None or newest.kind != "revised" or newest.at < before.updated_at:
        messages.success(request, _("The memory was saved."))
    else:
        undo = reverse("console:undo", args=[*person.path, left, newest.pk])
        tell_with_undo(request, _("The memory was saved."), undo)


def find_version_text(person: ViewedPerson, item: MemoryItem, number: str) -> str | None:
    """The text that a version had, to be used again; None when no version or none of this memory is asked for."""
    if not number.isascii() or not number.isdigit() or len(number) > MAX_DIGITS:
        return None
    found = open_facade(person).list_versions(person.user, item.pk, before=int(number) + 1, limit=1)
    return found[0].text if found and found[0].version == int(number) else None


def render_edit_form(
    request: OperatorRequest, person: ViewedPerson, item: MemoryItem, form: RevisionForm, status: int = 200
) -> HttpResponse:
    if is_passage(item):
        form.fields["text"].widget.attrs["readonly"] = True
    context = {"person": person, "item": item, "form": form, "is_bank": item.tier == Tier.MEMORY_BANK}
    context["is_passage"] = is_passage(item)
    return render_page(request, "console/item/edit.html", "console/item/_form.html", context, status=status)


def is_passage(item: MemoryItem) -> bool:
    """Of a book, which is kept as it was handed in and is removed as a whole."""
    return item.source.get("kind") == "book" and "doc_id" in item.source


def is_current(form: RevisionForm, item: MemoryItem) -> bool:
    """Whether the text is still the one the operator started from; says so in the form if not."""
    # Compared here and not by a lock: writing may take an operator an hour.
    if form.cleaned_data["version"] == item.version:
        return True
    form.add_error(None, _("This memory was changed while you were writing. Open it again to see the text it has now."))
    return False


def save_revision(person: ViewedPerson, item: MemoryItem, form: RevisionForm) -> uuid.UUID | None:
    """The item that holds the text now: this one, or another of the bank that said the same. None when it is refused,
    and the form says why."""
    changes, memory = form.changes(item), open_facade(person)
    if not changes:
        return item.pk
    duplicate_id = None
    if "text" in changes:
        duplicate_id = memory.find_duplicate_of(person.user, item.pk, text=changes["text"])
    try:
        left = memory.revise(person.user, item.pk, changes, now=timezone.now(), similar_to=duplicate_id)
    except WriteRefused as error:
        show_refusal(form, error)
        return None
    if left is None:
        raise Http404("no such memory")
    return left.pk


def redirect_to_item(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    target = reverse("console:item", args=[*person.path, item_id])
    return HttpResponseClientRedirect(target) if wants_fragment(request) else redirect(target)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def archive(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    """Nobody is asked first: restoring is as near as archiving was."""
    if request.method != "POST":
        return redirect_to_item(request, person, find_item(person, item_id).pk)
    changed = open_facade(person).archive(person.user, item_id, now=timezone.now())
    undo = reverse("console:restore", args=[*person.path, item_id])
    return respond_to_change(request, person, changed, _("The memory was archived."), undo)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def restore(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    if request.method != "POST":
        return redirect_to_item(request, person, find_item(person, item_id).pk)
    memory = open_facade(person)
    duplicate_id = memory.find_duplicate_of(person.user, item_id)
    try:
        changed = memory.restore(person.user, item_id, now=timezone.now(), similar_to=duplicate_id)
    except WriteRefused as error:
        messages.error(request, _("Not restored: {rule}.").format(rule=word_refusal(error.rule)))
        return redirect_to_item(request, person, item_id)
    is_merged = changed is not None and changed.pk != item_id
    if is_merged:
        return respond_to_change(request, person, changed, MERGED)
    undo = reverse("console:archive", args=[*person.path, item_id])
    return respond_to_change(request, person, changed, _("The memory was restored."), undo)


def respond_to_change(
    request: OperatorRequest, person: ViewedPerson, changed: MemoryItem | None, message: str, undo: str = ""
) -> HttpResponse:
    """``undo`` is the address that takes it back, where one does."""
    if changed is None:
        raise Http404("no such memory")
    # From a list of hits the reader goes on reading; only the row changes.
    if wants_fragment(request) and "in_place" in request.POST:
        return render(request, "console/item/_moved.html", {"person": person, "item": changed, "message": message})
    tell(request, message, undo)
    if request.POST.get("back") == REVIEW:
        return redirect(f"{reverse('console:memories', args=person.path)}?status={REVIEW}")
    return redirect_to_item(request, person, changed.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def delete(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    if request.method != "POST":
        return ask_confirmation(request, person, item_id, "delete")
    try:
        if not open_facade(person).remove_alone(person.user, item_id, now=timezone.now()):
            raise Http404("no such memory")
    except WriteRefused as error:
        messages.error(request, _("Not deleted: {rule}.").format(rule=word_refusal(error.rule)))
        return redirect_to_item(request, person, item_id)
    messages.success(request, _("The memory was deleted."))
    return redirect("console:memories", *person.path)


def ask_confirmation(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID, action: str) -> HttpResponse:
    """The question before a change: in place of the buttons, or as a page of its own without JavaScript."""
    context = {
        "person": person,
        "item": find_item(person, item_id),
        "action": action,
        "url": reverse(f"console:{action}", args=[*person.path, item_id]),
    }
    if wants_fragment(request):
        return render(request, "console/item/_confirm.html", context)
    return render(request, "console/item/confirm.html", context)
