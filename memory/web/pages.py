"""How a console page is answered: signed in or sent to sign in, whole or in part, and never kept by a cache."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, cast

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from memory.access.members import is_owner, list_owners
from memory.conf import memory_conf
from memory.models import Operator, Organization
from memory.web.viewing import ViewedPerson, find_viewed_person

P = ParamSpec("P")
Response = TypeVar("Response", bound=HttpResponseBase)


# The person an operator looked at last, in their session.
LAST_VIEWED = "last_viewed"
SAFE_METHODS: Final = frozenset({"GET", "HEAD"})


class OperatorRequest(HttpRequest):
    """A request as the middleware leaves it, from somebody who has signed in."""

    htmx: HtmxDetails
    user: Operator


Page = Callable[Concatenate[OperatorRequest, P], HttpResponse]
PersonPage = Callable[Concatenate[OperatorRequest, ViewedPerson, ...], HttpResponse]


class OwnersOnly(Exception):
    """What was asked for is the owners' of an organisation; of all of them where it names none."""

    def __init__(self, organization: Organization | None = None) -> None:
        super().__init__("for owners only")
        self.organization = organization


def require_owner(operator: Operator, organization: Organization) -> None:
    """Raises OwnersOnly."""
    if not is_owner(operator, organization.pk):
        raise OwnersOnly(organization)


def wants_fragment(request: HttpRequest) -> bool:
    """htmx asks for a part, except where it rebuilds a page the reader went back to."""
    htmx = cast("OperatorRequest", request).htmx
    return bool(htmx) and not htmx.history_restore_request and not htmx.boosted


def render_page(
    request: HttpRequest, page: str, part: str, context: dict[str, Any] | None = None, *, status: int = 200
) -> HttpResponse:
    """The part of a page that htmx asked for, or the page around it."""
    return render(request, part if wants_fragment(request) else page, context or {}, status=status)


def forbid_caching(response: Response) -> Response:
    # A shared machine's back button must not show a person's memories after signing out.
    response.headers["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["HX-Request", "Cookie"])
    return response


def redirect_to_sign_in(request: HttpRequest) -> HttpResponse:
    """The login page; as a whole page also when only a part was asked for, back to the page that asked.

    What was sent from within a page is refused instead, so that the page keeps what somebody has typed.
    """
    htmx = cast("OperatorRequest", request).htmx
    if not htmx:
        # A form that was sent cannot be sent again after signing in: go to its page.
        return redirect_to_login(request.get_full_path())
    if request.method not in SAFE_METHODS:
        return HttpResponse(status=HTTPStatus.UNAUTHORIZED)
    login = redirect_to_login(htmx.current_url_abs_path or "/")
    return HttpResponseClientRedirect(login.url)


def operator_page(view: Page[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """A page for whoever is signed in."""

    @wraps(view)
    def show_page(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        # Before anything is looked up: what exists is nobody's business who has not signed in.
        if not request.user.is_authenticated:
            return forbid_caching(redirect_to_sign_in(request))
        try:
            return forbid_caching(view(cast("OperatorRequest", request), *args, **kwargs))
        except OwnersOnly as refused:
            return forbid_caching(render_owners_only(request, refused.organization))
        except Http404:
            # The site's own answer has no way back into the console.
            return forbid_caching(render(request, "console/missing.html", status=404))

    return show_page


def render_owners_only(request: HttpRequest, organization: Organization | None) -> HttpResponse:
    context = {"organization": organization, "owners": list_owners(organization)}
    return render(request, "console/owners_only.html", context, status=403)


def person_page(view: PersonPage) -> Callable[..., HttpResponse]:
    """A page about one person: 404 for an operator who may not see them."""

    @operator_page
    def view_person(request: OperatorRequest, /, organization: str, external_id: str, **address: Any) -> HttpResponse:
        person = find_viewed_person(request.user, organization, external_id)
        # Written only on a change: saving a session is a write on each page otherwise.
        if request.session.get(LAST_VIEWED) != list(person.path):
            request.session[LAST_VIEWED] = person.path
        if not memory_conf().flags["system"]:
            return render(request, "console/disabled.html", {"person": person}, status=503)
        return view(request, person, **address)

    return wraps(view)(view_person)
