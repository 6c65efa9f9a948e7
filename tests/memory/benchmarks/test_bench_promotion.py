"""`manage.py bench promotion` on a small store: what it counts is what it made, and it leaves nothing behind."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from memory.benchmarks import promotion
from memory.benchmarks.promotion import FILL
from memory.models import EndUser, MemoryItem, Organization


@pytest.mark.django_db(transaction=True)
def test_it_counts_what_it_made_due_and_clears_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The statistics are the owner's to refresh, and of the whole database.
    monkeypatch.setattr(promotion, "refresh_statistics", lambda owner: None)
    out, path = StringIO(), tmp_path / "figures.json"
    call_command("bench", "promotion", "--memories=2000", "--users=2", "--due=100", f"--json={path}", stdout=out)
    figures = json.loads(path.read_text())
    assert (figures["moved"], figures["let_go"]) == (100, 100)
    assert figures["spreads"]["pass of a user"]["count"] == 2
    assert figures["spreads"]["wait for a row"]["count"] >= 1
    assert "promoting: 100 to move, 100 to let go" in out.getvalue()
    assert "2,000 memories of 2 users, 10 % due" in out.getvalue()
    assert not Organization.objects.filter(slug__startswith="benchmark").exists()
    assert not EndUser.objects.exists()


def test_its_rows_have_every_column_but_those_the_database_fills() -> None:
    columns = FILL[FILL.index("(") + 1 : FILL.index(")")].replace("\n", " ").split(",")
    left_out = {"archived_at", "last_used_at", "origin", "arrival", "revision", "warnings", "review"}
    left_out |= {"agent_id", "project_id", "is_expiry_given"}
    known = {field.column for field in MemoryItem._meta.fields}
    assert {column.strip() for column in columns} == known - left_out
