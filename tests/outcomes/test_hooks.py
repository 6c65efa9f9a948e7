"""Hooks: context before an answer, the exchange after it, the score; exchanges listed and exported."""

import json
import re
import uuid
from typing import Any

import pytest
from pytest_django import Settings

from memory.models import EndUser
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

CONTEXT, EXCHANGE, SCORE = "/api/v1/hooks/context", "/api/v1/hooks/exchange", "/api/v1/hooks/score"


def enforce(settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "enforce_scoring": True}}


def send_before_response(api: ApiClient, query: str = "Where is the boat key?", **fields: Any) -> dict[str, Any]:
    answer = api.post(CONTEXT, {"user_id": "ann", "query": query, "thread_id": "t-1", **fields})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def send_after_response(
    api: ApiClient, turn_id: str | None, said: str = "Where is the boat key?", **fields: Any
) -> dict[str, Any]:
    body = {"user_id": "ann", "thread_id": "t-1", "user_message": said, "assistant_message": "Behind the boiler."}
    answer = api.post(EXCHANGE, {**body, **({"turn_id": turn_id} if turn_id else {}), **fields})
    assert answer.status_code == 201, answer.content
    return dict(answer.json())


def store_memory(api: ApiClient) -> str:
    answer = api.post("memories", {"text": "The boat key hangs behind the boiler", "tier": "history"})
    assert answer.status_code == 201
    return str(answer.json()["id"])


def score_of(api: ApiClient, memory_id: str) -> float:
    return float(api.get(f"memories/{memory_id}").json()["score"])


def test_a_turn_through_the_hooks(api: ApiClient, clock: Clock) -> None:
    memory_id = store_memory(api)
    first = send_before_response(api)
    assert "behind the boiler" in first["injection"]
    assert (first["required_scoring"], first["blocking"]) == (False, False)
    assert "score-required" not in first["injection"]
    kept = send_after_response(api, first["turn_id"])
    assert (kept["required_scoring"], kept["state"], kept["blocking"]) == (True, "unscored", False)

    clock.advance(seconds=5)
    second = send_before_response(api, "And the oars?")
    assert second["required_scoring"] is True
    assert second["unscored_exchange_id"] == kept["exchange_id"]
    request = f'<score-required exchange="{kept["exchange_id"]}" turn="{first["turn_id"]}">'
    assert second["injection"].startswith(request)
    assert second["sections"][0]["name"] == "score_required"
    assert second["blocking"] is False

    reported = api.post(SCORE, {"user_id": "ann", "thread_id": "t-1", "outcome": "worked"})
    assert reported.status_code == 201
    assert [one["memory_id"] for one in reported.json()["scored"]] == sorted([memory_id, kept["memory_id"]])
    assert score_of(api, memory_id) == 0.7
    third = send_before_response(api, "And the oars?")
    assert (third["required_scoring"], "score-required" in third["injection"]) == (False, False)


def test_every_way_to_ask_for_context_asks_for_the_outcome(api: ApiClient, clock: Clock, settings: Settings) -> None:
    enforce(settings)
    memory_id = store_memory(api)
    first = send_before_response(api)
    kept = send_after_response(api, first["turn_id"])
    waits = {"required_scoring": True, "blocking": True, "unscored_exchange_id": kept["exchange_id"]}
    asked = {"query": "And the oars?", "thread_id": "t-1"}

    plain = api.post("context", asked).json()
    insights = api.get("insights", asked).json()
    tool = api.post("tools/get_context_insights", asked).json()
    for reported in (plain, insights, tool["result"]):
        assert {name: reported[name] for name in waits} == waits
    assert plain["sections"][0]["name"] == "score_required"
    assert plain["injection"].startswith(plain["sections"][0]["text"])
    assert tool["content"].startswith("<score-required")

    # By now another turn of the thread has begun; the request names the one that is meant.
    named = re.search(r"turn_id ([0-9a-f-]{36})", plain["injection"])
    assert named is not None
    lesson = {"turn_id": named[1], "outcome": "worked", "key_takeaway": "The key hangs behind the boiler"}
    reported = api.post("tools/record_response", {**lesson, "thread_id": "t-1"}).json()["result"]
    assert [one["memory_id"] for one in reported["scored"]] == sorted([memory_id, kept["memory_id"]])
    assert api.post("context", asked).json()["required_scoring"] is False
    assert "blocking" not in api.post("tools/get_context_insights", asked).json()["result"]


def test_the_request_for_an_outcome_counts_towards_what_a_client_allows(api: ApiClient, clock: Clock) -> None:
    store_memory(api)
    send_after_response(api, send_before_response(api)["turn_id"])
    for allowed in (200, 300, 600):
        reported = api.post("context", {"query": "boat key", "thread_id": "t-1", "max_tokens": allowed}).json()
        assert reported["required_scoring"] is True
        assert reported["budget"]["used"] <= allowed
        assert reported["sections"][0]["name"] == "score_required"


def test_hooks_that_only_ask_by_address(api: ApiClient, clock: Clock) -> None:
    store_memory(api)
    query = {"user_id": "ann", "query": "Where is the boat key?", "thread_id": "t-1", "limit": "3"}
    answer = api.get(CONTEXT, query)
    assert answer.status_code == 200
    assert "behind the boiler" in answer.json()["injection"]
    assert api.get(CONTEXT, {**query, "limit": "51"}).status_code == 422
    assert api.get(CONTEXT, {**query, "user_id": "a b"}).status_code == 422
    assert api.get(CONTEXT, {"query": "x"}).status_code == 422


def test_a_setting_has_clients_wait_for_the_outcome(api: ApiClient, clock: Clock, settings: Settings) -> None:
    enforce(settings)
    store_memory(api)
    kept = send_after_response(api, send_before_response(api)["turn_id"])
    assert kept["blocking"] is True
    assert send_before_response(api, "And the oars?")["blocking"] is True
    state = api.get("threads/t-1").json()
    assert (state["state"], state["blocking"], state["last_exchange_id"]) == ("unscored", True, kept["exchange_id"])
    assert (
        api.post(SCORE, {"user_id": "ann", "outcome": "unknown", "exchange_id": kept["exchange_id"]}).status_code == 201
    )
    assert send_before_response(api, "And the oars?")["blocking"] is False
    assert api.get("threads/t-1").json()["state"] == "scored"


@pytest.mark.parametrize("user_id", ["ann", "nobody"])
def test_a_score_of_a_thread_in_which_nothing_waits_says_so(api: ApiClient, clock: Clock, user_id: str) -> None:
    refused = api.post(SCORE, {"user_id": user_id, "thread_id": "t-1", "outcome": "worked"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "thread_id")
    lesson = {"user_id": "ann", "thread_id": "t-1", "outcome": "worked", "key_takeaway": "The key is there"}
    assert api.post(SCORE, lesson).status_code == 201
    assert api.post(EXCHANGE, {"user_id": "ann", "user_message": "q", "assistant_message": "a"}).status_code == 422


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ("Where is the boat key?", {"interrupted": True}),
        ("thanks a lot!", {}),
        ("תודה רבה", {}),
        ("Where is the boat key?", {"tools": [{"name": "record_response", "ok": True, "ms": 4}]}),
    ],
)
def test_what_needs_no_score(
    api: ApiClient, clock: Clock, settings: Settings, said: str, fields: dict[str, Any]
) -> None:
    enforce(settings)
    store_memory(api)
    kept = send_after_response(api, send_before_response(api)["turn_id"], said, **fields)
    assert (kept["required_scoring"], kept["state"], kept["blocking"]) == (False, "scored", False)


def test_an_outcome_told_during_the_turn_counts_for_its_exchange(api: ApiClient, clock: Clock) -> None:
    store_memory(api)
    turn_id = send_before_response(api)["turn_id"]
    reported = api.post(
        "tools/record_response", {"key_takeaway": "The key is there", "outcome": "worked", "turn_id": turn_id}
    )
    assert reported.status_code == 200, reported.content
    kept = send_after_response(api, turn_id)
    assert (kept["required_scoring"], kept["state"]) == (False, "scored")
    [shown] = api.get("exchanges").json()["items"]
    assert (shown["outcome"]["outcome"], shown["outcome"]["source"]) == ("worked", "explicit")


def test_a_key_for_some_users_gets_nothing_of_others(user: EndUser, other_user: EndUser, clock: Clock) -> None:
    client_for(user).post("memories", {"text": "Ann's boat is green"})
    limited = client_for(user, user_ids=["ben"])
    turn: dict[str, dict[str, Any]] = {
        CONTEXT: {"query": "boat"},
        EXCHANGE: {"thread_id": "t", "user_message": "q", "assistant_message": "a"},
        SCORE: {"outcome": "worked", "thread_id": "t"},
    }
    for path, body in turn.items():
        refused = limited.post(path, {"user_id": "ann", **body})
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden"), path
    assert limited.get(CONTEXT, {"user_id": "ann", "query": "boat"}).status_code == 403
    assert limited.post(CONTEXT, {"user_id": "ben", **turn[CONTEXT]}).status_code == 200
    reader = client_for(user, scopes=("read",))
    assert reader.post(EXCHANGE, {"user_id": "ann", **turn[EXCHANGE]}).status_code == 403
    assert client_for(user).get("exchanges").json() == {"items": [], "next_cursor": None}


def test_users_of_another_organisation_are_other_people(api: ApiClient, foreign_api: ApiClient, clock: Clock) -> None:
    kept = send_after_response(api, None)
    for path in ("exchanges", "exchanges/export"):
        assert kept["exchange_id"].encode() not in foreign_api.get(path, {}).getvalue()
    assert foreign_api.get(f"exchanges/{kept['exchange_id']}").status_code == 404
    assert foreign_api.get("threads/t-1").json()["exchanges"] == 0
    missed = foreign_api.post(SCORE, {"user_id": "ann", "exchange_id": kept["exchange_id"], "outcome": "worked"})
    assert missed.status_code == 404


def test_exchanges_are_listed_newest_first_page_by_page(api: ApiClient, clock: Clock) -> None:
    ids = []
    for number in range(5):
        ids.append(send_after_response(api, None, f"Question {number}", thread_id=f"t-{number % 2}")["exchange_id"])
        clock.advance(minutes=1)
    first = api.get("exchanges", {"limit": 2}).json()
    second = api.get("exchanges", {"limit": 2, "cursor": first["next_cursor"]}).json()
    third = api.get("exchanges", {"limit": 2, "cursor": second["next_cursor"]}).json()
    listed = [one["exchange_id"] for page in (first, second, third) for one in page["items"]]
    assert listed == ids[::-1]
    assert third["next_cursor"] is None
    odd = api.get("exchanges", {"thread_id": "t-1"}).json()["items"]
    assert [one["user_message"] for one in odd] == ["Question 3", "Question 1"]
    assert api.get("exchanges", {"thread_id": "t-1", "cursor": first["next_cursor"]}).status_code == 422
    assert api.get(f"exchanges/{ids[0]}").json()["user_message"] == "Question 0"
    assert api.get(f"exchanges/{uuid.uuid4()}").status_code == 404


def test_the_export_holds_every_exchange_a_line(api: ApiClient, clock: Clock) -> None:
    memory_id = store_memory(api)
    kept = send_after_response(
        api, send_before_response(api)["turn_id"], tools=[{"name": "fetch", "ok": False, "ms": 3, "error": "timed out"}]
    )
    clock.advance(minutes=1)
    send_after_response(api, None, "thanks, that worked\nאיזה יופי")
    api.post(SCORE, {"user_id": "ann", "exchange_id": kept["exchange_id"], "outcome": "failed"})
    answer = api.get("exchanges/export")
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    first, second = (json.loads(line) for line in answer.getvalue().decode().splitlines())
    assert (first["user"], first["assistant"], first["outcome"]) == (
        "Where is the boat key?",
        "Behind the boiler.",
        "failed",
    )
    assert (first["scored"], first["outcome_source"], first["timestamp"]) == (True, "explicit", "2026-03-02T09:30:00Z")
    assert [one["kind"] for one in first["signals"]] == ["tool_timeout", "thanks"]
    assert (second["user"], second["outcome"], second["signals"]) == ("thanks, that worked\nאיזה יופי", None, [])
    assert score_of(api, memory_id) == 0.2
