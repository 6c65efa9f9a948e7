"""Which tables the admin has, and what of them: everything that is no person's data, to be looked at."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from django.apps import apps
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.auth.admin import UserAdmin
from django.db.models import Field, Model
from django.http import HttpRequest
from django.utils import timezone

from memory.access.audit import record_change
from memory.models import Operator
from memory.models.administration import AuditAction

OURS: Final = ("memory", "kinds", "outcomes", "books", "personality", "knowledge_graph")
# What opens something, even as a digest, is shown nowhere.
HIDDEN: Final = frozenset({"password", "digest", "secret_digest", "sealed_secret", "sealed_previous", "challenge"})
# They have pages of their own, which also limit what is seen to an operator's organisations.
WITH_PAGES: Final = frozenset({"EndUser", "WebhookDelivery", "Space", "MemoryAddress"})
SHOWN_COLUMNS: Final = 6
WIDE: Final = frozenset({"TextField", "JSONField", "ArrayField"})


if TYPE_CHECKING:
    AnyAdmin = ModelAdmin[Any]
    AccountAdmin = UserAdmin[Operator]
else:
    AnyAdmin, AccountAdmin = ModelAdmin, UserAdmin


class TablesSite(AdminSite):
    """Who may see it is decided before it is imported."""

    site_header = site_title = "Commonplace"
    index_title = "Tables"
    site_url = "/console/"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        return isinstance(request.user, Operator) and request.user.is_active and request.user.is_superuser


class ReadOnlyAdmin(AnyAdmin):
    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True


class OperatorAdmin(AccountAdmin):
    """Accounts: who may sign in, who is a superuser, and another password. Roles are given on the page of members."""

    list_display = ("username", "is_active", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Rights", {"fields": ("is_active", "is_superuser")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("username", "last_login", "date_joined")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def log_change(self, request: HttpRequest, obj: Operator, message: Any) -> Any:  # noqa: ANN401 -- the framework's own
        record_change(
            None,
            AuditAction.ROW_CHANGED,
            actor=f"operator:{request.user.get_username()}",
            now=timezone.now(),
            subject=f"operator {obj}",
        )
        return super().log_change(request, obj, message)


def is_of_a_person(model: type[Model]) -> bool:
    """Whether its rows are under a policy that shows them in their person's scope alone."""
    return any(getattr(field, "attname", "") in {"user_id", "end_user_id"} for field in model._meta.fields)


def list_models() -> Iterator[type[Model]]:
    for label in OURS:
        for model in apps.get_app_config(label).get_models():
            if not is_of_a_person(model) and model.__name__ not in WITH_PAGES:
                yield model


def build_admin(model: type[Model]) -> type[ReadOnlyAdmin]:
    shown = [field for field in model._meta.fields if field.name not in HIDDEN]
    return type(
        f"{model.__name__}Admin",
        (ReadOnlyAdmin,),
        {
            "fields": [field.name for field in shown],
            "list_display": [field.name for field in shown if is_narrow(field)][:SHOWN_COLUMNS],
            "ordering": ["-pk"],
            "list_select_related": True,
        },
    )


def is_narrow(field: "Field[Any, Any]") -> bool:
    return field.get_internal_type() not in WIDE


def build_site() -> TablesSite:
    # The name the framework's own templates link by.
    site = TablesSite(name="admin")
    for model in list_models():
        site.register(model, OperatorAdmin if model is Operator else build_admin(model))
    return site
