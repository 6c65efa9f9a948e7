"""The start of a turn over HTTP: what a client may say of its model, and what it is answered."""

from typing import Any

import pytest

from memory.models import EndUser
from tests.api_client import ApiClient
from tests.factories import MemoryItemFactory

LONG = "The lighthouse log: " + "calm sea and a clear night " * 200

pytestmark = pytest.mark.usefixtures("services")


@pytest.fixture
def logbook(user: EndUser) -> None:
    for number in range(4):
        MemoryItemFactory.create(user=user, text=f"{number} {LONG}")


def get_context(api: ApiClient, **fields: Any) -> dict[str, Any]:
    answer = api.post("context", {"query": "lighthouse log", "thread_id": "t", **fields})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def test_a_client_bounds_what_it_is_handed_and_gets_the_history_that_fits(api: ApiClient, logbook: None) -> None:
    said = [{"role": "user", "content": f"Message {number}. " + "Nothing happened. " * 100} for number in range(10)]
    free = get_context(api, recent_messages=said)
    assert "history" not in free
    assert free["budget"]["complexity"] == "simple"
    bounded = get_context(api, recent_messages=said, max_tokens=3_000)
    assert bounded["budget"]["tokens"] == 3_000
    assert bounded["budget"]["used"] == sum(section["tokens"] for section in bounded["sections"]) <= 3_000
    assert bounded["budget"]["left_out"] == 4 - len(bounded["meta"]["citations"])
    assert len(bounded["history"]) < len(said)
    assert get_context(api, recent_messages=said, model="some-model")["history"] == said


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"max_tokens": 10}, "max_tokens"),
        ({"max_tokens": "many"}, "max_tokens"),
        ({"model": "x" * 201}, "model"),
        ({"model": "two\nlines"}, "model"),
        ({"windows": 1}, "windows"),
    ],
)
def test_a_room_that_makes_no_sense_is_refused(
    api: ApiClient, user: EndUser, fields: dict[str, Any], field: str
) -> None:
    answer = api.post("context", {"query": "lighthouse", **fields})
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_a_lesson_that_was_noted_again_and_again_is_one_line(api: ApiClient) -> None:
    lesson = "Renew the lighthouse lamp's lease from a heartbeat"
    for _ in range(3):
        assert api.post("memories", {"text": lesson, "tier": "working"}).status_code == 201
    api.post("memories", {"text": "The lighthouse lamp is repaired on Thursdays", "tier": "history"})
    reported = api.post("context", {"query": "the lighthouse lamp's lease"}).json()
    assert reported["injection"].count(lesson) == 1
    assert len(reported["meta"]["citations"]) == 2
    assert reported["budget"]["left_out"] == 0
    # Positions stay those of the search, which shows it once.
    assert len(api.post("outcomes", {"turn_id": reported["turn_id"], "outcome": "worked"}).json()["scored"]) == 2
