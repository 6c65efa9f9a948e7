"""Each meaning takes one place among the results, in whatever order they come."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from memory.models import EndUser, MemoryItem
from tests.api_client import ApiClient
from tests.factories import LONG_AGO, MemoryItemFactory

pytestmark = pytest.mark.usefixtures("services")

QUESTION = "How do we keep the lighthouse lamp alive?"
LESSON = "Renew the lease of the lighthouse lamp every two minutes from a heartbeat of the worker that holds it"


def search(api: ApiClient, query: str, **fields: Any) -> list[dict[str, Any]]:
    answer = api.post("search", {"query": query, **fields})
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


def test_what_says_the_same_is_named_and_takes_no_place(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    texts = [LESSON, LESSON.upper() + "!", LESSON, LESSON.replace("from a", "from the")]
    same = {str(MemoryItemFactory.create(user=user, text=text).pk) for text in texts}
    others = {f"The lighthouse lamp has the number {number}" for number in range(4)}
    for text in others:
        MemoryItemFactory.create(user=user, text=text)
    index_now(user)
    found = search(api, QUESTION, limit=5)
    [lesson] = [hit for hit in found if hit["content"] not in others]
    assert len(found) == 5, "the others differ by their numbers"
    assert {lesson["memory_id"], *lesson["duplicates"]} == same
    assert [hit["position"] for hit in found] == [1, 2, 3, 4, 5]
    assert sum("duplicates" in hit for hit in found) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The ferry leaves at noon from pier 3", "The ferry leaves at noon from pier 4"),
        ("I eat meat on the ferry", "I do not eat meat on the ferry"),
        ("He likes tea on the ferry", "I like tea on the ferry"),
        ("Ann gave Ben the ferry ticket", "Ben gave Ann the ferry ticket"),
        ("User: The ferry?\nAssistant: It leaves at noon from the old pier", "The ferry?"),
    ],
)
def test_what_differs_by_one_word_that_matters_is_shown_twice(
    api: ApiClient, user: EndUser, one: str, other: str
) -> None:
    for text in (one, other):
        MemoryItemFactory.create(user=user, text=text)
    assert {hit["content"] for hit in search(api, "ferry")} == {one, other}


def test_a_turn_and_the_bank_item_that_was_made_of_it_are_one(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    said = {"user_message": "I keep two goats behind the house.", "assistant_message": "Noted."}
    taken = api.post("threads/t/exchanges?wait=learned", said)
    assert taken.status_code == 201, taken.content
    api.post("memories", {"text": "I keep two goats behind the house.", "tier": "memory_bank", "tags": ["identity"]})
    index_now(user)
    told = [hit["content"] for hit in search(api, "What animals do I keep?") if "two goats" in hit["content"]]
    assert len(told) == 1


def test_two_people_may_say_the_same(api: ApiClient, user: EndUser) -> None:
    for speaker in ("Ann", "Ben"):
        MemoryItemFactory.create(user=user, text="I love the ferry", speaker=speaker, thread_id="t")
    assert len(search(api, "ferry")) == 2


# --- orders ------------------------------------------------------------------------------------------------------
def make_log(user: EndUser, page: str, **fields: Any) -> MemoryItem:
    return MemoryItemFactory.create(user=user, text=f"Lighthouse log, page {page}", **fields)


def test_sorted_by_score_what_helped_comes_first_and_what_failed_last(api: ApiClient, user: EndUser) -> None:
    history: dict[str, Any] = {"tier": "history"}
    make_log(user, "once", **history, worked=1, uses=1, score=0.7)
    make_log(user, "often", **history, worked=9, uses=9, score=1.0)
    make_log(user, "mixed", **history, worked=5, failed=4, uses=9, score=0.9)
    make_log(user, "never", **history)
    make_log(user, "failed", **history, failed=3, uses=3, score=0.0)
    make_log(user, "surely", tier="memory_bank", importance=1.0, confidence=0.95)
    make_log(user, "doubtfully", tier="memory_bank", importance=0.5, confidence=0.2)
    found = [hit["content"].split()[-1] for hit in search(api, "lighthouse log", sort_by="score", limit=10)]
    assert found == ["surely", "often", "mixed", "once", "doubtfully", "never", "failed"]


def test_sorted_by_recency_the_order_is_that_of_the_moments(api: ApiClient, user: EndUser) -> None:
    pages = {f"p{number}": LONG_AGO + timedelta(microseconds=number) for number in (3, 1, 2, 9, 7)}
    for page, moment in pages.items():
        make_log(user, page, occurred_at=moment)
    found = [hit["content"].split()[-1] for hit in search(api, "lighthouse log", sort_by="recency", limit=10)]
    assert found == sorted(pages, reverse=True)
