"""Keeping personal records: what a client sends, gets, and what becomes findable of it."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from memory.access.scope import user_scope
from memory.models import EndUser
from memory.records.models import RecordEmbedding
from memory.records.tasks import embed_user_records
from tests.api_client import ApiClient, client_for

NEW: dict[str, dict[str, Any]] = {
    "journals": {"title": "A calm day", "body": "I walked by the sea.", "is_draft": False},
    "todos": {"title": "Buy cables for the lab"},
    "gratitude": {"text": "Noa waited for me in the rain."},
}


def embedded(user: EndUser) -> dict[str, list[str]]:
    with user_scope(user):
        found: dict[str, list[str]] = {}
        for row in RecordEmbedding.objects.filter(user=user).order_by("pk"):
            found.setdefault(row.kind, []).append(row.text)
    return found


@pytest.fixture
def embed(user: EndUser) -> Callable[[], int]:
    return lambda: embed_user_records(user.pk)


@pytest.mark.parametrize("path", NEW)
def test_a_record_is_added_read_changed_listed_and_deleted(api: ApiClient, path: str) -> None:
    made = api.post(f"kinds/{path}", NEW[path])
    assert made.status_code == 201, made.content
    record = made.json()
    where = f"kinds/{path}/{record['id']}"
    assert api.get(where).json() == record
    assert {name: record[name] for name in NEW[path]} == NEW[path]

    field = "text" if path == "gratitude" else "title"
    changed = api.patch(where, {field: "Something else"}).json()
    assert (changed[field], changed["id"]) == ("Something else", record["id"])
    assert api.get(f"kinds/{path}").json() == {"items": [changed], "next_cursor": None}

    assert api.delete(where).status_code == 204
    assert (api.get(where).status_code, api.delete(where).status_code) == (404, 404)
    assert api.patch(where, {field: "x"}).status_code == 404


def test_preferences_are_one_of_each_user(api: ApiClient, user: EndUser) -> None:
    assert api.get("kinds/preferences").json() == {"language": "en", "religion": None, "flags": {}, "updated_at": None}

    api.send("PUT", "kinds/preferences", {"language": "he", "religion": "general", "flags": {"tone": "brief"}})
    put = api.send("PUT", "kinds/preferences", {"religion": "general", "flags": {"b": True, "a": "x"}}).json()

    assert (put["language"], put["religion"], put["flags"]) == ("en", "general", {"b": True, "a": "x"})
    assert api.get("kinds/preferences").json() == put
    assert embedded(user) == {"preference": ["language=en; religion=general; a=x; b=true"]}
    assert api.delete("kinds/preferences").status_code == 204
    assert api.delete("kinds/preferences").status_code == 404
    assert embedded(user) == {}


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("journals", {"title": "x" * 301}, "title"),
        ("journals", {"title": " ", "is_draft": False}, ""),
        ("todos", {}, "title"),
        ("todos", {"title": "  "}, "title"),
        ("todos", {"title": "a\nb"}, "title"),
        ("todos", {"title": "x", "done": "yes"}, "done"),
        ("todos", {"title": "x", "due": "now"}, "due"),
        ("gratitude", {"text": ""}, "text"),
        ("gratitude", {"text": "x", "created_at": "yesterday"}, "created_at"),
        ("todos", {"title": "x", "created_at": "2999-01-01T00:00:00Z"}, "created_at"),
    ],
)
def test_a_bad_record_is_refused_with_its_field(api: ApiClient, path: str, body: dict[str, Any], field: str) -> None:
    answer = api.post(f"kinds/{path}", body)

    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert [error["field"] for error in answer.json()["errors"]] == [field] if field else True
    assert api.get(f"kinds/{path}").json()["items"] == []


def test_pages_follow_one_another(api: ApiClient) -> None:
    for number in range(5):
        api.post("kinds/todos", {"title": f"task {number}", "created_at": f"2026-01-0{number % 3 + 1}T00:00:00Z"})
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(5):
        page = api.get("kinds/todos", {"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [item["title"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert len(seen) == len(set(seen)) == 5
    assert api.get("kinds/journals", {"cursor": "made up"}).status_code == 422


# --- what is embedded ----------------------------------------------------------------------------------------------
def test_only_finished_journals_are_embedded_with_title_and_body(api: ApiClient, user: EndUser) -> None:
    draft = api.post("kinds/journals", {"title": "Sea", "body": "<p>I  felt <b>calm</b>.</p>"}).json()
    where = f"kinds/journals/{draft['id']}"
    assert embedded(user) == {}

    api.patch(where, {"is_draft": False})
    assert embedded(user) == {"journal": ["Sea\n\nI felt calm ."]}
    api.patch(where, {"body": "I felt sad."})
    assert embedded(user) == {"journal": ["Sea\n\nI felt sad."]}
    api.patch(where, {"is_draft": True})
    assert embedded(user) == {}


def test_a_todo_stays_findable_when_it_is_done(api: ApiClient, user: EndUser, embed: Callable[[], int]) -> None:
    todo = api.post("kinds/todos", {"title": "Buy cables"}).json()
    assert embed() == 1
    api.patch(f"kinds/todos/{todo['id']}", {"done": True})

    assert embedded(user) == {"todo": ["Buy cables"]}
    assert embed() == 0  # The words are the same: nothing is embedded again.


def test_both_sides_of_an_exchange_are_messages_and_go_with_its_memory(api: ApiClient, user: EndUser) -> None:
    body = {"user_message": "Where is the boat?", "assistant_message": "In Jaffa harbour."}
    stored = api.post("threads/t/exchanges", body).json()
    assert embedded(user) == {"message": ["Where is the boat?", "In Jaffa harbour."]}

    api.delete(f"memories/{stored['memory_id']}")
    assert embedded(user) == {}


def test_a_deleted_record_leaves_nothing_to_find(api: ApiClient, user: EndUser, embed: Callable[[], int]) -> None:
    note = api.post("kinds/gratitude", NEW["gratitude"]).json()
    embed()
    api.delete(f"kinds/gratitude/{note['id']}")

    assert embedded(user) == {}


# --- whose ---------------------------------------------------------------------------------------------------------
def test_nobody_else_reads_or_changes_a_record(
    api: ApiClient, other_user: EndUser, foreign_api: ApiClient, user: EndUser
) -> None:
    for path, body in NEW.items():
        made = api.post(f"kinds/{path}", body).json()
        for stranger in (client_for(other_user), foreign_api):
            where = f"kinds/{path}/{made['id']}"
            assert stranger.get(where).status_code == 404
            assert stranger.patch(where, {next(iter(body)): "mine"}).status_code == 404
            assert stranger.delete(where).status_code == 404
            assert stranger.get(f"kinds/{path}").json()["items"] == []
        assert api.get(f"kinds/{path}/{made['id']}").json() == made


def test_a_key_that_only_reads_writes_nothing(user: EndUser) -> None:
    reader = client_for(user, scopes=("read",))

    assert reader.post("kinds/todos", NEW["todos"]).status_code == 403
    assert reader.send("PUT", "kinds/preferences", {}).status_code == 403
    assert reader.get("kinds/todos").status_code == 200


def test_the_same_request_adds_one_record(api: ApiClient) -> None:
    first, again = (api.post("kinds/todos", NEW["todos"], Idempotency_Key="once") for _ in range(2))

    assert first.content == again.content
    assert len(api.get("kinds/todos").json()["items"]) == 1


def test_an_unknown_record_is_not_found(api: ApiClient) -> None:
    assert api.get(f"kinds/todos/{uuid.uuid4()}").status_code == 404
    assert api.get("kinds/dreams").status_code == 404
