"""What is noise: by pairs drawn again, the same way every time."""

from memory.measuring.intervals import DifferenceVerdict, compare_measure, estimate_interval, judge_difference


def test_an_interval_holds_its_mean_narrows_with_more_questions_and_is_the_same_again() -> None:
    few, many = estimate_interval([0, 1] * 5), estimate_interval([0, 1] * 200)
    assert few.low < few.mean == 0.5 < few.high
    assert many.high - many.low < few.high - few.low
    assert estimate_interval([0, 1] * 5) == few


def test_a_difference_that_may_be_chance_is_noise() -> None:
    assert judge_difference("MRR", [0.0] * 9) is DifferenceVerdict.SAME
    assert judge_difference("MRR", [1.0, -1.0, 0.5, -0.4, 0.0]) is DifferenceVerdict.NOISE
    assert judge_difference("MRR", [0.5] * 9) is DifferenceVerdict.BETTER
    assert judge_difference("tokens", [50.0] * 9) is DifferenceVerdict.WORSE


def test_pairs_are_compared_and_not_the_two_means() -> None:
    # Every question is a little better, by far less than questions differ from each other.
    before = [number / 40 for number in range(40)]
    found = compare_measure("MRR", before, [value + 0.01 for value in before])
    assert found["verdict"] == "better"
    assert found["b"][1] < found["a"][2]
    assert (found["better"], found["worse"]) == (40, 0)
