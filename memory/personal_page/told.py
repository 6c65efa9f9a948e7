"""What a page tells after a change: by a word in the address, so that no session is needed for it."""

import uuid
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from memory.web.wordings import translate as _

DONE: Final = {
    "corrected": _("Corrected."),
    "rejected": _("It no longer counts as true. You can put it back under “Set aside”."),
    "saved": _("Saved."),
    "archived": _("Set aside: no answer will use it."),
    "restored": _("It is back."),
    "not_restored": _("It could not be put back: something that is kept now says the same or takes its place."),
    "deleted": _("Deleted for good."),
}
FAILED: Final = {"not_restored"}


# What takes it back, by the id of what it was done to, and the page it is done from.
UNDO: Final = {"rejected": ("personal:restore_fact", "facts"), "archived": ("personal:restore", "memories")}


def redirect_with(page: str, done: str, row_id: uuid.UUID | None = None) -> HttpResponse:
    """``row_id`` is what it was done to, where a button on the next page takes it back."""
    return redirect(f"{reverse(page)}?{urlencode({'done': done} | ({'id': row_id} if row_id else {}))}")


def redirect_back(request: HttpRequest, done: str) -> HttpResponse:
    """To the page with the button that was pressed: that of the change, or what is set aside."""
    known = {page for _view, page in UNDO.values()}
    back = request.POST.get("back", "")
    return redirect_with(f"personal:{back if back in known else 'forgotten'}", done)


def tell_done(request: HttpRequest) -> dict[str, object]:
    """The words, whether they tell of a failure, and what takes it back; nothing for a word that is not ours."""
    done = request.GET.get("done", "")
    if done not in DONE:
        return {}
    told: dict[str, object] = {"words": DONE[done], "failed": done in FAILED}
    row_id = read_uuid(request.GET.get("id", ""))
    if row_id is None or done not in UNDO:
        return told
    view, page = UNDO[done]
    return {**told, "undo": reverse(view, args=[row_id]), "back": page}


def read_uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
