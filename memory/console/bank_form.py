"""Putting what a memory says into the memory bank, where it stays: the memory itself is left as it is."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.conf import memory_conf
from memory.console.forms import PinForm
from memory.console.item import find_item, redirect_to_item
from memory.console.pages import OperatorRequest, place_page, render_page
from memory.console.places import ViewedPerson
from memory.models import MemoryItem
from memory.platform.deadline import Deadline
from memory.store.admission import NewMemory, WriteRefused
from memory.store.writing import StoreResult
from memory.tiers import BANK_TAGS, SourceType, Tier


@require_http_methods(["GET", "HEAD", "POST"])
@place_page
def add_to_bank(request: OperatorRequest, place: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    item = find_item(place, item_id)
    form = PinForm(request.POST, label_suffix="") if request.method == "POST" else PinForm.of(item)
    stored = store_in_bank(place, item, form) if form.is_bound and form.is_valid() else None
    if stored is not None:
        merged = stored.duplicate_of is not None
        messages.success(
            request, "The bank held this already; the two are one now." if merged else "It is in the bank."
        )
        return redirect_to_item(request, place, stored.item.pk)
    context = {"place": place, "item": item, "form": form, "usual_tags": BANK_TAGS}
    status = 422 if form.is_bound else 200
    return render_page(request, "console/item/pin.html", "console/item/_pin_form.html", context, status=status)


def store_in_bank(place: ViewedPerson, item: MemoryItem, form: PinForm) -> StoreResult | None:
    """The bank item; None when the bank refuses it, and the form says why."""
    given = form.cleaned_data
    new = NewMemory(
        text=given["text"],
        tier=Tier.MEMORY_BANK,
        tags=form.tags_given(),
        importance=given["importance"],
        confidence=given["confidence"],
        always_inject=given["always_inject"],
        source_type=SourceType.USER,
        source={"kind": "pinned", "memory_id": str(item.pk)},
        occurred_at=item.occurred_at,
        parents=[item.pk],
        # The operator has read it and may have worded it anew.
        vouched=True,
    )
    try:
        twin = place.facade.twin_of(place.user, new, Deadline(memory_conf().deadlines.default_s))
        return place.facade.store(place.user, new, now=timezone.now(), similar_to=twin)
    except WriteRefused as error:
        form.add_error(error.field if error.field in form.fields else None, error.rule)
        return None
