"""Webhooks against whoever would reach what is inside, hear of others, or read a secret."""

import socket
import uuid
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from memory.models import EndUser, WebhookDelivery, WebhookEndpoint
from memory.store.admission import WriteRefused
from memory.webhooks import addresses, dispatch, endpoints
from memory.webhooks.endpoints import NewEndpoint
from memory.webhooks.events import EVENTS
from tests.api_client import ApiClient, client_for

pytestmark = pytest.mark.django_db
PUBLIC = "http://203.0.112.7/hooks"

INSIDE = (
    *("127.0.0.1", "127.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.1.2.3"),
    *("224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "198.18.0.1"),
    *("[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[ff02::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]"),
    *("[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[::127.0.0.1]"),
    *("localhost", "2130706433", "0x7f.1", "0177.0.0.1"),
)
BROKEN = (
    "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "javascript:alert(1)", "//example.com/", "http://",
    "http://user:pw@example.com/", "http://example.com:0/", "http://example.com:99999/", "http://exa mple.com/",
    "http://example.com/\r\nX-Evil: 1", "http://example.com\\@127.0.0.1/", "http://example.com/#part",
    "http://éxample.com/", "http://example.com/" + "a" * 2_000,
)  # fmt: skip


def make(api: ApiClient, url: str, **more: Any) -> Any:
    return api.post("/api/v1/webhooks", {"url": url, "events": ["memory.stored"], **more})


@pytest.mark.parametrize("host", INSIDE)
def test_an_address_inside_is_refused(host: str, api: ApiClient) -> None:
    response = make(api, f"http://{host}/hooks")
    assert response.status_code == 422, response.content
    assert response.json()["errors"][0]["field"] == "url"
    assert not WebhookEndpoint.objects.exists()


def test_what_is_no_address_is_refused_with_the_field_and_the_rule(api: ApiClient) -> None:
    for url in BROKEN:
        response = make(api, url)
        assert response.status_code == 422, url
        assert [error["field"] for error in response.json()["errors"]] == ["url"], url
    wrongs: list[dict[str, Any]] = [
        {"events": ["memory.read"]},
        {"events": []},
        {"user_id": "a b"},
        {"include_content": "yes"},
    ]
    for wrong in wrongs:
        assert make(api, PUBLIC, **wrong).status_code == 422, wrong
    assert not WebhookEndpoint.objects.exists()


def test_a_name_that_leads_inside_later_is_refused_when_it_is_connected(
    user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {"first": [PUBLIC.split("/")[2]], "then": ["203.0.112.7", "127.0.0.1"]}
    asked: list[str] = []

    def look_up(host: str, port: int, within_s: float) -> list[str]:
        asked.append(host)
        return answers["first" if len(asked) == 1 else "then"]

    monkeypatch.setattr(addresses, "look_up", look_up)
    new = NewEndpoint("http://rebound.example/", ["memory.stored"])
    row, _ = endpoints.create_endpoint(user.organization_id, new, now=timezone.now())
    WebhookDelivery.objects.create(endpoint=row, event_id=uuid.uuid4(), kind="webhook.test")
    dispatch.dispatch_due(timezone.now())
    delivery = WebhookDelivery.objects.get()
    assert delivery.error == "refused: leads to a private address of this machine or network"
    assert asked == ["rebound.example"] * 2


def test_a_self_hoster_may_allow_private_addresses_but_never_those_of_a_link(settings: Settings) -> None:
    webhooks = {**settings.MEMORY["WEBHOOKS"], "allows_private": True}
    settings.MEMORY = {**settings.MEMORY, "WEBHOOKS": webhooks}
    for host in ("127.0.0.1", "10.0.0.1", "[::1]", "[fd00::1]", "192.168.1.1", "100.64.0.1"):
        addresses.validate_url(f"http://{host}:8080/hooks")
    for host in ("169.254.169.254", "[fe80::1]", "224.0.0.1", "[::]", "[64:ff9b::a9fe:a9fe]", "255.255.255.255"):
        with pytest.raises(WriteRefused):
            addresses.validate_url(f"http://{host}/hooks")


def test_a_name_server_that_is_away_is_the_connections_business(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*words: Any, **more: Any) -> Any:
        raise socket.gaierror(socket.EAI_AGAIN, "later")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    assert addresses.validate_url("https://example.com/hooks") == "https://example.com/hooks"


def test_another_organisations_endpoint_does_not_exist(api: ApiClient, foreign_api: ApiClient, user: EndUser) -> None:
    made = make(api, PUBLIC, user_id="ann")
    assert made.status_code == 201, made.content
    own, path = made.json(), f"/api/v1/webhooks/{made.json()['id']}"
    api.post(f"{path}/test")
    [delivery] = api.get(f"{path}/deliveries").json()["items"]
    forged = (path, f"/api/v1/webhooks/{uuid.uuid4()}")
    for other in forged:
        statuses = [
            foreign_api.get(other).status_code,
            foreign_api.patch(other, {"enabled": False}).status_code,
            foreign_api.post(f"{other}/rotate").status_code,
            foreign_api.post(f"{other}/test").status_code,
            foreign_api.post(f"{other}/redeliver").status_code,
            foreign_api.get(f"{other}/deliveries").status_code,
            foreign_api.post(f"{other}/deliveries/{delivery['id']}/redeliver").status_code,
            foreign_api.delete(other).status_code,
        ]
        assert statuses == [404] * 8
    assert foreign_api.get("/api/v1/webhooks").json()["items"] == []
    # A delivery of one endpoint under another of the same organisation, and numbers no row can have.
    second = f"/api/v1/webhooks/{make(api, PUBLIC).json()['id']}"
    assert api.post(f"{second}/deliveries/{delivery['id']}/redeliver").status_code == 404
    assert api.post(f"{path}/deliveries/{2**70}/redeliver").status_code == 422
    assert own["secret"].startswith("whsec_")
    again = [api.get(path).content, api.get("/api/v1/webhooks").content, api.patch(path, {"enabled": True}).content]
    assert not any(b"secret" in content for content in again), "shown once"


def test_a_narrow_key_has_no_webhooks(user: EndUser, api: ApiClient) -> None:
    path = f"/api/v1/webhooks/{make(api, PUBLIC).json()['id']}"
    for key in (client_for(user, ("read", "write")), client_for(user, user_ids=["ann"])):
        assert make(key, PUBLIC).status_code == 403
        assert key.get(path).status_code == 403
        assert key.delete(path).status_code == 403


def test_the_api_does_what_its_document_says(api: ApiClient) -> None:
    path = f"/api/v1/webhooks/{make(api, PUBLIC, events=list(EVENTS)).json()['id']}"
    assert api.get(path).json()["events"] == list(EVENTS)
    assert api.post(f"{path}/test").status_code == 202
    [delivery] = api.get(f"{path}/deliveries", {"state": "pending"}).json()["items"]
    assert api.post(f"{path}/deliveries/{delivery['id']}/redeliver").status_code == 409, "on its way already"
    assert api.patch(path, {"enabled": False}).json()["enabled"] is False
    assert api.post(f"{path}/test").status_code == 409
    assert api.get(f"{path}/deliveries").json()["items"][0]["state"] == "dead"
    assert api.patch(path, {"enabled": True, "include_content": True}).json()["include_content"] is True
    assert api.post(f"{path}/redeliver").json() == {"queued": 1}
    assert api.post(f"{path}/rotate").json()["secret"].startswith("whsec_")
    page = api.get(f"{path}/deliveries", {"limit": 1}).json()
    assert page["next_cursor"] is None
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404
