"""Taking a move back as a chat client does it."""

import pytest

from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock
from tests.factories import MemoryItemFactory

memory = MemoryFacade("key:test")


@pytest.fixture
def moved(user: EndUser, clock: Clock) -> MemoryItem:
    item = MemoryItemFactory.create(user=user, score=0.7, uses=2)
    memory.promote(user, now=clock())
    return item


def event_of(api: ApiClient, item: MemoryItem) -> int:
    [event] = api.get(f"memories/{item.pk}/events").json()["items"]
    assert event["kind"] == "promoted"
    return int(event["id"])


def test_the_event_of_a_move_is_where_it_is_taken_back(api: ApiClient, moved: MemoryItem) -> None:
    path = f"memories/{moved.pk}/events/{event_of(api, moved)}/undo"
    first = api.post(path, Idempotency_Key="once")
    assert (first.status_code, first.json()["tier"]) == (200, "working")
    again = api.post(path, Idempotency_Key="once")
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (first.json(), "true")
    refused = api.post(path)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "event_id")
    assert refused.json()["errors"][0]["message"] == "this was taken back already"
    assert [event["kind"] for event in api.get(f"memories/{moved.pk}/events").json()["items"]] == ["undone", "promoted"]


def test_what_is_not_there_is_not_found(
    api: ApiClient, foreign_api: ApiClient, other_user: EndUser, moved: MemoryItem
) -> None:
    path = f"memories/{moved.pk}/events/{event_of(api, moved)}/undo"
    assert foreign_api.post(path).status_code == client_for(other_user).post(path).status_code == 404
    assert api.post(f"memories/{moved.pk}/events/999999999/undo").status_code == 404
    for number in ("0", "-1", "9" * 30, "one"):
        assert api.post(f"memories/{moved.pk}/events/{number}/undo").status_code in {404, 422}
    found = memory.get(moved.user, moved.pk)
    assert found is not None
    assert found.tier == "history"


def test_reading_is_not_enough(user: EndUser, api: ApiClient, moved: MemoryItem) -> None:
    path = f"memories/{moved.pk}/events/{event_of(api, moved)}/undo"
    assert client_for(user, ("read",)).post(path).status_code == 403
