"""The embedder port: over the real server, and over one that does everything wrong."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from memory.conf import memory_conf
from memory.embedding_conf import EmbeddingConf
from memory.inference import embedder
from memory.inference.base import Vector
from memory.inference.embeddings import CachedEmbedder, HttpEmbedder
from memory.platform import redis as shared
from memory.platform.breakers import list_breaker_states
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, DeadlineExceeded, LateAnswer, RequestRejected, Unavailable
from memory.platform.urgency import RequestUrgency
from tests.doubles.faults import EmbedderStub, make_vector, refusing_socket
from tests.patience import Stopwatch, slowness

QUERY_TIMEOUT_S = 0.5 * slowness()
DIMENSIONS = 16
TEXTS = [f"The ferry leaves pier {number} at dawn" for number in range(5)]


@pytest.fixture
def stub(services: object, tmp_path: Path) -> Iterator[EmbedderStub]:
    with EmbedderStub(tmp_path / "stub.sock", DIMENSIONS) as server:
        yield server


@pytest.fixture
def conf(stub: EmbedderStub) -> EmbeddingConf:
    return EmbeddingConf(
        url=stub.url,
        dialect="tei",
        model="stub/model",
        dimensions=DIMENSIONS,
        query_prefix="query: ",
        passage_prefix="passage: ",
        api_key="a-key",
        batch_size=32,
        query_timeout_s=QUERY_TIMEOUT_S,
        batch_timeout_s=2.0 * slowness(),
        cache_ttl_s=600,
        max_chars=200,
    )


@pytest.fixture
def http_embedder(conf: EmbeddingConf) -> Iterator[HttpEmbedder]:
    made = HttpEmbedder(conf)
    yield made
    made.close()


@pytest.fixture
def changed(conf: EmbeddingConf) -> Iterator[Callable[..., HttpEmbedder]]:
    made: list[HttpEmbedder] = []

    def build(**changes: object) -> HttpEmbedder:
        made.append(HttpEmbedder(dataclasses.replace(conf, **changes)))  # type: ignore[arg-type]
        return made[-1]

    yield build
    for one in made:
        one.close()


class TestTheRealServer:
    @pytest.fixture(params=["tei", "openai"])
    def real(self, request: pytest.FixtureRequest, services: object) -> Iterator[HttpEmbedder]:
        made = HttpEmbedder(dataclasses.replace(memory_conf().embedding, dialect=request.param))
        yield made
        made.close()

    def test_vectors_are_unit_and_as_wide_as_promised(self, real: HttpEmbedder) -> None:
        vector = real.embed_query("When does the ferry leave?", Deadline(60))
        assert vector.shape == (real.dimensions,)
        assert vector.dtype == np.float32
        assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5

    def test_what_means_the_same_is_nearer(self, real: HttpEmbedder) -> None:
        query = real.embed_query("When does the boat go?", Deadline(60))
        ferry, soup = real.embed_passages(["The ferry leaves at dawn", "Peel the onions for the soup"], Deadline(60))
        assert query @ ferry > query @ soup + 0.1

    def test_order_is_kept_over_several_batches(self, real: HttpEmbedder) -> None:
        texts = [f"Locker {number} holds {'paint ' * (number % 9)}" for number in range(70)]
        vectors = real.embed_passages(texts, Deadline(100))
        assert len(vectors) == 70
        for position in (0, 31, 32, 69):
            alone = real.embed_query(texts[position], Deadline(60))
            assert float(alone @ vectors[position]) > 0.99

    @pytest.mark.parametrize("text", ["שלום עולם", "猫が眠る", "\x00", "\ud800", "a" * 100_000, "🦊" * 5000])
    def test_any_text_has_a_vector(self, real: HttpEmbedder, text: str) -> None:
        assert np.isfinite(real.embed_passages([text], Deadline(60))[0]).all()

    @pytest.mark.parametrize("text", ["", " \n"])
    def test_no_text_has_no_vector(self, real: HttpEmbedder, text: str) -> None:
        with pytest.raises(RequestRejected):
            real.embed_query(text, Deadline(60))

    def test_no_texts_are_no_vectors(self, real: HttpEmbedder) -> None:
        assert real.embed_passages([], Deadline(60)) == []

    def test_the_server_says_what_it_is(self, real: HttpEmbedder) -> None:
        served = real.describe(Deadline(60))
        assert served.dimensions == memory_conf().embedding.dimensions
        assert served.model in {None, memory_conf().embedding.model}

    def test_the_configured_embedder_answers(self, services: object) -> None:
        vector = embedder().embed_query("harbour", Deadline(60))
        assert np.array_equal(vector, embedder().embed_query("harbour", Deadline(60)))


class TestWhatIsSent:
    def test_prefixes_key_and_truncation(self, http_embedder: HttpEmbedder, stub: EmbedderStub) -> None:
        http_embedder.embed_query("x" * 1000, Deadline(60))
        http_embedder.embed_passages(["pier"], Deadline(60))
        query, passage = stub.asked
        assert query.texts == [("query: " + "x" * 1000)[:200]]
        assert passage.texts == ["passage: pier"]
        assert query.body["truncate"] is True
        assert {key.lower(): value for key, value in query.headers.items()}["authorization"] == "Bearer a-key"

    def test_the_openai_dialect_names_the_model(self, changed: Callable[..., HttpEmbedder], stub: EmbedderStub) -> None:
        changed(dialect="openai").embed_query("pier", Deadline(60))
        assert stub.asked[0].path == "/v1/embeddings"
        assert stub.asked[0].body["model"] == "stub/model"

    def test_texts_go_out_in_batches(self, http_embedder: HttpEmbedder, stub: EmbedderStub) -> None:
        http_embedder.embed_passages(["pier"] * 70, Deadline(60))
        assert [len(asked.texts) for asked in stub.asked] == [32, 32, 6]

    def test_a_process_of_which_nobody_waits_says_so(
        self, http_embedder: HttpEmbedder, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        http_embedder.embed_passages(TEXTS[:1], Deadline(10))
        # Set back afterwards.
        monkeypatch.setattr(RequestUrgency, "is_background", False)
        RequestUrgency.step_back()
        http_embedder.embed_passages(TEXTS[:1], Deadline(10))
        assert [asked.body.get("background") for asked in stub.asked] == [None, True]

    def test_a_server_that_is_late_with_many_is_asked_for_few(
        self, http_embedder: HttpEmbedder, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        post, texts = http_embedder._post, [f"pier {number}" for number in range(70)]

        def be_late_with_many(texts: list[str], deadline: Deadline) -> object:
            if len(texts) > 8:
                raise LateAnswer("embedder", "did not answer in time")
            return post(texts, deadline)

        monkeypatch.setattr(http_embedder, "_post", be_late_with_many)
        vectors = http_embedder.embed_passages(texts, Deadline(60))
        expected = [make_vector("passage: " + text, DIMENSIONS) for text in texts]
        assert np.allclose(vectors, expected, atol=1e-6)
        assert max(len(asked.texts) for asked in stub.asked) == 8

    def test_a_batch_that_is_too_large_is_halved(self, http_embedder: HttpEmbedder, stub: EmbedderStub) -> None:
        stub.largest_batch = 10
        texts = [f"pier {number}" for number in range(32)]
        vectors = http_embedder.embed_passages(texts, Deadline(60))
        for text, vector in zip(texts, vectors, strict=True):
            assert np.allclose(vector, make_vector("passage: " + text, DIMENSIONS), atol=1e-6)
        assert list_breaker_states()["embedder"] == "closed"


WORKS = [("none", "tei"), ("not normalised", "tei"), ("reordered", "openai"), ("base64", "openai"), ("base64", "tei")]
BAD_REPLIES = [
    "wrong dimensions",
    "ragged",
    "one fewer",
    "one more",
    "nan",
    "infinity",
    "overflow",
    "zero vector",
    "strings",
    "nulls",
    "flat",
    "object",
    "html",
    "not json",
    "deep",
    "empty",
]
DOWN = ["500", "502", "503", "424", "429", "reset", "cut body", "redirect"]
NEVER_DONE = ["hang", "trickled headers", "trickled body"]
REFUSALS = ["400", "401", "403", "413", "422"]


class TestFaults:
    @pytest.mark.parametrize(("fault", "dialect"), WORKS)
    def test_what_is_only_unusual_works(
        self, changed: Callable[..., HttpEmbedder], stub: EmbedderStub, fault: str, dialect: str
    ) -> None:
        stub.behave(fault)
        vectors = changed(dialect=dialect).embed_passages(TEXTS, Deadline(60))
        for text, vector in zip(TEXTS, vectors, strict=True):
            assert np.allclose(vector, make_vector("passage: " + text, DIMENSIONS), atol=1e-6)

    @pytest.mark.parametrize("dialect", ["tei", "openai"])
    @pytest.mark.parametrize("fault", BAD_REPLIES)
    def test_no_bad_vector_gets_through(
        self, changed: Callable[..., HttpEmbedder], stub: EmbedderStub, fault: str, dialect: str
    ) -> None:
        stub.behave(fault)
        with pytest.raises(BadReply):
            changed(dialect=dialect).embed_passages(TEXTS, Deadline(60))

    def test_a_text_left_out_by_number_is_noticed(
        self, changed: Callable[..., HttpEmbedder], stub: EmbedderStub
    ) -> None:
        stub.behave("repeated index")
        with pytest.raises(BadReply, match="leaves out or repeats"):
            changed(dialect="openai").embed_passages(TEXTS, Deadline(60))

    def test_a_model_of_another_width_is_named(self, http_embedder: HttpEmbedder, stub: EmbedderStub) -> None:
        stub.behave("wrong dimensions")
        with pytest.raises(BadReply, match="expected vectors of 16 dimensions, got 15"):
            http_embedder.embed_query("pier", Deadline(60))

    @pytest.mark.parametrize("fault", DOWN)
    def test_a_server_in_trouble_is_unavailable(
        self, http_embedder: HttpEmbedder, stub: EmbedderStub, fault: str
    ) -> None:
        stub.behave(fault)
        with pytest.raises(Unavailable) as caught:
            http_embedder.embed_passages(TEXTS, Deadline(60))
        assert not isinstance(caught.value, BadReply | RequestRejected)
        assert caught.value.dependency == "embedder"

    @pytest.mark.parametrize("fault", NEVER_DONE)
    def test_whoever_never_finishes_is_left_at_the_deadline(
        self, http_embedder: HttpEmbedder, stub: EmbedderStub, fault: str
    ) -> None:
        stub.behave(fault)
        with Stopwatch() as watch, pytest.raises(Unavailable, match="in time"):
            http_embedder.embed_query("pier", Deadline(0.2))
        assert watch.is_within(0.2)

    def test_a_query_never_waits_longer_than_its_cap(self, http_embedder: HttpEmbedder, stub: EmbedderStub) -> None:
        stub.behave("hang")
        with Stopwatch() as watch, pytest.raises(Unavailable):
            http_embedder.embed_query("pier", Deadline(60))
        assert watch.is_within(QUERY_TIMEOUT_S)

    def test_an_endless_reply_is_cut(
        self, http_embedder: HttpEmbedder, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("memory.platform.http.MAX_BODY_BYTES", 3_000_000)
        stub.behave("endless body")
        with pytest.raises(Unavailable, match="larger than any"):
            http_embedder.embed_passages(TEXTS, Deadline(60))

    @pytest.mark.parametrize("fault", REFUSALS)
    def test_a_refusal_is_our_mistake_and_opens_nothing(
        self, http_embedder: HttpEmbedder, stub: EmbedderStub, fault: str
    ) -> None:
        stub.behave(fault)
        for _ in range(6):
            with pytest.raises(RequestRejected, match=fault):
                http_embedder.embed_query("pier", Deadline(60))
        assert list_breaker_states()["embedder"] == "closed"

    def test_a_slow_answer_in_time_is_an_answer(self, http_embedder: HttpEmbedder, stub: EmbedderStub) -> None:
        stub.behave("slow")
        stub.delay_s = 0.1
        assert http_embedder.embed_query("pier", Deadline(60)).shape == (DIMENSIONS,)

    def test_one_reset_is_asked_again_and_two_are_not(self, http_embedder: HttpEmbedder, stub: EmbedderStub) -> None:
        stub.behave("reset", "none")
        assert http_embedder.embed_query("pier", Deadline(60)).shape == (DIMENSIONS,)
        stub.behave("reset", "reset", "none")
        with pytest.raises(Unavailable):
            http_embedder.embed_query("pier", Deadline(60))

    def test_nobody_listens(self, changed: Callable[..., HttpEmbedder], tmp_path: Path) -> None:
        with refusing_socket(tmp_path / "closed.sock") as path, Stopwatch() as watch, pytest.raises(Unavailable):
            changed(url=f"unix://{path}").embed_query("pier", Deadline(60))
        assert watch.is_within(0)

    def test_without_time_nothing_is_asked(self, http_embedder: HttpEmbedder, stub: EmbedderStub) -> None:
        with pytest.raises(DeadlineExceeded):
            http_embedder.embed_query("pier", Deadline(0))
        assert stub.asked == []

    def test_after_five_failures_it_is_left_alone(self, http_embedder: HttpEmbedder, stub: EmbedderStub) -> None:
        stub.behave("500")
        for _ in range(memory_conf().breakers.fail_max):
            with pytest.raises(Unavailable, match="500"):
                http_embedder.embed_query("pier", Deadline(60))
        asked = len(stub.asked)
        with pytest.raises(Unavailable, match="not asked"):
            http_embedder.embed_query("pier", Deadline(60))
        assert len(stub.asked) == asked
        assert list_breaker_states()["embedder"] == "open"

    def test_no_reason_repeats_what_was_sent(self, http_embedder: HttpEmbedder, stub: EmbedderStub) -> None:
        for fault in (*REFUSALS, *DOWN, *BAD_REPLIES):
            stub.behave(fault)
            with pytest.raises(Unavailable) as caught:
                http_embedder.embed_passages(["a secret about pier nine"], Deadline(60))
            assert "secret" not in str(caught.value)


class TestCache:
    @pytest.fixture
    def cached(self, http_embedder: HttpEmbedder, conf: EmbeddingConf) -> CachedEmbedder:
        return CachedEmbedder(http_embedder, conf)

    def test_the_second_time_nobody_is_asked(self, cached: CachedEmbedder, stub: EmbedderStub) -> None:
        first = cached.embed_passages(TEXTS, Deadline(60))
        again = cached.embed_passages(TEXTS, Deadline(60))
        assert len(stub.asked) == 1
        assert np.array_equal(first, again)

    def test_only_new_texts_are_asked_and_each_once(self, cached: CachedEmbedder, stub: EmbedderStub) -> None:
        cached.embed_passages(TEXTS[:2], Deadline(60))
        vectors = cached.embed_passages([*TEXTS, TEXTS[4], TEXTS[0]], Deadline(60))
        assert stub.asked[1].texts == ["passage: " + text for text in TEXTS[2:]]
        assert np.array_equal(vectors[4], vectors[5])
        assert np.array_equal(vectors[0], vectors[6])

    def test_a_late_batch_loses_none_of_those_before_it(
        self, cached: CachedEmbedder, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        embed = cached.inner.embed_passages

        def be_late_with_the_last(texts: Sequence[str], deadline: Deadline) -> list[Vector]:
            if TEXTS[4] in texts:
                raise Unavailable("embedder", "did not answer in time")
            return embed(texts, deadline)

        monkeypatch.setattr(cached, "_batch_size", 2)
        with monkeypatch.context() as patched:
            patched.setattr(cached.inner, "embed_passages", be_late_with_the_last)
            with pytest.raises(Unavailable):
                cached.embed_passages(TEXTS, Deadline(60))
        cached.embed_passages(TEXTS, Deadline(60))
        assert [len(asked.texts) for asked in stub.asked] == [2, 2, 1]

    def test_the_questions_that_one_is_made_of_go_in_one_request(
        self, cached: CachedEmbedder, stub: EmbedderStub
    ) -> None:
        cached.embed_query("pier", Deadline(60))
        vectors = cached.embed_queries(["ferry", "pier", "boat"], Deadline(60))
        assert [asked.texts for asked in stub.asked] == [["query: pier"], ["query: ferry", "query: boat"]]
        for text, vector in zip(["ferry", "pier", "boat"], vectors, strict=True):
            assert np.allclose(vector, make_vector(f"query: {text}", DIMENSIONS), atol=1e-6)
        assert cached.embed_queries([], Deadline(60)) == []

    def test_a_query_is_not_a_passage(self, cached: CachedEmbedder, stub: EmbedderStub) -> None:
        cached.embed_query("pier", Deadline(60))
        cached.embed_passages(["pier"], Deadline(60))
        assert len(stub.asked) == 2

    def test_the_key_tells_nothing_without_the_secret(
        self, cached: CachedEmbedder, conf: EmbeddingConf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cached.embed_query("pier", Deadline(60))
        [key] = shared.call_or_raise(lambda client: client.keys(shared.build_key("vector", "*")))
        assert b"pier" not in key
        monkeypatch.setattr("memory.inference.embeddings.secret_key", lambda: b"another installation")
        CachedEmbedder(cached.inner, conf).embed_query("pier", Deadline(60))
        assert len(shared.call_or_raise(lambda client: client.keys(shared.build_key("vector", "*")))) == 2

    def test_use_keeps_a_vector_alive(self, cached: CachedEmbedder) -> None:
        cached.embed_query("pier", Deadline(60))
        [key] = shared.call_or_raise(lambda client: client.keys(shared.build_key("vector", "*")))
        shared.call_or_raise(lambda client: client.expire(key, 5))
        cached.embed_query("pier", Deadline(60))
        assert shared.call_or_raise(lambda client: client.ttl(key)) > 500

    @pytest.mark.parametrize("value", [b"", b"short", b"\x00" * 4 * DIMENSIONS, b"\xff" * 4 * DIMENSIONS])
    def test_a_spoilt_entry_is_a_miss(self, cached: CachedEmbedder, stub: EmbedderStub, value: bytes) -> None:
        cached.embed_query("pier", Deadline(60))
        [key] = shared.call_or_raise(lambda client: client.keys(shared.build_key("vector", "*")))
        shared.call_or_raise(lambda client: client.set(key, value))
        vector = cached.embed_query("pier", Deadline(60))
        assert np.allclose(vector, make_vector("query: pier", DIMENSIONS), atol=1e-6)
        assert len(stub.asked) == 2

    def test_what_is_cached_is_found_while_the_embedder_is_down(
        self, cached: CachedEmbedder, stub: EmbedderStub
    ) -> None:
        cached.embed_query("pier", Deadline(60))
        stub.behave("500")
        assert cached.embed_query("pier", Deadline(60)).shape == (DIMENSIONS,)

    def test_queries_are_asked_one_by_one_of_a_server_that_takes_no_more(
        self, cached: CachedEmbedder, stub: EmbedderStub
    ) -> None:
        stub.largest_batch = 1
        assert len(cached.embed_queries(["ferry", "pier"], Deadline(60))) == 2

    def test_a_failure_is_not_cached(self, cached: CachedEmbedder, stub: EmbedderStub) -> None:
        stub.behave("nan", "none")
        with pytest.raises(BadReply):
            cached.embed_query("pier", Deadline(60))
        assert cached.embed_query("pier", Deadline(60)).shape == (DIMENSIONS,)

    def test_a_dead_redis_is_a_miss(
        self, cached: CachedEmbedder, stub: EmbedderStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with refusing_socket(tmp_path / "dead.sock") as dead:
            monkeypatch.setattr("memory.platform.redis.redis_url", lambda: f"unix://{dead}")
            shared.reset_clients()
            for _ in range(2):
                assert cached.embed_query("pier", Deadline(60)).shape == (DIMENSIONS,)
            assert len(cached.embed_passages(TEXTS, Deadline(60))) == 5
        monkeypatch.undo()
        shared.reset_clients()
        assert len(stub.asked) == 3
