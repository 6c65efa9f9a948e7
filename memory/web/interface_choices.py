"""Choosing the language of the interface and the zone of its times, with and without an account."""

from typing import Any, Final

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.translation.trans_real import get_languages
from django.views.decorators.http import require_http_methods
from django.views.i18n import set_language

from memory.models import Operator
from memory.web.localizing import CHOSEN_ZONE_COOKIE, find_operator, list_time_zones
from memory.web.pages import forbid_caching
from memory.web.wordings import translate as _

YEAR_S: Final = 365 * 24 * 3600


class DisplayForm(forms.Form):
    """Either may be left out: the sign-in page asks for the language alone."""

    language = forms.ChoiceField(label=_("Language"), required=False, choices=list(get_languages().items()))
    time_zone = forms.ChoiceField(label=_("Time zone"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        field = self.fields["time_zone"]
        if isinstance(field, forms.ChoiceField):
            # Names without a place, as EST, know no summer time.
            named = sorted(zone for zone in list_time_zones() if "/" in zone and not zone.startswith("Etc/"))
            field.choices = [("", _("As the browser tells")), ("UTC", "UTC"), *((zone, zone) for zone in named)]


@require_http_methods(["GET", "HEAD", "POST"])
def choose_display(request: HttpRequest, home: str) -> HttpResponse:
    """``home`` is where it leads when no other page is named to go back to."""
    if request.method == "POST":
        return forbid_caching(save_choice(request))
    form = DisplayForm(initial={"language": translation.get_language(), "time_zone": find_chosen_zone(request)})
    context = {"form": form, "next": request.GET.get("next") or reverse(home)}
    return forbid_caching(render(request, "interface/display.html", context))


def save_choice(request: HttpRequest) -> HttpResponse:
    form = DisplayForm(request.POST)
    # Django's own view keeps the language in its cookie and leads back, to this site alone.
    response = set_language(request)
    if not form.is_valid():
        return response
    operator, chosen = find_operator(request), form.cleaned_data
    if "time_zone" in request.POST:
        keep_zone(request, response, chosen["time_zone"])
    if operator:
        save_for_operator(operator, request, chosen)
    return response


def save_for_operator(operator: Operator, request: HttpRequest, chosen: dict[str, str]) -> None:
    named = [name for name in ("language", "time_zone") if name in request.POST]
    for name in named:
        setattr(operator, name, chosen[name])
    operator.save(update_fields=named)


def keep_zone(request: HttpRequest, response: HttpResponse, zone: str) -> None:
    if zone:
        response.set_cookie(
            CHOSEN_ZONE_COOKIE, zone, max_age=YEAR_S, samesite="Lax", secure=request.is_secure(), httponly=True
        )
    else:
        response.delete_cookie(CHOSEN_ZONE_COOKIE, samesite="Lax")


def find_chosen_zone(request: HttpRequest) -> str:
    operator = find_operator(request)
    return operator.time_zone if operator else request.COOKIES.get(CHOSEN_ZONE_COOKIE, "")
