"""Token vectors from an embedding server that offers them in addition to the vector of a text.

For stored texts only the sign of each component is kept, one bit per dimension. Token vectors come from the same
forward pass as the vector of the text.
"""

import base64
import binascii
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from memory.embedding_conf import EmbeddingConf
from memory.inference.base import EncodedPassage, EncodedQuery, Span, Vector
from memory.inference.embeddings import OFFER_CACHE_S, normalise
from memory.inference.remote import BatchSizer, JsonService, prepare_text
from memory.platform.breakers import get_breaker
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, RequestRejected
from memory.platform.urgency import RequestUrgency

TOKENS = "tokens"


# Signs rank as well as the whole vectors, take a thirty-second of their size, and need nothing fitted on somebody's
# texts. The question's tokens stay whole: signs on both sides cost .013 of R@1.
class HttpTokenEmbedder:
    """The ``/embed_tokens`` of our own embedding server. Other servers lack it; then nothing is asked of them."""

    def __init__(self, conf: EmbeddingConf) -> None:
        self.model = conf.model
        self.dimensions = conf.dimensions
        self.width = conf.token_width
        self._conf = conf
        self._remote = JsonService(TOKENS, conf.url, conf.api_key)
        self._batches = BatchSizer(conf.batch_size)
        self._is_offered = False
        self._known_until = 0.0

    def is_offered(self, deadline: Deadline) -> bool:
        """Whether the server says that it can do this with tokens of the width that is configured."""
        if self._conf.dialect != "tei":
            return False
        if time.monotonic() >= self._known_until:
            self._is_offered = get_breaker(TOKENS).call(lambda: self._ask_whether(deadline))
            self._known_until = time.monotonic() + OFFER_CACHE_S
        return self._is_offered

    def encode_query(self, text: str, deadline: Deadline) -> EncodedQuery:
        prepared = prepare_text(self._conf.query_prefix + text, self._conf.max_chars)
        body = {"inputs": [prepared], "spans": [[len(self._conf.query_prefix), len(prepared)]], "whole": True}
        [(vector, tokens)] = self._call(body, 4 * self.width, deadline)
        rows = np.frombuffer(tokens, dtype="<f4").reshape(-1, self.width)
        return EncodedQuery(vector, normalise(rows, self.width) if len(rows) else rows)

    def encode_passages(self, texts: Sequence[str], spans: Sequence[Span], deadline: Deadline) -> list[EncodedPassage]:
        prefix = self._conf.passage_prefix
        sent = [prepare_text(prefix + text, self._conf.max_chars) for text in texts]
        moved = [(start + len(prefix), end + len(prefix)) for start, end in spans]
        return self._batches.collect(
            len(sent),
            lambda first, end: self._encode(
                sent[first:end], moved[first:end], deadline.slice(self._conf.batch_timeout_s)
            ),
        )

    def close(self) -> None:
        self._remote.close()

    def _ask_whether(self, deadline: Deadline) -> bool:
        try:
            info = self._remote.exchange("GET", "/info", None, deadline)
        except (RequestRejected, BadReply):
            return False
        return isinstance(info, dict) and info.get("token_signs") == self.width

    def _encode(self, texts: list[str], spans: list[Span], deadline: Deadline) -> list[EncodedPassage]:
        found = self._call({"inputs": texts, "spans": spans}, count_row_bytes(self.width), deadline)
        return [EncodedPassage(vector, signs) for vector, signs in found]

    def _call(self, body: dict[str, Any], width: int, deadline: Deadline) -> list[tuple[Vector, bytes]]:
        deadline.require(TOKENS)
        return get_breaker(TOKENS).call(lambda: self._ask(body, width, deadline))

    def _ask(self, body: dict[str, Any], width: int, deadline: Deadline) -> list[tuple[Vector, bytes]]:
        """The vector and the rows of tokens, ``width`` bytes each, of every text."""
        wanted = {**body, "model": self.model, **RequestUrgency.describe()}
        reply = self._remote.exchange("POST", "/embed_tokens", wanted, deadline)
        rows = reply.get("data") if isinstance(reply, dict) else None
        if not isinstance(rows, list) or len(rows) != len(body["inputs"]):
            raise BadReply(TOKENS, f"expected a list of {len(body['inputs'])} texts")
        try:
            vectors = np.array([np.frombuffer(decode_row(row, "embedding"), dtype="<f4") for row in rows])
        except ValueError as error:
            raise BadReply(TOKENS, "the vectors differ in length") from error
        if vectors.ndim != 2:
            raise BadReply(TOKENS, "the vectors are not rows of numbers")
        tokens = [decode_row(row, "tokens") for row in rows]
        if any(len(one) % width for one in tokens):
            raise BadReply(TOKENS, "the tokens are not whole rows")
        return list(zip(normalise(vectors, self.dimensions), tokens, strict=True))


def count_row_bytes(dimensions: int) -> int:
    """What the signs of one token take."""
    return -(-dimensions // 8)


def decode_row(row: object, name: str) -> bytes:
    try:
        return base64.b64decode(row[name], validate=True)  # type: ignore[index]
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise BadReply(TOKENS, f"an entry has no usable {name}") from error
