"""Texts as long as the API takes them, of characters that patterns repeat over: answered within a request's time."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import EndUser
from memory.tiers import MAX_QUERY_CHARS
from tests.api_client import ApiClient
from tests.reading_time import exceeds, spend

LONGEST = 32_768
MOST_S = 2.0
"""Of a quick machine's processor; the dearest request takes 0.4."""
MOST_STATEMENTS = 150
"""However long a text is: a context asks the database some 90 times."""
MOST_SENT_BESIDE = 65_536
"""Characters of statements beside the texts, each sent twice at most with its marks escaped; they take 36,000."""
CLASSES = (
    "\t",
    " ",
    "\n",
    "a",
    "A",
    "7",
    "-",
    ".",
    "_",
    "/",
    '"',
    "(",
    "é",
    "א",
    "あ",
    "😀",
    "a.",
    "- ",
    "1,",
    "I ",
    "\u200b",
)


def fill(characters: str, length: int) -> str:
    """A text that begins with something to read, and then repeats."""
    return ("is " + characters * length)[:length]


@pytest.fixture
def client(api: ApiClient, user: EndUser) -> ApiClient:
    for text in ("The pump is model GX-4400.", f"pump {'5' + '-' * 2_000}", "pump " + "a." * 2_000):
        assert api.post("memories", {"text": text, "tier": "history"}).status_code == 201
    return api


def answer_in_time(client: ApiClient, path: str, body: dict[str, Any]) -> int:
    """The status of the answer, which came in time and with few and short statements."""
    with CaptureQueriesContext(connection) as statements:
        spent_s, answer = spend(lambda: client.post(path, body))
    assert answer.status_code in {200, 422}, answer.text
    assert not exceeds(spent_s, MOST_S), (path, spent_s)
    assert len(statements) <= MOST_STATEMENTS, path
    # What is not ASCII stands in a statement byte for byte, as does this.
    texts = str(body).encode().decode("ascii", "backslashreplace")
    assert sum(len(one["sql"]) for one in statements) <= 4 * len(texts) + MOST_SENT_BESIDE, path
    return answer.status_code


@pytest.mark.parametrize("characters", CLASSES, ids=ascii)
def test_a_long_query_and_long_messages_are_answered_in_time(client: ApiClient, characters: str) -> None:
    long = fill(characters, LONGEST)
    messages = [{"role": role, "content": long} for role in ("user", "assistant", "user")]
    answer_in_time(client, "context", {"query": long})
    answer_in_time(client, "context", {"query": "which pump?", "recent_messages": messages, "thread_id": "t"})
    answer_in_time(client, "search", {"query": fill(characters, MAX_QUERY_CHARS)})
    answer_in_time(client, "recall/search", {"query": fill(characters, MAX_QUERY_CHARS)})
    answer_in_time(client, "tools/search_memory", {"query": long})
    answer_in_time(client, "tools/get_context_insights", {"query": long})


@pytest.mark.parametrize("blank", ["\t", " ", "\n", "\u200b"], ids=ascii)
def test_a_query_of_nothing_but_blanks_is_refused_at_once(client: ApiClient, blank: str) -> None:
    for path in ("context", "search"):
        assert answer_in_time(client, path, {"query": blank * 30_000}) == 422
