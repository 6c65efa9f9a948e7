"""Statements that the guard suspects: why, with one decision for each or for all that are shown, and its undo."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.console.acting import open_facade
from memory.console.bank.page import LAST_CHANGE
from memory.models.inbox import MatterKind
from memory.store.listing import ItemFilter
from memory.tiers import Tier
from memory.web.labels import describe_warnings
from memory.web.pages import OperatorRequest, person_page
from memory.web.viewing import ViewedPerson

PAGE = 20


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    memory = open_facade(person)
    # No cursor: what was decided leaves the list, and the next ones follow by themselves.
    items = memory.list_items(person.user, ItemFilter(tier=Tier.MEMORY_BANK, review=True), limit=PAGE)
    undo = request.session.get(LAST_CHANGE) or {}
    context = {
        "person": person,
        "now": timezone.now(),
        "cards": [(item, describe_warnings(item.warnings)) for item in items],
        "kind": MatterKind.SUSPECTED.value,
        "waiting_counts": memory.count_waiting(person.user, now=timezone.now()),
        "undo": undo if undo.get("person") == list(person.path) else None,
    }
    return render(request, "console/reviews/suspects.html", context)
