"""A cross-encoder over HTTP that scores how well each text answers a query, from 0 to 1."""

import math
from collections.abc import Sequence

from memory.conf import RerankerConf
from memory.inference.remote import BatchTooLarge, JsonService, prepare_text
from memory.platform.breakers import get_breaker
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply
from memory.scoring import squash_logit

RERANKER = "reranker"


class HttpReranker:
    """A service that speaks the ``/rerank`` of Text Embeddings Inference."""

    def __init__(self, conf: RerankerConf) -> None:
        self.model = conf.model
        self._conf = conf
        self._remote = JsonService(RERANKER, conf.url, conf.api_key)

    def score(self, query: str, texts: Sequence[str], deadline: Deadline) -> list[float]:
        prepared = prepare_text(query, self._conf.max_chars)
        clipped = [prepare_text(text, self._conf.max_chars) for text in texts]
        budget = deadline.slice(self._conf.timeout_s)
        scores: list[float] = []
        for start in range(0, len(clipped), self._conf.batch_size):
            scores += self._score(prepared, clipped[start : start + self._conf.batch_size], budget)
        return scale_scores(scores)

    def close(self) -> None:
        self._remote.close()

    def _score(self, query: str, texts: list[str], deadline: Deadline) -> list[float]:
        deadline.require(RERANKER)
        try:
            return get_breaker(RERANKER).call(lambda: self._ask(query, texts, deadline))
        except BatchTooLarge:
            if len(texts) == 1:
                raise
        # Too large a batch is no failure of the service: halves are tried until one fits or a single text does not.
        middle = len(texts) // 2
        return self._score(query, texts[:middle], deadline) + self._score(query, texts[middle:], deadline)

    def _ask(self, query: str, texts: list[str], deadline: Deadline) -> list[float]:
        body = {"query": query, "texts": texts, "truncate": True, "raw_scores": False, "return_text": False}
        if self.model:
            body["model"] = self.model
        return parse_scores(self._remote.exchange("POST", "/rerank", body, deadline), len(texts))


def parse_scores(reply: object, count: int) -> list[float]:
    """The scores in the order of the texts, or BadReply: each text exactly once, each score a finite number."""
    if not isinstance(reply, list):
        raise BadReply(RERANKER, "the reply is not a list of scores")
    # A reply is never taken on trust: a score given to the wrong text would rank memories by another's words.
    if len(reply) != count:
        raise BadReply(RERANKER, f"expected {count} scores, got {len(reply)}")
    scores: dict[int, float] = {}
    for entry in reply:
        index, score = parse_number(entry, "index"), parse_number(entry, "score")
        if not isinstance(index, int) or not 0 <= index < count or index in scores:
            raise BadReply(RERANKER, "the reply leaves out or repeats a text")
        try:
            scores[index] = float(score)
        except OverflowError:
            scores[index] = math.inf
    if not all(map(math.isfinite, scores.values())):
        raise BadReply(RERANKER, "a score is not a finite number")
    return [scores[index] for index in range(count)]


def parse_number(entry: object, name: str) -> int | float:
    value = entry.get(name) if isinstance(entry, dict) else None
    # A truth value counts as a number in Python, and is none.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadReply(RERANKER, f"an entry has no {name}")
    return value


def scale_scores(scores: Sequence[float]) -> list[float]:
    """Scores as they are when all lie in 0..1; otherwise they are the raw output of the model, and are squashed."""
    if all(0.0 <= score <= 1.0 for score in scores):
        return list(scores)
    return [squash_logit(score) for score in scores]
