"""The memory calls, as the contract has them."""

import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.access.scope import user_scope
from memory.api import memories
from memory.models import EndUser, Erasure, MemoryItem
from memory.models.people import SecretHandling
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock
from tests.factories import MemoryItemFactory

PROMISED = {"id", "tier", "status", "text", "tags", "score", "importance", "confidence", "occurred_at", "created_at"}


def test_a_stored_memory_is_answered_with_all_that_was_promised(api: ApiClient, clock: Clock) -> None:
    answer = api.post("memories", {"text": "The train to Haifa leaves at 07:40"})
    assert answer.status_code == 201
    item = answer.json()
    assert set(item) >= PROMISED
    assert (item["tier"], item["status"], item["indexing"]) == ("working", "active", "pending")
    assert (item["score"], item["importance"], item["confidence"]) == (0.5, 0.7, 0.7)
    assert item["created_at"] == item["occurred_at"] == "2026-03-02T09:30:00Z"
    assert "duplicate_of" not in item
    assert api.get(f"memories/{item['id']}").json() == item


@pytest.mark.parametrize("given", ["auth0|64f1", "ann+work@example.org", "+491701234567"])
def test_an_id_of_a_login_service_or_a_phone_is_a_persons(user: EndUser, given: str) -> None:
    api = ApiClient(quote(given, safe=""), client_for(user).key)
    stored = api.post("memories", {"text": "The train to Haifa leaves at 07:40"})
    assert stored.status_code == 201
    [listed] = api.get("memories").json()["items"]
    assert listed["id"] == stored.json()["id"]
    assert api.post("context", {"query": "When does the train leave?"}).status_code == 200
    assert EndUser.objects.get(external_id=given).organization == user.organization
    exported = api.get("export")
    assert b"leaves at 07:40" in b"".join(exported)
    assert f"{given}.jsonl" in exported.headers["Content-Disposition"]


def test_a_change_of_what_was_changed_meanwhile_is_refused(api: ApiClient, clock: Clock) -> None:
    stored = api.post("memories", {"text": "The train leaves at 07:40"})
    path = f"memories/{stored.json()['id']}"
    seen = api.get(path).headers["ETag"]
    clock.advance(minutes=1)
    changed = api.patch(path, {"tags": ["train"]}, If_Match=seen)
    assert (changed.status_code, changed.headers["ETag"] != seen) == (200, True)

    for late in (
        api.patch(path, {"text": "It leaves at 08:40"}, If_Match=seen),
        api.delete(path, **{"If-Match": seen}),
    ):
        assert (late.status_code, late.json()["code"]) == (412, "precondition_failed")
        assert late.headers["ETag"] == changed.headers["ETag"]
    assert api.patch(path, {"importance": 0.2}, If_Match='"99"').status_code == 412
    # By its version the words alone are compared.
    assert api.patch(path, {"text": "It leaves at 09:40"}, If_Match='"1"').json()["version"] == 2
    assert api.patch(path, {"importance": 0.2}, If_Match='"1"').status_code == 412
    assert api.patch(path, {"importance": 0.2}, If_Match="*").status_code == 200
    assert api.patch(path, {"text": "Refused: it leaves"}, If_Match='W/"2", "7"').json()["version"] == 3
    assert api.delete(path, **{"If-Match": api.get(path).headers["ETag"]}).status_code == 204
    assert api.delete(path, **{"If-Match": "*"}).status_code == 404


@pytest.mark.parametrize("mark", ["", "!", ";", "…", "..."])
def test_the_same_words_with_another_mark_at_the_end_are_one_bank_item(api: ApiClient, mark: str) -> None:
    body = {"tier": "memory_bank", "tags": ["preference"]}
    first = api.post("memories", {**body, "text": "I prefer tabs over spaces."}).json()
    second = api.post("memories", {**body, "text": f"I prefer tabs over spaces{mark}"}).json()
    assert second["duplicate_of"] == second["id"] == first["id"]
    asked = api.post("memories", {**body, "text": "I prefer tabs over spaces?"}).json()
    assert "duplicate_of" not in asked


def test_every_field_that_may_be_given_is_kept(api: ApiClient) -> None:
    given = {
        "text": "Ann prefers tea",
        "tier": "memory_bank",
        "tags": ["Preference", "drinks"],
        "importance": 1,
        "confidence": 0.25,
        "always_inject": True,
        "thread_id": "thread 1",
        "speaker": "Ann",
        "source": {"type": "assistant", "title": "Notes"},
        "occurred_at": "2023-05-08T13:56:00+02:00",
        "metadata": {"nested": {"deep": [1, None, "שלום"]}},
    }
    item = api.post("memories", given).json()
    assert {name: item[name] for name in given} == {
        **given,
        "tags": ["preference", "drinks"],
        "importance": 1.0,
        "occurred_at": "2023-05-08T11:56:00Z",
    }


def test_a_text_may_be_called_content(api: ApiClient) -> None:
    item = api.post("memories", {"content": "Ann prefers tea", "tier": "history"}).json()
    assert (item["text"], item["tier"]) == ("Ann prefers tea", "history")
    assert "content" not in item
    assert api.patch(f"memories/{item['id']}", {"content": "Ann prefers mate"}).json()["text"] == "Ann prefers mate"
    batch = api.post("memories/batch", {"items": [{"text": "one"}, {"content": "two"}, {"text": "3", "content": "3"}]})
    assert [api.get(f"memories/{key}").json()["text"] for key in batch.json()["ids"]] == ["one", "two", "3"]


@pytest.mark.parametrize("fields", [{"text": "tea", "content": None}, {"text": None, "content": "tea"}])
def test_of_two_names_one_may_be_null(api: ApiClient, fields: dict[str, str | None]) -> None:
    assert api.post("memories", fields).json()["text"] == "tea"


def test_text_and_content_with_different_words_are_refused_by_both_names(api: ApiClient) -> None:
    both = {"text": "Ann prefers tea", "content": "Ann prefers mate"}
    rule = "has text and content, two names of one field, with different words: send one of them"
    item = api.post("memories", {"text": "Ann prefers water"}).json()
    for refused in (api.post("memories", both), api.patch(f"memories/{item['id']}", both)):
        assert refused.status_code == 422
        assert refused.json()["detail"] == f"the body {rule}"
    batch = api.post("memories/batch", {"items": [{"text": "one"}, both]})
    assert batch.json()["errors"] == [{"field": "items[1]", "message": rule}]
    assert api.get(f"memories/{item['id']}").json()["text"] == "Ann prefers water"


@pytest.mark.parametrize("content", ["", 7, ["tea"], "x" * 32_769])
def test_content_has_the_limits_of_text(api: ApiClient, content: Any) -> None:
    refused = api.post("memories", {"content": content})
    assert (refused.status_code, [error["field"] for error in refused.json()["errors"]]) == (422, ["text"])


def test_what_a_key_refuses_in_a_text_it_refuses_in_content(user: EndUser) -> None:
    strict = client_for(user, secret_handling=SecretHandling.REFUSE)
    refused = strict.post("memories", {"content": "my wifi password is Kx9!fooBar22"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "content")


@pytest.mark.parametrize("optional", ["tags", "importance", "thread_id", "source", "occurred_at", "metadata"])
def test_null_means_not_given(api: ApiClient, optional: str) -> None:
    assert api.post("memories", {"text": "a memory", optional: None}).status_code == 201


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("assistant", {"type": "assistant"}),
        ("my importer", {"type": "my importer"}),
        ({"title": "A book"}, {"type": "user", "title": "A book"}),
        ({"type": "document", "page": 3}, {"type": "document", "page": 3}),
    ],
)
def test_a_source_is_a_name_or_an_object(api: ApiClient, given: Any, kept: dict[str, Any]) -> None:
    assert api.post("memories", {"text": "a memory", "source": given}).json()["source"] == kept


@pytest.mark.parametrize("tier", ["working", "history", "patterns", "books"])
def test_a_client_may_import_into_any_tier(api: ApiClient, tier: str) -> None:
    assert api.post("memories", {"text": "imported", "tier": tier}).json()["tier"] == tier


def test_the_same_statement_twice_in_the_bank_is_one_memory(api: ApiClient) -> None:
    body = {"text": "Ann prefers tea", "tier": "memory_bank", "tags": ["preference"]}
    first, second = api.post("memories", body), api.post("memories", body)
    assert second.status_code == 201
    assert second.json()["duplicate_of"] == second.json()["id"] == first.json()["id"]


def test_bank_statements_that_mean_the_same_become_one(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    body = {"text": "Ann prefers tea over coffee.", "tier": "memory_bank", "tags": ["preference"]}
    first = api.post("memories", body).json()
    index_now(user)
    second = api.post("memories", {**body, "text": "Ann prefers tea over coffee!"}).json()
    assert second["duplicate_of"] == first["id"]


def test_a_batch_says_of_each_what_a_single_write_says(api: ApiClient) -> None:
    bank = {"tier": "memory_bank", "tags": ["preference"]}
    kept = api.post("memories", {"text": "Ann prefers tea", **bank}).json()["id"]
    texts = ["Ann prefers tea", "my wifi password is Kx9!fooBar22, Ann says", "Ann is tired today", "Ann prefers oats"]
    answer = api.post("memories/batch", {"items": [{"text": text, **bank} for text in texts] + [{"text": "a"}]}).json()
    same, secret, slight, plain, other = answer["items"]
    assert answer["ids"] == [one["id"] for one in answer["items"]]
    assert (same["id"], same["duplicate_of"]) == (kept, kept)
    assert secret["redacted"] == ["wifi password"]
    assert (slight["warnings"], slight["review"]) == (["passing state"], True)
    assert plain == {"id": plain["id"], "tier": "memory_bank", "warnings": [], "review": False}
    assert other == {"id": other["id"], "tier": "working", "warnings": [], "review": False}


def test_a_batch_answers_its_ids_in_order(api: ApiClient) -> None:
    texts = [f"number {number}" for number in range(20)]
    answer = api.post("memories/batch", {"items": [{"text": text, "tier": "history"} for text in texts]})
    assert answer.status_code == 202
    assert [api.get(f"memories/{item}").json()["text"] for item in answer.json()["ids"]] == texts


def test_waiting_for_the_index_answers_as_soon_as_the_worker_is_done(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.web.polling.time.sleep", lambda seconds: index_now(user))
    answer = api.post("memories?wait=index", {"text": "The train leaves at 07:40"})
    assert (answer.status_code, answer.json()["indexing"]) == (201, "ready")


def test_waiting_for_the_index_ends_when_no_worker_comes(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memories, "WAIT_S", 0.1)
    answer = api.post("memories?wait=index", {"text": "The train leaves at 07:40"})
    assert (answer.status_code, answer.json()["indexing"]) == (201, "pending")


def read_all_pages(api: ApiClient, **query: str) -> list[list[dict[str, Any]]]:
    """Every page of a list."""
    pages, cursor = [], None
    while True:
        answer = api.get("memories", {**query, **({"cursor": cursor} if cursor else {})})
        assert answer.status_code == 200
        page = answer.json()
        pages.append(page["items"])
        cursor = page["next_cursor"]
        if cursor is None:
            return pages


@pytest.mark.parametrize("sort", ["recent", "score"])
def test_pages_hold_every_memory_once_in_order(api: ApiClient, user: EndUser, sort: str) -> None:
    for number in range(25):
        # Many share a moment and a score: ids decide between them.
        moment = datetime(2026, 3, 1, number % 3, tzinfo=UTC)
        MemoryItemFactory.create(user=user, occurred_at=moment, score=0.1 * (number % 4) + 1 / 3)
    pages = read_all_pages(api, sort=sort, limit="7")
    assert [len(page) for page in pages] == [7, 7, 7, 4]
    items = [item for page in pages for item in page]
    assert len({item["id"] for item in items}) == 25
    column = "score" if sort == "score" else "occurred_at"
    ties = sorted(items, key=lambda item: item["id"])
    assert items == sorted(ties, key=lambda item: item[column], reverse=True)


def test_a_memory_stored_between_two_pages_moves_nothing(api: ApiClient, user: EndUser) -> None:
    MemoryItemFactory.create_batch(4, user=user)
    first = api.get("memories", {"limit": "2"}).json()
    api.post("memories", {"text": "newer than all"})
    second = api.get("memories", {"limit": "2", "cursor": first["next_cursor"]}).json()
    assert not {item["id"] for item in first["items"]} & {item["id"] for item in second["items"]}
    assert len(second["items"]) == 2


def test_filters_narrow_a_list(api: ApiClient, user: EndUser) -> None:
    tea = MemoryItemFactory.create(user=user, banked=True, text="Ann prefers green tea", tags=["preference", "drinks"])
    train = MemoryItemFactory.create(user=user, text="The trains to Haifa leave early")
    old = MemoryItemFactory.create(user=user, archived=True, text="The train to Acre")
    for query, expected in (
        ({}, {tea, train}),
        ({"tier": "memory_bank"}, {tea}),
        ({"status": "archived"}, {old}),
        ({"tag": "Drinks"}, {tea}),
        ({"tag": "absent"}, set()),
        ({"q": "train"}, {train}),
        ({"q": "TEA green"}, {tea}),
        ({"q": "tea train"}, set()),
        ({"q": "the"}, set()),
        ({"q": "train", "status": "archived"}, {old}),
    ):
        found = {item["id"] for item in api.get("memories", query).json()["items"]}
        assert found == {str(item.pk) for item in expected}, query


def test_a_new_text_makes_a_new_version(api: ApiClient) -> None:
    item = api.post("memories", {"text": "The train leaves at 07:40"}).json()
    changed = api.patch(f"memories/{item['id']}", {"text": "The train leaves at 08:10", "importance": 0.9})
    assert changed.status_code == 200
    assert (changed.json()["version"], changed.json()["importance"]) == (2, 0.9)
    versions = api.get(f"memories/{item['id']}/versions").json()
    assert [row["text"] for row in versions["items"]] == ["The train leaves at 07:40"]
    events = api.get(f"memories/{item['id']}/events").json()
    assert [row["kind"] for row in events["items"]] == ["revised", "stored"]
    assert events["items"][0]["actor"] == "key:test"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({}, ""),
        ({"text": None}, "text"),
        ({"tier": "books"}, "tier"),
        ({"tags": "x"}, "tags"),
        ({"importance": 2}, "importance"),
    ],
)
def test_a_change_that_breaks_a_rule_changes_nothing(api: ApiClient, change: dict[str, Any], field: str) -> None:
    item = api.post("memories", {"text": "The train leaves at 07:40"}).json()
    refused = api.patch(f"memories/{item['id']}", change)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == field
    assert api.get(f"memories/{item['id']}").json() == item


def test_history_is_paged(api: ApiClient) -> None:
    item = api.post("memories", {"text": "version 1"}).json()
    for number in range(2, 7):
        api.patch(f"memories/{item['id']}", {"text": f"version {number}"})
    for kind, expected in (("versions", [5, 4, 3, 2, 1]), ("events", ["revised"] * 5 + ["stored"])):
        first = api.get(f"memories/{item['id']}/{kind}", {"limit": "3"}).json()
        rest = api.get(f"memories/{item['id']}/{kind}", {"limit": "3", "cursor": first["next_cursor"]}).json()
        name = "version" if kind == "versions" else "kind"
        assert [row[name] for row in first["items"] + rest["items"]] == expected
        assert rest["next_cursor"] is None


def test_an_archived_memory_is_out_of_answers_until_it_is_restored(api: ApiClient) -> None:
    item = api.post("memories", {"text": "The train leaves at 07:40"}).json()
    for call, status, hits in (("archive", "archived", 0), ("archive", "archived", 0), ("restore", "active", 1)):
        answer = api.post(f"memories/{item['id']}/{call}")
        assert (answer.status_code, answer.json()["status"]) == (200, status)
        assert len(api.post("search", {"query": "train"}).json()["results"]) == hits


def test_a_deleted_memory_is_gone_from_every_answer_at_once(api: ApiClient) -> None:
    item = api.post("memories", {"text": "The train leaves at 07:40"}).json()
    answer = api.delete(f"memories/{item['id']}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert api.get(f"memories/{item['id']}").status_code == 404
    assert api.delete(f"memories/{item['id']}").status_code == 404
    assert api.get("memories").json()["items"] == []
    assert api.post("search", {"query": "train"}).json()["results"] == []
    assert item["id"] not in api.post("context", {"query": "when does the train leave?"}).content.decode()


def test_an_erased_user_is_nobody_from_the_answer_on(api: ApiClient, user: EndUser) -> None:
    api.post("memories", {"text": "The train leaves at 07:40"})
    answer = api.delete("/api/v1/users/ann")
    assert answer.status_code == 202
    assert Erasure.objects.get(pk=answer.json()["job_id"]).end_user_id == user.pk
    assert api.get("memories").json()["items"] == []
    assert api.delete("/api/v1/users/ann").status_code == 404


def test_reading_an_unknown_user_answers_nothing_and_makes_nobody(api: ApiClient) -> None:
    base = "/api/v1/users/nobody"
    assert api.get(f"{base}/memories").json() == {"items": [], "next_cursor": None}
    assert api.get(f"{base}/index-status").json() == {"pending": 0, "ready": 0, "failed": 0}
    assert api.get(f"{base}/stats").json()["exchanges"] == 0
    assert api.post(f"{base}/promote").json() == {
        "promoted": [], "dormant": [], "archived": [], "deleted": 0, "unchanged": 0,
    }  # fmt: skip
    assert api.get(f"{base}/memories/00000000-0000-0000-0000-000000000000").status_code == 404
    assert not EndUser.objects.filter(external_id="nobody").exists()


def test_the_first_write_makes_the_user(api: ApiClient) -> None:
    assert api.post("/api/v1/users/new.user@example:1/memories", {"text": "hello there"}).status_code == 201
    assert EndUser.objects.filter(external_id="new.user@example:1").exists()


def test_a_request_asks_once_who_calls_and_once_for_whom(api: ApiClient) -> None:
    api.post("memories", {"text": "warm"})
    with CaptureQueriesContext(connection) as queries:
        api.post("memories", {"text": "The train leaves at 07:40"})
    whole_rows = re.compile(r"SELECT \w+, [\w, ]+ FROM (\w+)|SELECT \"(\w+)\"")
    reads = [found[1] or found[2] for query in queries if (found := whole_rows.match(query["sql"]))]
    assert reads == ["api_key", "end_user"]


@pytest.mark.django_db(transaction=True)
def test_first_writes_at_once_make_one_user(api: ApiClient) -> None:
    statuses: list[int] = []

    def write(number: int) -> None:
        try:
            statuses.append(api.post("/api/v1/users/crowd/memories", {"text": f"number {number}"}).status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [201] * 6
    crowd = EndUser.objects.get(external_id="crowd")
    with user_scope(crowd):
        assert MemoryItem.objects.count() == 6
