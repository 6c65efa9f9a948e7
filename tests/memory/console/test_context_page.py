"""The context page: what an assistant would be handed for a question, word for word, and why."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from knowledge_graph.insights import experience
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem, Turn
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Tier
from tests.memory.console.conftest import Console

RIGHT = "Oiling the lamp stopped the squeak"
WRONG = "Hammering the lamp stops the squeak"


@pytest.fixture
def experienced(user: EndUser, index_now: Callable[[EndUser], None]) -> EndUser:
    facade, now = MemoryFacade(), timezone.now()
    facade.store(
        user,
        NewMemory("Reads at night by the lamp", tier=Tier.MEMORY_BANK, tags=["identity"], always_inject=True),
        now=now,
    )
    for text, outcome in ((RIGHT, Outcome.WORKED), (WRONG, Outcome.FAILED)):
        item = facade.store(user, NewMemory(text, tier=Tier.HISTORY), now=now).item
        facade.record_outcome(user, outcome, now=now, related=[str(item.pk)])
    index_now(user)
    return user


def test_an_english_remark_behind_a_statement_of_another_direction_stands_by_itself(
    console: Console, user: EndUser, place: str
) -> None:
    MemoryFacade().store(
        user,
        NewMemory("אני גר בחיפה", tier=Tier.MEMORY_BANK, tags=["identity"], always_inject=True),
        now=timezone.now(),
    )
    page = console.get(f"{place}/context?query=the+lamp").content.decode()
    assert 'אני גר בחיפה <bdi class="remark">(told on ' in page


def test_the_page_shows_every_section_with_its_tokens_and_reason(
    console: Console, experienced: EndUser, place: str
) -> None:
    for ask in (console.get, console.part):
        answer = ask(f"{place}/context?query=the+lamp+squeaks")
        page = answer.content.decode()
        titles = [part.title for part in answer.context["parts"]]
        assert titles == ["How to use it", "Always known", "What experience says", "What was found"]
        assert sum(part.tokens for part in answer.context["parts"]) == answer.context["composed"].tokens
        assert round(sum(part.width for part in answer.context["parts"])) == 100
        assert "• Reads at night by the lamp" in page
        assert f"due to: {WRONG}" in page
        assert f"history, {timezone.now():%Y-%m-%d}: {RIGHT}" in page
        assert "of 2,000 tokens" in page
        assert "Do not offer again what failed" in page
        assert "Asking experience" in page


def test_looking_at_a_context_leaves_no_trace(console: Console, experienced: EndUser, place: str) -> None:
    console.get(f"{place}/context?query=the+lamp+squeaks&thread=t-1")
    with user_scope(experienced):
        assert not Turn.objects.exists()
        assert not MemoryItem.objects.filter(retrieved__gt=0).exists()


def test_a_context_without_experience_says_so(
    console: Console,
    experienced: EndUser,
    place: str,
    monkeypatch: pytest.MonkeyPatch,
    set_budgets: Callable[..., None],
) -> None:
    set_budgets(graph_s=0.3)
    monkeypatch.setattr(experience, "build_statement", lambda: "SELECT pg_sleep(120)")
    page = console.get(f"{place}/context?query=the+lamp+squeaks").content.decode()
    assert "Experience did not answer in time" in page
    assert "What was found" in page
    assert "What experience says" not in page


def test_empty_too_long_and_unknown_questions_are_answered(console: Console, user: EndUser, place: str) -> None:
    assert "See what an assistant gets" in console.get(f"{place}/context").content.decode()
    assert "Nothing would be included" in console.get(f"{place}/context?query=lamp").content.decode()
    refused = console.get(f"{place}/context", {"query": "x" * 4_001})
    assert (refused.status_code, "at most 4,000 characters" in refused.content.decode()) == (422, True)


def test_search_and_context_lead_to_each_other(console: Console, experienced: EndUser, place: str) -> None:
    assert f'href="{place}/context?query=the%20lamp"' in console.get(f"{place}/search?query=the+lamp").content.decode()
    assert f'href="{place}/search?query=the%20lamp"' in console.get(f"{place}/context?query=the+lamp").content.decode()
