"""What holds no longer leaves what mem0's clients are answered, and what was said beside it does not."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from memory.models import EndUser
from outcomes.exchanges.profiling import profile_due_exchanges

if TYPE_CHECKING:
    from mem0 import MemoryClient

pytestmark = pytest.mark.usefixtures("services")

Index = Callable[[EndUser], None]


def tell(client: "MemoryClient", user: EndUser, *said: str) -> None:
    for text in said:
        client.add(text, user_id=user.external_id, async_mode=True)
        profile_due_exchanges(user)


def list_texts(found: dict[str, Any]) -> set[str]:
    return {one["memory"] for one in found["results"]}


@pytest.mark.parametrize("later", ["I live in Basel now.", "I moved to Basel last week."])
def test_what_a_later_value_ended_is_in_no_answer(
    client: "MemoryClient", user: EndUser, index_now: Index, later: str
) -> None:
    tell(client, user, "I live in Zurich.", later)
    index_now(user)
    filters = {"user_id": user.external_id}
    listed = list_texts(client.get_all(filters=filters))
    searched = list_texts(client.search("Where do I live?", filters=filters))
    summary = client.client.post("/v1/summary/", json={"filters": filters}).json()["summary"]
    for told in (listed, searched, {summary}):
        assert not any("Zurich" in text for text in told), told
    assert any("Basel" in text for text in listed)
    assert any("Basel" in text for text in searched)


def test_what_was_said_beside_it_is_still_found_and_marked(
    client: "MemoryClient", user: EndUser, index_now: Index
) -> None:
    beside = "Yesterday it rained all day and we watched a documentary about herons and lighthouses"
    tell(client, user, f"I live in Zurich. {beside}.", "I live in Basel now.")
    index_now(user)
    filters = {"user_id": user.external_id}
    found = client.search("What was the documentary about?", filters=filters)["results"]
    [told] = [one for one in found if beside in one["memory"]]
    assert told["superseded_by"]["memory"] == "I live in Basel now."
    assert told["superseded_by"]["until"]


def test_that_something_ended_stays(client: "MemoryClient", user: EndUser) -> None:
    tell(client, user, "I have a car.", "I no longer have a car.")
    listed = list_texts(client.get_all(filters={"user_id": user.external_id}))
    assert listed == {"I no longer have a car."}


def test_what_a_deleted_memory_had_replaced_holds_again(client: "MemoryClient", user: EndUser) -> None:
    tell(client, user, "I live in Zurich.", "I live in Basel now.")
    filters = {"user_id": user.external_id}
    [basel] = client.get_all(filters=filters)["results"]
    client.delete(basel["id"])
    assert list_texts(client.get_all(filters=filters)) == {"I live in Zurich."}


def test_what_is_deleted_with_all_it_had_replaced_brings_nothing_back(client: "MemoryClient", user: EndUser) -> None:
    tell(client, user, "I live in Zurich.", "I live in Basel now.")
    filters = {"user_id": user.external_id}
    [basel] = client.get_all(filters=filters)["results"]
    client.client.delete(f"/v1/memories/{basel['id']}/", params={"delete_linked": "true"}).raise_for_status()
    assert list_texts(client.get_all(filters=filters)) == set()
