"""Search in the console: what is found, why, and what was missing."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from memory.access.confinement import RowScope, confine_to
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.inference import embedder
from memory.models import EndUser, MemoryItem, Turn
from memory.platform.faults import Unavailable
from memory.retrieval import finding, late
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.memory.console.conftest import Console


@pytest.fixture
def remembered(user: EndUser, index_now: Callable[[EndUser], None]) -> EndUser:
    facade, now = MemoryFacade(), timezone.now()
    facade.store(user, NewMemory("The reading lamp is repaired on Thursdays", tier=Tier.HISTORY), now=now)
    facade.store(user, NewMemory("Alma is allergic to cashew nuts", tier=Tier.MEMORY_BANK, tags=["identity"]), now=now)
    index_now(user)
    return user


def test_a_search_shows_hits_with_their_reasons(console: Console, remembered: EndUser, place: str) -> None:
    for ask in (console.get, console.part):
        answer = ask(f"{place}/search?query=who+repairs+the+reading+lamp&limit=5")
        page = answer.content.decode()
        assert "reading lamp is repaired" in page
        assert "It was the nearest in meaning" in page
        assert "best match for the words" in page
        assert "Rank by meaning" in page
        assert "Embedding the question" in page
        assert "confidence" in page


def test_looking_on_leaves_no_trace(console: Console, remembered: EndUser, place: str) -> None:
    console.get(f"{place}/search?query=lamp")
    with user_scope(remembered):
        assert not Turn.objects.exists()
        assert not MemoryItem.objects.filter(retrieved__gt=0).exists()


def test_tiers_order_and_limit_are_taken_from_the_address(console: Console, remembered: EndUser, place: str) -> None:
    answer = console.get(f"{place}/search?query=lamp+cashew&tiers=memory_bank&sort_by=recency&limit=5")
    hits = [shown.hit for shown in answer.context["hits"]]
    assert [hit.item.tier for hit in hits] == ["memory_bank"]
    page = answer.content.decode()
    assert "You asked for the order by when it was said" in page
    assert '<input type="checkbox" name="tiers" value="memory_bank" checked>' in page


def test_a_search_is_limited_to_a_project_as_the_lists_are(console: Console, remembered: EndUser, place: str) -> None:
    assert "Belongs to" not in console.get(f"{place}/search?query=lamp").content.decode()
    for project in ("acme/atlas", "acme/borealis"):
        with confine_to(RowScope(project_id=project)):
            MemoryFacade().store(remembered, NewMemory(f"The lamp of {project} is green"), now=timezone.now())

    for choice, found in (
        ("", 3),
        ("own", 1),
        ("project=acme/atlas", 1),
        ("project=acme/none", 0),
    ):
        answer = console.get(f"{place}/search", {"query": "the lamp", "scope": choice})
        texts = [shown.hit.item.text for shown in answer.context["hits"] if "lamp" in shown.hit.item.text]
        assert len(texts) == found, (choice, texts)
        assert all("atlas" in text for text in texts if choice == "project=acme/atlas")
    page = console.get(f"{place}/search?query=lamp&scope=project%3Dacme%2Fatlas").content.decode()
    assert '<option value="project=acme/atlas" selected>Project acme/atlas</option>' in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("query=lamp&tiers=attic", "Select a valid choice"),
        ("query=lamp&limit=4000", "Select a valid choice"),
        ("query=" + "x" * 4001, "at most 4,000 characters"),
        ("query=%00", "Null characters"),
    ],
)
def test_a_question_that_cannot_be_asked_says_why(console: Console, place: str, query: str, said: str) -> None:
    for ask in (console.get, console.part):
        answer = ask(f"{place}/search?{query}")
        assert answer.status_code == 422
        assert said in answer.content.decode()


def test_an_empty_question_asks_for_one_and_no_answer_says_so(console: Console, user: EndUser, place: str) -> None:
    assert b"Ask as an assistant would" in console.get(f"{place}/search?query=+").content
    assert b"Nothing was found" in console.get(f"{place}/search?query=zebra").content


def test_a_search_without_vectors_says_what_was_left_out(
    console: Console, remembered: EndUser, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Down:
        def embed_queries(self, *_args: Any) -> None:
            raise Unavailable("embedder", "connection refused")

    monkeypatch.setattr(finding, "choose_embedder", lambda model: Down())
    monkeypatch.setattr(late, "token_embedder", lambda: None)
    page = console.get(f"{place}/search?query=reading+lamp").content.decode()
    assert "only words were compared" in page
    assert "reading lamp is repaired" in page
    assert embedder().dimensions == 384


def test_a_question_alone_is_asked_in_the_usual_way(console: Console, remembered: EndUser, place: str) -> None:
    page = console.get(f"{place}/search?query=lamp").content.decode()
    assert '<option value="10" selected>10</option>' in page
    assert '<option value="relevance" selected>' in page
