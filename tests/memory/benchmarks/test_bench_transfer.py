"""`manage.py bench transfer`: it tells what differs; the commands themselves are run here in this process."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command

from memory.access.scope import user_scope
from memory.benchmarks import transfer
from memory.benchmarks.transfer import CommandCost
from memory.models import EndUser, MemoryEvent, Organization


def test_what_arrives_is_compared_and_nothing_stays(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def run_here(*words: str) -> CommandCost:
        calls.append(words[0])
        call_command(*words, stdout=io.StringIO())
        if words[0] == "import_user" and len(calls) > 4:
            # The second time something is lost on the way.
            copy = EndUser.objects.get(organization__slug=words[-1])
            with user_scope(copy):
                MemoryEvent.objects.filter(user=copy).order_by("pk")[0].delete()
        return CommandCost(0.1, 70.0)

    monkeypatch.setattr(transfer, "run_command", run_here)
    path = tmp_path / "figures.json"
    for lost in (0, 1):
        said = io.StringIO()
        call_command("bench", "transfer", "--memories=40", f"--json={path}", stdout=said)
        figures = json.loads(path.read_text())
        assert (figures["differing_lines"], figures["differing_searches"], figures["searches"]) == (lost, 0, 20)
        assert figures["equal"] is not bool(lost)
        # Memories, their events, and a wording of before with the event of the new one.
        assert figures["lines"] == 40 + 40 + 2
        assert ("what arrived equals what left" in said.getvalue()) is not bool(lost)
    assert calls == ["export_user", "export_user", "import_user", "export_user"] * 2
    assert not Organization.objects.filter(slug__startswith="benchmark").exists()
