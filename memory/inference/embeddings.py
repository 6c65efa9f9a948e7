"""Text to vectors over HTTP, checked, and cached in Redis."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from redis import Redis

from memory.conf import secret_key
from memory.embedding_conf import EmbeddingConf
from memory.inference.base import Embedder, Vector
from memory.inference.remote import BatchSizer, JsonService, prepare_text
from memory.platform import metrics
from memory.platform import redis as shared
from memory.platform.breakers import get_breaker
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, RequestRejected
from memory.platform.urgency import RequestUrgency

EMBEDDER = "embedder"
# Shorter than this a vector has no direction worth comparing.
MIN_LENGTH = 1e-6
# What the server offers is asked again after this time: it may have been replaced.
OFFER_CACHE_S = 60.0


@dataclass(frozen=True, slots=True)
class ServedModel:
    """The model the service reports, and its dimensions."""

    model: str | None
    dimensions: int


class HttpEmbedder:
    """An embedding service that speaks TEI (``/embed``) or OpenAI (``/v1/embeddings``)."""

    def __init__(self, conf: EmbeddingConf, name: str = EMBEDDER) -> None:
        """``name`` is the name of its circuit breaker, if there are several services."""
        self.name = name
        self.model = conf.model
        self.dimensions = conf.dimensions
        self._conf = conf
        self._remote = JsonService(name, conf.url, conf.api_key)
        self._batches = BatchSizer(conf.batch_size)

    def embed_query(self, text: str, deadline: Deadline) -> Vector:
        return self.embed_queries([text], deadline)[0]

    def embed_queries(self, texts: Sequence[str], deadline: Deadline) -> list[Vector]:
        budget = deadline.slice(self._conf.query_timeout_s)
        clipped = [self._clip(self._conf.query_prefix, text) for text in texts]
        return self._batches.collect(len(clipped), lambda first, end: self._embed(clipped[first:end], budget))

    def embed_passages(self, texts: Sequence[str], deadline: Deadline) -> list[Vector]:
        clipped = [self._clip(self._conf.passage_prefix, text) for text in texts]
        return self._batches.collect(
            len(clipped),
            lambda first, end: self._embed(clipped[first:end], deadline.slice(self._conf.batch_timeout_s)),
        )

    def describe(self, deadline: Deadline) -> ServedModel:
        """Ask the service what it is. Does not go through the breaker: a health probe must see for itself."""
        vectors = _parse_vectors(self._post(["probe"], deadline), self._conf.dialect, 1)
        model = None
        if self._conf.dialect == "tei":
            info = self._remote.exchange("GET", "/info", None, deadline)
            model = info.get("model_id") if isinstance(info, dict) else None
        return ServedModel(model=model if isinstance(model, str) else None, dimensions=vectors.shape[1])

    def close(self) -> None:
        self._remote.close()

    def _clip(self, prefix: str, text: str) -> str:
        return prepare_text(prefix + text, self._conf.max_chars)

    def _embed(self, texts: list[str], deadline: Deadline) -> list[Vector]:
        deadline.require(self.name)
        return get_breaker(self.name).call(lambda: self._ask(texts, deadline))

    def _ask(self, texts: list[str], deadline: Deadline) -> list[Vector]:
        vectors = _parse_vectors(self._post(texts, deadline), self._conf.dialect, len(texts))
        return list(normalise(vectors, self.dimensions))

    def _post(self, texts: list[str], deadline: Deadline) -> object:
        if self._conf.dialect == "openai":
            body = {"input": texts, "model": self.model, "encoding_format": "base64"}
            return self._remote.exchange("POST", "/v1/embeddings", body, deadline)
        # Our own server takes the name, the form and the urgency; others pass over them.
        wanted = {
            "inputs": texts,
            "truncate": True,
            "normalize": True,
            "model": self.model,
            "encoding_format": "base64",
        }
        return self._remote.exchange("POST", "/embed", {**wanted, **RequestUrgency.describe()}, deadline)


class OfferedModels:
    """Models that the embedding server takes by name. Only our own server lists them; others have one model."""

    def __init__(self, conf: EmbeddingConf) -> None:
        self._dialect = conf.dialect
        self._remote = JsonService(EMBEDDER, conf.url, conf.api_key)
        self._names: frozenset[str] = frozenset()
        self._known_until = 0.0

    def has(self, model: str, deadline: Deadline) -> bool:
        """Raises Unavailable."""
        if self._dialect == "tei" and time.monotonic() >= self._known_until:
            self._names = get_breaker(EMBEDDER).call(lambda: self._ask(deadline))
            self._known_until = time.monotonic() + OFFER_CACHE_S
        return model in self._names

    def close(self) -> None:
        self._remote.close()

    def _ask(self, deadline: Deadline) -> frozenset[str]:
        try:
            info = self._remote.exchange("GET", "/info", None, deadline)
        except (RequestRejected, BadReply):
            return frozenset()
        names = info.get("models") if isinstance(info, dict) else None
        return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def _parse_vectors(reply: object, dialect: str, count: int) -> NDArray[Any]:
    """The reply as an array of ``count`` rows, or BadReply."""
    rows = _parse_openai_rows(reply) if dialect == "openai" else _parse_rows(reply)
    if len(rows) != count:
        raise BadReply(EMBEDDER, f"expected {count} vectors, got {len(rows)}")
    try:
        array = np.asarray(rows)
    except ValueError as error:
        raise BadReply(EMBEDDER, "the vectors differ in length") from error
    if array.ndim != 2 or array.dtype.kind not in "fiu":
        raise BadReply(EMBEDDER, "the vectors are not rows of numbers")
    return array


def _parse_rows(reply: object) -> list[Any]:
    if not isinstance(reply, list):
        raise BadReply(EMBEDDER, "the reply is not a list of vectors")
    try:
        return [_decode_row(row) for row in reply]
    except ValueError as error:
        raise BadReply(EMBEDDER, "the vectors are not rows of numbers") from error


def _parse_openai_rows(reply: object) -> list[Any]:
    try:
        data = sorted(reply["data"], key=lambda entry: entry["index"])  # type: ignore[index]
        if [entry["index"] for entry in data] != list(range(len(data))):
            raise BadReply(EMBEDDER, "the reply leaves out or repeats a text")
        return [_decode_row(entry["embedding"]) for entry in data]
    except (KeyError, TypeError, ValueError) as error:
        raise BadReply(EMBEDDER, "the reply has not the form of /v1/embeddings") from error


def _decode_row(embedding: object) -> object:
    """Decodes base64; some servers send plain numbers in spite of the request. Raises ValueError."""
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    return embedding


def normalise(vectors: NDArray[Any], dimensions: int) -> NDArray[np.float32]:
    if vectors.shape[1] != dimensions:
        raise BadReply(EMBEDDER, f"expected vectors of {dimensions} dimensions, got {vectors.shape[1]}")
    # Down to the precision that is kept, where what does not fit becomes infinite; up again to measure.
    with np.errstate(over="ignore"):
        wide = vectors.astype(np.float32).astype(np.float64)
    if not np.isfinite(wide).all():
        raise BadReply(EMBEDDER, "a vector holds a value that is not a finite number")
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    if (norms < MIN_LENGTH).any():
        raise BadReply(EMBEDDER, "a vector has no length")
    unit: NDArray[np.float32] = (wide / norms).astype(np.float32)
    return unit


class CachedEmbedder:
    """Caches vectors in Redis. Without Redis every text is a cache miss."""

    def __init__(self, inner: Embedder, conf: EmbeddingConf) -> None:
        self.inner = inner
        self.model = inner.model
        self.dimensions = inner.dimensions
        self._prefixes = {"query": conf.query_prefix, "passage": conf.passage_prefix}
        self._ttl_s = conf.cache_ttl_s
        self._batch_size = conf.batch_size
        self._secret = secret_key()

    def embed_query(self, text: str, deadline: Deadline) -> Vector:
        return self.embed_queries([text], deadline)[0]

    def embed_queries(self, texts: Sequence[str], deadline: Deadline) -> list[Vector]:
        keys, known, missing = self._look_up("query", texts)
        if missing:
            vectors = self.inner.embed_queries(list(missing.values()), deadline)
            fresh = dict(zip(missing, vectors, strict=True))
            self._write(fresh)
            known |= fresh
        return [known[key] for key in keys]

    def remember_query(self, text: str, vector: Vector) -> None:
        """Cache a query vector that another endpoint of the server returned, for when it is down."""
        metrics.count("embedding_cache", "miss")
        self._write({self._key("query", text): vector})

    def embed_passages(self, texts: Sequence[str], deadline: Deadline) -> list[Vector]:
        keys, known, missing = self._look_up("passage", texts)
        waiting = list(missing)
        for start in range(0, len(waiting), self._batch_size):
            part = waiting[start : start + self._batch_size]
            vectors = self.inner.embed_passages([missing[key] for key in part], deadline)
            fresh = dict(zip(part, vectors, strict=True))
            # Batch by batch: what a late answer to the last one loses is not asked for again.
            self._write(fresh)
            known |= fresh
        return [known[key] for key in keys]

    def close(self) -> None:
        self.inner.close()

    def _look_up(self, kind: str, texts: Sequence[str]) -> tuple[list[str], dict[str, Vector], dict[str, str]]:
        """The key of each text, the vectors that are cached, and the texts of which none is, both by their keys."""
        keys = [self._key(kind, text) for text in texts]
        known = {key: vector for key, vector in zip(keys, self._read(keys), strict=True) if vector is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        metrics.count("embedding_cache", "miss", len(missing))
        metrics.count("embedding_cache", "hit", len(texts) - len(missing))
        return keys, known, missing

    def _key(self, kind: str, text: str) -> str:
        # Keyed with the installation's secret, so that key names and the timing of look-ups reveal nothing of a text
        # to anybody without it.
        message = json.dumps([self.model, self.dimensions, kind, self._prefixes[kind], text])
        return shared.build_key("vector", hmac.new(self._secret, message.encode(), hashlib.sha256).hexdigest())

    def _read(self, keys: list[str]) -> list[Vector | None]:
        if not keys or not self._ttl_s:
            return [None] * len(keys)

        def look(client: Redis) -> list[Any]:
            pipe = client.pipeline(transaction=False)
            for key in keys:
                pipe.getex(key, ex=self._ttl_s)
            return list(pipe.execute())

        return [self._vector(value) for value in shared.call_or_default(look, [None] * len(keys))]

    def _write(self, vectors: dict[str, Vector]) -> None:
        if not self._ttl_s:
            return

        def put(client: Redis) -> None:
            pipe = client.pipeline(transaction=False)
            for key, vector in vectors.items():
                pipe.set(key, vector.astype("<f4").tobytes(), ex=self._ttl_s)
            pipe.execute()

        shared.call_or_default(put, None)

    def _vector(self, value: object) -> Vector | None:
        """None for anything but the bytes of a unit vector of the right width."""
        if not isinstance(value, bytes) or len(value) != 4 * self.dimensions:
            return None
        vector = np.frombuffer(value, dtype="<f4").astype(np.float32)
        return vector if abs(float(np.linalg.norm(vector)) - 1.0) < 1e-3 else None
