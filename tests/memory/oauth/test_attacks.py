"""Codes and tokens in the wrong hands, consent nobody gave, clients that lie about themselves."""

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from memory.access import grants
from memory.access.keys import Principal
from memory.models import ApiKey, EndUser, OAuthClient, OAuthGrant, OAuthToken
from memory.oauth import endpoints
from tests.at_once import run_at_once
from tests.memory.console.conftest import Console, console_for, member_of, owner_of
from tests.memory.oauth.conftest import RETURN, HandMadeClient, knock, make_client, register

pytestmark = pytest.mark.usefixtures("services")


# --- consent nobody gave -----------------------------------------------------------------------------------------
def test_nothing_happens_without_a_button(client: HandMadeClient, console: Console) -> None:
    shown = console.get(client.address() + "&decision=allow&person=acme/ann&access=read")
    assert shown.status_code == 200
    assert "frame-ancestors 'none'" in shown.headers["Content-Security-Policy"]
    assert (shown.headers["X-Frame-Options"], shown.headers["Cache-Control"]) == ("DENY", "no-store")
    assert not OAuthGrant.objects.exists()
    asked = {"person": "acme/ann", "access": "read", "decision": "allow"}
    signed_out = Client().post(client.address(), asked)
    assert signed_out.status_code == 302
    assert signed_out.headers["Location"].startswith("/console/login?next=")
    guarded = Client(enforce_csrf_checks=True)
    guarded.cookies = console.cookies
    assert guarded.post(client.address(), asked).status_code == 403
    assert not OAuthGrant.objects.exists()


def test_an_operator_allows_only_whom_they_may_see(
    client: HandMadeClient, console: Console, user: EndUser, foreign_user: EndUser
) -> None:
    outsider = console_for(owner_of(foreign_user.organization, "otto"))
    asked = {"person": "acme/ann", "access": "read", "decision": "allow"}
    assert b"acme/" not in outsider.get(client.address()).content
    for person in ("acme/ann", "acme/nobody", "acme", "", "\0/\0"):
        assert outsider.post(client.address(), asked | {"person": person}).status_code == 422
    member = console_for(member_of(user.organization, "mia"))
    for ask in (member.get, member.post):
        assert ask(client.address(), asked).status_code == 403
    assert not ApiKey.objects.exists()


def test_the_page_leads_nowhere_by_itself(client: HandMadeClient, console: Console) -> None:
    evil = "https://evil.example/"
    bent: list[dict[str, str | None]] = [
        {"redirect_uri": evil},
        {"redirect_uri": RETURN + "/more"},
        {"redirect_uri": RETURN + "?more=1"},
        {"redirect_uri": "javascript:alert(1)"},
        {"client_id": "unknown"},
        {"client_id": "\0"},
        {"client_id": None},
        {"response_type": "token"},
        {"response_type": None},
        {"scope": "everything"},
        {"code_challenge": None},
        {"code_challenge": "short"},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": None},
        {"code_challenge": None, "code_challenge_method": None},
        {"resource": "https://elsewhere.example/mcp"},
        {"resource": "http://testserver/api"},
    ]
    for one in bent:
        for ask in (console.get, lambda at: console.post(at, {"decision": "allow", "person": "acme/ann"})):
            answer = ask(client.address(**one))
            assert (answer.status_code, "Location" in answer.headers) == (400, False), one
    twice = client.address() + f"&redirect_uri={evil}"
    assert console.get(twice).status_code == 400
    assert console.post(client.address(), {"decision": "allow", "redirect_uri": evil}).status_code == 400
    assert not OAuthGrant.objects.exists()


def test_consents_are_not_given_without_end(
    client: HandMadeClient, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.oauth.consent.MOST_CONSENTS", 1)
    client.consent(console)
    asked = {"person": "acme/ann", "access": "read", "decision": "allow"}
    assert console.post(client.address(), asked).status_code == 429
    assert OAuthGrant.objects.count() == 1


# --- codes and tokens in the wrong hands -------------------------------------------------------------------------
def test_a_code_is_worth_nothing_to_anybody_else(client: HandMadeClient, console: Console) -> None:
    code, other = client.consent(console)["code"], make_client()
    bent: list[dict[str, str | None]] = [
        {"client_id": other.info["client_id"]},
        {"client_id": "unknown"},
        {"client_id": None},
        {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": None},
        {"code_verifier": None},
        {"code_verifier": "x" * 43},
        {"code_verifier": ""},
        {"resource": "https://elsewhere.example/mcp"},
        {"code": code[:-1]},
        {"code": "\0"},
        {"code": None},
        {"grant_type": "password"},
        {"grant_type": None},
    ]
    for one in bent:
        answer = client.ask_token(**{"code": code, **one})
        assert answer.status_code in {400, 401}, one
        assert answer.json()["error"], one
    assert client.ask_token(code=code).status_code == 200


def test_a_code_used_twice_ends_all_that_came_of_it(client: HandMadeClient, console: Console) -> None:
    code = client.consent(console)["code"]
    tokens = client.ask_token(code=code).json()
    assert isinstance(knock(tokens["access_token"]), Principal)
    assert client.ask_token(code=code).json()["error"] == "invalid_grant"
    assert knock(tokens["access_token"]) == "unauthorised"
    assert client.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_refresh_token_used_twice_ends_the_family(client: HandMadeClient, console: Console) -> None:
    first, bystander = client.connect(console), client.connect(console)
    second = client.refresh(first["refresh_token"]).json()
    assert second["refresh_token"] != first["refresh_token"]
    other = make_client()
    assert other.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"
    assert isinstance(knock(second["access_token"]), Principal)
    assert client.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
    for tokens in (first, second):
        assert knock(tokens["access_token"]) == "unauthorised"
        assert client.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert isinstance(knock(bystander["access_token"]), Principal)


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_is_answered_and_both_lose_what_came_of_it(user: EndUser) -> None:
    console, client = console_for(owner_of(user.organization, "olga")), make_client()
    code = client.consent(console)["code"]
    answers = run_at_once(*[lambda: client.ask_token(code=code)] * 2)
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    tokens = next(answer.json() for answer in answers if answer.status_code == 200)
    assert knock(tokens["access_token"]) == "unauthorised"
    token = client.connect(console)["refresh_token"]
    answers = run_at_once(*[lambda: client.refresh(token)] * 2)
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    tokens = next(answer.json() for answer in answers if answer.status_code == 200)
    assert knock(tokens["access_token"]) == "unauthorised"


def test_what_expired_is_worth_nothing(client: HandMadeClient, console: Console) -> None:
    code, tokens = client.consent(console)["code"], client.connect(console)
    OAuthToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.ask_token(code=code).json()["error"] == "invalid_grant"
    assert client.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert knock(tokens["access_token"]) == "unauthorised"


def test_a_token_opens_the_address_and_the_person_it_was_given_for(
    client: HandMadeClient, console: Console, settings: Settings, foreign_user: EndUser
) -> None:
    tokens = client.connect(console)
    settings.ALLOWED_HOSTS = ["testserver", "other.example"]
    assert knock(tokens["access_token"], "other.example") == "unauthorised"
    who = knock(tokens["access_token"])
    assert isinstance(who, Principal)
    # The other organisation has an Ann as well.
    assert who.organization_id != foreign_user.organization_id
    assert not who.may_act_for("ben")
    # A configured address holds, whatever host a request names.
    settings.MEMORY = {**settings.MEMORY, "MCP": {"url": "x", "public_url": "https://memory.example.org"}}
    told = Client().get("/.well-known/oauth-authorization-server", headers={"Host": "other.example"}).json()
    assert told["issuer"] == "https://memory.example.org"
    assert knock(tokens["access_token"]) == "unauthorised"
    assert client.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


# --- clients that lie about themselves ---------------------------------------------------------------------------
REFUSED: list[dict[str, Any]] = [
    *(
        {"redirect_uris": [uri]}
        for uri in (
            "http://assistant.example/callback",
            "javascript:alert(1)",
            "data:text/html,x",
            "cursor://callback",
            "https://",
            "https://name@assistant.example/",
            "https://assistant.example\\@evil.example/",
            "https://assistant.example/#part",
            "https://аssistant.example/",
            "https://localhost.evil/ x",
            "http://localhost.evil.example/",
            "http://127.0.0.1.evil.example/",
            "http://[::1].evil.example/",
            "https://assistant.example:port/",
            "https://[::2]/",
            'https://assistant.example/"><script>',
            "https://assistant.example/\r\nSet-Cookie: a=b",
            "https://assistant.example/" + "x" * 1000,
            "//assistant.example/",
            7,
        )
    ),
    {"redirect_uris": []},
    {"redirect_uris": None},
    {"redirect_uris": RETURN},
    {"redirect_uris": [RETURN] * 11},
    {"client_name": {"is": "no text"}},
    {"grant_types": ["password"]},
    {"response_types": ["token"]},
    {"token_endpoint_auth_method": "private_key_jwt"},
    {"token_endpoint_auth_method": ["none"]},
]


def test_what_cannot_be_registered_is_told_and_not_kept(db: None) -> None:
    for said in REFUSED:
        answer = register(**said)
        assert answer.status_code == 400, said
        assert answer.json()["error"] in {"invalid_redirect_uri", "invalid_client_metadata"}, said
        assert answer.json()["error_description"], said
    post: Callable[..., Any] = Client().post
    for body in (b"", b"[]", b"{", b"\xff", b'"x"', b"[" * 10_000, b'{"redirect_uris":["' + b"x" * 20_000):
        assert post("/register", body, content_type="application/json").status_code in {400, 413}
    assert post("/register", b"x" * 3_000_000, content_type="application/json").status_code == 413
    assert Client().get("/register").status_code == 405
    assert not OAuthClient.objects.exists()


def test_registrations_do_not_pile_up(
    monkeypatch: pytest.MonkeyPatch, client: HandMadeClient, console: Console
) -> None:
    client.connect(console)
    monkeypatch.setattr(grants, "MOST_WAITING", 3)
    for _ in range(5):
        make_client()
    # One that somebody allowed is not displaced.
    assert OAuthClient.objects.count() == 4
    assert OAuthClient.objects.filter(client_id=client.info["client_id"]).exists()
    monkeypatch.setattr(endpoints, "MOST_REGISTRATIONS", 1)
    refused = register()
    assert (refused.status_code, int(refused.headers["Retry-After"]) > 0) == (429, True)


def test_a_name_is_shown_as_the_text_it_is(console: Console) -> None:
    name = "<script>alert(1)</script>\u202egnp\u2028.exe" + "x" * 200
    client = make_client(client_name=name, logo_uri="javascript:alert(1)", client_uri="https://evil.example")
    assert "logo_uri" not in client.info
    assert len(client.info["client_name"]) == 80
    shown = console.get(client.address()).content.decode()
    assert "<script>alert" not in shown
    assert "<script>alert(1)</script>" in unescape(shown)
    assert "\u202e" not in unescape(shown)
    assert "evil.example" not in shown
    assert re.search(r'class="host">assistant\.example<', shown)
    client.consent(console)
    assert "<script>alert" not in console.get("/console/acme/ann/connect").content.decode()
    nameless = make_client(client_name=None)
    assert nameless.info["client_name"] == "assistant.example"


def test_it_can_be_switched_off(console: Console, client: HandMadeClient, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "oauth": False}}
    assert register().status_code == 404
    assert Client().get("/.well-known/oauth-protected-resource").status_code == 404
    assert console.get(client.address()).status_code == 404
    assert client.ask_token(code="x").status_code == 404
    assert "resource_metadata" not in Client().post("/mcp").headers["WWW-Authenticate"]
