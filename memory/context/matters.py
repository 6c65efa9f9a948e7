"""Whether a turn could break a constraint at all: whether it is about how people live, or plainly about something else.

No list of words knows every dish and every drug, and none is needed for the opposite: "what is the capital of Peru?"
lies nearer to questions of knowledge, code and mathematics than to anything people eat, take, do or buy. The examples
of both kinds are in English; the embedding model puts the other languages beside them (`tests/training/matters`).
"""

from collections.abc import Iterable, Mapping
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.inference.base import QuestionVector
from memory.language.folding import fold_text
from memory.retrieval.confidence import LOW, load_models
from memory.retrieval.query import is_about_me
from memory.retrieval.results import SearchResult

EXAMPLES: Final = Path(__file__).parent / "matters.npz"
LIFE, KNOWLEDGE = "life", "knowledge"
# How much nearer to knowledge than to life. Of sixty questions in seven languages the 30 that need the constraints have
# .027 and more; of 40 harder ones ("what's cioppino?", "is Machu Picchu wheelchair accessible?") two lie below -.03,
# which name what they touch, and none below -.08. Of the 30 that need none 26 lie below -.03, ten below -.09. Of 16
# written afterwards that need them none lies below .01.
APART_BELOW: Final = -0.03
FAR_BELOW: Final = -0.09
# Cosine below which a statement that shares a word with the question is about something else: of 15 pairs like "what is
# my blood group?" and "they moved me to the Thursday group" ten lie below; of 16 that belong together four, which the
# search may still find.
UNRELATED_BELOW: Final = 0.45


class Apartness(IntEnum):
    """How surely a turn has nothing to do with how the person lives. APART holds for what its words do not touch."""

    NONE = 0
    APART = 1
    FAR = 2


def rate_apartness(question: str, vector: QuestionVector | None) -> Apartness:
    """In doubt none: a missed allergy is worse than a line too many. Who speaks of themselves is always in doubt."""
    if vector is None or is_about_me(fold_text(question)):
        return Apartness.NONE
    lead = measure_life(vector)
    if lead is None or lead >= APART_BELOW:
        return Apartness.NONE
    return Apartness.FAR if lead < FAR_BELOW else Apartness.APART


def measure_life(vector: QuestionVector) -> float | None:
    """How much nearer the question is to life than to knowledge; None for a model that nobody has looked at."""
    examples = load_examples().get(vector.model)
    if examples is None or examples[LIFE].shape[1] != len(vector.vector):
        return None
    asked = np.asarray(vector.vector, np.float32)
    return float((examples[LIFE] @ asked).max() - (examples[KNOWLEDGE] @ asked).max())


def find_unrelated(facts: Iterable[Mapping[str, Any]], question: str, result: SearchResult) -> frozenset[UUID]:
    """Which of the statements that share words with the question are not quoted for that alone.

    None of them where the search is silent or the question is plainly about something else. ``facts`` are as the
    metadata tells them.
    """
    ids = frozenset(UUID(fact["memory_id"]) for fact in facts)
    if result.debug.retrieval_confidence == LOW or rate_apartness(question, result.vector):
        return ids
    if result.vector is None or result.vector.model not in load_models():
        return frozenset()
    return frozenset(pk for pk in ids if result.nearness.get(pk, 1.0) < UNRELATED_BELOW)


@cache
def load_examples() -> Mapping[str, Mapping[str, NDArray[np.float32]]]:
    """The vectors of the examples, by the name of the embedding model."""
    with np.load(EXAMPLES) as stored:
        return {
            str(model): {kind: stored[f"{kind} {model}"].astype(np.float32) for kind in (LIFE, KNOWLEDGE)}
            for model in stored["models"]
        }
