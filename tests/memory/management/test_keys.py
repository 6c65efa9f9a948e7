"""`manage.py list_keys` and `revoke_key`: which keys open what, and that a revoked one is refused at once."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.mcp import stdio
from memory.models import ApiKey, Organization
from memory.web.problems import Problem
from tests.api_client import ApiClient
from tests.factories import OrganizationFactory


def run_command(command: str, *args: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(command, *args, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def create_key(name: str, *args: str) -> str:
    return run_command("create_key", "--org=acme", f"--name={name}", *args)[0].strip()


def test_keys_are_listed_with_their_state_and_never_in_full(organization: Organization) -> None:
    key = create_key("phone", "--scopes=read", "--user-ids=ann,ben")
    create_key("visit", "--expires=12h")
    run_command("revoke_key", "phone")
    listed, _ = run_command("list_keys", "--org=acme")
    phone, visit = (line for line in listed.splitlines()[1:])
    assert phone.startswith(f"{key[:10]}...")
    assert {"phone", "acme", "read", "ann,ben", "never"} <= set(phone.split())
    assert "revoked 20" in phone
    assert "active until 20" in visit
    assert key not in listed
    assert "phone" not in run_command("list_keys", "--active")[0]


@pytest.mark.parametrize("by", ["name", "beginning", "key"])
def test_a_revoked_key_is_refused_with_the_next_request(organization: Organization, by: str) -> None:
    key = create_key("phone")
    api = ApiClient("ann", key)
    assert api.post("memories", {"text": "The ferry leaves at nine"}).status_code == 201
    selector = {"name": "phone", "beginning": f"{key[:10]}...", "key": key}[by]
    assert "revoked phone" in run_command("revoke_key", selector)[1]
    assert api.get("memories").status_code == 401
    assert "was revoked before" in run_command("revoke_key", selector)[1]


def test_a_session_over_stdio_ends_with_its_key(organization: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    key = create_key("desk")
    sessions: list[Callable[[], Any]] = []
    monkeypatch.setattr(stdio, "serve_stdio", sessions.append)
    call_command("mcp", "--user=ann", f"--key={key}")
    [identify] = sessions
    assert identify().external_id == "ann"
    run_command("revoke_key", "desk")
    with pytest.raises(Problem, match="revoked"):
        identify()


def test_only_the_one_key_that_was_meant_is_revoked(organization: Organization) -> None:
    first = create_key("phone")
    create_key("phone")
    with pytest.raises(CommandError, match="several keys are meant"):
        run_command("revoke_key", "phone")
    run_command("revoke_key", first[:10])
    assert ApiKey.objects.filter(revoked_at=None).count() == 1
    with pytest.raises(CommandError, match="no such key"):
        run_command("revoke_key", "cpl_")
    OrganizationFactory(slug="other")
    with pytest.raises(CommandError, match="no such key"):
        run_command("revoke_key", "phone", "--org=other")
