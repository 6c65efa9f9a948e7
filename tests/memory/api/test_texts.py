"""Texts on demand: one of memories and of results of tools, and what is worth keeping of one; with a model or none."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from memory import inference
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.api_client import ApiClient
from tests.conftest import Clock
from tests.doubles.model_services import LanguageModelStub

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]

STORED = "Ruth is allergic to walnuts and brings her own cake"
MENU = {"label": "menu service", "text": "Friday: walnut soup at 19:30, or leek tart"}
QUESTION = "What can Ruth eat on Friday?"


@pytest.fixture
def model(tmp_path: Path, settings: Settings) -> Iterator[LanguageModelStub]:
    with LanguageModelStub(tmp_path / "llm") as stub:
        settings.MEMORY = {**settings.MEMORY, "LLM": {"url": stub.url, "api_key": "k", "model": "small"}}
        inference.reset_adapters()
        yield stub
    inference.reset_adapters()


@pytest.fixture
def known(user: EndUser, clock: Clock, index_now: Callable[[EndUser], None]) -> EndUser:
    MemoryFacade().store(user, NewMemory(STORED, tier=Tier.HISTORY), now=clock())
    index_now(user)
    return user


def test_sources_are_listed_without_a_model_and_made_one_text_with_it(
    known: EndUser, api: ApiClient, tmp_path: Path, settings: Settings
) -> None:
    asked = {"query": QUESTION, "inputs": [MENU]}
    listed = api.post("texts/blend", asked).json()
    assert not listed["by_model"]
    assert listed["cited"] == [1, 2]
    assert [source["text"] for source in listed["sources"]] == [STORED, MENU["text"]]
    assert STORED in listed["text"]
    assert "[2] (menu service)" in listed["text"]
    assert api.post("texts/blend", {"query": QUESTION, "limit": 0}).json()["text"] == ""
    with LanguageModelStub(tmp_path / "llm") as stub:
        settings.MEMORY = {**settings.MEMORY, "LLM": {"url": stub.url, "api_key": "k", "model": "small"}}
        inference.reset_adapters()
        good = "Ruth can have the leek tart [2]; the soup has walnuts, which she is allergic to [1][2]."
        stub.says(json.dumps({"text": good}))
        made = api.post("texts/blend", asked).json()
        assert (made["text"], made["by_model"], made["cited"]) == (good, True, [1, 2])
        assert "Ruth is allergic" in str(stub.asked[-1].body)
        assert "walnut soup" in str(stub.asked[-1].body)
        # What cites nothing, or a source that is not there, or adds a number, is no answer.
        for said in ({"text": "The leek tart."}, {"text": "The tart [7]."}, {"text": "The tart at 20:15 [2]."}, "none"):
            stub.says(json.dumps(said))
            assert api.post("texts/blend", asked).json()["text"] == listed["text"]
    # The server has gone.
    assert api.post("texts/blend", asked).json()["text"] == listed["text"]
    inference.reset_adapters()
    refused = api.post("texts/blend", {"query": QUESTION, "inputs": [{"label": "x"}]})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "inputs[0].text"


def test_what_is_extracted_stands_in_the_text(user: EndUser, api: ApiClient, model: LanguageModelStub) -> None:
    text = "Postgres 17 keeps the queue. Ruth says: “never vacuum on Fridays”. We use the outbox pattern."
    answer = {
        "quotes": ["Never vacuum on Fridays", "Move fast and break things"],
        "concepts": ["outbox pattern", "saga pattern"],
        "insights": ["The queue lives in the database", "Postgres 16 is too old"],
        "technical_terms": ["Postgres", "Kafka"],
    }
    model.says(json.dumps(answer))
    found = api.post("texts/extract", {"text": text}).json()
    assert found == {
        "quotes": ["Never vacuum on Fridays"],
        "concepts": ["outbox pattern"],
        "insights": ["The queue lives in the database"],
        "technical_terms": ["Postgres"],
        "by_model": True,
    }
    model.says("no json")
    ruled = api.post("texts/extract", {"text": text}).json()
    assert not ruled["by_model"]
    assert "Ruth" in ruled["concepts"]
    assert ruled["quotes"] == []
    assert not MemoryItem.objects.exists()
