"""What an operator does about a memory at once: says how it served, puts it into every context, indexes it again."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.console.acting import open_facade
from memory.console.item import find_item, redirect_to_item
from memory.store.admission import WriteRefused
from memory.tiers import SCORED_TIERS, Outcome, Tier
from memory.web.labels import OUTCOME_NAMES, VERDICTS
from memory.web.notices import tell
from memory.web.pages import OperatorRequest, person_page
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def record_item_outcome(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    """One more outcome of this memory, as explicit as the user's own."""
    item, outcome = find_item(person, item_id), request.POST.get("outcome", "")
    if request.method != "POST":
        return redirect_to_item(request, person, item_id)
    # Books and the bank are never scored; no button offers it, but a request can be made by hand.
    if item.tier not in SCORED_TIERS or outcome not in {value.value for value, _name in VERDICTS}:
        raise Http404("no such outcome, or no memory that outcomes score")
    memory = open_facade(person)
    memory.record_outcome(person.user, Outcome(outcome), now=timezone.now(), related=[str(item_id)])
    # Read again: promotion may follow a verdict at once.
    score = find_item(person, item_id).score
    verdict = memory.find_withdrawable_verdict(person.user, item_id)
    undo = reverse("console:undo", args=[*person.path, item_id, verdict.pk]) if verdict else ""
    tell(
        request,
        _("Counted as “{outcome_names}”: the score went to {score:.2f}.").format(
            outcome_names=OUTCOME_NAMES[Outcome(outcome)], score=score
        ),
        undo,
    )
    return redirect_to_item(request, person, item_id)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def retry_indexing(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    find_item(person, item_id)
    if request.method == "POST" and open_facade(person).retry_indexing(person.user, item_id, now=timezone.now()):
        messages.success(request, _("It is queued for indexing again."))
    return redirect_to_item(request, person, item_id)


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def set_always_inject(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    """Whether a statement of the bank is handed over with every question."""
    item, always = find_item(person, item_id), request.POST.get("always") == "yes"
    if request.method != "POST":
        return redirect_to_item(request, person, item_id)
    if item.tier != Tier.MEMORY_BANK:
        raise Http404("only the memory bank is put into every context")
    try:
        open_facade(person).revise(person.user, item_id, {"always_inject": always}, now=timezone.now())
    except WriteRefused as error:
        messages.error(request, _("Not changed: {rule}.").format(rule=word_refusal(error.rule)))
        return redirect_to_item(request, person, item_id)
    said = _("It comes with every question now.") if always else _("It is included only when relevant from now on.")
    undo = reverse("console:set_always_inject", args=[*person.path, item_id])
    tell(request, said, undo if always != item.always_inject else "", always="no" if always else "yes")
    return redirect_to_item(request, person, item_id)
