"""Two ranked lists into one relevance, by each of the formulas."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from memory.retrieval.fusion import Found, fuse_blend, fuse_rrf, fuse_zscore, gather
from memory.retrieval.pool import Candidate, Memory, standardised
from memory.tiers import Tier

A, B, C, D = (UUID(int=number) for number in range(1, 5))
SAID = datetime(2025, 1, 1, tzinfo=UTC)


def candidates(found: list[Found], **fields: object) -> dict[UUID, Candidate]:
    return {
        one.id: Candidate(
            Memory(one.id, "text", **{"tier": "history", "occurred_at": SAID, **fields}),  # type: ignore[arg-type]
            one.distance,
            one.vector_rank,
            one.text_score,
            one.text_rank,
            one.rrf,
        )
        for one in found
    }


def both() -> list[Found]:
    return gather([(A, 0.7), (B, 0.9), (C, 1.3)], [(B, 7.0), (D, 2.0)], 60)


def test_lists_are_merged_by_id_and_ranks_are_fused() -> None:
    found = {one.id: one for one in both()}
    assert set(found) == {A, B, C, D}
    assert (found[B].vector_rank, found[B].text_rank) == (2, 1)
    assert found[B].rrf == pytest.approx(1 / 62 + 1 / 61)
    assert found[A].rrf == pytest.approx(1 / 61)
    assert (found[D].distance, found[D].vector_rank) == (None, None)
    assert gather([], [], 60) == []


def test_reciprocal_ranks_give_one_to_what_heads_every_list() -> None:
    pool = candidates(gather([(A, 0.7), (B, 0.9)], [(A, 7.0)], 60))
    fuse_rrf(list(pool.values()), 60)
    assert pool[A].relevance == pytest.approx(1.0)
    assert 0 < pool[B].relevance < 0.5


def test_the_blend_is_six_two_two() -> None:
    pool = candidates(both())
    fuse_blend(list(pool.values()), 60)
    best = 2 / 61
    assert pool[B].relevance == pytest.approx(0.6 / 1.9 + 0.2 * 1.0 + 0.2 * (1 / 62 + 1 / 61) / best)
    assert pool[A].relevance == pytest.approx(0.6 / 1.7 + 0.2 * (1 / 61) / best)
    assert pool[D].relevance == pytest.approx(0.2 * 61 / 62 + 0.2 * (1 / 62) / best)


@pytest.mark.parametrize(("importance", "factor"), [(0.0, 1.0), (0.5, 0.6), (1.0, 0.5)])
def test_a_sure_statement_counts_as_nearer_in_the_blend(importance: float, factor: float) -> None:
    pool = candidates(gather([(A, 0.8)], [], 60), tier=Tier.MEMORY_BANK, importance=importance, confidence=1.0)
    fuse_blend(list(pool.values()), 60)
    assert pool[A].relevance == pytest.approx(0.6 / (1 + 0.8 * factor) + 0.2)


def test_standard_scores_keep_the_margin() -> None:
    """The one memory with the rare word stands alone among many that are about as near."""
    near = [(UUID(int=number), 0.9 + number / 1000) for number in range(1, 31)]
    pool = candidates(gather(near, [(UUID(int=15), 9.0)], 60))
    fuse_zscore(list(pool.values()))
    order = sorted(pool, key=lambda item: -pool[item].relevance)
    assert order[:3] == [UUID(int=15), A, B]


def test_one_side_alone_is_enough_and_no_side_is_no_error() -> None:
    pool = candidates(gather([], [(A, 3.0), (B, 1.0)], 60))
    fuse_zscore(list(pool.values()))
    assert pool[A].relevance > 0 > pool[B].relevance
    fuse_zscore([])


def test_standardised_values() -> None:
    assert standardised([]) == []
    assert standardised([2.0, 2.0]) == [0.0, 0.0]
    low, high = standardised([1.0, 3.0])
    assert low == -high < 0
    many = standardised([0.0] * 500 + [1.0] * 500)
    assert many[-1] == pytest.approx(1.0, abs=0.02)
    assert high < 0.2, "two values say little of what is far"
