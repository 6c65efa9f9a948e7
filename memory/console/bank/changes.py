"""What is done to one statement of the bank or to many, and how it is taken back."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.console.acting import open_facade
from memory.console.bank.forms import ChangeManyForm
from memory.console.bank.page import LAST_CHANGE
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.store.admission import WriteRefused
from memory.web.pages import OperatorRequest, person_page
from memory.web.quantities import say_number
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

INVERSE: Final = {
    "archive": "restore",
    "restore": "archive",
    "tag": "untag",
    "untag": "tag",
    "always": "ask",
    "ask": "always",
}
# What was done to how many, with the tag.
SAID: Final = {
    "archive": _("{count} archived"),
    "restore": _("{count} restored"),
    "tag": _("{count} tagged “{tag}”"),
    "untag": _("“{tag}” taken from {count}"),
    "always": _("{count} included with every question"),
    "ask": _("{count} included only when relevant"),
}

# What a form of the review gives as its way back.
REVIEW: Final = "review"

Change = Callable[[MemoryFacade, EndUser, Sequence[uuid.UUID], str], list[uuid.UUID]]
DEEDS: Final[Mapping[str, Change]] = {
    "archive": lambda memory, user, ids, _: memory.archive_many(user, ids, now=timezone.now()),
    "restore": lambda memory, user, ids, _: memory.restore_many(user, ids, now=timezone.now()),
    "tag": lambda memory, user, ids, tag: memory.tag_many(user, ids, tag, now=timezone.now()),
    "untag": lambda memory, user, ids, tag: memory.tag_many(user, ids, tag, now=timezone.now(), remove=True),
    "always": lambda memory, user, ids, _: memory.set_always_many(user, ids, always=True, now=timezone.now()),
    "ask": lambda memory, user, ids, _: memory.set_always_many(user, ids, always=False, now=timezone.now()),
}


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def change(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """All of the chosen ones or none; what changed can be taken back until the next change."""
    if request.method != "POST":
        return redirect("console:bank", *person.path)
    form = ChangeManyForm(request.POST)
    if not form.is_valid():
        messages.error(request, next(str(error) for errors in form.errors.values() for error in errors))
        return redirect(find_way_back(request, person))
    fields = form.cleaned_data
    done = carry_out(request, person, fields["do"], fields["item"], fields["tag"])
    if done:
        request.session[LAST_CHANGE] = {
            "person": list(person.path),
            "do": INVERSE[fields["do"]],
            "items": [str(item_id) for item_id in done],
            "tag": fields["tag"],
            "said": describe_change(fields["do"], len(done), fields["tag"]),
        }
    return redirect(find_way_back(request, person))


def carry_out(
    request: OperatorRequest, person: ViewedPerson, do: str, ids: Sequence[uuid.UUID], tag: str
) -> list[uuid.UUID]:
    """Those that changed. What is refused is told, and none of them has changed then."""
    try:
        done = DEEDS[do](open_facade(person), person.user, ids, tag)
    except WriteRefused as refusal:
        messages.error(request, _("Nothing was changed: {rule}.").format(rule=word_refusal(refusal.rule)))
        return []
    if not done:
        messages.success(request, _("Nothing was left to change."))
    return done


def describe_change(do: str, count: int, tag: str) -> str:
    return f"{SAID[do].format(count=say_number(count), tag=tag)}."


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def undo(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """The last change of this operator, if it was of this person."""
    last = request.session.get(LAST_CHANGE) or {}
    if request.method == "POST" and last.get("person") == list(person.path):
        ids = [uuid.UUID(item_id) for item_id in last["items"]]
        if done := carry_out(request, person, last["do"], ids, last["tag"]):
            messages.success(
                request, _("Taken back: {change}").format(change=describe_change(last["do"], len(done), last["tag"]))
            )
        del request.session[LAST_CHANGE]
    return redirect(find_way_back(request, person))


def find_way_back(request: OperatorRequest, person: ViewedPerson) -> str:
    """The list as it was filtered, or the review; never another address."""
    if request.POST.get("back") == REVIEW:
        return reverse("console:suspects", args=person.path)
    query = urlsplit(f"?{request.POST.get('back', '')[:2_000]}").query
    return reverse("console:bank", args=person.path) + (f"?{query}" if query else "")
