"""Past its time in its tier: out of it, still found, brought back by what works, deleted by age where asked for."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.indexes import vector_index
from memory.indexes.base import IndexFilter
from memory.inference import embedder
from memory.models import EndUser, MemoryItem, Tombstone
from memory.platform.deadline import Deadline
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Status, Tier
from tests.api_client import ApiClient
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
IndexNow = Callable[[EndUser], None]
TEXT = "The boat is moored at the north pier until spring"
QUESTION = "Where is the boat moored?"


@pytest.fixture
def dormant(user: EndUser, clock: Clock, index_now: IndexNow) -> MemoryItem:
    stored = memory.store(user, NewMemory(TEXT), now=clock()).item
    index_now(user)
    memory.promote(user, now=clock.advance(hours=25))
    index_now(user)
    return reload_item(stored)


@pytest.fixture
def retention(settings: Settings) -> Callable[..., None]:
    def set_to(**values: Any) -> None:
        settings.MEMORY = {**settings.MEMORY, "PROMOTION": values}

    return set_to


def reload_item(item: MemoryItem) -> MemoryItem:
    with user_scope(item.user):
        return MemoryItem.objects.for_user(item.user).get(pk=item.pk)


def find_ids(user: EndUser, clock: Clock, query: str = QUESTION, **fields: Any) -> list[uuid.UUID]:
    return [hit.item.pk for hit in memory.search(user, SearchRequest(query, **fields), now=clock()).hits]


# --- out of the tier, and found ----------------------------------------------------------------------------------
def test_it_leaves_the_tier_and_is_found_by_a_search_over_all(user: EndUser, clock: Clock, dormant: MemoryItem) -> None:
    assert (dormant.tier, dormant.status, dormant.archived_at) == ("working", "dormant", None)
    assert find_ids(user, clock) == [dormant.pk]
    assert find_ids(user, clock, tiers=frozenset({Tier.WORKING})) == []
    stats = memory.get_stats(user)
    assert (stats.tiers["working"].get("active", 0), stats.tiers["working"]["dormant"]) == (0, 1)


def test_its_vector_is_kept_and_not_computed_anew(user: EndUser, clock: Clock, dormant: MemoryItem) -> None:
    [vector] = embedder().embed_passages([TEXT], Deadline(5))
    both = IndexFilter(user.pk, statuses=frozenset({Status.ACTIVE, Status.DORMANT}))
    assert [match.id for match in vector_index().search(vector, both, 5, Deadline(5))] == [dormant.pk]
    assert vector_index().search(vector, IndexFilter(user.pk), 5, Deadline(5)) == []
    assert dormant.indexing == "ready"


def test_it_is_found_between_the_end_of_its_time_and_the_pass(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    stored = memory.store(user, NewMemory(TEXT), now=clock()).item
    index_now(user)
    clock.advance(hours=25)
    [hit] = memory.search(user, SearchRequest(QUESTION), now=clock()).hits
    assert (hit.item.pk, hit.is_dormant) == (stored.pk, True)
    assert find_ids(user, clock, tiers=frozenset({Tier.WORKING})) == []


def test_of_two_that_fit_as_well_the_living_one_comes_first(
    user: EndUser, clock: Clock, index_now: IndexNow, dormant: MemoryItem
) -> None:
    living = memory.store(user, NewMemory(TEXT, occurred_at=dormant.occurred_at), now=clock()).item
    index_now(user)
    # What says the same takes one place: that of the living one.
    assert find_ids(user, clock) == [living.pk]


def test_the_api_says_so_of_hits_lists_and_counts(api: ApiClient, dormant: MemoryItem) -> None:
    [hit] = api.post("search", {"query": QUESTION, "explain": True}).json()["results"]
    assert (hit["status"], hit["tier"]) == ("dormant", "working")
    assert hit["explain"]["boosts"]["dormant"] < 0
    assert [item["id"] for item in api.get("memories?status=dormant").json()["items"]] == [str(dormant.pk)]
    assert api.get("memories").json()["items"] == []
    assert api.get("stats").json()["tiers"]["working"]["dormant"] == 1


def test_the_context_of_a_question_about_it_holds_it(api: ApiClient, dormant: MemoryItem) -> None:
    assert TEXT in api.post("context", {"query": QUESTION}).json()["injection"]


# --- back again --------------------------------------------------------------------------------------------------
def test_what_works_brings_it_back_to_history(user: EndUser, clock: Clock, dormant: MemoryItem) -> None:
    memory.record_outcome(user, Outcome.WORKED, now=clock(), related=[str(dormant.pk)])
    row = reload_item(dormant)
    assert (row.tier, row.status, row.expires_at) == ("history", "active", clock() + timedelta(days=30))
    event = memory.list_events(user, dormant.pk)[0]
    assert (event.kind, event.reason, event.before) == ("revived", "it worked", {"status": "dormant"})


@pytest.mark.parametrize("outcome", [Outcome.PARTIAL, Outcome.FAILED, Outcome.UNKNOWN])
def test_other_outcomes_leave_it_where_it_is(
    user: EndUser, clock: Clock, dormant: MemoryItem, outcome: Outcome
) -> None:
    memory.record_outcome(user, outcome, now=clock(), related=[str(dormant.pk)])
    assert reload_item(dormant).status == "dormant"


def test_one_that_keeps_failing_is_archived(user: EndUser, clock: Clock, dormant: MemoryItem) -> None:
    for _ in range(2):
        memory.record_outcome(user, Outcome.FAILED, now=clock(), related=[str(dormant.pk)])
    assert [gone.memory_id for gone in memory.promote(user, now=clock()).archived] == [dormant.pk]
    assert find_ids(user, clock) == []


def test_a_person_can_restore_and_archive_it(user: EndUser, clock: Clock, dormant: MemoryItem) -> None:
    memory.restore(user, dormant.pk, now=clock())
    row = reload_item(dormant)
    assert (row.tier, row.status, row.expires_at) == ("working", "active", clock() + timedelta(hours=24))
    memory.promote(user, now=clock.advance(hours=25))
    memory.archive(user, dormant.pk, now=clock())
    assert reload_item(dormant).status == "archived"
    assert find_ids(user, clock) == []


# --- settings ----------------------------------------------------------------------------------------------------
def test_expiry_can_archive_as_well(
    user: EndUser, clock: Clock, index_now: IndexNow, retention: Callable[..., None]
) -> None:
    retention(expiry="archive")
    stored = memory.store(user, NewMemory(TEXT), now=clock()).item
    index_now(user)
    clock.advance(hours=25)
    assert find_ids(user, clock) == [], "what is past its time is not found, whether or not a pass came by"
    memory.promote(user, now=clock())
    assert reload_item(stored).status == "archived"


def test_dormant_memories_past_the_retention_are_deleted(
    user: EndUser, other_user: EndUser, clock: Clock, dormant: MemoryItem, retention: Callable[..., None]
) -> None:
    retention(retention_days=90)
    living = memory.store(user, NewMemory("Always there", tier=Tier.PATTERNS), now=clock()).item
    assert memory.promote(user, now=clock.advance(days=88)).deleted == 0
    assert memory.promote(user, now=clock.advance(days=2), dry_run=True).deleted == 1
    assert memory.promote(other_user, now=clock()).deleted == 0
    assert memory.promote(user, now=clock()).deleted == 1
    assert memory.get(user, dormant.pk) is None
    assert memory.get(user, living.pk) is not None
    with user_scope(user):
        assert Tombstone.objects.filter(user=user, item_id=dormant.pk).exists()


def test_without_a_retention_nothing_is_deleted(user: EndUser, clock: Clock, dormant: MemoryItem) -> None:
    assert memory.promote(user, now=clock.advance(days=10_000)).deleted == 0
    assert reload_item(dormant).status == "dormant"


# --- the clock ahead ---------------------------------------------------------------------------------------------
def test_the_command_does_what_the_clock_will_have_done(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    stored = memory.store(user, NewMemory(TEXT), now=clock()).item
    index_now(user)
    out = StringIO()
    call_command("promote", f"--at={clock() + timedelta(days=31):%Y-%m-%d}", "--user=ann", "--org=acme", stdout=out)
    assert "1 were" not in out.getvalue()
    assert "1 made dormant" in out.getvalue()
    assert reload_item(stored).status == "dormant"
    index_now(user)
    assert reload_item(stored).indexing == "ready", "its vector need not wait for that time"


def test_a_time_that_is_none_is_named() -> None:
    with pytest.raises(CommandError, match="is no ISO 8601 time"):
        call_command("promote", "--at=tomorrow")
