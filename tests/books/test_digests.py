"""What a language model reads out of a book: part by part behind what waits, as far as the book says so, and gone with
it; nothing of it without a model."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone
from pytest_django import Settings

from books import digests, jobs, tasks
from books.jobs import NewUpload
from books.models import BookDigest, DigestState
from memory import inference
from memory.access.scope import user_scope
from memory.conf import change_settings
from memory.facade import MemoryFacade
from memory.models import EndUser, ModelCall
from tests.api_client import ApiClient, client_for
from tests.books.shelf import BookShelf
from tests.doubles.model_services import LanguageModelStub

pytestmark = pytest.mark.usefixtures("services", "db")

memory = MemoryFacade("key:test")
LAMP = "The lamp is trimmed at dusk by whoever has the watch. A trimmed lamp burns for eleven hours. "
STORM = "In a storm the keeper sleeps beside the lamp. Nobody leaves the tower. "
MAPPED = {
    "summary": "Keepers trim the lamp at dusk.",
    "quotes": ["A trimmed lamp burns for eleven hours."],
    "concepts": ["lamp", "perpetual motion"],
    "tone": "sober",
    "style": "manual",
}
EXTRACTED = {
    "quotes": [
        {"text": "the lamp is trimmed at dusk", "category": "technology"},
        {"text": "Carpe diem", "category": "art"},
    ],
    "models": [{"text": "Whoever has the watch trims the lamp", "category": "watchkeeping"}],
    "summaries": [
        {"text": "It burns 99 hours", "category": "nature"},
        {"text": "How a lamp is kept", "category": "nature"},
    ],
}
REDUCED = {
    "unified_summary": "How keepers keep the lamp, in storms too.",
    "key_themes": ["watch"],
    "main_insights": ["Trim at dusk", "Buy 12 lamps"],
}


@pytest.fixture
def model(tmp_path: Path, settings: Settings) -> Iterator[LanguageModelStub]:
    with LanguageModelStub(tmp_path / "llm") as stub:
        settings.MEMORY = {**settings.MEMORY, "LLM": {"url": stub.url, "api_key": "k", "model": "small"}}
        settings.MEMORY["PROMPTS"] = {**settings.MEMORY["PROMPTS"], "off": frozenset({"contextual_prefix"})}
        inference.reset_adapters()
        yield stub
    inference.reset_adapters()


@pytest.fixture
def shelf(user: EndUser) -> BookShelf:
    return BookShelf(client_for(user))


def hand_in(user: EndUser, body: str, thread_id: str = "") -> str:
    job = memory.upload_book(
        user, NewUpload(body.encode(), "lamp.txt", "Lamp", thread_id=thread_id), now=timezone.now()
    )
    tasks.work_on_books(user.pk)
    done = jobs.find_job(user, job.pk)
    assert done is not None
    assert done.book_id is not None
    return str(done.book_id)


def read_on(user: EndUser) -> None:
    digests.read_next_part(user, now=timezone.now())


def digest_of(shelf: BookShelf, book_id: str) -> Any:
    return shelf.get(book_id).json()["digest"]


def test_a_book_is_read_part_by_part_and_told_as_far_as_it_says_so(
    user: EndUser, shelf: BookShelf, model: LanguageModelStub
) -> None:
    # Two parts: one of six thousand characters, and the rest.
    book_id = hand_in(user, LAMP * 70 + "\n\n" + STORM * 30)
    begun = digest_of(shelf, book_id)
    assert (begun["state"], begun["parts"], begun["parts_read"], begun["summary"]) == ("pending", 2, 0, "")
    model.says("no json", json.dumps(MAPPED), json.dumps(EXTRACTED))
    read_on(user)
    half = digest_of(shelf, book_id)
    assert half["quotes"] == [
        {"text": "the lamp is trimmed at dusk", "category": "technology"},
        {"text": "A trimmed lamp burns for eleven hours.", "category": "other"},
    ]
    assert half["models"] == [{"text": "Whoever has the watch trims the lamp", "category": "other"}]
    assert half["summaries"] == [{"text": "How a lamp is kept", "category": "nature"}]
    assert (half["concepts"], half["tone"], half["style"], half["parts_read"]) == (["lamp"], "sober", "manual", 1)
    read_to_its_end(user, shelf, model, book_id)


def read_to_its_end(user: EndUser, shelf: BookShelf, model: LanguageModelStub, book_id: str) -> None:
    # A second part that nothing usable is said of is left out, and a busy model is asked again later.
    model.says("500")
    read_on(user)
    assert digest_of(shelf, book_id)["parts_read"] == 1
    with user_scope(user):
        waiting = BookDigest.objects.get()
        assert waiting.due_at is not None
        assert waiting.due_at > timezone.now()
        waiting.part_summaries = [*waiting.part_summaries, "In storms they sleep beside it."]
        waiting.due_at = timezone.now()
        waiting.save()
    model.says("none")
    read_on(user)
    assert digest_of(shelf, book_id)["parts_read"] == 2
    model.says(json.dumps(REDUCED))
    read_on(user)
    whole = digest_of(shelf, book_id)
    assert (whole["state"], whole["summary"]) == ("done", REDUCED["unified_summary"])
    assert (whole["themes"], whole["insights"]) == (["watch"], ["Trim at dusk"])
    asked = len(model.asked)
    read_on(user)
    assert len(model.asked) == asked
    purposes = set(ModelCall.objects.values_list("purpose", flat=True))
    assert {"map_chunk", "book_extraction", "reduce_summaries"} <= purposes
    # Again from the beginning, and gone with the book.
    assert shelf.post(f"{book_id}/digest").status_code == 202
    assert digest_of(shelf, book_id)["state"] == "pending"
    assert shelf.delete(book_id).status_code == 204
    with user_scope(user):
        assert not BookDigest.objects.exists()


def test_a_book_has_no_digest_without_a_model_and_waits_while_calls_are_used_up(
    user: EndUser, other_user: EndUser, shelf: BookShelf, tmp_path: Path, settings: Settings
) -> None:
    book_id = hand_in(user, LAMP)
    assert digest_of(shelf, book_id) is None
    assert shelf.post(f"{book_id}/digest").status_code == 409
    with LanguageModelStub(tmp_path / "llm") as stub:
        settings.MEMORY = {**settings.MEMORY, "LLM": {"url": stub.url, "api_key": "k", "model": "small"}}
        inference.reset_adapters()
        stub.says(json.dumps(MAPPED), json.dumps(EXTRACTED))
        # Of a book from before, when it is asked for.
        assert BookShelf(client_for(other_user)).post(f"{book_id}/digest").status_code == 404
        with change_settings(PROMPTS={"calls_a_day": 0}):
            assert shelf.post(f"{book_id}/digest").json()["digest"]["state"] == "pending"
            read_on(user)
        assert not stub.asked
        assert digest_of(shelf, book_id)["parts_read"] == 0
        with user_scope(user):
            BookDigest.objects.update(due_at=timezone.now())
        read_on(user)
        read_on(user)
    inference.reset_adapters()
    found = memory.find_book_digest(user, UUID(book_id))
    # One part's summary is that of the whole: nothing is asked for it.
    assert found is not None
    assert (found.state, found.summary) == (DigestState.DONE, MAPPED["summary"])
    assert memory.find_book_digest(other_user, found.book_id) is None


def test_a_threads_document_has_none(user: EndUser, api: ApiClient, model: LanguageModelStub) -> None:
    hand_in(user, LAMP, thread_id="t")
    with user_scope(user):
        assert not BookDigest.objects.exists()
