"""Where each surface is mounted."""

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from config.api import api

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", api.urls),
]
if settings.FLAGS["ui"]:
    urlpatterns += [
        path("", RedirectView.as_view(pattern_name="console:home")),
        path("console/", include("memory.console.urls")),
    ]
