"""Every route of ``/api/admin/v1`` asked by a key, an owner and a member of another organisation.

The routes come from the router, so a new noun is attacked without a line here; one whose rows this does not know fails.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from memory.access.audit import record_change
from memory.admin.api import callers
from memory.admin.api.urls import router
from memory.models import (
    ApiKey,
    BackupRun,
    DriftReport,
    EndUser,
    Erasure,
    Membership,
    ModelCall,
    Organization,
    ReindexRun,
    WebhookEndpoint,
)
from memory.models.administration import AuditAction
from tests.memory.admin.test_admin_api import ROOT, key_client, session_client
from tests.memory.console.conftest import member_of, owner_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]

CANARY = "zebra"
# What each call takes, as another field would be refused before anybody looks for the row.
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("keys", "post"): {"organization": "acme", "name": "x", "scopes": ["admin"], "requests_per_second": 1},
    ("keys", "patch"): {"requests_per_second": 1},
    ("members", "post"): {"organization": "acme", "username": "mallory", "role": "owner"},
    ("members", "patch"): {"role": "owner"},
    ("webhooks", "post"): {"organization": "acme", "url": "https://example.org/x", "events": ["memory.stored"]},
    ("webhooks", "patch"): {"url": "https://example.org/x", "events": ["memory.stored"]},
    ("people", "delete"): {"confirm": CANARY},
    ("organizations", "post"): {"slug": "mallory", "name": "Mallory"},
    ("organizations", "patch"): {"name": "Mallory"},
    ("reindexes", "patch"): {"state": "cancelled"},
}


def attack(client: Any, noun: str, method: str, address: str) -> Any:
    body = {} if address.endswith("/rotate") else BODIES.get((noun, method), {})
    return getattr(client, method)(address, body, format="json")


@pytest.fixture
def rows(organization: Organization) -> dict[str, str]:
    """One row of each noun, of Acme or of the installation, by what its route names it."""
    now = timezone.now()
    person = EndUser.objects.create(organization=organization, external_id=CANARY)
    record_change(organization.pk, AuditAction.KEY_ISSUED, actor=CANARY, now=now)
    made: dict[str, Any] = {
        "keys": ApiKey.objects.create(
            organization=organization, name=CANARY, hint=CANARY, digest=CANARY, scopes=["read"], user_ids=[CANARY]
        ),
        "members": Membership.objects.get(operator=member_of(organization, CANARY)),
        "webhooks": WebhookEndpoint.objects.create(
            organization=organization, url=f"https://{CANARY}.example", events=["memory.stored"], sealed_secret="x"
        ),
        "people": person,
        "erasures": Erasure.objects.create(organization=organization, end_user_id=1, removed={CANARY: 1}),
        "events": organization.audit_events.get(),
        "model-calls": ModelCall.objects.create(purpose=CANARY, model=CANARY, outcome="ok"),
        "reindexes": ReindexRun.objects.create(collection=CANARY),
        "checks": DriftReport.objects.create(mode="full", collection=CANARY),
        "backups": BackupRun.objects.create(path=CANARY, state="done"),
    }
    return {noun: str(row.pk) for noun, row in made.items()} | {
        "organizations": organization.slug,
        "settings": "SECRET_KEY",
        "health": "",
    }


def list_routes(rows: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Noun, method and address of whatever the router answers."""
    for noun, viewset, _ in router.registry:
        for route in router.get_routes(viewset):
            mapping = router.get_method_map(viewset, route.mapping)
            lookup = rows[noun]
            address = route.url.format(prefix=noun, lookup=lookup, trailing_slash="").strip("^$")
            for method in mapping:
                yield noun, method, f"{ROOT}/{address}"


def read_rows() -> list[Any]:
    """What Acme and the installation have of whatever the routes could change."""
    kept: list[Any] = []
    for model in (ApiKey, Membership, EndUser, WebhookEndpoint, Erasure):
        kept += model._default_manager.filter(organization__slug="acme").order_by("pk").values()
    for table in (ReindexRun, DriftReport, BackupRun):
        kept += table._default_manager.values()
    return kept


Asked = Callable[[Organization], Any]


def ask_as_owner(organization: Organization) -> Any:
    return session_client(owner_of(organization, "otto"))


def ask_as_member(organization: Organization) -> Any:
    return session_client(member_of(organization, "olaf"))


@pytest.mark.parametrize("client_of", [key_client, ask_as_owner, ask_as_member])
def test_nobody_of_another_organisation_reads_or_changes_anything(
    rows: dict[str, str], other_organization: Organization, client_of: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A quick machine asks more than an operator may in a second, and would be refused for that alone.
    monkeypatch.setattr(callers, "OPERATOR_RATE", 10_000)
    client = client_of(other_organization)
    before = read_rows()
    seen = 0
    for noun, method, address in list_routes(rows):
        answer = attack(client, noun, method, address)
        if method == "get" and answer.status_code == 200:
            # A list of their own rows, in which there is nothing of ours.
            assert not address.endswith(f"/{rows[noun]}"), address
            assert answer.json()["count"] <= 3, address
        else:
            assert answer.status_code in {403, 404}, f"{method} {address}: {answer.status_code}"
        assert CANARY not in answer.content.decode().replace(address, ""), address
        seen += 1
    assert seen > 2 * len(router.registry)
    assert read_rows() == before
    assert not WebhookEndpoint.objects.exclude(pk=rows["webhooks"]).exists()
    assert not Organization.objects.filter(slug="mallory").exists()


def test_nobody_without_a_key_or_a_session_is_told_anything(rows: dict[str, str]) -> None:
    client = APIClient()
    for noun, method, address in list_routes(rows):
        answer = attack(client, noun, method, address)
        assert answer.status_code == 401, f"{method} {address}"
        assert CANARY not in answer.content.decode()
