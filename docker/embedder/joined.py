"""Models whose vectors stand side by side in one: the product of two such vectors is the sum of their cosines.

Token vectors are those of the first.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
from encoder import Encoder, Job, Matrix, OverloadedError, Span
from model import JoinedSource
from universal_encoder import UniversalEncoder

PartEncoder = Encoder | UniversalEncoder


@dataclass(slots=True)
class JoinedJob:
    """One request to all models; done when all are."""

    parts: Sequence[Job]
    shares: Sequence[float]
    done: Future[Matrix] = field(default_factory=Future)
    open_parts: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.open_parts = len(self.parts)
        for part in self.parts:
            part.done.add_done_callback(self._finish_part)

    @property
    def vectors(self) -> Matrix:
        return self.done.result()

    @property
    def tokens(self) -> int:
        return self.parts[0].tokens

    @property
    def token_rows(self) -> list[bytes]:
        return self.parts[0].token_rows

    def _finish_part(self, part: Future[Matrix]) -> None:
        error = part.exception()
        with self.lock:
            self.open_parts -= 1
            is_last = self.open_parts == 0
            if self.done.done():
                return
            if error is not None:
                self.done.set_exception(error)
            elif is_last:
                self.done.set_result(join_vectors([one.vectors for one in self.parts], self.shares))


class JoinedEncoder:
    def __init__(self, source: JoinedSource, encoders: Sequence[PartEncoder]) -> None:
        self.source = source
        self._encoders = encoders

    def submit(
        self, texts: Sequence[str], spans: Sequence[Span] = (), *, whole: bool = False, is_background: bool = False
    ) -> JoinedJob:
        """As an `Encoder`; the texts carry the prefixes of the first model."""
        bare = [self.source.strip_prefix(text) for text in texts]
        leading, *following = self._encoders
        parts = [leading.submit(texts, spans, whole=whole, is_background=is_background)]
        try:
            parts += [encoder.submit(bare, is_background=is_background) for encoder in following]
        except OverloadedError as error:
            parts[0].fail(error)
            raise
        return JoinedJob(parts, self.source.shares)

    def encode(self, texts: Sequence[str]) -> Matrix:
        return self.submit(texts).done.result()


def join_vectors(vectors: Sequence[Matrix], shares: Sequence[float]) -> Matrix:
    """Of unit rows unit rows: the shares sum to one."""
    return np.hstack([np.float32(share**0.5) * rows for rows, share in zip(vectors, shares, strict=True)])
