"""The same request sent again: one effect, the same bytes."""

import threading
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, IdempotencyRecord, MemoryItem
from memory.web import idempotency
from outcomes.models import Exchange, OutcomeEvent
from tests.api_client import ApiClient
from tests.at_once import run_at_once
from tests.factories import MemoryItemFactory
from tests.patience import PATIENCE_S

BODY = {"text": "The train leaves at 07:40"}


def memories_of(user: EndUser) -> int:
    with user_scope(user):
        return MemoryItem.objects.count()


def test_the_same_key_and_body_answer_the_first_result_again(api: ApiClient, user: EndUser) -> None:
    first, second = (api.post("memories", BODY, Idempotency_Key="k") for _ in range(2))
    assert (first.status_code, first.content) == (second.status_code, second.content)
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    assert second.headers["Content-Type"] == first.headers["Content-Type"]
    assert memories_of(user) == 1


@pytest.mark.parametrize(
    "other",
    [
        lambda api: api.post("memories", {"text": "another"}, Idempotency_Key="k"),
        lambda api: api.post("memories", {**BODY, "tier": "working"}, Idempotency_Key="k"),
        lambda api: api.send("POST", "memories", b' {"text": "The train leaves at 07:40"}', Idempotency_Key="k"),
        lambda api: api.post("memories?wait=index", BODY, Idempotency_Key="k"),
    ],
    ids=["text", "field", "spacing", "query"],
)
def test_the_same_key_with_another_request_is_refused(api: ApiClient, user: EndUser, other: Any) -> None:
    api.post("memories", BODY, Idempotency_Key="k")
    refused = other(api)
    assert (refused.status_code, refused.json()["code"]) == (409, "idempotency_mismatch")
    assert memories_of(user) == 1


def test_a_key_is_of_one_route(api: ApiClient, user: EndUser) -> None:
    item = api.post("memories", BODY, Idempotency_Key="k").json()
    other = MemoryItemFactory.create(user=user)
    assert api.post(f"memories/{item['id']}/archive", Idempotency_Key="k").json()["status"] == "archived"
    # The same route for another memory is another request under the same key.
    assert api.post(f"memories/{other.pk}/archive", Idempotency_Key="k").status_code == 409


def test_a_failed_request_may_be_tried_again_under_its_key(api: ApiClient, user: EndUser) -> None:
    assert api.post("memories", {"text": "a", "tier": "memory_bank"}, Idempotency_Key="k").status_code == 422
    assert api.post("memories", BODY, Idempotency_Key="k").status_code == 201


def test_a_failure_after_the_effect_leaves_neither_effect_nor_record(
    api: ApiClient, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(idempotency, "store_response", lambda *arguments: 1 / 0)
        assert api.post("memories", BODY, Idempotency_Key="k").status_code == 500
    assert memories_of(user) == 0
    assert api.post("memories", BODY, Idempotency_Key="k").status_code == 201
    assert memories_of(user) == 1


def test_after_24_hours_a_key_is_new(api: ApiClient, user: EndUser) -> None:
    first = api.post("memories", BODY, Idempotency_Key="k")
    with user_scope(user):
        IdempotencyRecord.objects.update(created_at=timezone.now() - timedelta(hours=24, seconds=1))
    second = api.post("memories", {"text": "another"}, Idempotency_Key="k")
    assert second.status_code == 201
    assert second.json()["id"] != first.json()["id"]


@pytest.mark.parametrize("key", ["", " ", "a" * 256, "tab\there", "ключ", " padded "])
def test_a_key_is_1_to_255_printable_characters(api: ApiClient, user: EndUser, key: str) -> None:
    response = api.http.post(
        api.url("memories"), BODY, content_type="application/json", headers=api.headers({}), HTTP_IDEMPOTENCY_KEY=key
    )
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == "Idempotency-Key"
    assert memories_of(user) == 0
    assert api.post("memories", BODY, Idempotency_Key="a" * 255).status_code == 201


def test_every_post_may_carry_a_key(api: ApiClient, user: EndUser) -> None:
    item = MemoryItemFactory.create(user=user, text="The train leaves at 07:40", score=0.9, uses=3)
    turn = api.post("search", {"query": "train"}).json()["turn_id"]
    for path, body in (
        ("memories/batch", {"items": [BODY, BODY]}),
        ("search", {"query": "train"}),
        ("context", {"query": "when does the train leave?"}),
        ("threads/t/exchanges", {"user_message": "When?", "assistant_message": "07:40", "turn_id": turn}),
        ("outcomes", {"outcome": "worked", "turn_id": turn}),
        (f"memories/{item.pk}/archive", None),
        (f"memories/{item.pk}/restore", None),
        ("promote", {}),
    ):
        first, second = (api.post(path, body, Idempotency_Key="one") for _ in range(2))
        assert first.status_code < 300, (path, first.content)
        assert first.content == second.content, path
        assert second.headers["Idempotency-Replayed"] == "true", path
    with user_scope(user):
        assert Exchange.objects.count() == 1
        assert OutcomeEvent.objects.count() == 1


def test_waiting_for_the_index_keeps_the_answer_that_was_sent(
    api: ApiClient, user: EndUser, index_now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.web.polling.time.sleep", lambda seconds: index_now(user))
    first, second = (api.post("memories?wait=index", BODY, Idempotency_Key="k") for _ in range(2))
    assert first.json()["indexing"] == "ready"
    assert second.content == first.content


@pytest.mark.django_db(transaction=True)
def test_50_senders_at_once_have_one_effect(api: ApiClient, user: EndUser) -> None:
    body = {**BODY, "tier": "history"}
    send = partial(api.post, "memories", body, Idempotency_Key="k")
    answers = [answer for _ in range(10) for answer in run_at_once(*[send] * 5)]
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert memories_of(user) == 1


@pytest.mark.django_db(transaction=True)
def test_a_sender_does_not_wait_for_ever_for_the_first(
    api: ApiClient, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, released = threading.Event(), threading.Event()
    store = MemoryFacade.store

    def slow(*arguments: Any, **options: Any) -> Any:
        entered.set()
        released.wait(PATIENCE_S)
        return store(*arguments, **options)

    monkeypatch.setattr(MemoryFacade, "store", slow)
    first = threading.Thread(target=run_at_once, args=[partial(api.post, "memories", BODY, Idempotency_Key="k")])
    first.start()
    assert entered.wait(PATIENCE_S)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '300ms'")
        second = api.post("memories", BODY, Idempotency_Key="k")
    finally:
        released.set()
        first.join()
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
    assert (second.status_code, second.json()["code"]) == (409, "conflict")
    assert second.headers["Retry-After"]
    assert api.post("memories", BODY, Idempotency_Key="k").headers["Idempotency-Replayed"] == "true"
    assert memories_of(user) == 1
