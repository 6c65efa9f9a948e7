"""How much each part of a joined vector counts for a question, and how its cosines are read.

The vectors of several models stand side by side in each row. A question's parts can be weighed anew: the product with a
row is then another mixture of their cosines, and nothing that is stored changes.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memory.embedding_conf import EmbeddingConf
from memory.inference.adapter import QuestionAdapter, load_adapter
from memory.inference.base import Vector
from memory.scoring import compute_cosine


@dataclass(frozen=True)
class Emphasis:
    """``shares`` are those of all models but the first, which has the rest; none of a vector that is one model's.

    ``adapter`` is the first model's. What follows from them is worked out once: a search reads hundreds of distances.
    """

    conf: EmbeddingConf
    shares: tuple[float, ...] = ()
    adapter: QuestionAdapter | None = None

    @classmethod
    def as_stored(cls, conf: EmbeddingConf) -> "Emphasis":
        """With every part as it counts between two stored vectors."""
        return cls(conf, tuple(part.stored for part in conf.following), load_adapter(conf.adapter))

    def weigh(self, vector: Vector) -> Vector:
        """The question's vector, turned by the adapter and with its parts weighed; of unit length again."""
        parts = self._split(vector)
        if self.adapter is not None:
            parts[0] = self.adapter.adapt(parts[0])
        weighed: Vector = np.concatenate(
            [part * np.float32(factor) for part, factor in zip(parts, self._question_factors, strict=True)]
        )
        return weighed / np.float32(self._length)

    def read_cosine(self, cosine: float) -> float:
        """A cosine with the weighed vector, on the scale of all thresholds."""
        if not self.shares and self.adapter is None:
            return self.conf.calibrate_cosine(cosine, asked=True)
        return max(-1.0, min(1.0, 1.0 - self._slope * (1.0 - self._length * cosine - self._shift)))

    def read_distance(self, distance: float) -> float:
        """The same for the distance from it."""
        if not self.shares and self.adapter is None:
            return self.conf.calibrate_distance(distance, asked=True)
        return math.sqrt(2.0 - 2.0 * self.read_cosine(compute_cosine(distance)))

    def compare_rows(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """The mixture of each two stored vectors, as spread out as what ``read_distance`` gives."""
        parts = self._split(rows)
        mixed = sum(factor * (part @ part.T) for part, factor in zip(parts, self._factors, strict=True))
        compared: NDArray[np.float32] = np.asarray(self._slope * mixed, np.float32)
        return compared

    def _split(self, rows: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        return np.split(rows, [part.start for part in self.conf.following], axis=-1) if self.shares else [rows]

    @cached_property
    def _factors(self) -> list[float]:
        """What each part is multiplied by."""
        return [share / stored for share, stored in zip(self._all_shares, self._stored, strict=True)]

    @cached_property
    def _question_factors(self) -> list[float]:
        first, *behind = self._factors
        return [first if self.adapter is None else first * self.adapter.slope, *behind]

    @cached_property
    def _length(self) -> float:
        return math.sqrt(sum(stored * one**2 for stored, one in zip(self._stored, self._question_factors, strict=True)))

    @cached_property
    def _shift(self) -> float:
        """What the cosine lacks: the gap of a question, and by how much the adapter lowers the first part's."""
        offset = 0.0 if self.adapter is None else self.adapter.offset
        return self.conf.question_gap * self._factors[0] + offset * self._all_shares[0]

    @cached_property
    def _slope(self) -> float:
        # Cosines of the models behind the first are on the scale already; what slope the first one has follows from
        # the stored mix.
        first, behind = self._stored[0], sum(self._stored[1:])
        flatness = (1 / self.conf.cosine_slope - behind) / first
        return 1 / (sum(self.shares) + self._all_shares[0] * flatness)

    @cached_property
    def _all_shares(self) -> tuple[float, ...]:
        return (1 - sum(self.shares), *self.shares)

    @cached_property
    def _stored(self) -> tuple[float, ...]:
        behind = tuple(part.stored for part in self.conf.following)
        return (1 - sum(behind), *behind)
