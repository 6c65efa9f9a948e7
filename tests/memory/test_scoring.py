"""Outcome arithmetic, in numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.scoring import bank_quality, score_after_outcome, similarity, wilson_lower_bound
from memory.tiers import BANK_TAGS, POLICIES, SCORED_TIERS, Outcome, Tier

DELTAS: dict[str, float] = {Outcome.WORKED: 0.2, Outcome.FAILED: -0.3, Outcome.PARTIAL: 0.05}


@given(score=st.floats(0, 1), outcomes=st.lists(st.sampled_from(Outcome), max_size=50))
def test_a_score_never_leaves_its_range(score: float, outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        score = score_after_outcome(score, outcome, DELTAS)
        assert 0 <= score <= 1


def test_an_unknown_outcome_moves_nothing() -> None:
    assert score_after_outcome(0.123456, Outcome.UNKNOWN, DELTAS) == 0.123456


@pytest.mark.parametrize(
    ("worked", "failed", "partial", "bound"),
    [
        (0, 0, 0, 0.5),
        (1, 0, 0, 0.2065),
        (2, 0, 0, 0.3424),
        (9, 0, 0, 0.7009),
        (0, 5, 0, 0.0),
        (8, 2, 0, 0.4902),
        (0, 0, 2, 0.0945),
        (90, 10, 0, 0.8256),
    ],
)
def test_wilsons_bound_is_that_of_the_tables(worked: int, failed: int, partial: int, bound: float) -> None:
    assert wilson_lower_bound(worked, failed, partial) == pytest.approx(bound, abs=1e-4)


@given(worked=st.integers(0, 10_000), failed=st.integers(0, 10_000), partial=st.integers(0, 10_000))
def test_wilsons_bound_lies_below_the_rate_and_rises_with_success(worked: int, failed: int, partial: int) -> None:
    bound = wilson_lower_bound(worked, failed, partial)
    trials = worked + failed + partial
    assert 0 <= bound <= 1
    if trials:
        assert bound <= (worked + partial / 2) / trials + 1e-12
        assert wilson_lower_bound(worked + 1, failed, partial) > bound


def test_similarity_of_the_duplicate_rule_is_a_cosine_of_0_969() -> None:
    distance = (2 - 2 * 0.96875) ** 0.5
    assert similarity(distance) == pytest.approx(0.8)
    assert similarity(0.0) == 1.0


def test_quality_needs_both_importance_and_confidence() -> None:
    assert bank_quality(1.0, 0.0) == bank_quality(0.0, 1.0) == 0.0
    assert bank_quality(0.5, 0.5) == 0.25


def test_each_tier_has_a_policy_and_steps_lead_upwards() -> None:
    assert set(POLICIES) == set(Tier)
    assert {Tier.WORKING, Tier.HISTORY, Tier.PATTERNS} == SCORED_TIERS
    steps = {tier: policy.promotes_to for tier, policy in POLICIES.items() if policy.promotes_to}
    assert steps == {Tier.WORKING: Tier.HISTORY, Tier.HISTORY: Tier.PATTERNS}
    assert len(set(BANK_TAGS)) == 8
