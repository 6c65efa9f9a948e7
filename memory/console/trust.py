"""What only a person does: answer for a memory, and take a move or a verdict back."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.console.acting import open_facade
from memory.console.item import ask_confirmation, find_item, redirect_to_item, respond_to_change
from memory.store.admission import WriteRefused
from memory.tiers import Trust
from memory.web.pages import OperatorRequest, person_page
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

CONFIRMED = _("Confirmed: it is told like a person's own words now.")


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def vouch(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    if request.method == "POST":
        was_reviewed = find_item(person, item_id).review
        changed = open_facade(person).vouch(person.user, item_id, now=timezone.now())
        message = CONFIRMED if was_reviewed else _("The memory is trusted as a person's own words now.")
        return respond_to_change(request, person, changed, message)
    item = find_item(person, item_id)
    if item.trust >= Trust.USER and not item.review:
        return redirect_to_item(request, person, item_id)
    return ask_confirmation(request, person, item_id, "vouch")


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def undo(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID, event_id: int) -> HttpResponse:
    find_item(person, item_id)
    if request.method != "POST":
        return redirect_to_item(request, person, item_id)
    memory = open_facade(person)
    duplicate_id = memory.find_duplicate_of(person.user, item_id)
    try:
        changed = memory.undo(person.user, item_id, event_id, now=timezone.now(), similar_to=duplicate_id)
    except WriteRefused as error:
        messages.error(request, _("Not taken back: {rule}.").format(rule=word_refusal(error.rule)))
        return redirect_to_item(request, person, item_id)
    if changed is None:
        raise Http404("no such event")
    # The event that was taken back may have been a move or a verdict; its successor says which.
    [newest] = memory.list_events(person.user, item_id, limit=1)
    is_verdict = newest.kind == "outcome_withdrawn"
    said = (
        _("The verdict was taken back: the score went to {score:.2f}.").format(score=changed.score)
        if is_verdict
        else _("The move was taken back.")
    )
    return respond_to_change(request, person, changed, said)
