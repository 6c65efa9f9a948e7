"""The port to tokens: over the real server, and over servers that lack it or answer wrongly."""

import base64
import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.conf import memory_conf
from memory.inference.base import Vector
from memory.inference.embeddings import HttpEmbedder
from memory.inference.remote import BatchTooLarge
from memory.inference.tokens import HttpTokenEmbedder
from memory.platform.breakers import list_breaker_states
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, LateAnswer, Unavailable
from tests.doubles.faults import FAULTS, EmbedderStub
from tests.patience import Stopwatch

TEXTS = ["The ferry leaves pier two at dawn", "Soup"]
WHOLE = [(0, len(text)) for text in TEXTS]


@pytest.fixture
def real(services: object) -> Iterator[HttpTokenEmbedder]:
    made = HttpTokenEmbedder(memory_conf().embedding)
    yield made
    made.close()


@pytest.fixture
def stub(services: object, tmp_path: Path) -> Iterator[EmbedderStub]:
    with EmbedderStub(tmp_path / "stub.sock") as server:
        yield server


@pytest.fixture
def over_stub(stub: EmbedderStub) -> Iterator[HttpTokenEmbedder]:
    conf = dataclasses.replace(memory_conf().embedding, url=stub.url)
    made = HttpTokenEmbedder(conf)
    yield made
    made.close()


class TestTheRealServer:
    def test_it_says_that_it_can(self, real: HttpTokenEmbedder) -> None:
        assert real.is_offered(Deadline(2))

    def test_the_vector_is_the_one_the_text_has_anyway(self, real: HttpTokenEmbedder) -> None:
        plain = HttpEmbedder(memory_conf().embedding)
        encoded = real.encode_passages(TEXTS, WHOLE, Deadline(60))
        assert np.allclose([one.vector for one in encoded], plain.embed_passages(TEXTS, Deadline(60)), atol=1e-5)
        plain.close()

    def test_each_token_has_a_row(self, real: HttpTokenEmbedder) -> None:
        ferry, soup = real.encode_passages(TEXTS, WHOLE, Deadline(60))
        assert (len(ferry.signs), len(soup.signs)) == (7 * 48, 48)
        query = real.encode_query("leaves at dawn", Deadline(60))
        assert query.tokens.shape == (3, 384)
        assert np.allclose(np.linalg.norm(query.tokens, axis=1), 1, atol=1e-5)

    def test_a_prefix_of_the_model_moves_the_span_and_is_no_token(self, real: HttpTokenEmbedder) -> None:
        conf = dataclasses.replace(memory_conf().embedding, query_prefix="query: ", passage_prefix="passage: ")
        prefixed = HttpTokenEmbedder(conf)
        assert len(prefixed.encode_passages(["pier two"], [(0, 4)], Deadline(60))[0].signs) == 48
        assert len(prefixed.encode_query("pier two", Deadline(60)).tokens) == 2
        prefixed.close()

    @pytest.mark.parametrize("text", ["שלום עולם", "\x00", "\ud800", "a" * 100_000, "🦊" * 5000])
    def test_any_text_is_taken(self, real: HttpTokenEmbedder, text: str) -> None:
        [encoded] = real.encode_passages([text], [(0, len(text))], Deadline(10))
        assert len(encoded.signs) % 48 == 0

    def test_order_is_kept_over_several_batches(self, real: HttpTokenEmbedder) -> None:
        texts = [f"Locker {number} holds {'paint ' * (number % 9)}" for number in range(70)]
        encoded = real.encode_passages(texts, [(0, len(text)) for text in texts], Deadline(20))
        assert [len(one.signs) // 48 >= 3 + number % 9 for number, one in enumerate(encoded)] == [True] * 70

    @pytest.mark.parametrize("fault", [LateAnswer("tokens", "did not answer in time"), BatchTooLarge("tokens", "413")])
    def test_tokens_come_of_few_texts_at_a_time_where_of_many_they_do_not(
        self, real: HttpTokenEmbedder, monkeypatch: pytest.MonkeyPatch, fault: Exception
    ) -> None:
        ask, asked = real._ask, list[int]()

        def take_few(body: dict[str, Any], width: int, deadline: Deadline) -> list[tuple[Vector, bytes]]:
            if len(body["inputs"]) > 8:
                raise fault
            asked.append(len(body["inputs"]))
            return ask(body, width, deadline)

        monkeypatch.setattr(real, "_ask", take_few)
        texts = [f"Locker {number} holds {'paint ' * (number % 9)}" for number in range(70)]
        encoded = real.encode_passages(texts, [(0, len(text)) for text in texts], Deadline(60))
        assert [len(one.signs) // 48 >= 3 + number % 9 for number, one in enumerate(encoded)] == [True] * 70
        assert sum(asked) == 70


class TestOtherServers:
    def test_one_that_does_not_say_it_is_not_asked(self, over_stub: HttpTokenEmbedder, stub: EmbedderStub) -> None:
        assert not over_stub.is_offered(Deadline(2))
        assert stub.asked == []

    def test_whether_nobody_offers_it_is_not_known(self, tmp_path: Path) -> None:
        conf = dataclasses.replace(memory_conf().embedding, url=f"unix://{tmp_path / 'nobody.sock'}")
        with pytest.raises(Unavailable):
            HttpTokenEmbedder(conf).is_offered(Deadline(2))

    def test_the_other_dialect_has_none(self, services: object) -> None:
        made = HttpTokenEmbedder(dataclasses.replace(memory_conf().embedding, dialect="openai"))
        assert not made.is_offered(Deadline(2))

    def test_tokens_of_another_width_are_not_wanted(self, services: object) -> None:
        made = HttpTokenEmbedder(dataclasses.replace(memory_conf().embedding, dimensions=768))
        assert not made.is_offered(Deadline(2))
        made.close()


def reply(*rows: Any) -> bytes:
    return json.dumps({"data": list(rows)}).encode()


def row(dimensions: int = 384, value: float = 1.0, tokens: bytes = b"\x00" * 48) -> dict[str, str]:
    vector = np.full(dimensions, value, "<f4").tobytes()
    return {"embedding": base64.b64encode(vector).decode(), "tokens": base64.b64encode(tokens).decode()}


WRONG = {
    "a list": b"[[0.1]]",
    "no data": b"{}",
    "one fewer": reply(row()),
    "one more": reply(row(), row(), row()),
    "numbers": reply([1.0], [1.0]),
    "no tokens": reply(row(), {"embedding": row()["embedding"]}),
    "not base64": reply(row(), {**row(), "tokens": "?"}),
    "half a row": reply(row(), row(tokens=b"\x00" * 47)),
    "half a number": reply(row(), {**row(), "embedding": "AAAA"}),
    "ragged": reply(row(), row(383)),
    "narrow": reply(row(383), row(383)),
    "nan": reply(row(), row(value=float("nan"))),
    "no length": reply(row(), row(value=0.0)),
}


class TestFaults:
    @pytest.mark.parametrize("wrong", WRONG)
    def test_nothing_wrong_gets_through(
        self, over_stub: HttpTokenEmbedder, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch, wrong: str
    ) -> None:
        monkeypatch.setitem(FAULTS, "none", lambda handler, texts: handler.answer(200, WRONG[wrong]))
        with pytest.raises(BadReply):
            over_stub.encode_passages(TEXTS, WHOLE, Deadline(60))

    def test_right_rows_of_the_same_kind_do(
        self, over_stub: HttpTokenEmbedder, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(FAULTS, "none", lambda handler, texts: handler.answer(200, reply(row(), row())))
        assert [len(one.signs) for one in over_stub.encode_passages(TEXTS, WHOLE, Deadline(60))] == [48, 48]

    def test_whoever_never_finishes_is_left_in_time(self, over_stub: HttpTokenEmbedder, stub: EmbedderStub) -> None:
        stub.behave("hang")
        with Stopwatch() as watch, pytest.raises(Unavailable, match="in time"):
            over_stub.encode_query("pier", Deadline(0.2))
        assert watch.is_within(0.2)

    def test_its_breaker_is_not_that_of_the_vectors(self, over_stub: HttpTokenEmbedder, stub: EmbedderStub) -> None:
        stub.behave("500")
        for _ in range(memory_conf().breakers.fail_max):
            with pytest.raises(Unavailable):
                over_stub.encode_query("pier", Deadline(60))
        assert list_breaker_states()["tokens"] == "open"
        assert list_breaker_states().get("embedder", "closed") == "closed"

    def test_a_batch_that_is_too_large_is_halved(
        self, over_stub: HttpTokenEmbedder, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stub.largest_batch = 1
        answer: Callable[..., None] = lambda handler, texts: handler.answer(200, reply(*[row() for _ in texts]))  # noqa: E731
        monkeypatch.setitem(FAULTS, "none", answer)
        assert len(over_stub.encode_passages(TEXTS, WHOLE, Deadline(60))) == 2
