"""Where each surface is mounted."""

from django.urls import URLPattern, URLResolver, path

from config.api import api

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", api.urls),
]
