"""The reranker port, over a server that does everything wrong: all scores, checked, or a named failure in time."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.conf import RerankerConf
from memory.inference.reranker import HttpReranker, scale_scores
from memory.platform.breakers import list_breaker_states
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, DeadlineExceeded, RequestRejected, Unavailable
from tests.doubles.faults import refusing_socket
from tests.doubles.model_services import RerankerStub
from tests.patience import Stopwatch, slowness

pytestmark = pytest.mark.usefixtures("services")

TIMEOUT_S = 1.0 * slowness()
QUERY = "when does the ferry leave"
TEXTS = ["peel the onions", "the ferry leaves at dawn", "when the ferry does leave"]
OVERLAPS = [0.2, 0.4, 1.0]


@pytest.fixture
def stub(tmp_path: Path) -> Iterator[RerankerStub]:
    with RerankerStub(tmp_path / "r.sock") as server:
        yield server


@pytest.fixture
def conf(stub: RerankerStub) -> RerankerConf:
    return RerankerConf(
        url=stub.url, api_key="a-key", model="stub/ranker", timeout_s=TIMEOUT_S, batch_size=2, max_chars=60
    )


@pytest.fixture
def reranker(conf: RerankerConf) -> Iterator[HttpReranker]:
    made = HttpReranker(conf)
    yield made
    made.close()


def test_scores_come_in_the_order_of_the_texts(reranker: HttpReranker) -> None:
    assert reranker.score(QUERY, TEXTS, Deadline(60)) == pytest.approx(OVERLAPS)


def test_texts_go_in_batches_with_key_and_model_and_cut(reranker: HttpReranker, stub: RerankerStub) -> None:
    reranker.score("q" * 100, ["x" * 100, *TEXTS], Deadline(60))
    assert [len(exchange.texts) for exchange in stub.asked] == [2, 2]
    first = stub.asked[0]
    assert first.path == "/rerank"
    assert {name.lower(): value for name, value in first.headers.items()}["authorization"] == "Bearer a-key"
    assert first.body["model"] == "stub/ranker"
    assert (first.body["query"], first.texts[0]) == ("q" * 60, "x" * 60)


def test_no_texts_are_no_scores(reranker: HttpReranker, stub: RerankerStub) -> None:
    assert reranker.score(QUERY, [], Deadline(60)) == []
    assert stub.asked == []


def test_a_batch_that_is_too_large_is_halved(reranker: HttpReranker, stub: RerankerStub) -> None:
    stub.largest_batch = 1
    assert reranker.score(QUERY, TEXTS, Deadline(60)) == pytest.approx(OVERLAPS)


def test_raw_scores_are_squashed_and_keep_their_order(reranker: HttpReranker, stub: RerankerStub) -> None:
    stub.behave("raw scores")
    scores = reranker.score(QUERY, TEXTS, Deadline(60))
    assert scores[0] < scores[1] < scores[2]
    assert all(0 < score < 1 for score in scores)


def test_scores_of_all_batches_are_read_on_one_scale(reranker: HttpReranker, stub: RerankerStub) -> None:
    """A batch whose raw scores happen to lie in 0..1 is squashed when another shows that they are raw."""
    stub.scorer = lambda query, text: {"a": 0.5, "b": 0.6, "c": 4.0}[text]
    scores = reranker.score(QUERY, ["a", "b", "c"], Deadline(60))
    assert scores == pytest.approx(scale_scores([0.5, 0.6, 4.0]))
    assert scores[0] > 0.6


def test_absurd_scores_do_not_overflow(reranker: HttpReranker, stub: RerankerStub) -> None:
    stub.behave("huge raw scores")
    assert all(0 <= score <= 1 for score in reranker.score(QUERY, TEXTS, Deadline(60)))


@pytest.mark.parametrize(
    "fault",
    [
        *("score nan", "score infinite", "score too large", "score missing", "score text", "score truth value"),
        *("index repeated", "index outside", "index negative", "index fraction", "bare numbers", "another dialect"),
        *("one fewer", "one more", "object", "html", "not json", "deep", "empty", "flat"),
    ],
)
def test_a_reply_that_cannot_be_used_is_refused_whole(reranker: HttpReranker, stub: RerankerStub, fault: str) -> None:
    stub.behave(fault)
    with pytest.raises(BadReply) as caught:
        reranker.score(QUERY, TEXTS, Deadline(60))
    assert caught.value.dependency == "reranker"
    assert "ferry" not in str(caught.value)


@pytest.mark.parametrize("fault", ["hang", "trickled headers", "trickled body", "endless body", "slow"])
def test_it_never_takes_longer_than_its_time(reranker: HttpReranker, stub: RerankerStub, fault: str) -> None:
    stub.delay_s = 60
    stub.behave(fault)
    with Stopwatch() as watch, pytest.raises(Unavailable):
        reranker.score(QUERY, TEXTS, Deadline(100))
    assert watch.is_within(TIMEOUT_S)


def test_the_time_of_the_request_bounds_it_too(reranker: HttpReranker, stub: RerankerStub) -> None:
    stub.behave("hang")
    with Stopwatch() as watch, pytest.raises(Unavailable):
        reranker.score(QUERY, TEXTS, Deadline(0.1))
    assert watch.is_within(0.1)
    with pytest.raises(DeadlineExceeded):
        reranker.score(QUERY, TEXTS, Deadline(0))


@pytest.mark.parametrize("fault", ["500", "502", "503", "429", "424", "reset", "cut body"])
def test_a_server_in_trouble_is_unavailable(reranker: HttpReranker, stub: RerankerStub, fault: str) -> None:
    stub.behave(fault)
    with pytest.raises(Unavailable) as caught:
        reranker.score(QUERY, TEXTS, Deadline(60))
    assert not isinstance(caught.value, RequestRejected)


def test_five_failures_in_a_row_open_the_breaker(reranker: HttpReranker, stub: RerankerStub) -> None:
    stub.behave("score nan")
    for _ in range(5):
        with pytest.raises(BadReply):
            reranker.score(QUERY, TEXTS[:1], Deadline(60))
    asked = len(stub.asked)
    with pytest.raises(Unavailable):
        reranker.score(QUERY, TEXTS[:1], Deadline(60))
    assert len(stub.asked) == asked
    assert list_breaker_states()["reranker"] == "open"


@pytest.mark.parametrize("fault", ["400", "401", "403", "422"])
def test_a_refusal_is_no_failure_of_the_server(reranker: HttpReranker, stub: RerankerStub, fault: str) -> None:
    stub.behave(fault)
    for _ in range(6):
        with pytest.raises(RequestRejected):
            reranker.score(QUERY, TEXTS[:1], Deadline(60))
    assert list_breaker_states()["reranker"] == "closed"


def test_nobody_listening_is_unavailable(tmp_path: Path) -> None:
    with refusing_socket(tmp_path / "nobody.sock") as path:
        made = HttpReranker(RerankerConf(url=f"unix://{path}"))
        with pytest.raises(Unavailable):
            made.score(QUERY, TEXTS, Deadline(60))
        made.close()
