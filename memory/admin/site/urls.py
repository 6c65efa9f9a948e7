"""The addresses of the admin, imported with the first request to it."""

from django.urls import path

from memory.admin.site.tables import build_site

site = build_site()
urlpatterns = [path("admin/", site.urls)]
