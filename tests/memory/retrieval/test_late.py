"""Comparing question and turn token by token: what changes, and that no answer suffers for it."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from math import fsum
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from memory import inference
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facade import MemoryFacade
from memory.indexing import rebuild as rebuilding
from memory.indexing import runs
from memory.inference.tokens import HttpTokenEmbedder
from memory.models import EndUser, TokenVectors
from memory.operations import health
from memory.platform.faults import Unavailable
from memory.retrieval.late import SIGNAL
from memory.retrieval.results import SearchRequest, SearchResult
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.conftest import Clock
from tests.doubles.faults import EmbedderStub

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
IndexNow = Callable[[EndUser], None]
NOVEL = (
    "We spent the weekend at the lake, the kids swam all day, and I finally finished reading that novel about "
    "beekeeping you gave me."
)
BRIDGE = "He proposed on the bridge in Prague, and I said yes."
TURNS = [
    NOVEL,
    "I love books! What a lovely hobby reading is.",
    "My favourite books are on the shelf in the hall.",
    "The library opens at nine, we could go there together.",
    "Reading in bed is the best thing after a long day.",
    "I am so tired of all the homework the kids bring home.",
    "The lake was quite cold last year.",
    "Yes, the band played for three hours and my ears still ring.",
    "I bought a new bicycle, a red one with a basket.",
    BRIDGE,
    "Our trip to Vienna was cancelled because of the strike.",
]


def turn(text: str, **fields: Any) -> NewMemory:
    return NewMemory(text, **{"tier": Tier.HISTORY, "thread_id": "talk", "speaker": "Mia", **fields})


@pytest.fixture
def conversation(user: EndUser, clock: Clock, index_now: IndexNow) -> EndUser:
    memory.store_many(user, [turn(text) for text in TURNS], now=clock())
    index_now(user)
    return user


def search_late(user: EndUser, clock: Clock, query: str, **fields: Any) -> SearchResult:
    return memory.search(user, SearchRequest(query, **{"limit": 5, **fields}), now=clock())


def without_it() -> tuple[str, ...]:
    return tuple(path for path in memory_conf().ranking.boosts if path != SIGNAL)


def kept_tokens(user: EndUser) -> dict[str, bytes]:
    with user_scope(user):
        return {str(row.item_id): bytes(row.signs) for row in TokenVectors.objects.filter(user=user)}


def test_a_turn_that_answers_in_passing_comes_first(conversation: EndUser, clock: Clock) -> None:
    result = search_late(conversation, clock, "What did she read on insects?")

    assert result.hits[0].item.text == NOVEL
    assert result.hits[0].explain["boosts"]["late"] > 0
    assert result.debug.fallbacks_used == []
    assert result.debug.stage_timings_ms["late"] > 0


def test_its_share_is_explained_and_adds_up(conversation: EndUser, clock: Clock) -> None:
    for hit in search_late(conversation, clock, "Who got engaged?").hits:
        explain = hit.explain
        assert explain["boosts"]["late"] != 0
        assert explain["total"] == round(explain["relevance"] + fsum(explain["boosts"].values()), 6)


def test_where_the_boost_is_left_out_nobody_is_asked(conversation: EndUser, clock: Clock) -> None:
    result = search_late(conversation, clock, "Who got engaged?", boosts=without_it())

    assert "late" not in result.debug.stage_timings_ms
    assert all("late" not in hit.explain["boosts"] for hit in result.hits)


def test_statements_and_single_notes_are_not_compared(
    user: EndUser, clock: Clock, index_now: IndexNow, conversation: EndUser
) -> None:
    memory.store(user, turn("She got engaged in Prague", thread_id="", tier=Tier.HISTORY), now=clock())
    memory.store(user, NewMemory("Is engaged to Tom", tier=Tier.MEMORY_BANK, tags=["love"]), now=clock())
    index_now(user)

    assert len(kept_tokens(user)) == len(TURNS)
    shares = {
        hit.item.thread_id: "late" in hit.explain["boosts"]
        for hit in search_late(conversation, clock, "Who got engaged?").hits
    }
    assert shares == {"talk": True, "": False}


@pytest.mark.parametrize("query", ["מי קראה ספר על דבורים?", "Wer hat sich in Prag verlobt?", "Кто обручился?"])
def test_a_question_in_a_language_the_model_does_not_know_is_left_alone(
    conversation: EndUser, clock: Clock, query: str
) -> None:
    result = search_late(conversation, clock, query)

    assert result.hits
    assert all("late" not in hit.explain["boosts"] for hit in result.hits)


class TestFaults:
    @pytest.mark.parametrize("method", ["encode_query", "is_offered"])
    def test_the_answer_comes_without_it(
        self, conversation: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch, method: str
    ) -> None:
        def fail(*asked: object) -> bool:
            if method == "is_offered":
                return False
            raise Unavailable("tokens", "away")

        monkeypatch.setattr(HttpTokenEmbedder, method, fail)
        result = search_late(conversation, clock, "Who got engaged?")
        bare = search_late(conversation, clock, "Who got engaged?", boosts=without_it())

        assert [hit.item.pk for hit in result.hits] == [hit.item.pk for hit in bare.hits]
        assert result.debug.fallbacks_used == (["late_skipped"] if method == "encode_query" else [])
        assert result.debug.vector_stage_status == "enabled"

    def test_a_question_asked_before_is_found_by_meaning_while_the_embedder_is_away(
        self, conversation: EndUser, clock: Clock, tmp_path: Any, settings: Settings
    ) -> None:
        search_late(conversation, clock, "Who got engaged?")
        url = f"unix://{tmp_path / 'nobody.sock'}"
        settings.MEMORY = {**settings.MEMORY, "EMBEDDING": {**settings.MEMORY["EMBEDDING"], "url": url}}
        inference.reset_adapters()
        result = search_late(conversation, clock, "Who got engaged?")
        inference.reset_adapters()

        assert result.debug.fallbacks_used == []
        assert any(hit.explain["vector_rank"] == 1 for hit in result.hits)

    def test_turns_are_indexed_without_tokens_when_they_fail(
        self, user: EndUser, clock: Clock, index_now: IndexNow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*asked: object) -> None:
            raise Unavailable("tokens", "away")

        monkeypatch.setattr(HttpTokenEmbedder, "encode_passages", fail)
        memory.store_many(user, [turn(text) for text in TURNS], now=clock())
        index_now(user)

        assert kept_tokens(user) == {}
        assert search_late(user, clock, "bicycle").hits[0].explain["vector_rank"] is not None

    def test_a_server_that_lacks_them_is_enough_for_everything_else(
        self, user: EndUser, clock: Clock, index_now: IndexNow, tmp_path: Any, settings: Settings
    ) -> None:
        with EmbedderStub(tmp_path / "e.sock") as stub:
            settings.MEMORY = {**settings.MEMORY, "EMBEDDING": {**settings.MEMORY["EMBEDDING"], "url": stub.url}}
            inference.reset_adapters()
            memory.store_many(user, [turn(text) for text in TURNS], now=clock())
            index_now(user)
            result = search_late(user, clock, "bicycle")
            assert "no tokens" in health.probe_embedder()
        inference.reset_adapters()

        assert kept_tokens(user) == {}
        assert result.hits[0].item.text == TURNS[8]
        assert result.debug.fallbacks_used == []

    @pytest.mark.parametrize("change", [{"signs": b"\x00" * 47}, {"signs": b""}, {"model": "another/model"}])
    def test_rows_that_do_not_fit_are_passed_over(
        self, conversation: EndUser, clock: Clock, change: dict[str, Any]
    ) -> None:
        with user_scope(conversation):
            TokenVectors.objects.filter(user=conversation).update(**change)
        result = search_late(conversation, clock, "Who got engaged?")

        assert result.debug.fallbacks_used == []
        assert all("late" not in hit.explain["boosts"] for hit in result.hits)


class TestKeeping:
    @pytest.fixture
    def switched_off(self, settings: Settings) -> Iterator[None]:
        settings.MEMORY = {**settings.MEMORY, "RANKING": {**settings.MEMORY["RANKING"], "tokens": False}}
        inference.reset_adapters()
        yield
        inference.reset_adapters()

    def test_a_token_takes_one_bit_a_dimension(self, conversation: EndUser) -> None:
        sizes = [len(signs) for signs in kept_tokens(conversation).values()]
        assert all(size % 48 == 0 for size in sizes)
        assert sum(sizes) / len(sizes) < 1500

    def test_switched_off_nothing_is_kept_or_asked(
        self, switched_off: None, conversation: EndUser, clock: Clock, index_now: IndexNow
    ) -> None:
        assert kept_tokens(conversation) == {}
        assert "late" not in search_late(conversation, clock, "Who got engaged?").debug.stage_timings_ms

    def test_a_changed_text_has_other_tokens_and_a_deleted_one_none(
        self, conversation: EndUser, clock: Clock, index_now: IndexNow
    ) -> None:
        before = kept_tokens(conversation)
        first, second = (hit.item.pk for hit in search_late(conversation, clock, "Who got engaged?").hits[:2])
        memory.revise(conversation, first, {"text": "They were divorced in Rome."}, now=clock())
        memory.remove(conversation, second, now=clock())
        index_now(conversation)

        after = kept_tokens(conversation)
        assert str(second) in before
        assert str(second) not in after
        assert {one for one in after if after[one] != before[one]} == {str(first)}

    def test_one_user_cannot_see_anothers(self, conversation: EndUser, other_user: EndUser) -> None:
        with user_scope(other_user):
            assert not TokenVectors.objects.exists()

    def test_rebuilding_the_index_brings_them_back(self, conversation: EndUser, clock: Clock) -> None:
        before = kept_tokens(conversation)
        with user_scope(conversation):
            TokenVectors.objects.filter(user=conversation).delete()
        rebuild_index(conversation)

        assert kept_tokens(conversation) == before

    def test_rebuilding_after_switching_off_frees_the_space(
        self, conversation: EndUser, settings: Settings, clock: Clock
    ) -> None:
        assert kept_tokens(conversation)
        settings.MEMORY = {**settings.MEMORY, "RANKING": {**settings.MEMORY["RANKING"], "tokens": False}}
        inference.reset_adapters()
        rebuild_index(conversation)
        inference.reset_adapters()

        assert kept_tokens(conversation) == {}


def rebuild_index(user: EndUser) -> None:
    run = runs.start_run(now=timezone.now(), user=user, rows_per_s=0)
    rebuilding.continue_run(run.pk, stop=lambda: False, clock=lambda: timezone.now() + timedelta(seconds=1))
