"""Export and import: a person's file to take away, a file to add, and what was taken and added before."""

from typing import Any

from django import forms
from django.http import FileResponse, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from memory.console.acting import open_facade
from memory.models import Transfer
from memory.models.transfers import TransferKind, TransferState
from memory.portability.checking import BrokenFile, LineFault
from memory.portability.restoring import NEW, REFUSED, THERE
from memory.web.large_bodies import open_spool
from memory.web.pages import OperatorRequest, person_page
from memory.web.viewing import ViewedPerson

LISTED = 20


class ImportForm(forms.Form):
    file = forms.FileField(label="File", error_messages={"required": "Choose a file.", "empty": "The file is empty."})


@require_GET
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    return render_transfers(request, person, ImportForm())


@require_POST
@person_page
def export(request: OperatorRequest, person: ViewedPerson) -> Any:  # noqa: ANN401 -- a stream is no HttpResponse
    """By POST, as it leaves a record of who took the data out."""
    spool = open_spool()
    try:
        open_facade(person).export_person(person.user, spool, now=timezone.now())
    except BaseException:
        spool.close()
        raise
    spool.seek(0)
    name = f"{person.user.external_id}.jsonl"
    return FileResponse(spool, as_attachment=True, filename=name, content_type="application/x-ndjson")


@require_POST
@person_page
def add_file(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return render_transfers(request, person, form, status=422)
    file, memory, now = form.cleaned_data["file"], open_facade(person), timezone.now()
    try:
        check = memory.check_export_file(file)
    except BrokenFile as broken:
        return render_transfers(request, person, form, faults=broken.faults, status=422)
    file.seek(0)
    if "check" in request.POST:
        counts = total_counts(memory.preview_import(person.user, file, now=now))
        return render_transfers(request, person, form, preview=counts, name=file.name)
    memory.stage_import(person.user, file, check, now=now)
    return redirect(reverse("console:transfer", args=person.path) + "#transfers")


def render_transfers(
    request: OperatorRequest,
    person: ViewedPerson,
    form: ImportForm,
    *,
    faults: list[LineFault] | None = None,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    rows = open_facade(person).list_transfers(person.user, LISTED)
    context = {
        "person": person,
        "now": timezone.now(),
        "form": form,
        "faults": faults or [],
        "transfers": [(row, describe_transfer(row)) for row in rows],
        "is_waiting": any(row.state in {TransferState.PENDING, TransferState.PROCESSING} for row in rows),
        **more,
    }
    return render(request, "console/transfer/page.html", context, status=status)


def describe_transfer(row: Transfer) -> str:
    """What came of it, in words."""
    if row.error:
        return row.error
    if row.kind == TransferKind.EXPORT:
        return f"{row.lines:,} rows"
    if row.state != TransferState.COMPLETED:
        return f"{row.lines:,} rows are checked"
    total = total_counts(row.counts)
    told = [f"{total[NEW]:,} new", f"{total[THERE]:,} already there"]
    return ", ".join([*told, f"{total[REFUSED]:,} deleted here before"] if total[REFUSED] else told)


def total_counts(counts: dict[str, dict[str, int]]) -> dict[str, int]:
    return {kind: sum(counted.get(kind, 0) for counted in counts.values()) for kind in (NEW, THERE, REFUSED)}
