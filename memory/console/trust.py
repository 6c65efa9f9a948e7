"""What only a person does: answer for a memory, and take a move or a verdict back."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.conf import memory_conf
from memory.console.item import ask_confirmation, find_item, redirect_to_item, respond_to_change
from memory.console.pages import OperatorRequest, place_page
from memory.console.places import ViewedPerson
from memory.platform.deadline import Deadline
from memory.store.admission import WriteRefused
from memory.store.listing import list_events
from memory.tiers import Trust


@require_http_methods(["GET", "HEAD", "POST"])
@place_page
def vouch(request: OperatorRequest, place: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    if request.method == "POST":
        changed = place.facade.vouch(place.user, item_id, now=timezone.now())
        return respond_to_change(request, place, changed, "The memory is trusted as a person's own words now.")
    if find_item(place, item_id).trust >= Trust.USER:
        return redirect_to_item(request, place, item_id)
    return ask_confirmation(request, place, item_id, "vouch")


@require_http_methods(["GET", "HEAD", "POST"])
@place_page
def undo(request: OperatorRequest, place: ViewedPerson, item_id: uuid.UUID, event_id: int) -> HttpResponse:
    find_item(place, item_id)
    if request.method != "POST":
        return redirect_to_item(request, place, item_id)
    memory = place.facade
    twin = memory.twin_of_item(place.user, item_id, Deadline(memory_conf().deadlines.default_s))
    try:
        changed = memory.undo(place.user, item_id, event_id, now=timezone.now(), similar_to=twin)
    except WriteRefused as error:
        messages.error(request, f"Not taken back: {error.rule}.")
        return redirect_to_item(request, place, item_id)
    if changed is None:
        raise Http404("no such event")
    [newest] = list_events(place.user, item_id, before=None, limit=1)
    is_verdict = newest.kind == "outcome_withdrawn"
    back = f"verdict was taken back: the score went to {changed.score:.2f}" if is_verdict else "move was taken back"
    return respond_to_change(request, place, changed, f"The {back}.")
