"""The port to models that run elsewhere. This process loads none."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

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


Span = tuple[int, int]
"""The characters of a text from and up to which its tokens are wanted."""


class Encoded(NamedTuple):
    """A text's unit vector, and for each of its wanted tokens the signs of that token's vector, packed to bits."""

    vector: Vector
    signs: bytes


class EncodedQuery(NamedTuple):
    """A question's unit vector, and one of each of its tokens."""

    vector: Vector
    tokens: NDArray[np.float32]


class TokenEmbedder(Protocol):
    """Text to unit vectors and to its tokens. Raises Unavailable, BadReply or Rejected, and nothing else."""

    model: str
    dimensions: int

    def is_offered(self, deadline: Deadline) -> bool:
        """Whether the server can do it, asked now and then. Where not, the others are not to be called."""

    def encode_query(self, text: str, deadline: Deadline) -> EncodedQuery:
        """Of something searched for."""

    def encode_passages(self, texts: Sequence[str], spans: Sequence[Span], deadline: Deadline) -> list[Encoded]:
        """Of things stored, in the order of the texts."""

    def close(self) -> None:
        """Let go of connections."""


class Reranker(Protocol):
    """How well texts answer a query. Raises Unavailable, BadReply or Rejected, and nothing else."""

    model: str

    def score(self, query: str, texts: Sequence[str], deadline: Deadline) -> list[float]:
        """From 0 to 1 for each text, in the order of the texts. All of them or none."""

    def close(self) -> None:
        """Let go of connections."""
