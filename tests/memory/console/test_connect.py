"""Connecting a client: a key for one person, shown once, and the first call that comes in."""

import base64
import json
import re
from html import unescape
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from django.test import Client
from pytest_django import Settings

from memory.console import connect
from memory.console.client_setups import GROUPS, list_groups
from memory.console.setup_blocks import Access
from memory.hooks.bodies import KINDS
from memory.models import ApiKey, EndUser, Operator
from tests.api_client import ApiClient
from tests.memory.console.conftest import Console
from tests.memory.hooks.recorded import prompt
from tests.memory.hooks.test_integrations import list_entries

pytestmark = pytest.mark.usefixtures("services")

PLACE = "/console/acme/ann/connect"
KEY = re.compile(r"cpl_[A-Za-z0-9_-]{43}_[0-9a-f]{8}")


@pytest.fixture
def console(governing: Console) -> Console:
    """An owner; what a member may do here is asked with the access to every page."""
    return governing


def offered(console: Console) -> list[str]:
    return re.findall(r"\?client=([a-z0-9-]+)", console.get(PLACE).content.decode())


def make_key(console: Console, client: str) -> str:
    answer = console.post(PLACE, {"client": client})
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    [key] = set(KEY.findall(unescape(answer.content.decode())))
    return str(key)


def test_a_key_is_made_for_this_person_alone_and_shown_once(
    console: Console, user: EndUser, other_user: EndUser
) -> None:
    key = make_key(console, "claude-code")
    row = ApiKey.objects.get()
    assert (row.user_ids, row.scopes, row.organization) == (["ann"], ["read", "write"], user.organization)
    assert row.name == "Claude Code of ann"
    listed = console.get(PLACE).content.decode()
    assert row.hint in listed
    assert key not in listed
    assert b"Claude Code of ann" not in console.get("/console/acme/ben/connect").content
    client = ApiClient("ann", key)
    assert client.get("memories").status_code == 200
    assert client.get("/api/v1/users/ben/memories").status_code == 403


def test_the_first_call_is_noticed(console: Console, user: EndUser) -> None:
    key = make_key(console, "claude-code")
    place = f"{PLACE}/{ApiKey.objects.get().pk}"
    waiting = console.part(place)
    assert (waiting.status_code, b"Waiting for the first call" in waiting.content) == (200, True)
    assert b"every 2s" in waiting.content
    assert b"Refresh" in console.get(place).content

    assert ApiClient("ann", key).post("/hooks/claude-code", prompt("I live in York.")).status_code == 200
    seen = console.part(place)
    assert (seen.status_code, b"First call received" in seen.content) == (286, True)
    assert b"every 2s" not in seen.content
    assert f'id="key-used-{ApiKey.objects.get().pk}" hx-swap-oob="true">used ' in seen.content.decode()
    assert b"never used" not in seen.content
    assert b"First call received" in console.get(place).content

    revoked = console.post(f"{place}/revoke")
    assert (revoked.status_code, revoked.headers["Location"]) == (302, PLACE)
    assert ApiClient("ann", key).post("/hooks/claude-code", prompt("Hello.")).status_code == 401
    assert b"revoked" in console.get(PLACE).content


def test_nobody_else_makes_or_revokes_a_key(
    console: Console, outsider: Console, nobody: Console, owner: Operator, user: EndUser
) -> None:
    make_key(console, "rest")
    row = ApiKey.objects.get()
    for place in (PLACE, f"{PLACE}/{row.pk}", f"{PLACE}/{row.pk}/revoke"):
        for ask in (outsider.get, outsider.post):
            assert ask(place, {"client": "rest"}).status_code in {404, 405}
        assert nobody.post(place, {"client": "rest"}).status_code in {302, 405}
    # A key of the whole organisation is no key of this person.
    everybody = ApiKey.objects.create(organization=user.organization, name="all", digest="d", scopes=["read"])
    assert console.post(f"{PLACE}/{everybody.pk}/revoke").status_code == 404
    unguarded = Client(enforce_csrf_checks=True)
    unguarded.force_login(owner)
    assert unguarded.post(PLACE, {"client": "rest"}).status_code == 403
    assert console.post(PLACE, {"client": "unheard-of"}).status_code == 404
    row.refresh_from_db()
    assert (row.revoked_at, ApiKey.objects.count()) == (None, 2)


def test_keys_are_not_made_without_end(console: Console, user: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "MOST_KEYS", 1)
    make_key(console, "rest")
    refused = console.post(PLACE, {"client": "rest"})
    assert (refused.status_code, b"can be made in 15 minutes" in refused.content) == (429, True)
    assert ApiKey.objects.count() == 1


def test_only_doors_that_stand_open_are_offered(console: Console, user: EndUser, settings: Settings) -> None:
    assert {"claude-code", "copilot-cli", "codex", "cursor", "gemini-cli", "rest"} <= set(offered(console))
    for upstream in ("", "http://127.0.0.1:9/v1"):
        settings.MEMORY = {**settings.MEMORY, "CHAT": {**settings.MEMORY["CHAT"], "url": upstream}}
        assert (b"CHAT_BASE_URL" in console.get(f"{PLACE}?client=openai").content) is not bool(upstream)
    assert "mcp" not in {client.slug for group in list_groups(has_mcp=False) for client in group.clients}
    # Those that ask for consent are given no key.
    assert "claude-ai" not in offered(console)
    settings.MEMORY = {**settings.MEMORY, "MCP": {"url": "http://127.0.0.1:9", "public_url": "https://memory.example"}}
    assert {"claude-ai", "chatgpt"} <= set(offered(console))
    shown = console.get(f"{PLACE}?client=chatgpt").content
    assert (b"https://memory.example/mcp" in shown, b"Make a key" in shown) == (True, False)
    assert console.post(PLACE, {"client": "chatgpt"}).status_code == 404


def test_every_block_holds_the_address_and_the_key() -> None:
    access = Access("https://memory.example", "cpl_key", "ann")
    for client in (client for group in GROUPS for client in group.clients):
        steps = client.steps(access)
        said = "\n".join(unquote(step.link) if step.link else step.text for step in steps)
        links = [parse_qs(urlsplit(step.link).query).get("config", [""])[0] for step in steps]
        said += "\n".join(base64.b64decode(config).decode() for config in links if config)
        assert "https://memory.example" in said, client.slug
        assert ("cpl_key" in said) is client.needs_key, client.slug
        for step in steps:
            hooks = json.loads(step.text).get("hooks", {}) if step.text.startswith("{") else {}
            assert {event for event, _ in list_entries(hooks)} <= set(KINDS)


def test_the_script_can_be_fetched(db: None) -> None:
    fetched = Client().get("/hooks/commonplace-hook")
    assert fetched.status_code == 200
    assert fetched.content.startswith(b"#!/bin/sh\n")
