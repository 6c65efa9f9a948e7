"""Turns stored before their tokens were kept get them from the comparison, and nothing else about them changes."""

from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from memory import inference, tasks
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.indexing import tokens
from memory.models import DriftReport, EndUser, TokenVectors
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.doubles.faults import EmbedderStub
from tests.memory.indexing.index_contents import list_items, read_index, read_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]

memory = MemoryFacade("key:test")
IndexNow = Callable[[EndUser], None]
SAID = [
    "We spent the weekend at the lake and I finished that novel about beekeeping.",
    "I love books! What a lovely hobby reading is.",
    "The library opens at nine, we could go there together.",
    "He proposed on the bridge in Prague, and I said yes.",
    "Our trip to Vienna was cancelled because of the strike.",
]


@pytest.fixture(autouse=True)
def forget_models() -> Iterator[None]:
    yield
    inference.reset_adapters()


def with_tokens(settings: Settings, *, wanted: bool) -> None:
    settings.MEMORY = {**settings.MEMORY, "RANKING": {**settings.MEMORY["RANKING"], "tokens": wanted}}
    inference.reset_adapters()


@pytest.fixture
def stored_turns(user: EndUser, settings: Settings, index_now: IndexNow) -> EndUser:
    """What was said before tokens were kept, and a note that is no turn."""
    with_tokens(settings, wanted=False)
    turns = [NewMemory(text, tier=Tier.HISTORY, thread_id="talk", speaker="Mia") for text in SAID]
    memory.store_many(user, [*turns, NewMemory("The boiler is serviced in May", tier=Tier.HISTORY)], now=timezone.now())
    index_now(user)
    with_tokens(settings, wanted=True)
    assert kept_tokens(user) == 0
    return user


def kept_tokens(user: EndUser) -> int:
    with user_scope(user):
        return TokenVectors.objects.filter(user=user).count()


def run_check(*words: str) -> str:
    out = StringIO()
    call_command("check_consistency", *words, stdout=out)
    return out.getvalue()


def compared_by_tokens(user: EndUser) -> int:
    found = memory.search(user, SearchRequest("What did she read on insects?", limit=6), now=timezone.now())
    return sum("late" in hit.explain["boosts"] for hit in found.hits)


@pytest.mark.parametrize("mode", ["counts", "sample", "full"])
def test_a_comparison_completes_them_and_leaves_vectors_and_rows_alone(stored_turns: EndUser, mode: str) -> None:
    before = read_index(stored_turns)
    assert compared_by_tokens(stored_turns) == 0
    said = run_check("--mode", mode)
    assert "5 turns without their tokens, 5 repaired" in said
    assert kept_tokens(stored_turns) == len(SAID)
    assert read_index(stored_turns) == before == read_rows(stored_turns)
    assert compared_by_tokens(stored_turns) == len(SAID)
    assert "index and rows agree" in run_check("--mode", mode)


def test_the_worker_does_so_by_itself(stored_turns: EndUser) -> None:
    tasks.check_consistency()
    report = DriftReport.objects.get()
    assert (report.found, report.mended, report.problem) == ({"tokens": 5}, {"tokens": 5}, "")


def test_without_repair_they_are_only_counted(stored_turns: EndUser) -> None:
    for _ in range(2):
        assert "5 turns without their tokens, 0 repaired" in run_check("--no-repair")
    assert kept_tokens(stored_turns) == 0


def test_very_many_are_completed_by_and_by(stored_turns: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MAX_TURNS", 3)
    monkeypatch.setattr(tokens, "BATCH", 2)
    assert "5 turns without their tokens, 3 repaired" in run_check()
    assert "2 turns without their tokens, 2 repaired" in run_check()
    assert "index and rows agree" in run_check()


def test_tokens_of_another_model_are_none(stored_turns: EndUser) -> None:
    run_check()
    with user_scope(stored_turns):
        TokenVectors.objects.filter(user=stored_turns).update(model="another/model")
    assert "5 turns without their tokens, 5 repaired" in run_check()


def test_a_turn_that_has_no_token_is_looked_at_once(user: EndUser, settings: Settings, index_now: IndexNow) -> None:
    with_tokens(settings, wanted=False)
    memory.store(user, NewMemory("\u0301\u0302", tier=Tier.HISTORY, thread_id="talk"), now=timezone.now())
    index_now(user)
    with_tokens(settings, wanted=True)
    assert "1 turns without their tokens, 1 repaired" in run_check()
    assert "index and rows agree" in run_check()


def test_waiting_and_archived_turns_are_left_alone(stored_turns: EndUser) -> None:
    first, second = [item.pk for item in list_items(stored_turns)][:2]
    memory.archive(stored_turns, first, now=timezone.now())
    memory.revise(stored_turns, second, {"text": "Changed a moment ago"}, now=timezone.now())
    assert "3 turns without their tokens, 3 repaired" in run_check("--mode", "counts")


class TestServer:
    """One that gives no tokens, or fails when it is asked for them."""

    @pytest.fixture
    def stub(self, stored_turns: EndUser, settings: Settings, tmp_path: Path) -> EmbedderStub:
        return EmbedderStub(tmp_path / "e.sock")

    def use(self, settings: Settings, url: str) -> None:
        settings.MEMORY = {**settings.MEMORY, "EMBEDDING": {**settings.MEMORY["EMBEDDING"], "url": url}}
        inference.reset_adapters()

    def test_where_it_gives_none_nothing_is_missing(
        self, stored_turns: EndUser, settings: Settings, stub: EmbedderStub
    ) -> None:
        with stub:
            self.use(settings, stub.url)
            assert "index and rows agree" in run_check()
            stub.behave("503")
            assert "index and rows agree" in run_check()
        assert [one.path for one in stub.asked] == []

    def test_where_it_fails_they_are_found_and_the_comparison_ends(
        self, stored_turns: EndUser, settings: Settings, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with stub:
            self.use(settings, stub.url)
            model = inference.token_embedder()
            monkeypatch.setattr(model, "is_offered", lambda deadline: True)
            stub.behave("503")
            assert "5 turns without their tokens, 0 repaired" in run_check()
        assert kept_tokens(stored_turns) == 0
        assert [one.path for one in stub.asked] == ["/embed_tokens"]
