"""What a user's recall tells of itself: the log of its calls, and the records that no vector could be made of."""

from collections.abc import Callable
from typing import Any

import pytest

from memory.models import EndUser
from memory.operations import health
from memory.platform.faults import RequestRejected
from memory.records import queue, tasks
from memory.records.models import RecordsDue
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock

REFUSED = "¶¶¶"


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """An embedder that refuses one text; the call lets it read that as well."""
    real = queue.embed_rows

    def embed_some(rows: Any) -> Any:
        if any(REFUSED in row.text for row in rows):
            raise RequestRejected("embedder", "too strange")
        return real(rows)

    monkeypatch.setattr(queue, "embed_rows", embed_some)
    return lambda: monkeypatch.setattr(queue, "embed_rows", real)


@pytest.fixture
def failed(api: ApiClient, user: EndUser, refuse: Callable[[], None], clock: Clock) -> str:
    """The id of a to-do that was given up, beside one that is found."""
    api.post("kinds/todos", {"title": "Water the lemon tree"})
    made = api.post("kinds/todos", {"title": f"Read {REFUSED}"}).json()["id"]
    for _ in range(6):
        tasks.embed_user_records(user.pk)
        clock.advance(minutes=1)
    return str(made)


def list_warnings() -> list[str]:
    return [text for text in health.probe_all().warnings if text.startswith("records")]


def test_what_was_given_up_is_counted_and_named_to_its_user_and_in_health(
    api: ApiClient, user: EndUser, other_user: EndUser, failed: str
) -> None:
    state = api.get("recall/status").json()

    assert (state["ready"], state["pending"], state["failed"]) == (1, 0, 1)
    [failure] = state["failures"]
    assert (failure["kind"], failure["ref_id"], "too strange" in failure["error"]) == ("todo", failed, True)
    assert list_warnings() == ["records: 1 text of one person could not be embedded"]
    assert queue.list_due_users() == []
    assert client_for(other_user).get("recall/status").json()["failures"] == []


def test_a_retry_finds_it_once_the_embedder_reads_it(
    api: ApiClient, user: EndUser, failed: str, refuse: Callable[[], None]
) -> None:
    reader = client_for(user, scopes=("read",))
    assert reader.post("recall/retry", {}).status_code == 403

    refuse()
    assert api.post("recall/retry", {}).json() == {"retried": 1}
    tasks.embed_user_records(user.pk)

    assert api.get("recall/status").json()["ready"] == 2
    assert list_warnings() == []
    assert api.post("recall/retry", {}).json() == {"retried": 0}


def test_a_deleted_failure_is_forgotten_by_the_next_sweep(api: ApiClient, user: EndUser, failed: str) -> None:
    assert RecordsDue.objects.get(pk=user.pk).since is None
    api.delete(f"kinds/todos/{failed}")
    tasks.sweep_records()

    assert list_warnings() == []
    # Its row stays, and later records wait and are found as before.
    api.post("kinds/todos", {"title": "Paint the boat"})
    assert queue.list_due_users() == [user.pk]
    tasks.embed_user_records(user.pk)
    assert queue.list_due_users() == []


def test_the_log_is_paged_newest_first_and_holds_no_words(api: ApiClient, user: EndUser, other_user: EndUser) -> None:
    for top_k in (1, 2, 3):
        api.post("recall/search", {"query": "where is the lemon tree", "top_k": top_k, "filters": {"kinds": ["todo"]}})
    first = api.get("recall/log", {"limit": 2}).json()
    second = api.get("recall/log", {"limit": 2, "cursor": first["next_cursor"]}).json()

    assert [note["filters"]["top_k"] for note in first["items"] + second["items"]] == [3, 2, 1]
    assert second["next_cursor"] is None
    note = first["items"][0]
    assert (note["status"], note["tool"], note["top_k_effective"]) == ("ok", "memory.search", 0)
    assert "lemon" not in str(first)
    assert client_for(other_user).get("recall/log").json()["items"] == []
    assert client_for(other_user).get("recall/log", {"cursor": first["next_cursor"]}).status_code == 422
    assert api.get("recall/log", {"cursor": "made up"}).status_code == 422
