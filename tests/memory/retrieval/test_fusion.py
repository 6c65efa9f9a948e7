"""Two ranked lists into one relevance."""

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.foreign import mark_foreign
from memory.retrieval.fusion import FusedMatch, fuse_blend, fuse_rrf, fuse_zscore, merge_rankings
from memory.retrieval.pool import Candidate, CandidateMemory, standardise
from memory.tiers import Tier

A, B, C = (UUID(int=number) for number in (1, 2, 3))
SAID = datetime(2026, 3, 2, tzinfo=UTC)
FUSIONS: dict[str, Callable[[list[Candidate]], None]] = {
    "rrf": lambda candidates: fuse_rrf(candidates, 60),
    "blend": lambda candidates: fuse_blend(candidates, 60),
    "zscore": fuse_zscore,
}


def as_candidates(found: list[FusedMatch]) -> list[Candidate]:
    """As the search does after it has read the rows."""
    return [
        Candidate(
            CandidateMemory(one.id, "", Tier.WORKING, SAID),
            one.distance,
            one.vector_rank,
            one.text_score,
            one.text_rank,
            one.rrf,
        )
        for one in found
    ]


def relevance(fusion: str, near: list[tuple[UUID, float]], worded: list[tuple[UUID, float]]) -> dict[UUID, float]:
    candidates = as_candidates(merge_rankings(near, worded, 60))
    FUSIONS[fusion](candidates)
    return {candidate.memory.id: candidate.relevance for candidate in candidates}


def test_ranks_are_gathered_from_both_lists() -> None:
    found = {one.id: one for one in merge_rankings([(A, 0.1), (B, 0.2)], [(B, 9.0), (C, 3.0)], 60)}
    assert (found[A].vector_rank, found[A].text_rank) == (1, None)
    assert found[A].rrf == pytest.approx(1 / 61)
    assert (found[B].vector_rank, found[B].text_rank) == (2, 1)
    assert found[B].rrf == pytest.approx(1 / 62 + 1 / 61)
    assert (found[C].distance, found[C].text_score) == (None, 3.0)


def test_the_words_of_another_language_say_nothing_against_a_memory() -> None:
    near, far, other = (
        Candidate(CandidateMemory(one, text, Tier.HISTORY, SAID), distance, text_score=score)
        for one, text, distance, score in (
            (A, "Vivo en la calle de los Olmos con dos gatas", 0.9, None),
            (B, "The cats in the lane were hungry", 1.1, 0.8),
            (C, "We painted the fence on the weekend", 1.3, None),
        )
    )
    mark_foreign("Which street do I live in with the cats?", [near, far, other])
    assert [one.is_foreign for one in (near, far, other)] == [True, False, False]
    fuse_zscore([near, far, other])
    assert near.relevance > far.relevance > other.relevance


@pytest.mark.parametrize(
    ("asked", "told", "is_foreign"),
    [
        ("Who signs the permit for the stall?", "ליאור מהעירייה אישר דוכן", True),
        ("立会人は誰ですか", "testimoni: Caterina e il cugino Sho", True),
        ("מי אישר את הדוכן?", "ליאור מהעירייה, קומה שלוש", False),
    ],
)
def test_another_script_is_another_language(asked: str, told: str, is_foreign: bool) -> None:
    one = Candidate(CandidateMemory(A, told, Tier.HISTORY, SAID), 0.9)
    mark_foreign(asked, [one])
    assert one.is_foreign is is_foreign


def test_what_heads_both_lists_has_rank_relevance_one() -> None:
    assert relevance("rrf", [(A, 0.1), (B, 0.2)], [(A, 9.0)])[A] == pytest.approx(1.0)


def test_one_list_alone_is_judged_as_the_whole() -> None:
    assert relevance("rrf", [], [(A, 9.0), (B, 1.0)]) == {A: pytest.approx(1.0), B: pytest.approx(61 / 62)}


def test_the_blend_is_six_parts_meaning_two_words_two_fused_rank() -> None:
    blended = relevance("blend", [(A, 0.25)], [(A, 9.0), (B, 1.0)])
    assert blended[A] == pytest.approx(0.6 * 0.8 + 0.2 + 0.2)
    assert blended[B] == pytest.approx(0.2 * 61 / 62 + 0.2 * (1 / 62) / (2 / 61))


def test_the_one_rare_word_stands_out_in_standard_scores() -> None:
    near = [(UUID(int=number + 1), 0.90 + number / 1000) for number in range(20)]
    scores = relevance("zscore", near, [(near[19][0], 12.0), (near[3][0], 0.5)])
    assert max(scores, key=lambda item_id: scores[item_id]) == near[19][0]


@pytest.mark.parametrize(("importance", "factor"), [(0.0, 1.0), (0.5, 0.6), (1.0, 0.5)])
def test_a_sure_statement_counts_as_nearer_in_the_blend(importance: float, factor: float) -> None:
    sure = Candidate(
        CandidateMemory(A, "", Tier.MEMORY_BANK, SAID, importance=importance, confidence=1.0), 0.8, 1, rrf=1 / 61
    )
    fuse_blend([sure], 60)
    assert sure.relevance == pytest.approx(0.6 / (1 + 0.8 * factor) + 0.2)


@pytest.mark.parametrize("fusion", FUSIONS)
def test_nothing_in_gives_nothing_out(fusion: str) -> None:
    assert relevance(fusion, [], []) == {}


def test_what_does_not_differ_does_not_stand_out() -> None:
    assert standardise([]) == []
    assert standardise([2.0, 2.0]) == [0.0, 0.0]


def test_two_values_say_little_of_what_is_far() -> None:
    low, high = standardise([1.0, 3.0])
    assert low == -high
    assert high < 0.2 < 0.9 < standardise([0.0] * 500 + [1.0] * 500)[-1] < 1.0


@pytest.mark.parametrize("fusion", FUSIONS)
@given(
    distances=st.lists(st.floats(0, 2), max_size=20),
    scores=st.lists(st.floats(0, 1e6), max_size=20),
    shared=st.integers(0, 20),
)
def test_what_is_nearer_and_better_worded_is_never_less_relevant(
    fusion: str, distances: list[float], scores: list[float], shared: int
) -> None:
    ids = [UUID(int=number + 1) for number in range(40)]
    near = list(zip(ids, sorted(distances), strict=False))
    worded = list(zip(ids[20 - shared :], sorted(scores, reverse=True), strict=False))
    candidates = as_candidates(merge_rankings(near, worded, 60))
    FUSIONS[fusion](candidates)
    both = [one for one in candidates if one.vector_rank and one.text_rank]
    for one in both:
        for other in both:
            if one.vector_rank <= other.vector_rank and one.text_rank <= other.text_rank:  # type: ignore[operator]
                assert one.relevance >= other.relevance - 1e-6
