"""How much the second half of a joined vector counts for a question.

The vectors of two models stand side by side in each row. A question's halves can be weighed anew: the product with a
row is then another mixture of both cosines, and nothing that is stored changes.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.conf import EmbeddingConf
from memory.inference.base import Vector
from memory.language.folding import WORD
from memory.language.stems import detect_languages
from memory.retrieval.query import Query

# Shares of the second model's cosine. Vectors alone, hit@10 of remarks in English is .146 at .15, .217 at .5, .232 at
# .8 and .237 at 1; R@10 of questions to real people .583 at 0, .616 at .15, .624 at .2, .605 at .5, to an assistant
# .547, .593, .600, .609; of questions in French and Hebrew, which MiniLM does not read, .900, .843, .803, .597.
OF_QUESTION, OF_REMARK, OF_UNREAD = 0.2, 0.8, 0.0


@dataclass(frozen=True, slots=True)
class Emphasis:
    """``share`` is None of a vector that is one model's alone."""

    conf: EmbeddingConf
    share: float | None = None

    def weigh(self, vector: Vector) -> Vector:
        """The question's vector with its halves weighed; of unit length again."""
        if self.share is None:
            return vector
        first, second = self._factors()
        start = self.conf.second_from
        weighed: Vector = np.concatenate([vector[:start] * np.float32(first), vector[start:] * np.float32(second)])
        return weighed / np.float32(self._length())

    def read_distance(self, distance: float) -> float:
        """A distance from the weighed vector, on the scale of all thresholds."""
        if self.share is None:
            return self.conf.calibrate_distance(distance, asked=True)
        cosine = self._length() * (1.0 - distance * distance / 2)
        gap = self.conf.question_gap * self._factors()[0]
        return math.sqrt(2.0 - 2.0 * max(-1.0, min(1.0, 1.0 - self._slope() * (1.0 - cosine - gap))))

    def compare_rows(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """The mixture of each two stored vectors, as spread out as what ``read_distance`` gives."""
        if self.share is None:
            return np.float32(self.conf.cosine_slope) * (rows @ rows.T)
        first, second = self._factors()
        start = self.conf.second_from
        mixed = first * (rows[:, :start] @ rows[:, :start].T) + second * (rows[:, start:] @ rows[:, start:].T)
        compared: NDArray[np.float32] = (self._slope() * mixed).astype(np.float32)
        return compared

    def _factors(self) -> tuple[float, float]:
        """What the halves are multiplied by."""
        share, stored = self.share or 0.0, self.conf.second_share
        return (1 - share) / (1 - stored), share / stored

    def _length(self) -> float:
        first, second = self._factors()
        return math.sqrt((1 - self.conf.second_share) * first**2 + self.conf.second_share * second**2)

    def _slope(self) -> float:
        # The second model's cosines are on the scale already; what slope the first one has follows from the stored mix.
        share, stored = self.share or 0.0, self.conf.second_share
        flatness = (1 / self.conf.cosine_slope - stored) / (1 - stored)
        return 1 / (share + (1 - share) * flatness)


def choose_emphasis(query: Query, conf: EmbeddingConf) -> Emphasis:
    if not conf.second_share:
        return Emphasis(conf)
    if not is_read_by(conf.second_languages, query.text):
        return Emphasis(conf, OF_UNREAD)
    return Emphasis(conf, OF_REMARK if query.is_remark else OF_QUESTION)


def is_read_by(languages: tuple[str, ...], text: str) -> bool:
    """Whether a text is in the languages a model reads; none are all."""
    if not languages:
        return True
    letters = [letter for letter in text if letter.isalpha()]
    is_latin = 2 * sum(map(str.isascii, letters)) > len(letters)
    found = detect_languages(text, frozenset(WORD.findall(text.casefold())))[0]
    return is_latin and all(language in languages for language in found)
