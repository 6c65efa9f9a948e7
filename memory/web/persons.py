"""The person of a call whose address names nobody: by the header ``X-User-Id``, as in the paths of books."""

from collections.abc import Callable
from typing import Annotated

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from ninja import Header

from memory.models import EndUser
from memory.web.auth import create_request_user, get_principal, lookup_user
from memory.web.callers import USER_HEADER, resolve_caller
from memory.web.patterns import USER_PATTERN
from memory.web.problems import not_found

PersonName = Annotated[
    str | None,
    Header(
        alias=USER_HEADER,
        pattern=USER_PATTERN,
        description="Whose it is; left out, the only person of the key, else `default`.",
    ),
]


def name_person(request: HttpRequest, named: str | None) -> str:
    """The external id. Raises Problem where the key may not act for it."""
    return resolve_caller(get_principal(request), named).external_id


def find_person(request: HttpRequest, named: str | None) -> EndUser | None:
    return lookup_user(request, name_person(request, named))


def require_person(request: HttpRequest, named: str | None) -> EndUser:
    """Raises the same 404 as for anything missing."""
    person = find_person(request, named)
    if person is None:
        raise not_found()
    return person


def act_for_person(request: HttpRequest, named: str | None, act: Callable[[EndUser], HttpResponse]) -> HttpResponse:
    """The answer of ``act``, which writes."""
    return run_for_writing(request, name_person(request, named), find_person(request, named), act)


def run_for_writing(
    request: HttpRequest, external_id: str, known: EndUser | None, act: Callable[[EndUser], HttpResponse]
) -> HttpResponse:
    if known is not None:
        return act(known)
    # A first write that is refused leaves nobody behind.
    with transaction.atomic():
        return act(create_request_user(request, external_id))
