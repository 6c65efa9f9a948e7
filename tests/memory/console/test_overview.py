"""The overview and its live parts."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.access.keys import issue_key
from memory.console import component_health
from memory.facade import MemoryFacade
from memory.models import EndUser, Organization
from memory.operations import health
from memory.operations.health import Component, Health
from memory.tiers import Outcome, Tier
from outcomes.exchanges.storing import NewExchange
from tests.factories import MemoryItemFactory
from tests.memory.console.conftest import Console


def seen(**components: Component) -> Health:
    return Health("degraded", timezone.now(), components, breakers={}, disk={}, sizes={}, warnings=[])


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "current", lambda: seen(postgres=Component(ok=True, detail="PostgreSQL 18")))


@pytest.mark.usefixtures("healthy")
def test_it_counts_what_is_remembered(console: Console, user: EndUser, place: str) -> None:
    MemoryItemFactory.create_batch(3, user=user)
    MemoryItemFactory.create(user=user, banked=True)
    MemoryItemFactory.create(user=user, archived=True)
    context = console.get(place).context
    counts = {count.tier: (count.active, count.archived) for count in context["tiers"]}
    assert counts == {
        Tier.WORKING: (3, 1),
        Tier.HISTORY: (0, 0),
        Tier.PATTERNS: (0, 0),
        Tier.MEMORY_BANK: (1, 0),
        Tier.BOOKS: (0, 0),
    }
    assert context["total"] == 4


@pytest.mark.usefixtures("healthy")
def test_it_shows_recent_outcomes_and_keys(
    console: Console, user: EndUser, organization: Organization, place: str
) -> None:
    item = MemoryItemFactory.create(user=user)
    MemoryFacade().record_outcome(user, Outcome.WORKED, now=timezone.now(), related=[str(item.pk)])
    _, plain = issue_key(organization, "mobile", ["read"], now=timezone.now(), lifetime=timedelta(days=1))
    page = console.get(place).content.decode()
    assert "1 scored" in page
    assert "mobile" in page
    assert plain[:10] in page
    assert plain not in page


@pytest.mark.usefixtures("healthy")
def test_outcomes_lead_to_what_they_were_said_of(console: Console, user: EndUser, place: str) -> None:
    memory, now = MemoryFacade(), timezone.now()
    item = MemoryItemFactory.create(user=user, text="Descale the kettle with vinegar")
    reported = memory.store_exchange(user, NewExchange("kitchen/1", "How do I descale it?", "With vinegar"), now=now)
    memory.record_outcome(user, Outcome.FAILED, now=now, exchange_id=reported.exchange_id)
    memory.record_outcome(user, Outcome.WORKED, now=now, related=[str(item.pk)])
    said_of = {one.said_of: one.address for one in console.get(place).context["outcomes"]}
    assert said_of["Descale the kettle with vinegar"] == f"{place}/memories/{item.pk}"
    assert (
        said_of["How do I descale it?"]
        == f"{place}/conversations?thread=kitchen%2F1&exchange={reported.exchange_id}#exchange-{reported.exchange_id}"
    )
    memory.remove(user, item.pk, now=now)
    assert "A memory that is gone" in console.get(place).content.decode()


@pytest.mark.usefixtures("healthy")
def test_it_asks_the_database_no_oftener_for_many_memories_than_for_few(
    console: Console, user: EndUser, place: str
) -> None:
    MemoryItemFactory.create_batch(2, user=user)
    console.get(place)
    with CaptureQueriesContext(connection) as few:
        console.get(place)
    MemoryItemFactory.create_batch(20, user=user)
    with CaptureQueriesContext(connection) as many:
        console.get(place)
    # Five of them read the assistant's name, which stands on every page of a person.
    assert len(many) == len(few) <= 34


@pytest.mark.usefixtures("healthy")
def test_a_person_without_memories_is_told_how_to_begin(console: Console, user: EndUser, place: str) -> None:
    page = console.get(place).content.decode()
    assert "Nothing is remembered yet" in page
    assert "import_chats" in page
    assert "No outcome has been recorded" in page
    assert "create_key" in page


@pytest.mark.usefixtures("healthy")
def test_the_index_panel_polls_until_nothing_waits(
    console: Console, user: EndUser, place: str, index_now: Callable[[EndUser], None]
) -> None:
    MemoryItemFactory.create(user=user)
    assert b'hx-trigger="every 2s"' in console.get(place).content
    waiting = console.part(f"{place}/indexing")
    assert waiting.status_code == 200
    assert b"1 on the way" in waiting.content
    index_now(user)
    done = console.part(f"{place}/indexing")
    assert done.status_code == 286
    assert b"hx-get" not in done.content
    assert b'hx-trigger="every 2s"' not in console.get(place).content


@pytest.mark.parametrize("part", ["indexing", "health"])
def test_a_live_part_opened_as_a_page_leads_to_the_overview(console: Console, place: str, part: str) -> None:
    assert console.get(f"{place}/{part}").headers["Location"] == place


def test_a_part_that_fails_is_named_with_what_it_means(
    console: Console, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    down = seen(postgres=Component(ok=True), embedder=Component(ok=False, detail="connection <refused>"))
    monkeypatch.setattr(health, "current", lambda: down)
    page = console.get(place).content.decode()
    assert "Embedding model." in page
    assert "Connection &lt;refused&gt;." in page
    assert "search compares words only" in page
    part = console.part(f"{place}/health").content.decode()
    assert 'hx-swap-oob="true"' in part


def test_open_breakers_and_a_full_disk_are_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    look = Health(
        "degraded",
        timezone.now(),
        {"vector_index": Component(ok=False, detail="gone")},
        breakers={"vector": "open", "lexical": "open", "redis": "closed"},
        disk={},
        sizes={},
        warnings=["disk: 3.1 GB free", "vector_index: gone"],
    )
    monkeypatch.setattr(health, "current", lambda: look)
    found = [(one.name, one.state) for one in component_health.list_component_health()]
    assert found == [("Vector index", "watch"), ("Word index", "watch"), ("Disk", "watch")]
