"""What is kept of the person: to read, put in other words, set aside, put back and delete."""

import uuid
from collections.abc import Collection
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memory.models import MemoryItem
from memory.models.conditions import RowConditions
from memory.personal_page.facts import list_ended
from memory.personal_page.forms import PAGE, ListForm, TextForm
from memory.personal_page.session import PersonalVisit, personal_page
from memory.personal_page.told import redirect_back, redirect_with, tell_done
from memory.retrieval.results import SearchRequest
from memory.store.admission import WriteRefused
from memory.tiers import Status, Tier
from memory.web.refused_forms import show_refusal
from memory.web.wordings import translate as _

KEPT: Final = (Status.ACTIVE, Status.DORMANT)
SAID: Final = tuple(tier for tier in Tier if tier is not Tier.BOOKS)


@require_safe
@personal_page
def page(request: HttpRequest, visit: PersonalVisit) -> HttpResponse:
    form = ListForm(request.GET)
    if not form.is_valid():
        raise Http404("no such page")
    items, has_more = list_kept(visit, form)
    context = {
        "items": items,
        "query": form.words,
        "next_page": form.number + 1 if has_more else 0,
        "done": tell_done(request),
        "now": timezone.now(),
    }
    return render(request, "personal/memories.html", context)


def list_kept(visit: PersonalVisit, form: ListForm) -> tuple[list[MemoryItem], bool]:
    """The best for the words, or all of them newest first and books last; and whether more follow."""
    if form.words:
        # Looking at one's own page is no use of a memory: nothing is counted or remembered of it.
        wanted = SearchRequest(form.words, limit=PAGE, dormant=True)
        result = visit.memory.search(visit.user, wanted, now=timezone.now(), remember=False)
        return [hit.item for hit in result.hits if hit.item.user_id == visit.user.pk], False
    # A book has more passages than the person said sentences, and would hide them for pages.
    # One more than a page tells that more follow; to count 100,000 for it took longer than the page.
    found = list_tiers(visit, SAID, form.start, PAGE + 1)
    if len(found) <= PAGE:
        is_first = bool(found) or not form.start
        said = form.start + len(found) if is_first else visit.memory.count_kept(visit.user, statuses=KEPT, tiers=SAID)
        found += list_tiers(visit, (Tier.BOOKS,), max(0, form.start - said), PAGE + 1 - len(found))
    return found[:PAGE], len(found) > PAGE


def list_tiers(visit: PersonalVisit, tiers: Collection[Tier], start: int, limit: int) -> list[MemoryItem]:
    return visit.memory.list_newest(visit.user, statuses=KEPT, tiers=tiers, start=start, limit=limit)


@require_safe
@personal_page
def list_set_aside(request: HttpRequest, visit: PersonalVisit) -> HttpResponse:
    form = ListForm(request.GET)
    if not form.is_valid():
        raise Http404("no such page")
    items, total = visit.memory.list_page(
        visit.user, RowConditions(), statuses=(Status.ARCHIVED,), start=form.start, limit=PAGE
    )
    context = {
        "items": items,
        # Those are few, and stand above the first part of the list.
        "facts": list_ended(visit, "") if form.number == 1 else [],
        "next_page": form.number + 1 if form.start + PAGE < total else 0,
        "done": tell_done(request),
        "now": timezone.now(),
    }
    return render(request, "personal/set_aside.html", context)


def find_item(visit: PersonalVisit, item_id: uuid.UUID) -> MemoryItem:
    item = visit.memory.get(visit.user, item_id)
    if item is None:
        raise Http404("no such memory")
    return item


@require_http_methods(["GET", "HEAD", "POST"])
@personal_page
def edit(request: HttpRequest, visit: PersonalVisit, item_id: uuid.UUID) -> HttpResponse:
    item = find_item(visit, item_id)
    if item.tier == Tier.BOOKS:
        raise Http404("a passage of a book is not reworded")
    if request.method != "POST":
        form = TextForm(initial={"text": item.text, "version": item.version}, label_suffix="")
        return render(request, "personal/edit.html", {"item": item, "form": form})
    form = TextForm(request.POST, label_suffix="")
    if form.is_valid() and save_text(visit, item, form):
        return redirect_with("personal:memories", "saved")
    return render(request, "personal/edit.html", {"item": item, "form": form}, status=422)


def save_text(visit: PersonalVisit, item: MemoryItem, form: TextForm) -> bool:
    """False when it is refused, and the form says why."""
    text = form.cleaned_data["text"]
    if form.cleaned_data["version"] != item.version:
        form.add_error(None, _("This changed while you were writing. Open it again to see what it says now."))
        return False
    if text == item.text:
        return True
    duplicate_id = visit.memory.find_duplicate_of(visit.user, item.pk, text=text)
    try:
        left = visit.memory.revise(visit.user, item.pk, {"text": text}, now=timezone.now(), similar_to=duplicate_id)
    except WriteRefused as error:
        show_refusal(form, error)
        return False
    if left is None:
        raise Http404("no such memory")
    return True


@require_POST
@personal_page
def archive(request: HttpRequest, visit: PersonalVisit, item_id: uuid.UUID) -> HttpResponse:
    if visit.memory.archive(visit.user, item_id, now=timezone.now()) is None:
        raise Http404("no such memory")
    return redirect_with("personal:memories", "archived", item_id)


@require_POST
@personal_page
def restore(request: HttpRequest, visit: PersonalVisit, item_id: uuid.UUID) -> HttpResponse:
    duplicate_id = visit.memory.find_duplicate_of(visit.user, item_id)
    try:
        item = visit.memory.restore(visit.user, item_id, now=timezone.now(), similar_to=duplicate_id)
    except WriteRefused:
        return redirect_back(request, "not_restored")
    if item is None:
        raise Http404("no such memory")
    return redirect_back(request, "restored")


@require_http_methods(["GET", "HEAD", "POST"])
@personal_page
def delete(request: HttpRequest, visit: PersonalVisit, item_id: uuid.UUID) -> HttpResponse:
    item = find_item(visit, item_id)
    if request.method != "POST":
        return render(request, "personal/confirm.html", {"words": item.text, "back": "personal:memories"})
    visit.memory.remove(visit.user, item_id, now=timezone.now())
    return redirect_with("personal:memories", "deleted")
