"""Facts over HTTP: a reading that was wrong, and what it had replaced."""

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact, MemoryItem
from memory.retrieval.results import SearchRequest
from memory.tiers import Status
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient
from tests.conftest import Clock
from tests.memory.api.fact_calls import NOBODY, listed, refused, state

pytestmark = pytest.mark.usefixtures("services")

LEEDS, YORK, HULL = "I live in Leeds.", "I live in York.", "I live in Hull."


def read_state(api: ApiClient, fact_id: str) -> str:
    return str(api.get(f"facts/{fact_id}").json()["state"])


def test_what_a_rejected_fact_had_replaced_holds_again_until_that_is_taken_back(
    api: ApiClient, user: EndUser, clock: Clock
) -> None:
    leeds = state(api, LEEDS)["fact"]
    clock.advance(days=1)
    york = state(api, YORK)["fact"]
    assert listed(api) == [YORK]
    assert api.post(f"facts/{york['id']}/reject").json()["state"] == "retracted"
    assert listed(api) == [LEEDS]
    assert api.get(f"facts/{leeds['id']}").json()["superseded_by"] is None
    with user_scope(user):
        assert MemoryItem.objects.for_user(user).get(pk=leeds["bank_item_id"]).status == Status.ACTIVE

    assert api.post(f"facts/{york['id']}/restore").json()["state"] == "active"
    assert listed(api) == [YORK]
    with user_scope(user):
        assert MemoryItem.objects.for_user(user).get(pk=leeds["bank_item_id"]).status == Status.ARCHIVED


def test_in_the_middle_of_a_chain_the_earlier_held_until_the_later(api: ApiClient, clock: Clock) -> None:
    leeds = state(api, LEEDS)["fact"]
    clock.advance(days=1)
    york = state(api, YORK)["fact"]
    clock.advance(days=1)
    hull = state(api, HULL)["fact"]
    api.post(f"facts/{york['id']}/reject")
    earlier = api.get(f"facts/{leeds['id']}").json()
    assert (earlier["superseded_by"], earlier["valid_to"]) == (hull["id"], hull["valid_from"])
    assert listed(api) == [HULL]


def test_forgetting_by_an_order_brings_nothing_back(api: ApiClient, clock: Clock) -> None:
    state(api, LEEDS)
    clock.advance(days=1)
    state(api, YORK)
    assert api.post("commands", {"text": "Forget that I live in York"}).json()["results"][0]["done"] is True
    assert listed(api) == []


def test_a_true_sentence_that_was_read_wrongly_stays_without_the_reading(
    api: ApiClient, user: EndUser, clock: Clock
) -> None:
    """However it came to be read so: the sentence about York stands for any that ended what it says nothing of."""
    memory = MemoryFacade("key:test")
    for message in (LEEDS, YORK):
        memory.store_exchange(user, NewExchange("t", message, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=1)
    with user_scope(user):
        york = Fact.objects.for_user(user).active().get()
    path = f"facts/{york.pk}"
    assert refused(api.patch(path, {"relation": "lives_in"})) == ["relation"]
    assert refused(api.patch(path, {"relation": "about", "statement": HULL})) == ["relation"]
    assert api.patch(f"facts/{NOBODY}", {"relation": "about"}).status_code == 404

    kept = api.patch(path, {"relation": "about"}).json()
    assert (kept["statement"], kept["relation"], kept["object"], kept["state"]) == (YORK, "about", "", "active")
    assert sorted(listed(api)) == [LEEDS, YORK]
    hits = memory.search(user, SearchRequest("Where do I live?"), now=clock()).hits
    assert {hit.superseded_by for hit in hits} == {None}
    # Reading the same turn again reads nothing into it either.
    memory.extract_facts(user, now=clock())
    assert sorted(listed(api)) == [LEEDS, YORK]

    memory.undo_fact_change(user, york.pk, now=clock())
    assert listed(api) == [YORK]
    assert api.get(path).json()["relation"] == "lives_in"
