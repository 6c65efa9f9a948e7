"""Whose page a request is: a link is exchanged for a cookie of its own, which opens nothing else.

The cookie names the link and when it was used, signed; the row of the link says with each request whether that still
counts. It is sent to the addresses of this page alone, and no other door reads it.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from typing import Any, Final

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memory.access.members import is_owner_named
from memory.access.personal_links import OPEN_FOR, close_pages, open_link, resume_link
from memory.conf import memory_conf
from memory.console import throttle
from memory.facade import MemoryFacade
from memory.models import EndUser, PersonalLink
from memory.web.addresses import read_base_url
from memory.web.pages import forbid_caching

COOKIE: Final = "commonplace_me"
COOKIE_PATH: Final = "/me"
SALT: Final = "personal page"
ACTOR: Final = "person"
# Links that open nothing, from one address in a quarter of an hour. No secret of 256 bits is found by trying; what is
# limited is the work. More than for a password, as a whole office may come from one address.
MOST_REFUSED: Final = 30


@dataclass(frozen=True, slots=True)
class PersonalVisit:
    """A person who looks at their own page."""

    user: EndUser
    link: PersonalLink

    @property
    def memory(self) -> MemoryFacade:
        return MemoryFacade(actor=ACTOR)

    @property
    def may_erase(self) -> bool:
        """Not by the link of an operator who could not erase the person in the console."""
        maker = self.link.actor
        return not maker.startswith("operator:") or is_owner_named(maker, self.user.organization_id)


PersonalView = Callable[..., HttpResponseBase]


@require_safe
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Exchange a link for the cookie, and leave its address: it is in no history, no bookmark and no referrer."""
    address, now = request.META.get("REMOTE_ADDR", ""), timezone.now()
    if wait_s := throttle.count_attempt("personal links", address, MOST_REFUSED):
        response = render_closed(request, status=429)
        response.headers["Retry-After"] = str(wait_s)
        return hide_address(response)
    link = open_link(token, now=now)
    if link is None:
        return hide_address(render_closed(request))
    throttle.reset_attempts("personal links", address)
    response = redirect("personal:facts")
    response.set_cookie(
        COOKIE,
        signing.dumps([link.user_id, link.pk.hex, now.timestamp()], salt=SALT),
        max_age=OPEN_FOR,
        path=COOKIE_PATH,
        secure=read_base_url(request).startswith("https:"),
        httponly=True,
        samesite="Lax",
    )
    return hide_address(response)


def hide_address(response: HttpResponse) -> HttpResponse:
    response.headers["Referrer-Policy"] = "no-referrer"
    return forbid_caching(response)


def render_closed(request: HttpRequest, status: int = 404) -> HttpResponse:
    """One answer for what was guessed, has expired, was revoked or belongs to nobody any more."""
    return forbid_caching(render(request, "personal/closed.html", {"is_busy": status == 429}, status=status))


def find_visit(request: HttpRequest) -> PersonalVisit | None:
    try:
        user_id, link_id, opened = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=OPEN_FOR)
    except signing.BadSignature:
        return None
    opened_at = datetime.fromtimestamp(opened, UTC)
    link = resume_link(user_id, uuid.UUID(link_id), opened_at, now=timezone.now())
    return PersonalVisit(link.user, link) if link else None


def personal_page(view: PersonalView) -> Callable[..., HttpResponseBase]:
    """A page for whoever came by a link that still counts."""

    @wraps(view)
    def show_page(request: HttpRequest, **address: Any) -> HttpResponseBase:
        visit = find_visit(request)
        if visit is None:
            return render_closed(request)
        if not memory_conf().flags["system"]:
            return forbid_caching(render(request, "personal/disabled.html", status=503))
        try:
            return forbid_caching(view(request, visit, **address))
        except Http404:
            # The site's own answer leads to the console, where this reader has no business.
            return forbid_caching(render(request, "personal/missing.html", status=404))

    return show_page


@require_POST
@personal_page
def sign_out(request: HttpRequest, visit: PersonalVisit) -> HttpResponse:
    close_pages(visit.link, now=timezone.now())
    return end_visit(render(request, "personal/left.html"))


def end_visit(response: HttpResponse) -> HttpResponse:
    response.delete_cookie(COOKIE, path=COOKIE_PATH, samesite="Lax")
    return response
