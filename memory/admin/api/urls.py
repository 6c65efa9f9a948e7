"""The nouns of ``/api/admin/v1``, imported with the first request to them."""

from typing import Any

from django.urls import include, path
from rest_framework.routers import APIRootView, DefaultRouter

from memory.admin.api import installation, organizations, people
from memory.admin.api.base import AdminView


class AdminRootView(AdminView, APIRootView):
    """Organisations and what governs them. A key sees its organisation, an operator those they belong to."""


class AdminRouter(DefaultRouter):
    APIRootView = AdminRootView
    include_format_suffixes = False


def build_router() -> AdminRouter:
    router = AdminRouter(trailing_slash=False)
    nouns: dict[str, Any] = {
        "organizations": organizations.OrganizationViewSet,
        "keys": organizations.KeyViewSet,
        "members": organizations.MemberViewSet,
        "webhooks": organizations.WebhookViewSet,
        "events": organizations.AuditEventViewSet,
        "people": people.PersonViewSet,
        "erasures": people.ErasureViewSet,
        "settings": installation.SettingViewSet,
        "model-calls": installation.ModelCallViewSet,
        "reindexes": installation.ReindexViewSet,
        "checks": installation.CheckViewSet,
        "backups": installation.BackupViewSet,
        "health": installation.HealthViewSet,
    }
    for noun, viewset in nouns.items():
        router.register(noun, viewset, basename=noun)
    return router


router = build_router()
urlpatterns = [path("api/admin/v1/", include(router.urls))]
