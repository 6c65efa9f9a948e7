"""Putting what a memory says into the memory bank, where it stays: the memory itself is left as it is."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.console.acting import open_facade
from memory.console.forms import PinForm
from memory.console.item import find_item, redirect_to_item
from memory.models import MemoryItem
from memory.store.admission import NewMemory, WriteRefused
from memory.store.writing import StoreResult
from memory.tiers import SourceType, Tier
from memory.web.pages import OperatorRequest, person_page, render_page
from memory.web.refused_forms import show_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def add_to_bank(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    item = find_item(person, item_id)
    form = PinForm(request.POST, label_suffix="") if request.method == "POST" else PinForm.of(item)
    stored = store_in_bank(person, item, form) if form.is_bound and form.is_valid() and form.has_tags() else None
    if stored is not None:
        merged = stored.duplicate_of is not None
        messages.success(
            request, _("The bank held this already; the two are one now.") if merged else _("It is in the bank.")
        )
        return redirect_to_item(request, person, stored.item.pk)
    context = {"person": person, "item": item, "form": form}
    status = 422 if form.is_bound else 200
    return render_page(request, "console/item/pin.html", "console/item/_pin_form.html", context, status=status)


def store_in_bank(person: ViewedPerson, item: MemoryItem, form: PinForm) -> StoreResult | None:
    """The bank item; None when the bank refuses it, and the form says why."""
    given = form.cleaned_data
    new = NewMemory(
        text=given["text"],
        tier=Tier.MEMORY_BANK,
        tags=form.tags_given(),
        importance=given["importance"],
        confidence=given["confidence"],
        always_inject=given["always_inject"],
        # An operator's own words by now, whoever said it first; ``parents`` keeps where it came from.
        source_type=SourceType.USER,
        source={"kind": "pinned", "memory_id": str(item.pk)},
        occurred_at=item.occurred_at,
        parents=[item.pk],
        # The operator has read it and may have worded it anew.
        is_vouched=True,
    )
    try:
        memory = open_facade(person)
        duplicate_id = memory.find_duplicate(person.user, new)
        return memory.store(person.user, new, now=timezone.now(), similar_to=duplicate_id)
    except WriteRefused as error:
        show_refusal(form, error)
        return None
