"""The second wall alone: policies off, indexes that answer with everybody's ids. Queries start at their user."""

import uuid
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from memory.facade import MemoryFacade
from memory.indexes.base import IndexFilter, LexicalMatch, VectorMatch
from memory.models import EndUser, Fact, FactReview, MemoryItem
from memory.models.facts import ReviewKind
from memory.retrieval import finding
from memory.retrieval.results import SearchRequest
from memory.store import listing
from memory.store.admission import WriteRefused
from memory.store.listing import ItemFilter
from memory.tiers import Outcome
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient, client_for
from tests.attacks.conftest import CANARY
from tests.factories import EndUserFactory, MemoryItemFactory, OrganizationFactory
from tests.rows import find_turn

NOW = datetime(2026, 3, 2, tzinfo=UTC)


class Everybody:
    """An index that has forgotten whom it was asked for."""

    def __init__(self, ids: Collection[uuid.UUID]) -> None:
        self.ids = ids


class CarelessVectors(Everybody):
    def search(
        self, vector: Any, filter: IndexFilter, limit: int, deadline: Any, *, shape: Any = None
    ) -> list[VectorMatch]:
        return [VectorMatch(item_id, 0.1) for item_id in self.ids]


class CarelessWords(Everybody):
    def search(self, query: str, filter: IndexFilter, limit: int, deadline: Any) -> list[LexicalMatch]:
        return [LexicalMatch(item_id, 9.0) for item_id in self.ids]


@pytest.fixture
def ann(no_policies: None) -> EndUser:
    return EndUserFactory.create(organization=OrganizationFactory.create(slug="acme"), external_id="ann")


@pytest.fixture
def mallory(ann: EndUser) -> EndUser:
    return EndUserFactory.create(organization=OrganizationFactory.create(slug="umbra"), external_id="ann")


@pytest.fixture
def secret(ann: EndUser) -> MemoryItem:
    MemoryItemFactory.create(user=ann, always_injected=True, text=f"always {CANARY}")
    return MemoryItemFactory.create(user=ann, text=f"the word is {CANARY}", tags=["secret"], thread_id="t")


def test_the_policies_are_off(secret: MemoryItem) -> None:
    """Without this the other tests of the file would show nothing."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memory_item")
        assert cursor.fetchone() == (2,)


def test_reading_by_id_finds_only_the_own(secret: MemoryItem, ann: EndUser, mallory: EndUser) -> None:
    facade = MemoryFacade()
    assert facade.get(ann, secret.pk) is not None
    assert facade.get(mallory, secret.pk) is None
    assert facade.list_versions(mallory, secret.pk) == []
    assert facade.list_events(mallory, secret.pk) == []
    assert list(listing.list_events(mallory, secret.pk, before=None, limit=5)) == []


def test_nobody_changes_what_is_not_theirs(secret: MemoryItem, mallory: EndUser) -> None:
    facade = MemoryFacade()
    before = MemoryItem.objects.filter(pk=secret.pk).values().get()
    assert facade.revise(mallory, secret.pk, {"text": "mine now"}, now=NOW) is None
    assert facade.archive(mallory, secret.pk, now=NOW) is None
    assert facade.restore(mallory, secret.pk, now=NOW) is None
    assert facade.remove(mallory, secret.pk, now=NOW) is False
    with pytest.raises(WriteRefused):
        facade.record_outcome(mallory, Outcome.FAILED, now=NOW, key_takeaway="spoil it", related=[str(secret.pk)])
    assert MemoryItem.objects.filter(pk=secret.pk).values().get() == before


@pytest.mark.parametrize(
    "wanted",
    [ItemFilter(), ItemFilter(words=CANARY), ItemFilter(tag="secret")],
    ids=["all", "words", "tag"],
)
def test_lists_hold_only_the_own(secret: MemoryItem, ann: EndUser, mallory: EndUser, wanted: ItemFilter) -> None:
    assert secret.pk in {item.pk for item in listing.list_items(ann, wanted)}
    assert listing.list_items(mallory, wanted) == []


def test_counts_count_only_the_own(secret: MemoryItem, mallory: EndUser) -> None:
    stats = MemoryFacade().get_stats(mallory)
    assert not any(count for statuses in stats.tiers.values() for count in statuses.values())
    assert stats.indexing.pending == 0
    assert stats.exchanges == 0


def test_a_careless_index_cannot_put_a_foreign_memory_into_an_answer(
    secret: MemoryItem, ann: EndUser, mallory: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "vector_index", lambda: CarelessVectors([secret.pk]))
    monkeypatch.setattr(finding, "lexical_index", lambda: CarelessWords([secret.pk]))
    facade = MemoryFacade()
    # What waits for the index is found without it, the owner's alone.
    found = facade.search(ann, SearchRequest(CANARY), now=NOW).hits
    assert (secret.pk in {hit.item.pk for hit in found}, {hit.item.user_id for hit in found}) == (True, {ann.pk})
    assert facade.search(mallory, SearchRequest(CANARY), now=NOW).hits == []
    made = facade.compose_context(mallory, f"what is {CANARY}", now=NOW, thread_id="t")
    assert CANARY not in made.injection
    assert str(secret.pk) not in str(made.meta)


def test_upkeep_touches_only_the_own(secret: MemoryItem, ann: EndUser, mallory: EndUser) -> None:
    stale = MemoryItemFactory.create(user=ann, expired=True)
    done = MemoryFacade().promote(mallory, now=NOW)
    assert (done.promoted, done.archived) == ([], [])
    stale.refresh_from_db()
    assert stale.status == "active"


def test_a_turn_or_exchange_of_somebody_else_is_unknown(secret: MemoryItem, ann: EndUser, mallory: EndUser) -> None:
    facade = MemoryFacade()
    turn = facade.search(ann, SearchRequest(CANARY), now=NOW).turn_id
    kept = facade.store_exchange(ann, NewExchange("t", CANARY, "yes", turn_id=turn), now=NOW)
    assert find_turn(mallory, turn) is None
    client = client_for(mallory)
    for body in ({"turn_id": str(turn)}, {"exchange_id": str(kept.exchange_id)}):
        assert client.post("outcomes", {"outcome": "failed", **body}).status_code == 404


def test_facts_of_somebody_else_are_out_of_reach(ann: EndUser, mallory: EndUser, services: None) -> None:
    facade = MemoryFacade()
    known = facade.state_fact(ann, f"My dentist is called {CANARY}", now=NOW).fact
    other = facade.state_fact(ann, "I am allergic to lamps", now=NOW).fact
    assert known is not None
    assert other is not None
    review = FactReview.objects.create(user=ann, fact=known, other=other, kind=ReviewKind.UNSURE)
    before = list(Fact.objects.order_by("pk").values())
    client = client_for(mallory)
    for method, path, body in (
        ("GET", f"facts/{known.pk}", None),
        ("PATCH", f"facts/{known.pk}", {"statement": "I live in Leeds"}),
        ("DELETE", f"facts/{known.pk}", None),
        ("POST", f"facts/{known.pk}/confirm", None),
        ("POST", f"facts/{known.pk}/reject", None),
        ("POST", f"facts/{known.pk}/restore", None),
        ("POST", f"facts/reviews/{review.pk}", {"decision": "reject"}),
    ):
        assert client.send(method, path, body).status_code == 404, path
    for answer in (
        client.get("facts", {"state": "all"}),
        client.get("facts", {"as_of": "2030-01-01T00:00:00Z"}),
        client.get("facts/reviews"),
        client.post("facts/search", {"query": "what is my dentist called?"}),
    ):
        assert CANARY not in answer.content.decode()
    assert facade.list_evidence(mallory, [known.pk]) == {}
    # The same statement of theirs is a fact of their own.
    assert facade.state_fact(mallory, f"My dentist is called {CANARY}", now=NOW).effect == "added"
    assert list(Fact.objects.filter(user=ann).order_by("pk").values()) == before


def test_the_api_tells_mallory_nothing(secret: MemoryItem, mallory: EndUser, index_now: Callable[..., None]) -> None:
    client: ApiClient = client_for(mallory)
    answers = [
        client.get("memories"),
        client.get("memories", {"q": CANARY}),
        client.get(f"memories/{secret.pk}"),
        client.post("search", {"query": f"word is {CANARY}", "explain": True}),
        client.post("context", {"query": "which word?", "thread_id": "t"}),
        client.get("stats"),
    ]
    for answer in answers:
        # The query itself comes back in the debug block, so the memory's own words are looked for.
        assert f"the word is {CANARY}" not in answer.content.decode()
        assert str(secret.pk) not in answer.content.decode()
