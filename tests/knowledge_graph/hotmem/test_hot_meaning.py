"""What lies near a question by its meaning is laid beside it where no word of the question names it."""

import pytest
from django.db import connection
from django.utils import timezone

from knowledge_graph.hotmem import meaning
from memory.facts.embedding import embed_batch
from memory.models import EndUser
from memory.platform.faults import Unavailable
from outcomes.exchanges.profiling import profile_due_exchanges
from tests.api_client import ApiClient, client_for

pytestmark = pytest.mark.django_db

TOLD = (
    "Been doing the early shift at the harbour bakery since May.",
    "My sister Ana keeps bees behind her house.",
)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the embedder takes longer than a turn would wait for it."""
    monkeypatch.setattr(meaning, "FIND_S", 20.0)


@pytest.fixture
def known(api: ApiClient, user: EndUser) -> ApiClient:
    tell(api, user, *TOLD)
    return api


def tell(api: ApiClient, user: EndUser, *texts: str) -> None:
    for text in texts:
        api.post("threads/t/exchanges", {"user_message": text, "assistant_message": "Ok."})
    profile_due_exchanges(user)
    while embed_batch(user, now=timezone.now()):
        pass


def ask(api: ApiClient, text: str, thread: str = "q") -> list[dict[str, str]]:
    answer = api.post("hot/turn", {"thread_id": thread, "text": text, "observe": False})
    assert answer.status_code == 200
    bullets: list[dict[str, str]] = answer.json()["bullets"]
    return bullets


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who has hives with honey?", "bees"),
        ("What are my working hours at the bread shop?", "harbour bakery"),
    ],
)
def test_no_word_of_the_question_names_it(known: ApiClient, question: str, words: str) -> None:
    found = [one for one in ask(known, question) if words in one["text"]]
    assert [one["found_by"] for one in found] == ["meaning"]


def test_what_tells_what_is_asked_for_comes_first(api: ApiClient, user: EndUser) -> None:
    tell(api, user, "I live in Leeds.", "The flat in Leeds where I live is damp.")
    first = ask(api, "Where do I live?")[0]
    assert (first["text"], first["found_by"]) == ("You live in Leeds", "words")


def test_a_sentence_of_which_a_part_has_ended_is_not_said(api: ApiClient, user: EndUser) -> None:
    question = "Does anybody in Portugal have three cats?"
    tell(api, user, "My sister Ana lives in Porto with three cats.")
    assert any("in Porto with" in one["text"] for one in ask(api, question, "before"))
    tell(api, user, "Ana lives in Faro now.")
    assert not any("in Porto with" in one["text"] for one in ask(api, question, "after"))


def test_a_question_about_the_world_gets_nothing(known: ApiClient) -> None:
    assert ask(known, "How does a heat pump work?") == []
    assert ask(known, "Quelle est la capitale du Pérou ?") == []


def test_it_is_nobody_elses(known: ApiClient, other_user: EndUser) -> None:
    assert ask(client_for(other_user), "Who has hives with honey?") == []


def test_words_answer_where_the_embedder_does_not(known: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise Unavailable("embedder", "down")

    monkeypatch.setattr(meaning, "build_question_embedder", fail)
    assert ask(known, "What are my working hours at the bread shop?") == []
    assert any("Ana" in one["text"] for one in ask(known, "What is my sister called?"))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_beside", [True, False])
def test_words_answer_where_the_database_is_slow(
    known: ApiClient, monkeypatch: pytest.MonkeyPatch, is_beside: bool
) -> None:
    def compare_slowly(*_: object, **__: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(30)")

    monkeypatch.setattr(meaning, "find_nearest", compare_slowly)
    monkeypatch.setattr(meaning, "FIND_S", 0.15)
    if not is_beside:
        monkeypatch.setattr(meaning, "start_in_thread", lambda *_: None)
    assert any("Ana" in one["text"] for one in ask(known, "What is my sister called?"))


@pytest.mark.django_db(transaction=True)
def test_it_is_found_beside_the_reading_and_without_a_free_thread(
    known: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = ask(known, "Who has hives with honey?", "one")
    monkeypatch.setattr(meaning, "start_in_thread", lambda *_: None)
    assert ask(known, "Who has hives with honey?", "two") == beside
    assert beside
