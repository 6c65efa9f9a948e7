"""Fuses the vector and lexical results into one relevance. Pure: ids, distances and scores in, numbers out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple
from uuid import UUID

from memory.retrieval.pool import Candidate, standardise
from memory.scoring import similarity


class FusionWeights(NamedTuple):
    """What one standard deviation is worth on either side, in the z-score sum."""

    meaning: float
    words: float


OF_QUESTION = FusionWeights(meaning=0.3, words=0.25)
# A remark and what it calls to mind share their matter and hardly a word: by words alone .03 of such had what they
# meant among the first ten, by meaning alone .26.
OF_REMARK = FusionWeights(meaning=1.0, words=0.05)
# Of what is near to a remark, for how near others are to it in turn.
CROWDED = 0.6

# Of the way from the others to the question: how far a memory is on it that holds all of its words. Of 219 in stores
# of first days that were found by words .60 and, whatever they hold, -.06.
NEARER_BY_WORDS = 0.55

# Of the published blend, for `MEMORY_FUSION=blend`; kept as published.
QUALITY_NEARS, LEAST_NEARNESS = 0.8, 0.5
DENSE_SHARE, LEXICAL_SHARE, RRF_SHARE = 0.6, 0.2, 0.2


@dataclass(slots=True)
class FusedMatch:
    """The ranks and scores of a memory in each stage, before it is read."""

    id: UUID
    distance: float | None = None
    vector_rank: int | None = None
    text_score: float | None = None
    text_rank: int | None = None
    rrf: float = 0.0
    # How near the nearest of the others are to it; of remarks.
    crowding: float = 0.0


def merge_rankings(
    near: Sequence[tuple[UUID, float]],
    worded: Sequence[tuple[UUID, float]],
    rrf_k: int,
    crowding: Mapping[UUID, float] | None = None,
) -> list[FusedMatch]:
    """Both lists, best first, merged by id, with their reciprocal rank fusion: sum of 1 / (k + rank)."""
    found: dict[UUID, FusedMatch] = {}
    for rank, (item_id, distance) in enumerate(near, 1):
        crowded = crowding.get(item_id, 0.0) if crowding else 0.0
        found[item_id] = FusedMatch(
            item_id, distance=distance, vector_rank=rank, rrf=1 / (rrf_k + rank), crowding=crowded
        )
    for rank, (item_id, score) in enumerate(worded, 1):
        one = found.setdefault(item_id, FusedMatch(item_id))
        one.text_score, one.text_rank = score, rank
        one.rrf += 1 / (rrf_k + rank)
    return list(found.values())


def fuse_rrf(candidates: Sequence[Candidate], rrf_k: int) -> None:
    """Relevance is the fused rank, 1.0 for a memory that heads every list that ran."""
    best = compute_best_rrf(candidates, rrf_k)
    for candidate in candidates:
        candidate.relevance = candidate.rrf / best


def fuse_blend(candidates: Sequence[Candidate], rrf_k: int) -> None:
    """Relevance is 0.6 similarity + 0.2 of the rank among words + 0.2 of the normalised fused rank.

    The distance of bank items is reduced by their quality.
    """
    best = compute_best_rrf(candidates, rrf_k)
    for candidate in candidates:
        dense = 0.0 if candidate.distance is None else similarity(candidate.distance * scale_distance(candidate))
        lexical = 0.0 if candidate.text_rank is None else (rrf_k + 1) / (rrf_k + candidate.text_rank)
        candidate.relevance = DENSE_SHARE * dense + LEXICAL_SHARE * lexical + RRF_SHARE * candidate.rrf / best


def scale_distance(candidate: Candidate) -> float:
    """What a distance is multiplied by, from the quality of a statement."""
    if not candidate.memory.is_statement:
        return 1.0
    return max(LEAST_NEARNESS, 1 - QUALITY_NEARS * candidate.memory.quality)


def compute_best_rrf(candidates: Sequence[Candidate], rrf_k: int) -> float:
    lists = any(c.vector_rank for c in candidates) + any(c.text_rank for c in candidates)
    return lists / (rrf_k + 1) if lists else 1.0


def guess_nearness(candidates: Sequence[Candidate]) -> None:
    """Of what waits to be embedded and could not be compared in time, by how many of the question's words it holds: it
    is not the farthest for that."""
    known = [one.nearness for one in candidates if one.nearness is not None]
    if not known:
        return
    centre = fmean(known)
    for one in candidates:
        if one.distance is None and one.memory.is_waiting and one.memory.holds:
            one.guessed = centre + NEARER_BY_WORDS * (1 - centre) * fmean(one.memory.holds)


def fuse_zscore(candidates: Sequence[Candidate], weights: FusionWeights = OF_QUESTION) -> None:
    """Relevance is the weighted sum of how far each side's score stands out among the candidates.

    Unlike ranks, z-scores keep the margin: a memory with the one rare word of the query stands out. A memory not found
    by words has a word score of 0; one not found by vectors gets the largest distance, unless it is not embedded yet.
    """
    cosines = [None if c.nearness is None else c.nearness - CROWDED * c.crowding for c in candidates]
    floor = min((cosine for cosine in cosines if cosine is not None), default=0.0)
    meaning = standardise([floor if cosine is None else cosine for cosine in cosines])
    words = standardise([c.text_score or 0.0 for c in candidates])
    tells_words = any(words)
    for candidate, vector_z, held_z in zip(candidates, meaning, words, strict=True):
        candidate.meaning = vector_z
        word_z = vector_z if candidate.is_foreign and tells_words else held_z
        candidate.relevance = weights.meaning * vector_z + weights.words * word_z
