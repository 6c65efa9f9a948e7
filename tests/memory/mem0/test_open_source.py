"""The open-source server's paths, and the shapes of the platform's older versions, as their clients ask for them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from memory.models import EndUser
from outcomes.exchanges.profiling import profile_due_exchanges
from tests.api_client import ApiClient
from tests.factories import MemoryItemFactory

if TYPE_CHECKING:
    from mem0 import MemoryClient

pytestmark = pytest.mark.usefixtures("services")


@pytest.fixture
def send(client: "MemoryClient") -> Callable[..., Any]:
    def send_json(method: str, path: str, **given: Any) -> Any:
        answer = client.client.request(method, path, **given)
        assert answer.status_code == 200, (path, answer.text)
        return answer.json()

    return send_json


def test_the_open_source_paths(send: Callable[..., Any], user: EndUser, index_now: Callable[[EndUser], None]) -> None:
    person = user.external_id
    spoken = [{"role": "user", "content": "I live in Zurich."}]
    added = send("POST", "/memories", json={"messages": spoken, "user_id": person, "async_mode": True})
    assert added == {"results": []}
    profile_due_exchanges(user)
    index_now(user)
    [listed] = send("GET", "/memories", params={"user_id": person})["results"]
    assert listed["memory"] == "I live in Zurich."
    [found] = send("POST", "/search", json={"query": "Where do I live?", "user_id": person, "limit": 3})["results"]
    assert (found["id"], found["score"] > 0) == (listed["id"], True)
    path = f"/memories/{listed['id']}"
    assert send("GET", path)["memory"] == listed["memory"]
    assert send("PUT", path, json={"text": "I live in Bern."})["message"]
    assert [one["event"] for one in send("GET", f"{path}/history")] == ["ADD", "UPDATE"]
    assert "message" in send("DELETE", path)
    kept = {"messages": spoken, "user_id": person, "agent_id": "a", "infer": False}
    [kept_as_it_is] = send("POST", "/memories", json=kept)["results"]
    assert kept_as_it_is["event"] == "ADD"
    assert send("DELETE", "/memories", params={"user_id": person, "agent_id": "a"})["message"]
    assert send("GET", "/memories", params={"user_id": person})["results"] == []
    assert "Nothing was changed" in send("POST", "/configure", json={"version": "v1.1", "llm": {}})["message"]


def test_what_two_people_say_is_each_ones_own(send: Callable[..., Any], user: EndUser, api: ApiClient) -> None:
    spoken = [
        {"role": "user", "name": "Alice", "content": "I live in Zurich."},
        {"role": "user", "name": "Bob", "content": "I live in Bern."},
        {"role": "assistant", "content": "Noted."},
    ]
    send("POST", "/memories", json={"messages": spoken, "user_id": user.external_id, "async_mode": True})
    profile_due_exchanges(user)
    told = {(one["subject"], one["object"]) for one in api.get("facts").json()["items"]}
    assert told == {("alice", "zurich"), ("bob", "bern")}
    kept = send("GET", "/memories", params={"user_id": user.external_id})["results"]
    assert sorted(one["actor_id"] for one in kept) == ["Alice", "Bob"]
    send("POST", "/memories", json={"messages": "A lamp", "user_id": user.external_id, "infer": False})
    assert "actor_id" not in send("POST", "/search", json={"query": "lamp", "user_id": user.external_id})["results"][0]


def test_colours_of_a_terminal_are_no_words(send: Callable[..., Any], user: EndUser) -> None:
    added = {"user_id": user.external_id, "infer": False}
    for messages in ("\x1b[31mbrick\x1b[0m", [{"role": "user", "content": "bri\x00ck\x0c"}]):
        [kept] = send("POST", "/memories", json={**added, "messages": messages})["results"]
        assert kept["memory"].strip() == "brick"


def test_reset_forgets_the_people_of_a_key_and_no_organisation(new_client: Any, user: EndUser) -> None:
    MemoryItemFactory.create(user=user, tier="history")
    refused = new_client(user).client.post("/reset")
    assert (refused.status_code, "limited to people" in refused.json()["detail"]) == (403, True)
    own = new_client(user, user_ids=[user.external_id])
    assert own.client.post("/reset").status_code == 200
    assert own.get_all()["count"] == 0


def test_older_versions_are_answered_in_their_shapes(send: Callable[..., Any], user: EndUser) -> None:
    person = user.external_id
    body = {"messages": "The kettle is on the left shelf", "user_id": person, "infer": False}
    [first] = send("POST", "/v1/memories/", json={**body, "output_format": "v1.0"})
    assert send("POST", "/v1/memories/", json={**body, "messages": {"role": "user", "content": "The toaster too"}})[
        "results"
    ]
    query = {"query": "Where is the kettle?", "user_id": person}
    filtered = {"query": "Where is the kettle?", "filters": {"AND": [{"user_id": person}]}, "top_k": 1}
    assert send("POST", "/v1/memories/search/", json=query)[0]["id"] == first["id"]
    assert [one["id"] for one in send("POST", "/v2/memories/search/", json=filtered)] == [first["id"]]
    wrapped = send("POST", "/v1/memories/search/", json={**query, "output_format": "v1.1"})
    assert wrapped["results"][0]["id"] == first["id"]
    assert len(send("GET", "/v1/memories/", params={"user_id": person})) == 2
    assert len(send("POST", "/v2/memories/", json={"filters": {"user_id": person}})) == 2
    page = send("GET", "/v1/memories/", params={"user_id": person, "page": 2, "page_size": 1})
    assert (page["count"], len(page["results"]), page["next"]) == (2, 1, None)
    assert send("GET", f"/v1/memories/{first['id']}")["id"] == first["id"]


def test_what_is_not_offered_says_so(client: "MemoryClient", user: EndUser) -> None:
    for method, path, status in (
        ("GET", "/v1/memories/not-an-id/", 404),
        ("PATCH", "/v1/memories/", 405),
        ("POST", "/v1/exports/", 400),
        ("POST", "/v1/exports/get/", 400),
        ("POST", "/v3/memories/add/", 400),
        ("GET", "/v1/memories/?page=none", 400),
        ("GET", "/v1/memories/?user_id=a&user_id=b", 400),
        ("DELETE", "/v1/memories/?filters=%7B'user_id'", 400),
        ("DELETE", "/v2/entities/planet/mars/", 404),
    ):
        answer = client.client.request(method, path)
        assert (answer.status_code, bool(answer.json()["detail"])) == (status, True), (path, answer.text)
        assert answer.headers["content-type"] == "application/json"
    unreadable = client.client.post("/search", content=b"{", headers={"content-type": "application/json"})
    assert (unreadable.status_code, "JSON" in unreadable.json()["detail"]) == (400, True)
    assert client.client.post("/search", content=b"query=a").status_code == 415
