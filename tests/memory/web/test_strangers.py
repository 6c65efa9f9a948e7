"""Reading about a person nobody wrote to: an answer as for an empty memory, and nobody is made."""

from typing import Any

import pytest

from memory.models import EndUser
from tests.api_client import ApiClient
from tests.rows import find_turn

STRANGER = "/api/v1/users/stranger"
READS: tuple[tuple[str, Any], ...] = (
    ("search", {"query": "train"}),
    ("context", {"query": "when does the train leave?", "thread_id": "t"}),
    ("recall/search", {"query": "train"}),
    ("tools/search_memory", {"query": "train"}),
    ("tools/get_context_insights", {"query": "train"}),
    ("tools/memory.search", {"query": "train"}),
    ("promote", {}),
)


def is_known(external_id: str = "stranger") -> bool:
    return EndUser.objects.filter(external_id=external_id).exists()


@pytest.mark.parametrize(("path", "body"), READS)
@pytest.mark.parametrize("headers", [{}, {"Idempotency_Key": "k"}], ids=["once", "with a key"])
def test_a_call_that_reads_makes_nobody(
    api: ApiClient, user: EndUser, path: str, body: Any, headers: dict[str, str]
) -> None:
    # Another person of the organisation has memories; a stranger has none of them.
    api.post("memories", {"text": "The train leaves at 07:40"})
    own, empty = api.post(path, body), api.post(f"{STRANGER}/{path}", body, **headers)
    assert (own.status_code, empty.status_code) == (200, 200)
    assert empty.json().keys() == own.json().keys()
    assert "07:40" not in empty.text
    assert not is_known()


def test_reading_by_address_makes_nobody(api: ApiClient) -> None:
    for path in ("insights?query=train", "stats", "memories", "exchanges", "threads/t", "graph/concepts", "goals"):
        assert api.get(f"{STRANGER}/{path}").status_code == 200, path
    assert api.get("/api/v1/hooks/context?user_id=stranger&query=train").status_code == 200
    assert not is_known()


def test_the_turn_of_a_first_search_can_be_scored_once_its_exchange_made_the_person(api: ApiClient) -> None:
    turn_id = api.post(f"{STRANGER}/context", {"query": "when does the train leave?"}).json()["turn_id"]
    exchange = {"turn_id": turn_id, "user_message": "When?", "assistant_message": "I do not know."}
    stored = api.post(f"{STRANGER}/threads/t/exchanges", exchange)
    assert stored.status_code == 201
    scored = api.post(f"{STRANGER}/outcomes", {"turn_id": turn_id, "outcome": "failed"})
    assert scored.status_code == 201
    # The turn had shown nothing; what was answered is judged by its own memory.
    assert [one["memory_id"] for one in scored.json()["scored"]] == [stored.json()["memory_id"]]


def test_the_turn_of_a_first_search_is_the_strangers_own(api: ApiClient) -> None:
    turn_id = api.post(f"{STRANGER}/search", {"query": "train"}).json()["turn_id"]
    outcome = {"turn_id": turn_id, "outcome": "worked", "key_takeaway": "Ask for the platform too."}
    assert api.post("/api/v1/users/somebody-else/outcomes", outcome).status_code == 404
    assert not is_known("somebody-else")
    assert api.post(f"{STRANGER}/outcomes", outcome).status_code == 201
    stranger = EndUser.objects.get(external_id="stranger")
    turn = find_turn(stranger, turn_id)
    assert turn is not None
    assert turn.positions == []


def test_a_tool_may_record_what_came_of_a_first_search(api: ApiClient) -> None:
    turn_id = api.post(f"{STRANGER}/tools/search_memory", {"query": "train"}).json()["result"]["turn_id"]
    lesson = {"key_takeaway": "Nothing was known of trains.", "outcome": "unknown", "turn_id": turn_id}
    recorded = api.post(f"{STRANGER}/tools/record_response", lesson)
    assert (recorded.status_code, recorded.json()["result"]["turn_id"]) == (200, turn_id)
