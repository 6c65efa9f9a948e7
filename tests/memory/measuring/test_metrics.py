"""Every expected value below was worked out by hand."""

from math import log2

import pytest

from memory.measuring import metrics
from memory.measuring.metrics import JudgedRanking, ScoredQuestion


@pytest.mark.parametrize(
    ("ranking", "relevant", "k", "recall", "hit", "every"),
    [
        ("abcde", "a", 1, 1, 1, 1),
        ("abcde", "ac", 1, 1 / 2, 1, 0),
        ("abcde", "ac", 3, 1, 1, 1),
        ("abcde", "xyzb", 5, 1 / 4, 1, 0),
        ("abcde", "xy", 5, 0, 0, 0),
        ("", "a", 10, 0, 0, 0),
        ("ab", "", 10, 0, 0, 0),
    ],
)
def test_recall_hit_and_all(ranking: str, relevant: str, k: int, recall: float, hit: float, every: float) -> None:
    assert metrics.recall_at(ranking, relevant, k) == pytest.approx(recall)
    assert metrics.hit_at(ranking, relevant, k) == hit
    assert metrics.all_at(ranking, relevant, k) == every


@pytest.mark.parametrize(
    ("ranking", "wanted", "place"), [("abc", "a", 1), ("abc", "cb", 2), ("abc", "x", None), ("", "a", None)]
)
def test_the_first_wanted_place_and_its_reciprocal(ranking: str, wanted: str, place: int | None) -> None:
    assert metrics.find_first_place(ranking, wanted) == place
    assert metrics.reciprocal_rank(ranking, wanted) == (1 / place if place else 0)


@pytest.mark.parametrize(
    ("ranking", "grades", "k", "expected"),
    [
        ("ab", {"a": 1}, 5, 1),
        ("ba", {"a": 1}, 5, 1 / log2(3)),
        # The best memory has gain 3 and the second 1: (1 / log2(3) + 3 / log2(4)) of (3 + 1 / log2(3)).
        ("xba", {"a": 2, "b": 1}, 5, (1 / log2(3) + 3 / 2) / (3 + 1 / log2(3))),
        # Below the cut nothing counts, and the ideal is cut at the same place.
        ("xa", {"a": 1}, 1, 0),
        ("ab", {"a": 1, "b": 1, "c": 1}, 2, 1),
        ("", {"a": 2}, 5, 0),
        ("ab", {}, 5, 0),
    ],
)
def test_ndcg(ranking: str, grades: dict[str, int], k: int, expected: float) -> None:
    assert metrics.ndcg_at(ranking, grades, k) == pytest.approx(expected)


def test_the_best_keys_are_those_of_the_highest_grade() -> None:
    assert metrics.best_keys({"a": 1, "b": 2, "c": 2}) == {"b", "c"}
    assert metrics.best_keys({"a": 0}) == frozenset()
    assert metrics.best_keys({}) == frozenset()


def test_tokens_are_words_and_marks_in_any_script() -> None:
    assert metrics.count_tokens("Parcel BX-2201, שלום!") == 7
    texts = {"a": "one two.", "b": "three", "c": "four five six"}
    assert metrics.tokens_at("abc", texts, 2) == 4
    assert metrics.tokens_to_hit("abc", texts, "b") == 4
    assert metrics.tokens_to_hit("ab", texts, "c") == 7


def test_a_scenario_is_judged_by_its_best_memory_and_its_traps() -> None:
    judged = JudgedRanking("dxba", {"a": 2, "b": 1}, dict.fromkeys("abdx", "two words"), frozenset("d"))
    figures = {name: measure(judged) for name, measure in metrics.list_scenario_measures().items()}
    assert figures == pytest.approx(
        {
            "Top-1": 0,
            "MRR": 1 / 4,
            "nDCG@5": (1 / 2 + 3 / log2(5)) / (3 + 1 / log2(3)),
            "trap@1": 1,
            "R@5": 1,
            "tok@5": 8,
            "tok-hit": 8,
        }
    )


def test_a_conversation_is_judged_by_all_its_evidence() -> None:
    judged = JudgedRanking("xaybz", {"a": 1, "b": 1, "c": 1}, dict.fromkeys("xyzabc", "word"))
    figures = {name: measure(judged) for name, measure in metrics.list_conversation_measures(5).items()}
    assert figures == pytest.approx(
        {
            "R@1": 0,
            "R@5": 2 / 3,
            "hit@5": 1,
            "all@5": 0,
            "MRR": 1 / 2,
            "nDCG@5": (1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3) + 1 / 2),
            "tok@5": 5,
        }
    )


def test_the_depths_of_recall_follow_the_depth_of_the_ranking() -> None:
    assert [name for name in metrics.list_conversation_measures(10) if name.startswith("R@")] == ["R@1", "R@5", "R@10"]
    assert [name for name in metrics.list_conversation_measures(20) if name.startswith("R@")] == [
        "R@1",
        "R@5",
        "R@10",
        "R@20",
    ]


def test_averages_overall_and_by_label() -> None:
    rows = [
        ScoredQuestion({"family": "b"}, {"MRR": 1.0}),
        ScoredQuestion({"family": "a"}, {"MRR": 0.5}),
        ScoredQuestion({"family": "b"}, {"MRR": 0.0}),
        ScoredQuestion({}, {"MRR": 0.1}),
    ]
    assert metrics.average_figures(rows).figures["MRR"] == pytest.approx(0.4)
    by_family = metrics.average_by_label(rows, "family")
    assert list(by_family) == ["a", "b"]
    assert (by_family["b"].count, by_family["b"].figures["MRR"]) == (2, 0.5)
    assert metrics.average_figures([]).count == 0
