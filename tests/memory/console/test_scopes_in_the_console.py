"""The agents and projects of memories, facts and keys, as an operator sees and filters them."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest

from memory.access.confinement import RowScope, confine_to
from memory.facade import MemoryFacade
from memory.models import ApiKey, EndUser
from memory.store.admission import NewMemory
from tests.api_client import ApiClient
from tests.memory.console.conftest import Console

pytestmark = pytest.mark.usefixtures("services")

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
HOME = "/console/acme/ann"
KEY = re.compile(r"cpl_[A-Za-z0-9_-]{43}_[0-9a-f]{8}")
SCOPES = {"own": RowScope(), "project=acme/atlas": RowScope(project_id="acme/atlas"), "agent=nurse": RowScope("nurse")}


def test_memories_and_facts_are_filtered_by_where_they_belong(console: Console, user: EndUser) -> None:
    facade = MemoryFacade()
    assert 'name="scope"' not in console.get(f"{HOME}/memories").content.decode()
    words = dict(zip(SCOPES, ("Marigold", "Lavender", "Heliotrope"), strict=True))
    ids = {}
    for choice, scope in SCOPES.items():
        with confine_to(scope):
            ids[choice] = facade.store(user, NewMemory(f"The {words[choice]} sails on Fridays"), now=NOW).item.pk
            facade.state_fact(user, f"My boat is called {words[choice]}", now=NOW)
    for page in ("memories", "facts"):
        everything = console.get(f"{HOME}/{page}").content.decode()
        assert all(word in everything for word in words.values())
        assert '<option value="project=acme/atlas">Project acme/atlas</option>' in everything
        for choice in SCOPES:
            shown = console.get(f"{HOME}/{page}?scope={choice}").content.decode()
            assert {word for word in words.values() if f"{word} sails" in shown or f"called {word}" in shown} == {
                words[choice]
            }
        assert not any(word in console.get(f"{HOME}/{page}?scope=nothing").content.decode() for word in words.values())
    assert "acme/atlas" in console.get(f"{HOME}/memories/{ids['project=acme/atlas']}").content.decode()


def test_a_key_is_bound_on_the_page_that_makes_it(governing: Console, user: EndUser) -> None:
    refused = governing.post(f"{HOME}/connect", {"client": "claude-code", "project_id": "a b"})
    assert refused.status_code == 422
    assert "must be 1-128 of A-Z a-z 0-9 _ . @ : / -" in unescape(refused.content.decode())
    assert not ApiKey.objects.exists()
    made = governing.post(f"{HOME}/connect", {"client": "claude-code", "project_id": "acme/atlas"}).content.decode()
    assert ApiKey.objects.get().project_id == "acme/atlas"
    [key] = set(KEY.findall(unescape(made)))
    stored = ApiClient(user.external_id, key).post("memories", {"text": "The build needs Java 21"})
    assert stored.json()["project_id"] == "acme/atlas"
    assert "acme/atlas" in governing.get(f"{HOME}/connect").content.decode()
