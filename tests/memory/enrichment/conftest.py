"""A scripted language model, and a desk with three conversations."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from memory import inference
from memory.enrichment.tasks import label_person
from memory.models import EndUser
from memory.vocabulary.editions import choose_preset
from tests.api_client import ApiClient
from tests.doubles.model_services import LanguageModelStub


@pytest.fixture
def chat_model(tmp_path: Path, settings: Settings) -> Iterator[LanguageModelStub]:
    with LanguageModelStub(tmp_path / "l.sock") as stub:
        llm = {**settings.MEMORY["LLM"], "url": stub.url, "model": "stub/chat", "timeout_s": 5.0}
        settings.MEMORY = {**settings.MEMORY, "LLM": llm}
        inference.reset_adapters()
        yield stub
    inference.reset_adapters()


@pytest.fixture
def desk(user: EndUser, api: ApiClient) -> EndUser:
    """A person with three conversations and a statement kept for good."""
    choose_preset(user.organization_id, "support", now=timezone.now(), actor="test")
    for thread, message in (
        ("kettle", "I want a refund for order 88-41207, the kettle leaks"),
        ("login", "I forgot my password again"),
        ("now", "hello, one more thing"),
    ):
        said = api.post(f"threads/{thread}/exchanges", {"user_message": message, "assistant_message": "Noted."})
        assert said.status_code == 201, said.content
    kept = {"text": "Prefers answers by mail.", "tier": "memory_bank", "tags": ["preference"], "importance": 0.9}
    assert api.post("memories", kept).status_code == 201
    label_person(user, now=timezone.now())
    return user
