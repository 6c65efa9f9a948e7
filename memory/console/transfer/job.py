"""One import: what its check counted, how far it is, what it added, and taking it back."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memory.console.acting import open_facade
from memory.console.transfer.lines import TransferLine
from memory.models.transfers import TransferKind
from memory.web.pages import OperatorRequest, person_page, render_page, require_owner
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

TOO_LATE = _("Somebody else changed it first: it is no longer in that state.")


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson, job_id: uuid.UUID) -> HttpResponse:
    line = find_line(person, job_id)
    now = timezone.now()
    # Counting what would go reads the descent of all memories, so only where it is asked.
    is_asked = "undo" in request.GET and line.may_undo
    undone = open_facade(person).preview_undo(person.user, line.row, now=now) if is_asked else None
    context = {"person": person, "now": now, "line": line, "undone": undone}
    return render_page(request, "console/transfer/job.html", "console/transfer/_job.html", context)


@require_POST
@person_page
def change(request: OperatorRequest, person: ViewedPerson, job_id: uuid.UUID) -> HttpResponse:
    """Import what is held, forget it, or take an import back."""
    require_owner(request.user, person.organization)
    find_line(person, job_id)
    memory, now, wish = open_facade(person), timezone.now(), request.POST.get("do", "")
    if wish == "discard":
        if memory.discard_import(person.user, job_id):
            messages.success(request, _("Discarded. Nothing was imported."))
        else:
            messages.error(request, TOO_LATE)
        return redirect(reverse("console:transfer", args=person.path))
    steps = {"start": memory.start_import, "undo": memory.undo_import}
    if wish not in steps:
        raise Http404("no such step")
    if not steps[wish](person.user, job_id, now=now):
        messages.error(request, TOO_LATE)
    return redirect(reverse("console:transfer_job", args=[*person.path, job_id]))


def find_line(person: ViewedPerson, job_id: uuid.UUID) -> TransferLine:
    row = open_facade(person).find_transfer(person.user, job_id)
    if row is None or row.kind == TransferKind.EXPORT:
        raise Http404("no such import")
    return TransferLine(row)
