"""`manage.py bench exchanges` on a few exchanges: all are read, in order, and nothing is left behind."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from memory.benchmarks import exchanges
from memory.models import EndUser, Organization
from outcomes.exchanges import profiling
from tests.memory.benchmarks.test_bench_speed import in_one_process

__all__ = ["in_one_process"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services", "in_one_process")]


def test_a_burst_is_measured_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_meanwhile(seconds: float) -> None:
        for user in EndUser.objects.order_by("pk"):
            profiling.profile_due_exchanges(user)

    monkeypatch.setattr("memory.benchmarks.exchanges.time.sleep", read_meanwhile)
    out, path = StringIO(), tmp_path / "figures.json"
    call_command("bench", "exchanges", "--exchanges=12", "--people=3", f"--json={path}", stdout=out)
    figures = json.loads(path.read_text())
    assert figures["spreads"][exchanges.STORE]["count"] == figures["spreads"][exchanges.KNOWN]["count"] == 12
    assert (figures["out_of_order"], figures["messages"] >= 0) == (0, True)
    assert "12 exchanges of 3 people" in out.getvalue()
    assert not Organization.objects.filter(slug__startswith="benchmark").exists()
