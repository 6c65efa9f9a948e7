import pytest

from memory.evaluation.timing import Pace, Stopwatch, run_clients, summarize_latencies
from memory.scoring import find_percentile


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([5], 0.5, 5),
        ([5], 0.95, 5),
        ([3, 1, 2], 0.5, 2),
        ([4, 1, 3, 2], 0.5, 2),
        (range(1, 101), 0.95, 95),
        (range(1, 101), 0.5, 50),
        (range(1, 21), 0.95, 19),
        (range(1, 11), 0.95, 10),
        ([1, 9], 0.0, 1),
    ],
)
def test_a_percentile_is_a_measured_value_by_nearest_rank(values: list[float], share: float, expected: float) -> None:
    assert find_percentile(list(values), share) == expected


def test_a_percentile_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing"):
        find_percentile([], 0.5)


def test_a_spread_holds_median_tail_and_worst() -> None:
    taken = summarize_latencies([float(value) for value in range(1, 101)])
    assert (taken.count, taken.p50, taken.p95, taken.worst) == (100, 50, 95, 100)


def test_a_call_that_fails_is_not_counted_as_quick() -> None:
    watch = Stopwatch()
    with pytest.raises(RuntimeError), watch.measure("search"):
        raise RuntimeError
    with watch.measure("search"):
        pass
    watch.add_all("search ", {"embed": 4, "total": 9})
    assert list(watch.summarize()) == ["search", "search embed", "search total"]
    assert watch.summarize()["search"].count == 1


@pytest.mark.parametrize("clients", [1, 4])
def test_every_piece_of_work_is_done_once(clients: int) -> None:
    done: list[int] = []
    run_clients(done.append, range(50), clients)
    assert sorted(done) == list(range(50))


@pytest.mark.parametrize("clients", [1, 3])
def test_the_first_error_ends_the_run(clients: int) -> None:
    def refuse(piece: int) -> None:
        raise ValueError(piece)

    with pytest.raises(ValueError, match="0"):
        run_clients(refuse, range(5), clients)


def test_a_pace_spaces_calls_out() -> None:
    watch, pace = Stopwatch(), Pace(200)
    with watch.measure("six calls"):
        for _ in range(6):
            pace.wait()
    # Five gaps of 5 ms; only the lower bound is promised.
    assert watch.taken["six calls"][0] >= 24
