"""What is set about the embedding model, and how its cosines are read. Pure: no framework."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.scoring import compute_cosine


@dataclass(frozen=True, slots=True)
class FollowingConf:
    """A model whose numbers stand behind another's in one vector; its shares in the cosine; what it reads."""

    start: int
    stored: float
    of_question: float
    of_remark: float
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EmbeddingConf:
    url: str
    dialect: str
    model: str
    dimensions: int
    query_prefix: str
    passage_prefix: str
    api_key: str
    batch_size: int
    query_timeout_s: float
    batch_timeout_s: float
    cache_ttl_s: int
    max_chars: int
    token_dimensions: int = 0  # of a token's vector; 0 is as of a text's
    # Of joined models all but the first.
    following: tuple[FollowingConf, ...] = ()
    # What the model reads; none are all languages.
    languages: tuple[str, ...] = ("en",)
    cosine_slope: float = 1.0
    statement_gap: float = 0.0
    question_gap: float = 0.0
    # What turns the vectors of questions (`memory/inference/adapter.py`).
    adapter: str = ""

    @property
    def token_width(self) -> int:
        return self.token_dimensions or self.dimensions

    def reads(self, language: str) -> bool:
        return not self.languages or language in self.languages

    def calibrate_cosine(self, cosine: float, *, asked: bool = False) -> float:
        """The cosine on the scale of all thresholds; ``asked`` where one of the two texts is a question.

        It keeps the order, and of most models it is the cosine itself.
        """
        if self.cosine_slope == 1.0:
            return cosine
        gap = self.question_gap if asked else self.statement_gap
        return max(-1.0, min(1.0, 1.0 - self.cosine_slope * (1.0 - cosine - gap)))

    def calibrate_distance(self, distance: float, *, asked: bool = False) -> float:
        """The same for the distance of unit vectors."""
        if self.cosine_slope == 1.0:
            return distance
        return math.sqrt(2.0 - 2.0 * self.calibrate_cosine(compute_cosine(distance), asked=asked))


def describe_embedding(values: Mapping[str, Any]) -> EmbeddingConf:
    following = tuple(FollowingConf(**one) for one in values.get("following", ()))
    return EmbeddingConf(**{**values, "following": following})
