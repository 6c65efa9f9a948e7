"""The embedding server that the embedded product runs, over its socket."""

import base64
import json
import threading
from collections.abc import Iterator

import httpx
import numpy as np
import pytest
from django.conf import settings

from config import embedded


@pytest.fixture(scope="module")
def embedder(services: object) -> Iterator[httpx.Client]:
    socket = str(embedded.installation_paths(settings.DATA_DIR).embedder_socket)
    with httpx.Client(transport=httpx.HTTPTransport(uds=socket), base_url="http://embedder", timeout=30) as client:
        yield client


def vectors(embedder: httpx.Client, inputs: object) -> np.ndarray:
    answer = embedder.post("/embed", json={"inputs": inputs})
    assert answer.status_code == 200, answer.text
    return np.array(answer.json(), np.float32)


def test_vectors_are_of_unit_length_and_in_the_order_of_the_texts(embedder: httpx.Client) -> None:
    texts = ["short", "a sentence of some more words than the first " * 8, "third", *(f"number {n}" for n in range(40))]

    together = vectors(embedder, texts)
    alone = np.concatenate([vectors(embedder, text) for text in texts])

    assert together.shape == (43, 384)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-4)
    assert (together * alone).sum(axis=1).min() > 0.995


def test_like_meanings_are_near_and_unlike_ones_far(embedder: httpx.Client) -> None:
    dog, puppy, tax = vectors(embedder, ["a dog in the garden", "a puppy plays outside", "the tax office wrote again"])

    assert dog @ puppy > 0.5 > 0.3 > dog @ tax


def test_what_follows_the_longest_input_makes_no_difference(embedder: httpx.Client) -> None:
    long, longer = vectors(embedder, ["word " * 400, "word " * 400 + "entirely different things " * 2000])

    assert long @ longer > 0.999


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b'{"inputs": []}', 400, "cannot be empty"),
        (b'{"inputs": ["", "x"]}', 400, "cannot be empty"),
        (b'{"inputs": "  "}', 400, "cannot be empty"),
        (b'{"inputs": 3}', 422, "string or a list of strings"),
        (b'{"inputs": ["a", null]}', 422, "string or a list of strings"),
        (b"{}", 422, "string or a list of strings"),
        (b"[]", 422, "must be a JSON object"),
        (b"{", 400, "not JSON"),
        (b"\xff\xfe\x00", 400, "not JSON"),
        (b"[" * 100_000, 400, "not JSON"),
        (b'{"inputs": "\\ud800"}', 422, "surrogate"),
        (json.dumps({"inputs": ["x"] * 257}).encode(), 422, "batch size 257 > maximum"),
        (b'{"inputs": "' + b"x" * 9_000_000 + b'"}', 413, "larger than"),
        (b'{"inputs": "x", "normalize": false}', 422, "normalize"),
    ],
)
def test_bad_input_is_refused_with_a_reason(embedder: httpx.Client, body: bytes, status: int, says: str) -> None:
    answer = embedder.post("/embed", content=body)

    assert answer.status_code == status
    assert says in answer.json()["error"]
    assert answer.json()["error_type"] in {"Validation", "Empty"}


def test_the_openai_dialect_gives_the_same_vectors(embedder: httpx.Client) -> None:
    texts = ["first", "second one"]

    floats = embedder.post("/v1/embeddings", json={"input": texts}).json()
    packed = embedder.post("/v1/embeddings", json={"input": texts, "encoding_format": "base64"}).json()

    unpacked = [np.frombuffer(base64.b64decode(row["embedding"]), "<f4") for row in packed["data"]]
    assert np.allclose(np.stack(unpacked), vectors(embedder, texts), atol=1e-5)
    assert np.allclose([row["embedding"] for row in floats["data"]], np.stack(unpacked), atol=1e-6)
    assert [row["index"] for row in floats["data"]] == [0, 1]
    assert floats["usage"]["total_tokens"] == 7
    assert embedder.post("/v1/embeddings", json={"input": "x", "encoding_format": "hex"}).status_code == 422


def test_vectors_come_as_base64_where_that_is_asked_for(embedder: httpx.Client) -> None:
    texts = ["first", "second one"]

    packed = embedder.post("/embed", json={"inputs": texts, "encoding_format": "base64"}).json()

    unpacked = [np.frombuffer(base64.b64decode(row), "<f4") for row in packed]
    assert np.allclose(np.stack(unpacked), vectors(embedder, texts), atol=1e-6)
    assert embedder.post("/embed", json={"inputs": "x", "encoding_format": "hex"}).status_code == 422


def test_it_tells_what_it_is(embedder: httpx.Client) -> None:
    reported = embedder.get("/info").json()

    assert reported["model_id"] == "sentence-transformers/all-MiniLM-L6-v2"
    assert (reported["dimension"], reported["max_input_length"], reported["auto_truncate"]) == (384, 256, True)
    assert embedder.get("/health").status_code == 200


def test_a_query_does_not_wait_for_a_bulk_job(embedder: httpx.Client) -> None:
    finished: list[str] = []

    def bulk() -> None:
        vectors(embedder, [f"row {n}: " + "a long text about many things " * 12 for n in range(256)])
        finished.append("bulk")

    worker = threading.Thread(target=bulk)
    worker.start()
    for number in range(3):
        vectors(embedder, f"query {number}")
        finished.append("query")
    worker.join()

    assert finished == ["query", "query", "query", "bulk"]


def tokens_of(embedder: httpx.Client, **body: object) -> list[tuple[np.ndarray, bytes]]:
    answer = embedder.post("/embed_tokens", json=body)
    assert answer.status_code == 200, answer.text
    return [
        (np.frombuffer(base64.b64decode(row["embedding"]), "<f4"), base64.b64decode(row["tokens"]))
        for row in answer.json()["data"]
    ]


def test_tokens_come_with_the_very_vector_of_their_text(embedder: httpx.Client) -> None:
    texts = ["a dog in the garden", "taxes"]

    [(dog, dog_signs), (tax, tax_signs)] = tokens_of(embedder, inputs=texts)

    assert np.allclose([dog, tax], vectors(embedder, texts), atol=1e-6)
    assert (len(dog_signs), len(tax_signs)) == (5 * 48, 1 * 48)


def test_signs_are_those_of_the_whole_vectors(embedder: httpx.Client) -> None:
    [(_, signs)] = tokens_of(embedder, inputs=["a dog in the garden"])
    [(_, whole)] = tokens_of(embedder, inputs=["a dog in the garden"], whole=True)

    rows = np.frombuffer(whole, "<f4").reshape(-1, 384)
    assert np.array_equal(np.unpackbits(np.frombuffer(signs, np.uint8).reshape(-1, 48), axis=1), rows > 0)


def test_only_the_tokens_within_the_span_are_told(embedder: httpx.Client) -> None:
    text = "[Monday] Ünal: a dog (in reply to you)"
    start = text.index("a dog")

    [(_, alone), (_, none)] = tokens_of(embedder, inputs=[text, text], spans=[[start, start + 5], [400, 500]])
    [(_, whole)] = tokens_of(embedder, inputs=[text])

    assert len(alone) == 2 * 48
    assert alone in whole
    assert none == b""


@pytest.mark.parametrize("spans", ["all", [], [[0, 1], [0, 1]], [[0]], [["a", 2]], [[True, 2]], [None]])
def test_spans_that_make_no_sense_are_refused(embedder: httpx.Client, spans: object) -> None:
    answer = embedder.post("/embed_tokens", json={"inputs": ["x"], "spans": spans})

    assert answer.status_code == 422
    assert "`spans`" in answer.json()["error"]
