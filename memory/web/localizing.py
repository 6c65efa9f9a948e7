"""In which language and zone a page is shown: an operator's own choice, else the browser's, else English and UTC.

Only pages for people are. What programs read stays in English whatever they send: a new door is in English until it is
named here.
"""

from collections.abc import Callable
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.translation.trans_real import get_languages

from memory.models import Operator

CHOSEN_ZONE_COOKIE: Final = "commonplace_time_zone"
# Written by console.js.
BROWSER_ZONE_COOKIE: Final = "commonplace_browser_zone"
CONSOLE: Final = ("/console", "/authorize")
OWN_PAGE: Final = "/me"

Next = Callable[[HttpRequest], HttpResponseBase]


class InterfaceLocaleMiddleware:
    """Activates language and zone for the pages of the interface, and for nothing else."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_interface(request.path_info):
            return self.get_response(request)
        operator = find_operator(request)
        language = choose_language(request, operator)
        with translation.override(language), timezone.override(ZoneInfo(choose_time_zone(request, operator))):
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


def is_interface(path: str) -> bool:
    return any(path == door or path.startswith(f"{door}/") for door in (*CONSOLE, OWN_PAGE))


def find_operator(request: HttpRequest) -> Operator | None:
    # A person's own page is not that of an operator who is signed in beside it.
    if request.path_info == OWN_PAGE or request.path_info.startswith(f"{OWN_PAGE}/"):
        return None
    return request.user if isinstance(request.user, Operator) else None


def choose_language(request: HttpRequest, operator: Operator | None) -> str:
    if operator and operator.language in get_languages():
        return operator.language
    return translation.get_language_from_request(request)


def choose_time_zone(request: HttpRequest, operator: Operator | None) -> str:
    given = (
        operator.time_zone if operator else "",
        request.COOKIES.get(CHOSEN_ZONE_COOKIE, ""),
        request.COOKIES.get(BROWSER_ZONE_COOKIE, ""),
    )
    return next((zone for zone in given if zone in list_time_zones()), timezone.get_default_timezone_name())


@cache
def list_time_zones() -> frozenset[str]:
    """Those this machine knows: a name from a cookie never becomes a path."""
    return frozenset(available_timezones())
