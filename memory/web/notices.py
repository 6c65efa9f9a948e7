"""What is said after a change that can be taken back: the next page has a button for it beside the words."""

from typing import Final, TypedDict, cast

from django.contrib import messages
from django.http import HttpRequest

UNDOABLE: Final = "undoable"
UNDO_OFFER: Final = "undo_offer"


class UndoOffer(TypedDict):
    """A form that takes a change back. Its fields are ids and choices: a session may outlive its person."""

    address: str
    fields: dict[str, str]


def tell_with_undo(request: HttpRequest, said: str, address: str, **fields: str) -> None:
    """``address`` takes the inverse by POST. One offer at a time: the next change takes its place."""
    request.session[UNDO_OFFER] = UndoOffer(address=address, fields=fields)
    messages.success(request, said, extra_tags=UNDOABLE)


def tell(request: HttpRequest, said: str, undo: str = "", **fields: str) -> None:
    """With a way back where the change has one."""
    if undo:
        tell_with_undo(request, said, undo, **fields)
    else:
        messages.success(request, said)


def take_undo_offer(request: HttpRequest) -> UndoOffer | None:
    return cast("UndoOffer | None", request.session.pop(UNDO_OFFER, None))
