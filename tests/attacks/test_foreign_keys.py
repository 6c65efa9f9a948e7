"""Through the API with another organisation's key: every call, on a memory that exists and on one that does not."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from tests.api_client import ApiClient, client_for
from tests.attacks.conftest import CANARY
from tests.factories import MemoryItemFactory

ON_AN_ITEM: dict[str, Callable[[ApiClient, uuid.UUID], Any]] = {
    "get": lambda api, item: api.get(f"memories/{item}"),
    "patch": lambda api, item: api.patch(f"memories/{item}", {"text": "mine now"}),
    "delete": lambda api, item: api.delete(f"memories/{item}"),
    "archive": lambda api, item: api.post(f"memories/{item}/archive"),
    "restore": lambda api, item: api.post(f"memories/{item}/restore"),
    "archive once": lambda api, item: api.post(f"memories/{item}/archive", Idempotency_Key="k"),
    "versions": lambda api, item: api.get(f"memories/{item}/versions"),
    "events": lambda api, item: api.get(f"memories/{item}/events"),
    "turn": lambda api, item: api.post("outcomes", {"outcome": "failed", "turn_id": str(item)}),
    "exchange": lambda api, item: api.post("outcomes", {"outcome": "failed", "exchange_id": str(item)}),
}
ON_A_USER: dict[str, Callable[[ApiClient], Any]] = {
    "list": lambda api: api.get("memories"),
    "words": lambda api: api.get("memories", {"q": CANARY}),
    "tag": lambda api: api.get("memories", {"tag": "secret"}),
    "search": lambda api: api.post("search", {"query": "the word", "explain": True, "limit": 50}),
    "metadata": lambda api: api.post("search", {"query": "the word", "metadata": {"secret": True}}),
    "context": lambda api: api.post("context", {"query": "which word is it?", "thread_id": "t"}),
    "stats": lambda api: api.get("stats"),
    "index-status": lambda api: api.get("index-status"),
    "promote": lambda api: api.post("promote", {"dry_run": True}),
}


@pytest.fixture
def secret(user: EndUser, index_now: Callable[[EndUser], None]) -> MemoryItem:
    MemoryItemFactory.create(user=user, always_injected=True, text=f"always {CANARY}")
    item = MemoryItemFactory.create(
        user=user, text=f"the word is {CANARY}", tags=["secret"], thread_id="t", metadata={"secret": True}
    )
    index_now(user)
    return item


def state_of(user: EndUser) -> list[Any]:
    with user_scope(user):
        return list(MemoryItem.objects.order_by("pk").values())


@pytest.mark.parametrize("call", ON_AN_ITEM, ids=list(ON_AN_ITEM))
def test_a_foreign_id_and_a_random_one_are_answered_alike(
    api: ApiClient, foreign_api: ApiClient, user: EndUser, secret: MemoryItem, call: str
) -> None:
    before = state_of(user)
    foreign = ON_AN_ITEM[call](foreign_api, secret.pk)
    unknown = ON_AN_ITEM[call](foreign_api, uuid.uuid4())
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.content == unknown.content
    assert foreign.json()["code"] == "not_found"
    assert shape_of(foreign) == shape_of(unknown)
    assert state_of(user) == before


def shape_of(response: Any) -> dict[str, str]:
    return {name: value for name, value in response.headers.items() if name != "X-Request-Id"}


@pytest.mark.parametrize("call", ON_AN_ITEM, ids=list(ON_AN_ITEM))
def test_another_user_of_the_same_organisation_is_another_user(
    user: EndUser, other_user: EndUser, secret: MemoryItem, call: str
) -> None:
    before = state_of(user)
    assert ON_AN_ITEM[call](client_for(other_user), secret.pk).status_code == 404
    assert state_of(user) == before


@pytest.mark.parametrize("call", ON_A_USER, ids=list(ON_A_USER))
def test_the_same_user_id_in_another_organisation_is_somebody_else(
    api: ApiClient, foreign_api: ApiClient, secret: MemoryItem, call: str
) -> None:
    own, foreign = ON_A_USER[call](api), ON_A_USER[call](foreign_api)
    assert own.status_code == foreign.status_code == 200
    assert str(secret.pk) not in foreign.content.decode()
    assert CANARY not in foreign.content.decode()
    assert own.content != foreign.content


def test_ids_of_somebody_else_are_deleted_by_nobody_else_and_answered_as_random_ones(
    foreign_api: ApiClient, user: EndUser, other_user: EndUser, secret: MemoryItem
) -> None:
    before = state_of(user)
    MemoryItemFactory.create(user=other_user, tags=["secret"])
    for api in (foreign_api, client_for(other_user)):
        for dry_run in (True, False):
            foreign, random = (
                api.post("memories/delete", {"ids": [str(item_id)], "dry_run": dry_run}).json()
                for item_id in (secret.pk, uuid.uuid4())
            )
            assert foreign.pop("unknown_ids") == [str(secret.pk)]
            assert len(random.pop("unknown_ids")) == 1
            assert foreign == random
            assert (foreign["matched"], foreign["deleted"], foreign["memory_ids"]) == (0, 0, [])
        for body in ({"filters": {"tags": ["secret"]}}, {"filters": {"thread_id": "t"}}, {"all": True}):
            assert str(secret.pk) not in api.post("memories/delete", body).json()["memory_ids"]
    assert state_of(user) == before
    with user_scope(other_user):
        assert not MemoryItem.objects.exists()


def test_related_ids_of_somebody_else_move_nothing(foreign_api: ApiClient, user: EndUser, secret: MemoryItem) -> None:
    before = state_of(user)
    answer = foreign_api.post("outcomes", {"outcome": "failed", "key_takeaway": "x", "related": [str(secret.pk)]})
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["related"]
    assert state_of(user) == before


def test_erasing_ones_own_user_leaves_the_namesake_alone(
    foreign_api: ApiClient, user: EndUser, secret: MemoryItem
) -> None:
    before = state_of(user)
    assert foreign_api.delete("/api/v1/users/ann").status_code == 202
    user.refresh_from_db()
    assert user.external_id == "ann"
    assert state_of(user) == before


def test_a_cursor_of_somebody_else_opens_nothing(api: ApiClient, foreign_api: ApiClient, user: EndUser) -> None:
    MemoryItemFactory.create_batch(3, user=user)
    cursor = api.get("memories", {"limit": "1"}).json()["next_cursor"]
    answer = foreign_api.get("memories", {"limit": "1", "cursor": cursor})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "cursor"


def test_an_idempotency_key_of_somebody_else_replays_nothing(api: ApiClient, foreign_api: ApiClient) -> None:
    body = {"text": f"mine {CANARY}"}
    mine = api.post("memories", body, Idempotency_Key="same")
    theirs = foreign_api.post("memories", body, Idempotency_Key="same")
    assert mine.json()["id"] != theirs.json()["id"]
    assert "Idempotency-Replayed" not in theirs.headers


@pytest.mark.parametrize("asked", ["ben", "nobody-at-all"])
def test_a_key_for_some_users_acts_for_no_other_and_does_not_tell_who_exists(
    user: EndUser, other_user: EndUser, asked: str
) -> None:
    limited = client_for(user, user_ids=["ann"])
    assert limited.get("memories").status_code == 200
    refused = limited.get(f"/api/v1/users/{asked}/memories")
    assert refused.status_code == 403
    assert refused.content == limited.get("/api/v1/users/somebody-new/memories").content
