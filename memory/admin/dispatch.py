"""The way into the two frameworks: their addresses are read, and they are imported, with the first request to them."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import SimpleTemplateResponse
from django.urls import resolve, set_urlconf
from django.views.decorators.csrf import csrf_exempt

from memory.models import Operator
from memory.web.pages import forbid_caching, redirect_to_sign_in
from memory.web.problems import not_found

API_URLS = "memory.admin.api.urls"
SITE_URLS = "memory.admin.site.urls"


# The views behind look at the CSRF token themselves, where a session speaks: a key has none.
@csrf_exempt
def answer_admin_api(request: HttpRequest, rest: str = "") -> HttpResponseBase:
    """Everything below ``/api/admin/v1``."""
    try:
        return answer_by(API_URLS, request)
    except Http404:
        return not_found().response()


def answer_admin_site(request: HttpRequest, rest: str = "") -> HttpResponseBase:
    """Everything below ``/admin``, for superusers; to everybody else it does not exist."""
    if not request.user.is_authenticated:
        return forbid_caching(redirect_to_sign_in(request))
    if not (isinstance(request.user, Operator) and request.user.is_superuser):
        raise Http404("not for this operator")
    return forbid_caching(answer_by(SITE_URLS, request))


def answer_by(addresses: str, request: HttpRequest) -> HttpResponseBase:
    """The answer of the view that stands at the request's path in another table of addresses."""
    set_urlconf(addresses)
    request.urlconf = addresses
    try:
        match = request.resolver_match = resolve(request.path_info, addresses)
        answer: HttpResponse = match.func(request, *match.args, **match.kwargs)
        # Drawn while the addresses are the framework's: its pages link to each other.
        return answer.render() if isinstance(answer, SimpleTemplateResponse) else answer
    finally:
        set_urlconf(None)
