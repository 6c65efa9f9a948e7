"""Which of two requests the embedding server takes up first."""

import threading
from collections.abc import Iterator

import numpy as np
import pytest
from encoder import AWAITED_TEXTS, QUERY_TEXTS, Job, Lane, Lanes, Unit


class HeldEncoder:
    """Takes up nothing before it is told to, and notes in which order."""

    def __init__(self) -> None:
        self.may_go = threading.Event()
        self.taken: list[int] = []
        self.has_begun = threading.Event()

    def encode(self, unit: Unit) -> None:
        self.has_begun.set()
        self.may_go.wait(30)
        self.taken.append(unit.job.tokens)
        unit.job.finish_unit()


@pytest.fixture
def held() -> Iterator[HeldEncoder]:
    encoder = HeldEncoder()
    yield encoder
    encoder.may_go.set()


def queue(lane: Lane, name: int, count: int) -> Job:
    job = Job(np.zeros((count, 2), np.float32), name)
    return lane.share_out(job, [[1]] * count, [[]] * count)


def test_a_question_comes_before_passages_that_came_earlier(held: HeldEncoder) -> None:
    lane = Lane(held.encode, 1)
    first = queue(lane, 0, 1)
    assert held.has_begun.wait(30)
    jobs = [queue(lane, 1, 8), queue(lane, 2, 4), queue(lane, 3, QUERY_TEXTS), queue(lane, 4, 1)]
    held.may_go.set()
    for job in [first, *jobs]:
        job.done.result(30)
    assert held.taken == [0, 3, 4, 1, 2]


def test_what_nobody_waits_for_never_stands_among_the_questions(held: HeldEncoder) -> None:
    lanes = Lanes(Lane(held.encode, 1), Lane(held.encode, 1))
    for count in (1, AWAITED_TEXTS):
        assert lanes.choose(count, is_background=True) is lanes.bulk
        assert lanes.choose(count, is_background=False) is lanes.awaited
    assert lanes.choose(AWAITED_TEXTS + 1, is_background=False) is lanes.bulk
