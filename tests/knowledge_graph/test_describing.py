"""A language model may read memories too: what it makes up is dropped, and without it the rules do."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from knowledge_graph.models import Edge, Entity, GraphedItem
from memory import inference
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, ModelCall
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.conftest import Clock
from tests.doubles.model_services import LanguageModelStub
from tests.knowledge_graph.conftest import LearnNow

memory = MemoryFacade("key:test")
TEXT = "Cold weather makes the pump of the greenhouse fail, Dana found out"


def model_answer(*concepts: tuple[str, str], relationships: Any = ()) -> str:
    return json.dumps(
        {
            "concepts": [{"name": name, "type": kind, "confidence": 0.9} for name, kind in concepts],
            "relationships": [
                {"source": source, "target": target, "relation": relation, "confidence": 0.9}
                for source, target, relation in relationships
            ],
        }
    )


ANSWER = model_answer(
    ("cold weather", "concept"),
    ("pump", "product"),
    ("Atlantis", "place"),
    relationships=[("cold weather", "pump", "CAUSES"), ("Atlantis", "pump", "CAUSES")],
)


@pytest.fixture
def model(tmp_path: Path, settings: Settings, services: None) -> Iterator[LanguageModelStub]:
    with LanguageModelStub(tmp_path / "l.sock", ANSWER) as stub:
        llm = {**settings.MEMORY["LLM"], "url": stub.url, "model": "stub/chat", "timeout_s": 0.5}
        settings.MEMORY = {**settings.MEMORY, "LLM": llm}
        inference.reset_adapters()
        yield stub
    inference.reset_adapters()


def graph(user: EndUser) -> tuple[set[str], set[tuple[str, str, str]], list[str]]:
    with user_scope(user):
        return (
            set(Entity.objects.filter(user=user).values_list("key", flat=True)),
            set(Edge.objects.filter(user=user).exclude(kind="together").values_list("source", "target", "kind")),
            list(GraphedItem.objects.filter(user=user).values_list("reader", flat=True)),
        )


def test_what_a_model_reads_is_kept_as_far_as_the_text_says_it(
    user: EndUser, clock: Clock, learn_now: LearnNow, model: LanguageModelStub
) -> None:
    memory.store(user, NewMemory(TEXT, tier=Tier.PATTERNS), now=clock())
    learn_now(user)
    keys, related, readers = graph(user)
    assert keys == {"cold weather", "pump", "dana"}, "a name that the text does not say is made up"
    assert related == {("cold weather", "pump", "CAUSES")}
    assert readers == ["model"]
    assert ModelCall.objects.filter(purpose="knowledge_graph_analysis").exists()


@pytest.mark.parametrize("fault", ["503", "html", "hang"])
def test_where_the_model_fails_the_rules_read(
    user: EndUser, clock: Clock, learn_now: LearnNow, model: LanguageModelStub, fault: str
) -> None:
    model.says(fault)
    memory.store(user, NewMemory(TEXT, tier=Tier.PATTERNS), now=clock())
    learn_now(user)
    assert graph(user) == ({"dana"}, set(), ["rules"])


def test_the_model_is_not_asked_about_books(
    user: EndUser, clock: Clock, learn_now: LearnNow, model: LanguageModelStub
) -> None:
    memory.store_many(user, [NewMemory(TEXT, tier=Tier.BOOKS)], now=clock())
    learn_now(user)
    assert graph(user)[2] == ["rules"]
    assert model.asked == []


def test_a_long_text_is_read_for_its_terms_as_well(
    user: EndUser, clock: Clock, learn_now: LearnNow, model: LanguageModelStub
) -> None:
    long = f"{TEXT}. {'The valve was cleaned and the hose replaced. ' * 20}The impeller seal was worn."
    content = {
        "concepts": ["pump"],
        "technical_terms": ["impeller seal", "flux capacitor"],
        "quotes": [],
        "insights": [],
    }
    model.says(ANSWER, json.dumps(content))
    memory.store(user, NewMemory(long, tier=Tier.PATTERNS), now=clock())
    learn_now(user)
    keys, _, _ = graph(user)
    assert {"cold weather", "pump", "impeller seal"} <= keys
    assert "flux capacitor" not in keys
    assert ModelCall.objects.filter(purpose="extract_content", outcome="ok").exists()
