"""``MEMORY_LEXICAL=bm25`` in use: searches over REST while the cache is built behind them, stale, or out of reach."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from memory import indexes
from memory.facade import MemoryFacade
from memory.indexes import bm25, cached, fulltext, lexical_index, versions
from memory.indexes.base import IndexFilter
from memory.indexes.cached import CachedLexical
from memory.models import EndUser
from memory.platform import redis
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.api_client import ApiClient
from tests.doubles.faults import refusing_socket
from tests.patience import PATIENCE_S, eventually

pytestmark = [pytest.mark.usefixtures("services", "quick_cache"), pytest.mark.django_db(transaction=True)]

memory = MemoryFacade("key:test")


@pytest.fixture
def quick_cache(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The cache in use, built again at once when it is stale, on a machine that may be busy."""
    settings.MEMORY = {**settings.MEMORY, "LEXICAL": {"backend": "bm25"}}
    monkeypatch.setattr(redis, "ATTEMPT_TIMEOUT_S", 5.0)
    monkeypatch.setattr(versions, "COOLDOWN_S", 0.01)
    monkeypatch.setattr(cached, "MIN_INTERVAL_S", 0.01)
    monkeypatch.setattr(cached, "IDLE_CHECK_S", 0.05)
    redis.reset_clients()
    indexes.reset_indexes()
    yield
    quick().cache.budget = 0
    monkeypatch.setattr(bm25, "IDLE_S", -1.0)
    assert eventually(lambda: not any(thread.name == "lexical cache" for thread in threading.enumerate()))
    indexes.reset_indexes()


def quick() -> bm25.Bm25Index:
    index = lexical_index()
    assert isinstance(index, CachedLexical)
    return index.quick


def store_text(user: EndUser, *texts: str) -> None:
    memory.store_many(user, [NewMemory(text, tier=Tier.HISTORY) for text in texts], now=timezone.now())


def search_lexically(api: ApiClient, query: str) -> dict[str, Any]:
    """The first hit, or nothing; that no stage was left out is part of it."""
    answer = api.post("search", {"query": query, "explain": True}).json()
    assert answer["debug"]["fallbacks_used"] == []
    return next((hit for hit in answer["results"] if hit["explain"]["text_rank"] == 1), {})


def from_the_cache(user: EndUser) -> bool:
    return quick().ready(IndexFilter(user.pk)) is not None


def test_full_text_answers_at_once_and_the_cache_from_then_on(
    user: EndUser, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_text(user, "The ferry leaves at noon", "The kiln is fired on Fridays")
    assert not from_the_cache(user)
    assert search_lexically(api, "ferry")["content"] == "The ferry leaves at noon"
    assert eventually(lambda: from_the_cache(user))
    monkeypatch.setattr(fulltext, "SURVEY", "SELECT * FROM nowhere")
    assert search_lexically(api, "kiln")["content"] == "The kiln is fired on Fridays"


def test_while_it_is_built_full_text_answers_with_what_was_just_written(
    user: EndUser, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_text(user, "The ferry leaves at noon")
    let_go, begun, build = threading.Event(), threading.Event(), bm25.build_part

    def slowly(*args: Any) -> bm25.TermPart:
        begun.set()
        assert let_go.wait(PATIENCE_S)
        return build(*args)

    monkeypatch.setattr(bm25, "build_part", slowly)
    search_lexically(api, "ferry")
    assert begun.wait(PATIENCE_S)
    store_text(user, "The boat is moored at pier nine")
    assert search_lexically(api, "boat")["content"] == "The boat is moored at pier nine"
    assert not from_the_cache(user)
    let_go.set()

    def asked_until_ready() -> bool:
        # What was built meanwhile was stale before it was done: a later question has it built again.
        return search_lexically(api, "pier") != {} and from_the_cache(user)

    assert eventually(asked_until_ready)
    monkeypatch.setattr(fulltext, "SURVEY", "SELECT * FROM nowhere")
    assert search_lexically(api, "boat")["content"] == "The boat is moored at pier nine"


def test_a_write_of_another_process_makes_it_stale_at_once(user: EndUser, api: ApiClient) -> None:
    store_text(user, "The ferry leaves at noon")
    search_lexically(api, "ferry")
    assert eventually(lambda: from_the_cache(user))
    bm25.Bm25Index(1).invalidate(user.pk)
    assert not from_the_cache(user)


def test_without_redis_full_text_answers(
    user: EndUser, api: ApiClient, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_text(user, "The ferry leaves at noon")
    search_lexically(api, "ferry")
    assert eventually(lambda: from_the_cache(user))
    with refusing_socket(tmp_path / "r.sock") as path, monkeypatch.context() as away:
        away.setattr(settings, "REDIS_URL", f"unix://{path}")
        redis.reset_clients()
        assert search_lexically(api, "ferry")["content"] == "The ferry leaves at noon"
        assert not from_the_cache(user)
    redis.reset_clients()
