import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from memory.models import EndUser, Organization

pytestmark = pytest.mark.django_db

# The text nearest to the question is the wrong one, and nothing but outcomes can tell.
STORE = {
    "id": "tap",
    "lang": "en",
    "family": "learning",
    "query": "How do I stop the kitchen tap from dripping?",
    "memories": [
        {"key": "near", "tier": "history", "text": "To stop the kitchen tap from dripping, wrap tape around it."},
        {"key": "right", "tier": "history", "text": "It was the spindle: with a new washer in it not a drop came out."},
        {"key": "other", "tier": "history", "text": "The kitchen is painted in spring."},
    ],
    "relevant": {"right": 2},
    "must_not_top1": ["near"],
}


def test_the_first_hit_gets_right_by_outcomes_and_nothing_is_left(tmp_path: Path) -> None:
    rows = [STORE, {**STORE, "id": "control", "control": True}]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    out = StringIO()
    arguments = (tmp_path / "set.jsonl", "--rounds", 3, "--json", tmp_path / "figures.json")
    call_command("bench", "learning", *map(str, arguments), stdout=out)
    curve = json.loads((tmp_path / "figures.json").read_text())["curve"]
    assert [one["n"] for one in curve["hybrid"]] == [1] * 4
    assert curve["hybrid"][0]["Top-1"] == 0.0
    assert curve["hybrid"][-1]["Top-1"] == 1.0
    # Vectors alone hear nothing of outcomes.
    assert [one["Top-1"] for one in curve["vector"]] == [0.0] * 4
    assert "after 3" in out.getvalue()
    assert not Organization.objects.filter(slug__startswith="benchmark").exists()
    assert not EndUser.objects.exists()


def test_without_a_file_the_own_set_is_asked(tmp_path: Path) -> None:
    out = StringIO()
    arguments = ("--half", "held-out", "--limit", "2", "--modes", "hybrid", "--json", str(tmp_path / "figures.json"))
    call_command("bench", "quality", *arguments, stdout=out)
    assert json.loads((tmp_path / "figures.json").read_text())["dataset"] == "scenarios-v1, held-out"
