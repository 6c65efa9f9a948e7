"""Rating by a language model: off at first, for the best candidates alone, and never at the cost of an answer."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from memory import inference
from memory.conf import change_settings
from memory.facade import MemoryFacade
from memory.models import EndUser, ModelCall
from memory.platform.breakers import list_breaker_states
from memory.retrieval.rating import BREAKER
from memory.retrieval.results import SearchRequest, SearchResult
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.conftest import Clock
from tests.doubles.model_services import LanguageModelStub

memory = MemoryFacade("key:test")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]

TEXTS = [f"The lighthouse keeper paints seascape number {number}" for number in range(4)]


@pytest.fixture
def model(tmp_path: Path, settings: Settings) -> Iterator[LanguageModelStub]:
    with LanguageModelStub(tmp_path / "llm") as stub:
        llm = {"url": stub.url, "api_key": "k", "model": "small"}
        settings.MEMORY = {**settings.MEMORY, "LLM": llm, "PROMPTS": {**settings.MEMORY["PROMPTS"], "off": frozenset()}}
        inference.reset_adapters()
        yield stub
    inference.reset_adapters()


@pytest.fixture
def known(user: EndUser, clock: Clock, index_now: Callable[[EndUser], None]) -> EndUser:
    with change_settings(PROMPTS={"off": frozenset({"knowledge_graph_analysis", "contextual_prefix"})}):
        memory.store_many(user, [NewMemory(text, tier=Tier.HISTORY) for text in TEXTS], now=clock())
        index_now(user)
    return user


def search(user: EndUser, clock: Clock, **fields: object) -> SearchResult:
    request = SearchRequest("What does the lighthouse keeper paint?", limit=4, **fields)  # type: ignore[arg-type]
    return memory.search(user, request, now=clock(), remember=False)


def test_a_rating_lifts_what_answers_and_is_explained(known: EndUser, clock: Clock, model: LanguageModelStub) -> None:
    with change_settings(PROMPTS={"off": frozenset({"fragment_rating"})}):
        plain = search(known, clock)
    assert not model.asked
    assert "rating" not in plain.hits[0].explain
    # As it is shipped nobody waits for it.
    last = plain.hits[-1]
    model.says(
        json.dumps({"ratings": [{"note": 4, "rating": 1.0}, {"note": 1, "rating": 0.0}, {"note": 99, "rating": 1}]})
    )
    with change_settings(PROMPTS={"rating_above": 0.0}):
        rated = search(known, clock)
        body = str(model.asked[0].body)
        assert all(text in body for text in TEXTS)
        assert "What does the lighthouse keeper paint?" in body
        assert rated.hits[0].item.pk == last.item.pk
        assert rated.hits[0].explain["rating"] == 1.0
        assert rated.hits[0].explain["weights"] == {"rating": 0.4}
        assert rated.hits[0].final_score == pytest.approx(0.6 * last.final_score + 0.4)
        # Another order than relevance, and a part that is measured alone, are not rated.
        asked = len(model.asked)
        search(known, clock, sort_by="recency")
        search(known, clock, boosts=())
        assert len(model.asked) == asked
    with change_settings(PROMPTS={"rating_above": 0.999}):
        search(known, clock)
    assert len(model.asked) == asked


def test_without_a_usable_rating_the_order_stays(
    known: EndUser, clock: Clock, model: LanguageModelStub, settings: Settings
) -> None:
    def order(found: SearchResult) -> list[object]:
        return [hit.item.pk for hit in found.hits]

    with change_settings(PROMPTS={"off": frozenset({"fragment_rating"})}):
        wanted = order(search(known, clock))
    with change_settings(PROMPTS={"rating_above": 0.0, "rating_timeout_s": 0.3}):
        for said in ("no json", "status 500", "hang"):
            model.says(said)
            found = search(known, clock)
            assert order(found) == wanted
            assert found.debug.fallbacks_used == ["rate_skipped"]
        # Failures in searches leave the background's breaker alone.
        assert list_breaker_states().get("llm", "closed") == "closed"
        assert BREAKER in list_breaker_states()
        assert set(ModelCall.objects.values_list("outcome", flat=True)) <= {"invalid", "unavailable", "late"}
    with change_settings(PROMPTS={"rating_above": 0.0, "calls_a_day": 0}):
        found = search(known, clock)
        assert (order(found), found.debug.fallbacks_used) == (wanted, [])
    settings.MEMORY = {**settings.MEMORY, "LLM": {"url": "", "api_key": "", "model": ""}}
    inference.reset_adapters()
    assert order(search(known, clock)) == wanted
