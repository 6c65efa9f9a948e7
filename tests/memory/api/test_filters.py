"""Filters of a search and of a list: what passes them is found however many nearer memories do not."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection
from qdrant_client import QdrantClient

from memory.access.scope import user_scope
from memory.indexes import qdrant, vector_index
from memory.indexes.base import VectorPoint
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from tests.api_client import ApiClient
from tests.factories import LONG_AGO, MemoryItemFactory

pytestmark = pytest.mark.usefixtures("services")

# More than a search looks at, each nearer to the question than the one that passes.
NEARER = 130
QUESTION = "When does the ferry to Cyprus leave?"
RARE: dict[str, Any] = {
    "metadata": {"project": {"name": "atlas", "year": 2021}, "done": False},
    "tags": ["harbour", "boats"],
    "thread_id": "t-rare",
    "source_type": "assistant",
    "source": {"type": "logbook", "page": {"number": 7}, "ends": ["n", "s"]},
    "occurred_at": LONG_AGO - timedelta(days=400),
}


@pytest.fixture
def rare(user: EndUser, index_now: Callable[[EndUser], None]) -> MemoryItem:
    for number in range(NEARER):
        MemoryItemFactory.create(
            user=user,
            text=f"The ferry to Cyprus leaves at noon from pier {number}",
            metadata={"project": {"name": "borealis", "year": 2021}, "number": number},
            tags=["timetable"],
            thread_id="t-near",
            source={"type": "timetable", "page": {"number": number + 8}},
        )
    item = MemoryItemFactory.create(user=user, text="Ropes are kept in the shed", tier="history", **RARE)
    index_now(user)
    return item


# Each passes the rare memory alone.
PASSING: list[dict[str, Any]] = [
    {"metadata": {"project": {"name": "atlas"}}},
    {"metadata": {"project": {"year": 2021.0}, "done": False}},
    {"tags": ["boats"]},
    {"tags": ["Harbour ", "boats"]},
    {"tags_any": ["boats", "nothing"]},
    {"in_thread": "t-rare"},
    {"source": "assistant"},
    {"source": "logbook"},
    {"source": {"type": "assistant", "page": {"number": 7}}},
    {"source": {"type": "logbook", "ends": ["s"]}},
    {"occurred_before": "2026-01-01T00:00:00Z"},
    {"collections": ["history"], "tags": ["harbour"], "occurred_after": "2024-01-01T00:00:00Z"},
    {"occurred_after": "2024-01-01", "occurred_before": "2026-01-01"},
]
# And each of these none.
BARRING: list[dict[str, Any]] = [
    {"metadata": {"project": {"name": "atlas", "year": 2022}}},
    {"metadata": {"project": "atlas"}},
    {"tags": ["boats", "timetable"]},
    {"tags_any": ["nothing"]},
    {"in_thread": "t-none"},
    {"source": "Logbook"},
    {"source": "tool"},
    {"source": {"type": "user", "page": {"number": 7}}},
    {"source": {"page": {"number": 7}}, "tags": ["timetable"]},
    {"collections": ["working"], "tags": ["boats"]},
    {"occurred_after": "2020-01-01T00:00:00Z", "occurred_before": "2020-02-01T00:00:00Z"},
    {"in_thread": "t-near", "tags": ["boats"]},
]


def find_texts(api: ApiClient, **filters: Any) -> list[str]:
    answer = api.post("search", {"query": QUESTION, **filters})
    assert answer.status_code == 200, answer.content
    assert answer.json()["debug"]["fallbacks_used"] == []
    return [hit["content"] for hit in answer.json()["results"]]


def list_texts(api: ApiClient, **filters: Any) -> list[str]:
    answer = api.get("memories", filters)
    assert answer.status_code == 200, answer.content
    return [item["text"] for item in answer.json()["items"]]


def test_a_rare_match_is_found_behind_any_number_of_nearer_memories(api: ApiClient, rare: MemoryItem) -> None:
    assert rare.text not in find_texts(api, limit=50)
    for filters in PASSING:
        assert find_texts(api, **filters) == [rare.text], filters
    for filters in BARRING:
        assert find_texts(api, **filters) == [], filters


def test_a_list_takes_the_same_filters(api: ApiClient, rare: MemoryItem) -> None:
    for filters in PASSING + BARRING:
        asked = {name: value for name, value in filters.items() if name != "collections"}
        if "in_thread" in asked:
            asked["thread_id"] = asked.pop("in_thread")
        asked |= {name: ",".join(asked[name]) for name in ("tags", "tags_any") if name in asked}
        asked |= {name: json.dumps(value) for name, value in asked.items() if isinstance(value, dict)}
        tiers = [{"tier": tier} for tier in filters.get("collections", [])] or [{}]
        expected = [rare.text] if filters in PASSING else []
        assert list_texts(api, **asked, **tiers[0]) == expected, filters
    assert len(list_texts(api, tags="timetable", limit="200")) == NEARER


def test_a_page_goes_on_under_the_same_filters_alone(api: ApiClient, rare: MemoryItem) -> None:
    first = api.get("memories", {"tags": "timetable", "limit": "100"}).json()
    second = api.get("memories", {"tags": "timetable", "limit": "100", "cursor": first["next_cursor"]}).json()
    assert len(first["items"]) + len(second["items"]) == NEARER
    other = api.get("memories", {"tags": "boats", "limit": "100", "cursor": first["next_cursor"]})
    assert other.status_code == 422


def test_changed_tags_and_metadata_count_at_once(api: ApiClient, rare: MemoryItem) -> None:
    api.patch(f"memories/{rare.pk}", {"tags": ["shed"], "metadata": {"project": {"name": "castor"}}})
    assert find_texts(api, tags=["boats"]) == []
    assert find_texts(api, tags=["shed"], metadata={"project": {"name": "castor"}}) == [rare.text]


def read_points(user: EndUser) -> list[VectorPoint]:
    """The points of a user as Postgres has them."""
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(
            "SELECT item_id, tier, status, embedding::text, vector_hash, revision FROM memory_vector "
            "WHERE user_id = %s",
            [user.pk],
        )
        rows = cursor.fetchall()
    return [
        VectorPoint(row[0], user.pk, row[1], row[2], np.array(json.loads(row[3]), np.float32), row[4], row[5])
        for row in rows
    ]


@pytest.fixture
def in_qdrant(user: EndUser, rare: MemoryItem, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The vectors are in Qdrant, and searches ask it."""
    client = QdrantClient(":memory:")
    index = vector_index()
    there = qdrant.QdrantEngine(client).open("test", index.dimensions)
    there.ensure()
    there.upsert(read_points(user), Deadline(30))
    monkeypatch.setattr(type(index), "_open_live", lambda _: there)
    yield
    client.close()


def test_the_same_holds_where_vectors_are_in_qdrant(
    api: ApiClient, rare: MemoryItem, in_qdrant: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for filters in PASSING:
        assert find_texts(api, **filters) == [rare.text], filters
    # As where more pass than can be named: ever more of the nearest are compared with the rows.
    monkeypatch.setattr(qdrant, "MOST_NAMED", 0)
    for filters in PASSING:
        assert find_texts(api, **filters) == [rare.text], filters
    for filters in BARRING:
        assert find_texts(api, **filters) == [], filters


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"tags": []}, "tags", "at least one"),
    ({"tags_any": [" "]}, "tags_any", "no empty one"),
    ({"tags": "boats"}, "tags", "list"),
    ({"in_thread": ""}, "in_thread", "empty"),
    ({"source": ""}, "source", "must name a source"),
    ({"source": {}}, "source", "must name a source"),
    ({"source": 7}, "source", "or must be a JSON object"),
    ({"source": "x" * 201}, "source", "at most 200"),
    ({"source": {"x": "y" * 20_000}}, "source", "bytes of JSON"),
    ({"metadata": ["a"]}, "metadata", "JSON object"),
    ({"occurred_after": "yesterday"}, "occurred_after", "ISO 8601 date or time, such as 2026-03-02 or"),
    ({"occurred_after": "2026-02-30"}, "occurred_after", "calendar"),
    ({"occurred_after": "20260302"}, "occurred_after", "ISO 8601"),
    (
        {"occurred_after": "2026-01-02T00:00:00Z", "occurred_before": "2026-01-02T00:00:00Z"},
        "occurred_before",
        "later than occurred_after",
    ),
    ({"tag": "boats"}, "tag", ""),
]


@pytest.mark.parametrize(("filters", "field", "rule"), WRONG)
def test_a_filter_that_makes_no_sense_is_refused_by_name(
    api: ApiClient, user: EndUser, filters: dict[str, Any], field: str, rule: str
) -> None:
    answer = api.post("search", {"query": QUESTION, **filters})
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert error["field"].startswith(field)
    assert rule in error["message"]


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"metadata": "project"}, "metadata"),
        ({"metadata": "[1]"}, "metadata"),
        ({"metadata": "{" * 5_000}, "metadata"),
        ({"occurred_before": "2026-02-30T00:00:00Z"}, "occurred_before"),
        ({"thread_id": ""}, "thread_id"),
        ({"source": ""}, "source"),
        ({"source": "{}"}, "source"),
        ({"source": '{"type": '}, "source"),
        ({"source": '{"type": "' + "x" * 20_000 + '"}'}, "source"),
        ({"in_thread": "t"}, "in_thread"),
        ({"tags": "boats,"}, "tags"),
    ],
)
def test_a_list_refuses_what_is_no_filter_of_its_own(
    api: ApiClient, user: EndUser, filters: dict[str, str], field: str
) -> None:
    answer = api.get("memories", filters)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_a_model_filters_as_a_client_does(api: ApiClient, rare: MemoryItem) -> None:
    several: list[dict[str, Any]] = [
        {"tags": "boats, harbour"},
        {"in_thread": "t-rare"},
        {"source": "logbook"},
        {"source": '{"page": {"number": 7}}'},
        {"filters": {"source": {"type": "logbook"}}},
        {"occurred_before": "2026-01-01"},
        {"metadata": {"done": False}},
        {"tags_any": ["boats"]},
        {"filters": {"tags": ["boats"], "in_thread": None}},
    ]
    for filters in several:
        answer = api.post("tools/search_memory", {"query": QUESTION, **filters})
        assert answer.status_code == 200, answer.content
        assert [hit["memory_id"] for hit in answer.json()["result"]["results"]] == [str(rare.pk)], filters
    refused = api.post("tools/search_memory", {"query": QUESTION, "occurred_after": "soon"})
    assert refused.status_code == 422
    assert "occurred_after: must be an ISO 8601 date" in refused.json()["detail"]


def test_a_name_of_another_call_is_refused_with_what_it_is_called_here(api: ApiClient) -> None:
    search = {"query": QUESTION}
    for refused, names in (
        (api.post("search", {**search, "tier": "history"}), ["tier", "collections"]),
        (api.post("search", {**search, "filters": {}}), ["filters", "in_thread"]),
        (api.get("memories", {"in_thread": "t"}), ["in_thread", "thread_id"]),
        (api.get("memories", {"collections": "history"}), ["collections", "tier"]),
        (api.post("memories/delete", {"filters": {"collections": ["history"]}}), ["filters.collections", "tier"]),
    ):
        assert refused.status_code == 422
        [error] = refused.json()["errors"]
        assert error["field"] == names[0]
        assert f'"{names[1]}"' in error["message"]
    stored = api.post("memories", {"text": QUESTION}).json()["id"]
    refused = api.patch(f"memories/{stored}", {"tier": "history"})
    assert "no call changes that of a memory" in refused.json()["errors"][0]["message"]
