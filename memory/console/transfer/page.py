"""Export and import: a person's file to take away, a file to add, and what was taken and added before.

By owners, as a key needs `admin` for it: one is everything of a person, and the other writes as if they had said it.
"""

import tempfile
from pathlib import Path
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from memory.console.acting import open_facade
from memory.console.transfer.lines import FORMAT_NAMES, TransferLine
from memory.models import Transfer
from memory.portability.checking import BrokenFile
from memory.portability.exporting import FORMAT
from memory.tiers import POLICIES, Tier
from memory.transfer.chats.messages import BrokenExport
from memory.web.labels import TIER_NAMES
from memory.web.large_bodies import open_folder, open_spool
from memory.web.pages import OperatorRequest, person_page, require_owner
from memory.web.quantities import say_quantity
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

LISTED = 20
# A header is the first line and shorter than this; a zip or an array begins otherwise.
HEADER_BYTES = 4096
EXAMPLE = """\
{"thread": "kitchen", "time": "2026-05-03T10:00:00Z", "speaker": "user", "text": "I play tennis on Sundays."}
{"thread": "kitchen", "time": "2026-05-03T10:00:05Z", "speaker": "assistant", "text": "Have fun!"}"""


def describe_tier(tier: Tier) -> str:
    ttl = POLICIES[tier].ttl
    kept = (
        _("{time}, longer what proves useful").format(time=say_quantity(ttl.days, "days"))
        if ttl
        else _("no time limit")
    )
    return f"{TIER_NAMES[tier]}: {kept}"


class ImportForm(forms.Form):
    file = forms.FileField(
        label=_("File"), error_messages={"required": _("Choose a file."), "empty": _("The file is empty.")}
    )
    tier = forms.ChoiceField(
        label=_("Keep chats in"),
        choices=lambda: [(tier.value, describe_tier(tier)) for tier in (Tier.HISTORY, Tier.PATTERNS)],
        initial=Tier.HISTORY.value,
        required=False,
    )


@require_GET
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    return render_transfers(request, person, ImportForm())


@require_POST
@person_page
def export(request: OperatorRequest, person: ViewedPerson) -> Any:  # noqa: ANN401 -- a stream is no HttpResponse
    """By POST, as it leaves a record of who took the data out."""
    require_owner(request.user, person.organization)
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
    """Check a file and hold it: nothing is written before its own page is told to."""
    require_owner(request.user, person.organization)
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return render_transfers(request, person, form, status=422)
    file = form.cleaned_data["file"]
    try:
        if is_own_export(file):
            job = hold_own_export(person, file)
        else:
            job = hold_chats(person, file, Tier(form.cleaned_data["tier"] or Tier.HISTORY))
    except BrokenFile as broken:
        return render_transfers(request, person, form, faults=broken.faults, status=422)
    except BrokenExport as broken:
        return render_transfers(request, person, form, faults=[broken, *broken.others], status=422)
    return redirect(reverse("console:transfer_job", args=[*person.path, job.pk]))


def is_own_export(file: "UploadedFile[Any]") -> bool:
    """Whether the file says so itself: what is wrong with it is then told as of an export."""
    start = file.read(HEADER_BYTES)
    file.seek(0)
    return FORMAT.encode() in start.split(b"\n", 1)[0]


def hold_own_export(person: ViewedPerson, file: "UploadedFile[Any]") -> Transfer:
    memory = open_facade(person)
    check = memory.check_export_file(file)
    file.seek(0)
    return memory.hold_import(person.user, file, check, now=timezone.now())


def hold_chats(person: ViewedPerson, file: "UploadedFile[Any]", tier: Tier) -> Transfer:
    """By way of a file with a name: a zip is read from its end."""
    with open_spool() as spool, tempfile.NamedTemporaryFile(dir=open_folder()) as named:
        for chunk in file.chunks():
            named.write(chunk)
        named.flush()
        return open_facade(person).hold_chats(person.user, Path(named.name), spool, tier=tier, now=timezone.now())


def render_transfers(
    request: OperatorRequest,
    person: ViewedPerson,
    form: ImportForm,
    *,
    faults: list[Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    rows = open_facade(person).list_transfers(person.user, LISTED)
    context = {
        "person": person,
        "now": timezone.now(),
        "form": form,
        "faults": faults or [],
        "example": EXAMPLE,
        "lines": [TransferLine(row) for row in rows],
        "formats": list(FORMAT_NAMES.values()),
    }
    return render(request, "console/transfer/page.html", context, status=status)
