"""The port to models that run elsewhere. This process loads none."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory.resilience import Deadline

# float32, unit length.
Vector = NDArray[np.float32]


class Embedder(Protocol):
    """Text to unit vectors. Raises Unavailable, BadReply or Rejected, and nothing else."""

    model: str
    dimensions: int

    def embed_query(self, text: str, deadline: Deadline) -> Vector:
        """The vector of something searched for."""

    def embed_passages(self, texts: Sequence[str], deadline: Deadline) -> list[Vector]:
        """The vectors of things stored, in the order of the texts."""

    def close(self) -> None:
        """Let go of connections."""


class Reranker(Protocol):
    """How well texts answer a query. Raises Unavailable, BadReply or Rejected, and nothing else."""

    model: str

    def score(self, query: str, texts: Sequence[str], deadline: Deadline) -> list[float]:
        """From 0 to 1 for each text, in the order of the texts. All of them or none."""

    def close(self) -> None:
        """Let go of connections."""
