"""Texts to vectors by the model that is no transformer, with the lanes of the others."""

from collections.abc import Sequence

import numpy as np
from encoder import MAX_CHARACTERS, Job, Lane, Lanes, Matrix, OverloadedError, Span, Unit
from model import UniversalSource, require_package
from universal import DIMENSIONS, DIRECTIONS, UniversalNetwork, scale_rows


class UniversalEncoder:
    def __init__(self, source: UniversalSource, *, max_waiting: int = 4096) -> None:
        self.source = source
        self._network = UniversalNetwork(require_package(source))
        self._directions: Matrix = np.load(DIRECTIONS).astype(np.float32)
        self._lanes = Lanes(Lane(self._encode, 1), Lane(self._encode, 1))
        self._max_waiting = max_waiting

    def submit(
        self, texts: Sequence[str], _spans: Sequence[Span] = (), *, whole: bool = False, is_background: bool = False
    ) -> Job:
        """As an `Encoder`, without tokens: what this model knows of one word is known of all that stand beside it."""
        lane = self._lanes.choose(len(texts), is_background=is_background)
        if lane.is_overloaded(self._max_waiting):
            raise OverloadedError
        ids = self._network.split_words([text[:MAX_CHARACTERS] for text in texts])
        job = Job(np.zeros((len(texts), DIMENSIONS), np.float32), sum(map(len, ids)))
        return lane.share_out(job, ids, [[]] * len(ids))

    def encode(self, texts: Sequence[str]) -> Matrix:
        return self.submit(texts).done.result()

    def _encode(self, unit: Unit) -> None:
        unit.job.vectors[unit.rows] = scale_rows(self._network.encode(unit.ids) @ self._directions.T)
        unit.job.finish_unit()
