"""Named reasons to rank one memory above another: that they add up, and how far each may lift."""

from typing import Any

import numpy as np
import pytest

from memory.conf import memory_conf
from memory.retrieval.leeway import OF_KIND, Standings
from memory.retrieval.query import understand_query
from memory.retrieval.ranking import RankedCandidate, RankingSignal, load_signals, rank_pool, squash_score
from memory.retrieval.signals import learned, recency, subject, thread
from memory.tiers import Tier
from tests.memory.retrieval.pools import NOW, fact, make_pool, signal_values, text


# --- the sum -----------------------------------------------------------------------------------------------------
def by_number(number: float) -> RankingSignal:
    return RankingSignal("number", 2.0, lambda query, pool: [number * memory.id.int for memory in pool.memories])


def rank_example(*signals: RankingSignal) -> list[RankedCandidate]:
    query = "key"
    return rank_pool(
        understand_query(query, (), NOW),
        make_pool(query, text("a", relevance=0.25), text("b", relevance=-1.5)),
        signals,
    )


def test_relevance_and_boosts_add_up_to_the_total_that_is_squashed() -> None:
    for one in rank_example(by_number(1 / 3), RankingSignal("silent", 1.0, lambda query, pool: [0.0, 0.0])):
        assert list(one.boosts) == ["number"]
        assert one.total == round(one.candidate.relevance + sum(one.boosts.values()), 6)
        assert one.final == squash_score(one.total)
    assert [one.boosts["number"] for one in rank_example(by_number(1 / 3))] == [0.666667, 1.333333]


def broken(query: object, pool: object) -> list[float]:
    raise ValueError("a signal's own fault")


@pytest.mark.parametrize(
    "reason",
    [
        RankingSignal("broken", 1.0, broken),
        RankingSignal("short", 1.0, lambda query, pool: [1.0]),
        RankingSignal("infinite", 1.0, lambda query, pool: [float("inf"), float("nan")]),
    ],
)
def test_a_signal_that_fails_is_left_out(reason: RankingSignal) -> None:
    assert [one.boosts for one in rank_example(reason, by_number(1))] == [{"number": 2.0}, {"number": 4.0}]


def test_without_signals_the_relevance_decides() -> None:
    assert [one.total for one in rank_example()] == [0.25, -1.5]


def test_squashing_keeps_the_order_within_nought_and_one() -> None:
    totals = [-1e9, -3.0, 0.0, 0.001, 4.0, 25.0, 1e9]
    finals = [squash_score(total) for total in totals]
    assert finals == sorted(finals)
    assert all(0 <= final <= 1 for final in finals)
    assert squash_score(0.0) == 0.5


def test_every_signal_of_the_settings_says_something_finite_of_any_pool() -> None:
    reasons = load_signals(memory_conf().ranking.boosts)
    assert len({reason.name for reason in reasons}) == len(reasons) > 20
    for query in ("", "What did Maya not say about 5 June, ERR_1 or my wife last time?"):
        for memories in ((), (text("x"),), (text("a"), fact("b", days_ago=-3), text("c", relevance=900.0))):
            for reason in reasons:
                assert len(signal_values(reason, query, *memories, speakers=("Maya",))) == len(memories)


# --- the published formula ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fields", "share"),
    [
        ({"uses": 5, "score": 0.8}, 0.80),
        ({"uses": 3, "score": 0.7}, 0.75),
        ({"uses": 5, "score": 0.7}, 0.75),
        ({"uses": 2, "score": 0.5}, 0.65),
        ({"uses": 2, "score": 0.4}, 0.30),
        ({"uses": 1, "score": 1.0}, 0.30),
        ({"tier": Tier.MEMORY_BANK, "importance": 0.9, "confidence": 0.9}, 0.55),
        ({"tier": Tier.MEMORY_BANK, "importance": 0.8, "confidence": 0.9}, 0.40),
    ],
)
def test_the_table_of_learned_weights(fields: dict[str, Any], share: float) -> None:
    [memory] = make_pool("x", text("y", **fields)).memories
    assert learned.choose_learned_share(memory) == share


def test_the_published_formula_is_a_sum_as_well() -> None:
    items = (fact("a", importance=1.0, confidence=1.0, relevance=0.5), text("b", tier=Tier.BOOKS, relevance=0.5))
    reasons = (learned.DYNAMIC_WEIGHTS, learned.QUALITY_MULTIPLIER)
    bank, book = rank_pool(understand_query("x", (), NOW), make_pool("x", *items), reasons)
    assert bank.total == pytest.approx((0.45 * 0.5 + 0.55 * 1.0) * 2)
    assert book.total == pytest.approx(0.7 * 0.5)


# --- kinds -------------------------------------------------------------------------------------------------------
def rank_kinds(shed_distance: float, count: int = 2, against: float = 0.0, shed: float = 0.0) -> float:
    """What a cue of kind gives a memory at distance 1.3, a cosine of about .15, beside one that is nearer and has as
    much of the cue as ``shed``."""
    pool = make_pool("where is the ladder?", *(text(f"memory {number}") for number in range(count)))
    for candidate in pool.candidates:
        candidate.distance = 1.3
    pool.candidates[0].distance = shed_distance
    values = [shed, *([1.0] * (count - 1))]
    kind = RankingSignal("kind", 3.0, lambda query, pool: values, leeway=OF_KIND)
    opposed = RankingSignal("opposed", 1.0, lambda query, pool: [-against] + [0.0] * (len(pool) - 1))
    return rank_pool(understand_query("where is the ladder?", (), NOW), pool, (kind, opposed))[1].boosts.get("kind", 0)


def test_its_kind_lifts_no_memory_past_one_that_is_far_nearer_and_of_no_such_kind() -> None:
    assert rank_kinds(0.7) == 0.0
    # Where that one has it too, all keep what they have, and of a half of it the half is kept.
    assert rank_kinds(0.7, shed=1.0) == 3.0
    assert rank_kinds(0.7, shed=0.5) == 1.5
    # Where nothing is nearer by much, the kind decides.
    assert rank_kinds(1.285) == 3.0
    # What something speaks against holds nobody back.
    assert rank_kinds(0.7, against=1.0) == 3.0
    # Nor do many beside it change that.
    assert rank_kinds(0.7, count=190) == 0.0


@pytest.mark.parametrize(("count", "share"), [(2, 1.0), (10, 1.0), (30, 0.5), (190, 0.1)])
def test_of_which_kind_a_memory_is_counts_little_among_many(count: int, share: float) -> None:
    pool = make_pool("where is the ladder?", *(text(f"memory {number}", is_dormant=True) for number in range(count)))
    query = understand_query("where is the ladder?", (), NOW)
    assert rank_pool(query, pool, (recency.DORMANT,))[0].boosts["dormant"] == pytest.approx(-0.5 * share)


def test_how_far_behind_a_memory_is_depends_on_how_far_apart_all_are() -> None:
    """Between statements of one matter cosines lie close, among many matters far apart."""
    lifts, rivals = [2.0, 0.0, 0.0, 0.0], np.array([True, True, True, True])
    close = Standings(np.array([0.50, 0.58, 0.48, 0.47]), rivals).limit(lifts, OF_KIND)
    apart = Standings(np.array([0.50, 0.58, 0.10, 0.05]), rivals).limit(lifts, OF_KIND)
    assert close[0] < 1.0 < apart[0] == 2.0


def test_what_lowers_is_no_lift() -> None:
    standings = Standings(np.array([0.9, 0.1, 0.1]), np.array([True, True, True]))
    assert standings.limit([0.0, -2.0, 2.0], OF_KIND) == [0.0, -2.0, 0.0]


def test_who_asks_what_they_were_told_does_not_ask_about_themselves() -> None:
    asked = "What did you tell me about candle wax?"
    exchange = text("User: How do I get wax out?\nAssistant: Freeze it.", thread_id="t")
    assert signal_values(subject.ABOUT_ME, asked, fact("I live in Bristol."), exchange) == [0.0, 0.0]
    assert signal_values(thread.QUESTION, asked, fact("I live in Bristol."), exchange) == [0.0, 0.0]
    assert any(signal_values(subject.ABOUT_ME, "Where do I live?", fact("I live in Bristol."), exchange))
