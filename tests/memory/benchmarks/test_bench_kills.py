"""`manage.py bench kills` on a few turns, with the killing left out: what it counts, and that it sees what is wrong."""

from collections.abc import Iterator

import pytest

from memory.benchmarks import kills
from memory.benchmarks.speed import SpeedPlan
from memory.benchmarks.staging import stage_local
from tests.memory.benchmarks.test_bench_speed import in_one_process

__all__ = ["in_one_process"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services", "in_one_process")]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[kills.KillRun]:
    monkeypatch.setattr(kills, "CLIENTS", 1)
    monkeypatch.setattr(kills, "FRIENDS", ("Priya",))
    with stage_local(SpeedPlan(1, 0, 1, 1, 1), keep=False, say=print) as stage:
        assert stage.person is not None
        yield kills.KillRun(stage.client, stage.person, kills.KillPlan(turns=16, every=8), print)


def test_what_was_told_is_compared_with_what_is_known(run: kills.KillRun, monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[int] = []
    monkeypatch.setattr(kills, "list_web_workers", lambda: [4711])
    monkeypatch.setattr("memory.benchmarks.kills.os.kill", lambda pid, how: killed.append(pid))
    figures = run.run()
    assert (figures.turns, figures.kills, killed, figures.wrong) == (16, 2, [4711, 4711], [])
    assert min(figures.told, figures.asked) > 0
    assert (figures.stale, figures.unanswered, figures.resent) == (0, 0, 0)
    lost = next(name for name, history in run.friends.items() if history.homes)
    run.friends[lost].tell("Atlantis")
    assert any("Atlantis" in line for line in run.compare_facts())
    run.figures.turns += 1
    assert list(run.compare_turns()) == ["16 turns are kept, and not 17"]
