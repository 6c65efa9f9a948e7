"""Django's admin: for superusers, without what is remembered of people, and without anything that opens something."""

import re

import pytest
from django.apps import apps

from memory.admin.site.tables import HIDDEN, OperatorAdmin, list_models
from memory.admin.site.urls import site
from memory.models import ApiKey, AuditEvent, EndUser, Operator, Organization
from tests.api_client import client_for
from tests.database_roles import isolated_tables
from tests.factories import OperatorFactory
from tests.memory.console.conftest import Console, console_for

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]


@pytest.fixture
def root() -> Console:
    return console_for(OperatorFactory.create(username="root", is_superuser=True, is_staff=True))


def test_it_is_there_for_superusers_alone(console: Console, nobody: Console, root: Console, user: EndUser) -> None:
    for path in ("/admin", "/admin/", "/admin/memory/apikey/", "/admin/nonsense"):
        assert console.get(path).status_code == 404
        assert "/console/login" in nobody.get(path).headers["Location"]
    page = root.get("/admin/")
    assert (page.status_code, page.headers["Cache-Control"]) == (200, "no-store")


def test_no_table_of_a_person_has_a_page() -> None:
    shown = {model._meta.db_table for model in site._registry}
    assert shown
    assert not shown & set(isolated_tables())
    # A new table is shown or is isolated; nothing is in between.
    others = {model._meta.db_table for model in apps.get_app_config("memory").get_models()} - set(isolated_tables())
    assert (
        {"api_key", "audit_event", "oauth_client", "daily_metrics", "backup_run"}
        <= shown
        <= others | {*("kind_model",)}
    )


def test_every_table_opens_and_tells_no_secret(root: Console, user: EndUser, organization: Organization) -> None:
    client_for(user)
    key = ApiKey.objects.get()
    for model in list_models():
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert root.get(address).status_code == 200, address
        if model is not Operator:
            assert root.get(f"{address}add/").status_code == 403, address
    row = root.get(f"/admin/memory/apikey/{key.pk}/change/")
    assert (row.status_code, key.digest in row.content.decode(), key.hint in row.content.decode()) == (200, False, True)
    assert root.post(f"/admin/memory/apikey/{key.pk}/change/", {"name": "other"}).status_code == 403
    assert root.post(f"/admin/memory/apikey/{key.pk}/delete/", {"post": "yes"}).status_code == 403
    assert ApiKey.objects.get().name == key.name
    for model in list_models():
        fields = site._registry[model].get_fields(None) if model is not Operator else ()  # type: ignore[arg-type]
        assert not HIDDEN & {str(field) for field in fields}


def test_an_account_is_closed_and_written_down(root: Console) -> None:
    nina = OperatorFactory.create(username="nina")
    address = f"/admin/memory/operator/{nina.pk}/change/"
    page = root.get(address).content.decode()
    assert nina.password.split("$")[-1] not in page
    assert re.search(r'name="is_active"', page)
    assert root.post(address, {"first_name": "Nina", "last_name": "", "email": ""}).status_code == 302
    nina.refresh_from_db()
    assert (nina.is_active, nina.first_name) == (False, "Nina")
    event = AuditEvent.objects.get(action="row.changed")
    assert (event.actor, event.subject) == ("operator:root", "operator nina")
    assert OperatorAdmin.has_delete_permission(site._registry[Operator], None) is False  # type: ignore[arg-type]
