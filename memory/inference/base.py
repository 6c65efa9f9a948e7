"""The ports to models in other processes. This process loads no model."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memory.platform.deadline import Deadline

# float32, unit length.
Vector = NDArray[np.float32]


class Embedder(Protocol):
    """Text to unit vectors. Raises Unavailable, BadReply or Rejected, and nothing else."""

    model: str
    dimensions: int

    def embed_query(self, text: str, deadline: Deadline) -> Vector:
        """The vector of a query."""

    def embed_queries(self, texts: Sequence[str], deadline: Deadline) -> list[Vector]:
        """The vectors of queries, in their order, within the time that one may take."""

    def embed_passages(self, texts: Sequence[str], deadline: Deadline) -> list[Vector]:
        """The vectors of stored texts, in their order."""

    def close(self) -> None:
        """Let go of connections."""


class QuestionVector(NamedTuple):
    """A question's vector, and the model it can be compared under."""

    vector: Vector
    model: str


# The characters of a text from and up to which its tokens are wanted.
Span = tuple[int, int]


class EncodedPassage(NamedTuple):
    """A text's unit vector, and for each of its wanted tokens the signs of that token's vector, packed to bits."""

    vector: Vector
    signs: bytes


class EncodedQuery(NamedTuple):
    """A query's unit vector and one vector for each of its tokens."""

    vector: Vector
    tokens: NDArray[np.float32]


class TokenEmbedder(Protocol):
    """Text to unit vectors and token vectors. Raises Unavailable, BadReply or Rejected, and nothing else."""

    model: str
    dimensions: int

    def is_offered(self, deadline: Deadline) -> bool:
        """Whether the server offers token vectors, checked now and then. If not, do not call the other methods."""

    def encode_query(self, text: str, deadline: Deadline) -> EncodedQuery:
        """Of something searched for."""

    def encode_passages(self, texts: Sequence[str], spans: Sequence[Span], deadline: Deadline) -> list[EncodedPassage]:
        """Of things stored, in the order of the texts."""

    def close(self) -> None:
        """Let go of connections."""


class Reranker(Protocol):
    """How well texts answer a query. Raises Unavailable, BadReply or Rejected, and nothing else."""

    model: str

    def score(self, query: str, texts: Sequence[str], deadline: Deadline) -> list[float]:
        """A score from 0 to 1 for each text, in their order; all of them or an error."""

    def close(self) -> None:
        """Let go of connections."""
