"""`manage.py bench turns` on a few turns: triples are imported, turns timed, and nothing is left behind."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from memory.benchmarks import turns
from memory.facts import embedding
from memory.models import EndUser, Organization
from tests.memory.benchmarks.test_bench_speed import in_one_process

__all__ = ["in_one_process"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services", "in_one_process")]


def test_turns_are_measured_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def embed_meanwhile(seconds: float) -> None:
        for user in EndUser.objects.order_by("pk"):
            embedding.embed_batch(user, now=timezone.now())

    monkeypatch.setattr("memory.benchmarks.turns.time.sleep", embed_meanwhile)
    monkeypatch.setattr("memory.benchmarks.turns.WARM_UP", 1)
    out, path = StringIO(), tmp_path / "figures.json"
    call_command("bench", "turns", "--facts=8", "--turns=2", f"--json={path}", stdout=out)
    figures = json.loads(path.read_text())
    counted = {name: figures["spreads"][name]["count"] for name in (turns.IMPORT, turns.TURN, turns.HERE)}
    assert counted == {turns.IMPORT: 1, turns.TURN: 2, turns.HERE: 2}
    assert 0 < figures["facts"] <= 8
    assert "the hot path" in out.getvalue()
    assert not Organization.objects.filter(slug__startswith="benchmark").exists()
