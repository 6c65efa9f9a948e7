"""The judge of pairs, measured: labelled pairs, and conversations in which something changes."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from memory.evaluation.pairs import measure_pairs

PAIRS = [
    {"a": "User lives in Leeds.", "b": "User lives in York.", "label": "contradiction"},
    {"a": "User lives in Leeds.", "b": "The user's home is in Leeds.", "label": "merge"},
    {"a": "User speaks Welsh.", "b": "User speaks Breton.", "label": "merge"},
]
CHANGE = {
    "turns": [{"user": "I live in Leeds."}, {"user": "I live in York now."}, {"user": "Is it far?"}],
    "current_turns": [1],
    "stale_turns": [0],
    "ending_turns": [],
}


def test_pairs_and_changes_are_counted() -> None:
    figures = measure_pairs([*PAIRS, CHANGE], lambda _a, _b: None)
    assert (figures.pairs, figures.right, figures.destructive) == (3, 2, 0)
    assert (figures.contradictions, figures.contradictions_found) == (1, 1)
    assert (figures.stale, figures.replaced, figures.others, figures.others_replaced) == (1, 1, 1, 0)
    assert figures.misses == ["keep_both, not merge: User speaks Welsh. || User speaks Breton."]


def test_nothing_may_be_replaced_in_what_only_looks_like_a_change() -> None:
    control = {**CHANGE, "control": True, "current_turns": [0], "stale_turns": []}
    figures = measure_pairs([control], lambda _a, _b: None)
    assert (figures.stale, figures.others, figures.others_replaced) == (0, 3, 1)


@pytest.mark.usefixtures("services")
def test_the_command_prints_them(tmp_path: Path) -> None:
    file, out, figures = tmp_path / "pairs.jsonl", StringIO(), tmp_path / "figures.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in PAIRS), encoding="utf-8")
    call_command("bench", "pairs", str(file), "--misses", f"--json={figures}", stdout=out)
    assert "pairs.jsonl: right: 2 of 3 (0.667)" in out.getvalue()
    assert "keep_both, not merge" in out.getvalue()
    assert json.loads(figures.read_text())["pairs.jsonl"]["confusion"]["merge as merge"] == 1
