"""``/api/admin/v1``: by key and by session, listed and filtered, changed with an audit, and told apart by scope."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from memory.access.confinement import RowScope
from memory.access.keys import authenticate, issue_key
from memory.models import ApiKey, AuditEvent, EndUser, Erasure, Membership, ModelCall, Operator, Organization
from tests.factories import EndUserFactory, OperatorFactory
from tests.memory.console.conftest import member_of, owner_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]

ROOT = "/api/admin/v1"


def key_client(organization: Organization, *scopes: str, **bound: Any) -> APIClient:
    _, plain = issue_key(organization, "admin", scopes or ("admin",), now=timezone.now(), **bound)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {plain}")
    return client


def session_client(operator: Operator) -> APIClient:
    client = APIClient()
    client.force_login(operator)
    return client


@pytest.fixture
def owner(organization: Organization) -> Operator:
    return owner_of(organization, "vera")


@pytest.fixture
def by_key(organization: Organization) -> APIClient:
    return key_client(organization)


def send(ask: Callable[..., Any], path: str, body: dict[str, Any] | None = None) -> Any:
    return ask(f"{ROOT}{path}", body, format="json") if body is not None else ask(f"{ROOT}{path}")


def test_a_key_with_the_scope_admin_alone_is_admitted(organization: Organization, user: EndUser) -> None:
    assert send(key_client(organization).get, "/keys").status_code == 200
    refused = [
        key_client(organization, "read", "write"),
        key_client(organization, user_ids=["ann"]),
        key_client(organization, scope=RowScope("agent", "")),
    ]
    for client in refused:
        answer = send(client.get, "/keys")
        assert (answer.status_code, answer["Content-Type"]) == (403, "application/problem+json")
    for nobody in (APIClient(), Client(headers={"Authorization": "Bearer cpl_nonsense"})):
        answer = nobody.get(f"{ROOT}/keys")
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorised")
        assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_session_changes_nothing_without_its_token(owner: Operator, organization: Organization) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(owner)
    body = {"organization": "acme", "name": "x", "scopes": ["read"]}
    assert send(client.get, "/keys").status_code == 200
    assert send(client.post, "/keys", body).status_code == 403
    assert not ApiKey.objects.exists()
    assert send(session_client(owner).post, "/keys", body).status_code == 201


def test_keys_are_made_limited_filtered_and_revoked(by_key: APIClient, organization: Organization) -> None:
    body = {"organization": "acme", "name": "Nightly", "scopes": ["read"], "user_ids": ["ann"], "lifetime_days": 3}
    made = send(by_key.post, "/keys", body).json()
    principal = authenticate(made["key"], now=timezone.now())
    assert principal is not None
    assert (principal.scopes, principal.user_ids) == (frozenset({"read"}), frozenset({"ann"}))
    own = f"/keys/{made['id']}"
    assert "key" not in send(by_key.get, own).json()
    assert send(by_key.patch, own, {"requests_per_second": 7}).json()["requests_per_second"] == 7
    assert send(by_key.patch, own, {"requests_per_second": 0}).status_code == 422
    # What it opens is not changed behind the back of whoever has it.
    assert send(by_key.patch, own, {"scopes": ["admin"]}).status_code == 422
    assert send(by_key.get, "/keys?scope=read").json()["count"] == 1
    assert send(by_key.delete, own).status_code == 204
    assert authenticate(made["key"], now=timezone.now()) is None
    assert [row["name"] for row in send(by_key.get, "/keys?revoked=true").json()["results"]] == ["Nightly"]
    assert send(by_key.get, "/keys?revoked=false&page_size=1").json()["count"] == 1
    actions = [row["action"] for row in send(by_key.get, "/events").json()["results"]]
    assert actions[:3] == ["key.revoked", "key.limited", "key.issued"]
    assert AuditEvent.objects.latest("pk").actor == f"key:{ApiKey.objects.get(name='admin').pk}"


def test_a_refusal_names_the_field_and_the_rule(by_key: APIClient) -> None:
    wrong = {"organization": "acme", "name": "", "scopes": ["root"], "user_ids": ["a b"], "agent_id": "a b"}
    answer = send(by_key.post, "/keys", wrong)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert {error["field"].split(".")[0] for error in answer.json()["errors"]} == {
        *("name", "scopes", "user_ids", "agent_id")
    }


KEY = {"organization": "acme", "name": "x", "scopes": ["read"]}


@pytest.mark.parametrize(
    "field", ["user_id", "users", "project", "agent", "expires_at", "lifetime", "id", "revoked_at"]
)
def test_a_key_is_not_made_wider_than_it_was_asked_for(by_key: APIClient, field: str) -> None:
    kept = ApiKey.objects.count()
    answer = send(by_key.post, "/keys", {**KEY, field: "2026-12-31T00:00:00Z"})
    assert (answer.status_code, answer.json()["errors"]) == (422, [{"field": field, "message": "unknown field"}])
    assert ApiKey.objects.count() == kept
    every = {"user_ids": ["ann"], "agent_id": "a", "project_id": "p", "requests_per_second": 5, "secrets": "refuse"}
    assert send(by_key.post, "/keys", {**KEY, **every, "lifetime_days": 3}).status_code == 201


@pytest.mark.parametrize(
    ("change", "status", "field", "says"),
    [
        ({"organization": "nope"}, 404, "organization", "names no organisation of yours"),
        ({"scopes": ["reed"]}, 422, "scopes", "must be read or write or admin"),
        ({"secrets": "hide"}, 422, "secrets", "must be redact or refuse"),
    ],
)
def test_a_refusal_names_the_field_and_what_may_be_sent(
    by_key: APIClient, change: dict[str, Any], status: int, field: str, says: str
) -> None:
    answer = send(by_key.post, "/keys", {**KEY, **change})
    assert (answer.status_code, answer.json()["errors"]) == (status, [{"field": field, "message": says}])


def test_no_call_passes_over_what_it_does_not_know(by_key: APIClient, user: EndUser) -> None:
    kept = send(by_key.post, "/keys", KEY).json()["id"]
    asked: list[tuple[str, str, dict[str, Any]]] = [
        ("post", "/members", {"organization": "acme", "username": "nina", "role": "member", "email": "n@x"}),
        ("post", "/webhooks", {"organization": "acme", "url": "https://x.example", "events": ["x"], "enabled": False}),
        ("post", "/reindexes", {"collection": "working"}),
        ("post", "/checks", {"repair": False}),
        ("post", "/backups", {"path": "elsewhere"}),
        ("patch", "/organizations/acme", {"title": "Acme"}),
        ("patch", f"/keys/{kept}", {"requests_per_second": 7, "name": "y"}),
        ("delete", f"/keys/{kept}", {"dry_run": True}),
        ("delete", f"/people/{user.pk}", {"confirm": "ann", "dry_run": True}),
        ("delete", f"/keys/{kept}?dry_run=true", {}),
        ("get", "/keys?organisation=umbra", {}),
        ("get", "/settings?query=x", {}),
        ("get", "/model-calls/totals?day=1", {}),
    ]
    for method, path, body in asked:
        answer = send(getattr(by_key, method), path, body or None)
        assert (answer.status_code, len(answer.json()["errors"])) == (422, 1), (method, path)
    assert send(by_key.get, f"/keys/{kept}").json()["revoked_at"] is None
    assert not Erasure.objects.exists()
    for path in (
        "/keys?organization=acme&ordering=name&page=1&page_size=9",
        "/checks?mode=full",
        "/settings?q=x&source=x",
    ):
        assert send(by_key.get, path).status_code == 200, path


def test_members_are_governed_and_the_last_owner_stays(by_key: APIClient, owner: Operator) -> None:
    made = send(by_key.post, "/members", {"organization": "acme", "username": "nina", "role": "member"}).json()
    assert Operator.objects.get(username="nina").check_password(made["password"])
    own = f"/members/{made['id']}"
    assert "password" not in send(by_key.get, own).json()
    assert send(by_key.patch, own, {"role": "owner"}).json()["role"] == "owner"
    assert send(by_key.delete, own).status_code == 204
    last = f"/members/{Membership.objects.get(operator=owner).pk}"
    assert send(by_key.delete, last).status_code == 422
    assert send(by_key.patch, last, {"role": "member"}).json()["errors"][0]["field"] == "role"


def test_a_member_reads_and_an_owner_changes(organization: Organization, owner: Operator, user: EndUser) -> None:
    member = session_client(member_of(organization, "olga"))
    for noun in ("organizations", "keys", "members", "people", "webhooks", "events", "erasures"):
        assert send(member.get, f"/{noun}").status_code == 200
    body = {"organization": "acme", "name": "x", "scopes": ["read"]}
    assert send(member.post, "/keys", body).status_code == 404
    assert send(member.delete, f"/people/{user.pk}", {"confirm": "ann"}).status_code == 404
    assert send(session_client(owner).post, "/keys", body).status_code == 201
    assert not Erasure.objects.exists()


def test_people_are_listed_and_erased_by_their_id(by_key: APIClient, user: EndUser, other_user: EndUser) -> None:
    EndUserFactory.create(organization=user.organization, external_id="#space-1")
    assert {row["user_id"] for row in send(by_key.get, "/people").json()["results"]} == {"ann", "ben"}
    assert [row["user_id"] for row in send(by_key.get, "/people?user_id=an").json()["results"]] == ["ann"]
    own = f"/people/{user.pk}"
    assert send(by_key.delete, own, {"confirm": "ben"}).status_code == 422
    done = send(by_key.delete, own, {"confirm": "ann"})
    assert done.status_code == 202
    assert send(by_key.get, own).status_code == 404
    assert send(by_key.get, f"/erasures/{done.json()['id']}").json()["finished_at"] is None
    assert "ann" not in str(send(by_key.get, "/events").json()).replace("organi", "")


def test_work_is_started_by_who_governs_everything(by_key: APIClient, organization: Organization) -> None:
    run = send(by_key.post, "/reindexes", {})
    assert run.status_code == 202
    own = f"/reindexes/{run.json()['id']}"
    assert send(by_key.post, "/reindexes", {}).status_code == 409
    assert send(by_key.patch, own, {"state": "paused"}).json()["state"] == "paused"
    assert send(by_key.patch, own, {"state": "cancelled"}).json()["state"] == "cancelled"
    assert send(by_key.patch, own, {"state": "running"}).status_code == 409
    assert send(by_key.post, "/checks", {}).status_code == 202
    assert send(by_key.post, "/backups", {}).json()["state"] == "running"
    Organization.objects.create(slug="umbra", name="Umbra")
    for noun in ("reindexes", "checks", "backups", "settings", "model-calls", "health"):
        assert send(by_key.get, f"/{noun}").status_code == 403
    assert send(by_key.post, "/backups", {}).status_code == 403


def test_settings_calls_and_health_are_told(by_key: APIClient) -> None:
    ModelCall.objects.create(purpose="fact_pairs", model="m", outcome="ok", prompt_tokens=3, cost=0.5)
    totals = send(by_key.get, "/model-calls/totals?purpose=fact_pairs").json()
    assert (totals["by_purpose"][0]["tokens"], len(totals["by_day"])) == (3, 1)
    assert send(by_key.get, "/model-calls?outcome=late").json()["count"] == 0
    key = send(by_key.get, "/settings/SECRET_KEY").json()
    assert (key["is_secret"], key["default"]) == (True, "")
    assert key["value"] in {"", "set"}
    assert send(by_key.get, "/settings/NONSENSE").status_code == 404
    assert send(by_key.get, "/settings?q=log_days").json()["results"][0]["name"] == "LOG_DAYS"
    assert send(by_key.get, "/health").json()["components"]["postgres"]["ok"] is True


def test_superusers_alone_make_organisations(by_key: APIClient, owner: Operator) -> None:
    body = {"slug": "nova", "name": "Nova"}
    for client in (by_key, session_client(owner)):
        assert send(client.post, "/organizations", body).status_code == 403
    root = session_client(OperatorFactory.create(username="root", is_superuser=True))
    assert send(root.post, "/organizations", body).status_code == 201
    assert send(root.patch, "/organizations/nova", {"name": "Nova Two"}).json()["name"] == "Nova Two"
    assert send(root.patch, "/organizations/nova", {"slug": "other"}).status_code == 422


def test_the_api_is_browsed_in_the_console_s_session(owner: Operator) -> None:
    client = session_client(owner)
    for path in ("/", "/keys", "/keys?scope=read"):
        page = client.get(f"{ROOT}{path}", HTTP_ACCEPT="text/html")
        assert (page.status_code, page["Content-Type"].split(";")[0]) == (200, "text/html")
    assert b'name="scope"' in page.content
    assert client.get(f"{ROOT}/nonsense").status_code == 404


def test_a_session_is_throttled(owner: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.admin.api.callers.OPERATOR_RATE", 2)
    client = session_client(owner)
    answers = [send(client.get, "/health").status_code for _ in range(12)]
    assert 429 in answers


@pytest.mark.parametrize(
    ("body", "words"),
    [("{", "is not JSON"), ('{"a": 1, "a": 2}', "more than once"), (f'{{"a": {"9" * 5_000}}}', "digits")],
)
def test_a_body_that_is_no_good_json_is_refused_as_everywhere(by_key: APIClient, body: str, words: str) -> None:
    answer = by_key.generic("POST", f"{ROOT}/keys", body, content_type="application/json")
    assert answer.status_code == 422
    assert words in answer.json()["detail"]
    assert "sys." not in answer.json()["detail"]


@pytest.mark.parametrize("body", [[], ["acme"], "acme", 7, None])
def test_a_body_that_is_no_object_is_refused(by_key: APIClient, user: EndUser, body: object) -> None:
    assert by_key.post(f"{ROOT}/keys", body, format="json").status_code == 422
    assert by_key.delete(f"{ROOT}/people/{user.pk}", body, format="json").status_code == 422
    assert by_key.patch(f"{ROOT}/organizations/acme", body, format="json").status_code in {200, 422}
