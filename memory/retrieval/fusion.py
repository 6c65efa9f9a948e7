"""Two ranked lists into one relevance. Pure: ids, distances and scores in, numbers out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from uuid import UUID

from memory.scoring import similarity

DENSE_WEIGHT = 0.5
"""Share of the vector side in a z-score sum; the words have the rest."""


@dataclass(slots=True)
class Candidate:
    """What the stages said of one memory. Ranks count from 1; None where a stage did not return it."""

    id: UUID
    distance: float | None = None
    vector_rank: int | None = None
    text_score: float | None = None
    text_rank: int | None = None
    rrf: float = 0.0
    relevance: float = 0.0


def gather(near: Sequence[tuple[UUID, float]], worded: Sequence[tuple[UUID, float]], rrf_k: int) -> list[Candidate]:
    """Both lists, best first, as candidates with their reciprocal rank fusion: sum of 1 / (k + rank)."""
    found: dict[UUID, Candidate] = {}
    for rank, (item_id, distance) in enumerate(near, 1):
        found[item_id] = Candidate(item_id, distance=distance, vector_rank=rank, rrf=1 / (rrf_k + rank))
    for rank, (item_id, score) in enumerate(worded, 1):
        candidate = found.setdefault(item_id, Candidate(item_id))
        candidate.text_score, candidate.text_rank = score, rank
        candidate.rrf += 1 / (rrf_k + rank)
    return list(found.values())


def fuse_rrf(candidates: Sequence[Candidate], rrf_k: int) -> None:
    """Relevance is the fused rank, 1.0 for a memory that heads every list that ran."""
    lists = any(c.vector_rank for c in candidates) + any(c.text_rank for c in candidates)
    best = lists / (rrf_k + 1) if lists else 1.0
    for candidate in candidates:
        candidate.relevance = candidate.rrf / best


def fuse_zscore(candidates: Sequence[Candidate]) -> None:
    """Relevance is the weighted sum of how far each side's score stands out among the candidates, squashed to 0..1.

    Unlike ranks, standard scores keep the margin: a memory that holds the one rare word of the query stands alone.
    A memory the words did not find has a word score of nought; one the vectors did not reach stands with the last.
    """
    dense = [similarity(c.distance) for c in candidates if c.distance is not None]
    floor = min(dense, default=0.0)
    dense_z = standardised([floor if c.distance is None else similarity(c.distance) for c in candidates])
    words_z = standardised([c.text_score or 0.0 for c in candidates])
    if not dense:
        weight = 0.0
    elif not any(c.text_rank for c in candidates):
        weight = 1.0
    else:
        weight = DENSE_WEIGHT
    for candidate, vector_z, word_z in zip(candidates, dense_z, words_z, strict=True):
        candidate.relevance = 1 / (1 + math.exp(-(weight * vector_z + (1 - weight) * word_z)))


def standardised(values: Sequence[float]) -> list[float]:
    """Distance from the mean in standard deviations; all nought when the values do not differ."""
    if not values:
        return []
    mean, spread = fmean(values), pstdev(values)
    if spread < 1e-9:
        return [0.0] * len(values)
    return [(value - mean) / spread for value in values]
