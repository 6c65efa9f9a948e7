"""What an operator allows, what it is worth, and every way it ends."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memory.access.grants import ACCESS_LIFE, REFRESH_LIFE, purge_grants
from memory.access.keys import Principal
from memory.facade import MemoryFacade
from memory.models import ApiKey, EndUser, OAuthClient, OAuthGrant, OAuthToken
from tests.api_client import ApiClient
from tests.memory.console.conftest import Console
from tests.memory.oauth.conftest import BASE, HandMadeClient, knock, make_client

pytestmark = pytest.mark.usefixtures("services")


def test_what_a_client_reads_first(db: None) -> None:
    resource = Client().get("/.well-known/oauth-protected-resource/mcp")
    assert (resource.status_code, resource.headers["Cache-Control"]) == (200, "no-store")
    assert resource.json()["resource"] == f"{BASE}/mcp"
    assert resource.json()["authorization_servers"] == [BASE]
    assert Client().get("/.well-known/oauth-protected-resource").json() == resource.json()
    server = Client().get("/.well-known/oauth-authorization-server").json()
    assert Client().get("/.well-known/oauth-authorization-server/mcp").json() == server
    assert (server["issuer"], server["code_challenge_methods_supported"]) == (BASE, ["S256"])
    assert all(server[name].startswith(f"{BASE}/") for name in server if name.endswith("_endpoint"))
    for ask in (Client().get, Client().post):
        refused = ask("/mcp")
        assert refused.status_code == 401
        where = f'resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp"'
        assert where in refused.headers["WWW-Authenticate"]


def test_consent_makes_a_key_for_this_person_alone(client: HandMadeClient, console: Console, user: EndUser) -> None:
    back = client.consent(console, project_id="boat")
    assert (back["state"], back["iss"]) == ("s t&a=te", BASE)
    answer = client.ask_token(code=back["code"], resource=f"{BASE}/mcp")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    tokens = answer.json()
    assert (tokens["token_type"], tokens["scope"]) == ("Bearer", "read write")
    assert tokens["expires_in"] == ACCESS_LIFE.total_seconds() <= 3600
    who = knock(tokens["access_token"])
    assert isinstance(who, Principal)
    assert (who.user_ids, who.scope.project_id) == (frozenset({"ann"}), "boat")
    assert who.scopes == frozenset({"read", "write"})
    key = ApiKey.objects.get()
    assert (key.name, key.user_ids, key.organization) == ("Assistant of ann", ["ann"], user.organization)
    assert b"Assistant of ann" in console.get("/console/acme/ann/connect").content
    # A token for MCP opens nothing else, and none is a key.
    for token in tokens["access_token"], tokens["refresh_token"], back["code"]:
        assert ApiClient("ann", token).get("memories").status_code == 401
    assert knock(tokens["refresh_token"]) == knock(back["code"]) == "unauthorised"
    kept = str(list(OAuthToken.objects.values())) + str(list(ApiKey.objects.values()))
    assert not [one for one in (tokens["access_token"], tokens["refresh_token"], back["code"]) if one in kept]


def test_less_than_was_asked_for_can_be_allowed_and_never_more(client: HandMadeClient, console: Console) -> None:
    tokens = client.connect(console, access="read")
    who = knock(tokens["access_token"])
    assert isinstance(who, Principal)
    assert (tokens["scope"], who.scopes) == ("read", frozenset({"read"}))
    more = {"person": "acme/ann", "access": "read write", "decision": "allow"}
    assert console.post(client.address(scope="read"), more).status_code == 422
    # What other servers have is passed over; a token may be narrower than what was consented to.
    wide = client.connect(console, scope="read write offline_access")
    narrow = client.refresh(wide["refresh_token"], scope="read").json()
    assert narrow["scope"] == "read"
    assert client.refresh(narrow["refresh_token"]).json()["scope"] == "read write"
    assert client.refresh(tokens["refresh_token"], scope="read write").json()["error"] == "invalid_scope"


def test_what_is_not_allowed_leaves_nothing(client: HandMadeClient, console: Console) -> None:
    back = client.consent(console, decision="deny")
    assert (back["error"], back["state"], "code" in back) == ("access_denied", "s t&a=te", False)
    assert (ApiKey.objects.count(), OAuthGrant.objects.count()) == (0, 0)


def test_revoking_the_key_ends_the_tokens_at_once(client: HandMadeClient, console: Console) -> None:
    tokens = client.connect(console)
    assert console.post(f"/console/acme/ann/connect/{ApiKey.objects.get().pk}/revoke").status_code == 302
    assert knock(tokens["access_token"]) == "unauthorised"
    assert client.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_a_client_can_end_what_it_was_allowed(client: HandMadeClient, console: Console, which: str) -> None:
    tokens = client.connect(console)
    other = make_client()
    asked = {"token": tokens[which], "client_id": other.info["client_id"]}
    assert client.http.post("/revoke", asked).status_code == 400
    assert isinstance(knock(tokens["access_token"]), Principal)
    assert client.http.post("/revoke", {**asked, "client_id": client.info["client_id"]}).status_code == 200
    assert knock(tokens["access_token"]) == "unauthorised"
    assert ApiKey.objects.get().revoked_at is not None
    unknown = {"token": "cpa_unknown", "client_id": client.info["client_id"]}
    assert client.http.post("/revoke", unknown).status_code == 200


def test_a_client_with_a_secret_must_show_it(console: Console) -> None:
    client = make_client(token_endpoint_auth_method=None)
    secret = client.info["client_secret"]
    assert client.info["token_endpoint_auth_method"] == "client_secret_basic"
    assert secret not in str(list(OAuthClient.objects.values()))
    code = client.consent(console)["code"]
    assert client.ask_token(code=code).json()["error"] == "invalid_client"
    assert client.ask_token(code=code, client_secret="guessed").json()["error"] == "invalid_client"
    tokens = client.ask_token(code=code, client_secret=secret).json()
    assert client.refresh(tokens["refresh_token"]).json()["error"] == "invalid_client"
    assert client.refresh(tokens["refresh_token"], client_secret=secret).status_code == 200


def test_erasing_the_person_ends_what_was_allowed_of_them(
    client: HandMadeClient, console: Console, user: EndUser, other_user: EndUser
) -> None:
    tokens = client.connect(console)
    others = client.connect(console, person="acme/ben")
    MemoryFacade().request_erasure(user, now=timezone.now())
    # Nor does it open the memory of whoever is given the id next.
    EndUser.objects.create(organization=user.organization, external_id="ann")
    assert knock(tokens["access_token"]) == "unauthorised"
    assert client.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert isinstance(knock(others["access_token"]), Principal)
    assert [key.user_ids for key in ApiKey.objects.all()] == [["ben"]]


def test_what_is_over_is_purged(client: HandMadeClient, console: Console) -> None:
    tokens, now = client.connect(console), timezone.now()
    client.consent(console)  # Allowed, and the code never redeemed.
    waiting = make_client()
    assert purge_grants(now=now + timedelta(minutes=1)) == 0
    assert purge_grants(now=now + timedelta(hours=2)) == 1
    assert client.refresh(tokens["refresh_token"]).status_code == 200
    assert purge_grants(now=now + REFRESH_LIFE + timedelta(hours=2)) == 1
    assert not OAuthToken.objects.exists()
    assert not OAuthGrant.objects.exists()
    assert all(key.revoked_at for key in ApiKey.objects.all())
    assert not OAuthClient.objects.filter(client_id=waiting.info["client_id"]).exists()
