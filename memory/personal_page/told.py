"""What a page tells after a change: by a word in the address, so that no session is needed for it."""

from typing import Final

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


def redirect_with(page: str, done: str) -> HttpResponse:
    return redirect(f"{reverse(page)}?done={done}")


def tell_done(request: HttpRequest) -> dict[str, object]:
    """The words, and whether they tell of a failure; nothing for a word that is not ours."""
    done = request.GET.get("done", "")
    return {"words": DONE[done], "failed": done in FAILED} if done in DONE else {}
