"""Models that take no tools: what to search for is decided beforehand, and an answer comes whatever becomes of it; the
system message stands in the operator's frame."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI
from pytest_django import Settings

from memory import inference
from memory.conf import change_settings
from memory.gateway import serving
from memory.models import EndUser, ModelCall
from tests.api_client import ApiClient
from tests.doubles.chat_server import MODEL, ChatServer, Whole, completion
from tests.doubles.model_services import LanguageModelStub
from tests.memory.gateway.kept import meta_of

BIKE = "My bicycle stands in the blue shed behind the library."
VAGUE = "Shall we go for a ride?"
SEARCH = {"tool_calls": [{"name": "search_memory", "arguments": {"query": "bicycle shed"}}]}


@pytest.fixture
def decider(tmp_path: Path, settings: Settings, model: ChatServer) -> Iterator[LanguageModelStub]:
    with LanguageModelStub(tmp_path / "llm") as stub:
        settings.MEMORY = {**settings.MEMORY, "LLM": {"url": stub.url, "api_key": "k", "model": "small"}}
        inference.reset_adapters()
        yield stub
    inference.reset_adapters()


@pytest.fixture
def remembered(api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]) -> None:
    api.post("memories", {"text": BIKE, "tier": "history"})
    index_now(user)


def ask(client: OpenAI, question: str = VAGUE) -> Any:
    return client.chat.completions.create(model="", messages=[{"role": "user", "content": question}])


def test_a_model_without_tools_is_told_what_it_would_have_searched_for(
    remembered: None, client: OpenAI, model: ChatServer, decider: LanguageModelStub
) -> None:
    decider.says(json.dumps(SEARCH))
    model.answers(Whole(completion("Gladly.")))
    # One that takes tools asks for itself, and nobody decides for it.
    # Another question than the second: an exchange in its very words would be found at once.
    ask(client, "How are things?")
    assert not decider.asked
    assert "tools" in model.asked[-1].body
    serving.models_without_tools().add(MODEL)
    reply = ask(client)
    assert "blue shed" in json.dumps(model.asked[-1].body["messages"])
    assert "tools" not in model.asked[-1].body
    assert meta_of(reply)["searches"] == 1
    assert VAGUE in str(decider.asked[0].body)
    assert ModelCall.objects.get(purpose="tool_decision").outcome == "ok"


@pytest.mark.parametrize(
    "said",
    [
        '{"tool_calls": null}',
        '{"tool_calls": [{"name": "delete_everything", "arguments": {"query": "bicycle"}}]}',
        "I would search",
        "500",
        "hang",
    ],
)
def test_an_answer_comes_without_a_decision(
    remembered: None, client: OpenAI, model: ChatServer, decider: LanguageModelStub, said: str
) -> None:
    serving.models_without_tools().add(MODEL)
    decider.says(said)
    with change_settings(PROMPTS={"decision_timeout_s": 0.3}):
        reply = ask(client)
    assert reply.choices[0].message.content == "Noted."
    assert meta_of(reply)["searches"] == 0
    with change_settings(PROMPTS={"off": frozenset({"tool_decision", "fragment_rating"})}):
        asked = len(decider.asked)
        ask(client)
        assert len(decider.asked) == asked


def test_the_system_message_stands_in_the_operators_frame(
    client: OpenAI, model: ChatServer, user: EndUser, api: ApiClient, tmp_path: Path
) -> None:
    api.post(
        "memories", {"text": "I am allergic to nuts.", "tier": "memory_bank", "tags": ["health"], "always_inject": True}
    )
    ask(client)
    plain = model.asked[-1].body["messages"][0]["content"]
    own = tmp_path / "system_prompt.txt"
    with change_settings(PROMPTS={"folder": str(tmp_path)}):
        own.write_text("House rules for {{ model }}.\n{% if memory %}\n{{ memory }}{% endif %}", encoding="utf-8")
        ask(client)
        assert model.asked[-1].body["messages"][0]["content"] == f"House rules for {MODEL}.\n\n{plain}"
        # A frame without a place for the memory is none.
        own.write_text("House rules.", encoding="utf-8")
        ask(client)
        assert model.asked[-1].body["messages"][0]["content"] == plain
