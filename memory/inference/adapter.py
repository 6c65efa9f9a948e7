"""Turns the vector of a question toward what answers it; what is stored stays as it is.

A model of sentences puts a question beside other questions, and beside whatever was said in its language. What answers
it is a statement, often in another: "boxes everywhere, but the Levenshulme house has a garden". So a matrix of low rank
is added, a linear adapter of the question's side, learned from questions to messages in six languages by authors
who had read no other set (`tests/training/adapter`). Of 237 questions to four months of others, a quarter of them asked
in another language, vectors alone have the answer among ten in .91 (.81 without it), of those in another .78 (.54).
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory.inference.base import Vector

ADAPTERS: Final = Path(__file__).parent / "adapters"


@dataclass(frozen=True, slots=True)
class QuestionAdapter:
    """``reads`` and ``turns`` are ranks x numbers of a vector.

    The cosines of a turned question are lower and further apart: ``slope`` times one and ``offset`` is what the model
    itself would have given.
    """

    reads: NDArray[np.float32]
    turns: NDArray[np.float32]
    slope: float
    offset: float

    def adapt(self, vector: Vector) -> Vector:
        """Of the same length."""
        turned = vector + (self.reads @ vector) @ self.turns
        adapted: Vector = np.asarray(turned * (np.linalg.norm(vector) / np.linalg.norm(turned)), np.float32)
        return adapted


@cache
def load_adapter(name: str) -> QuestionAdapter | None:
    """The one of a model; none for a model without."""
    if not name:
        return None
    with np.load(ADAPTERS / f"{name}.npz") as stored:
        reads, turns = stored["reads"].astype(np.float32), stored["turns"].astype(np.float32)
        return QuestionAdapter(reads, turns, float(stored["slope"]), float(stored["offset"]))
