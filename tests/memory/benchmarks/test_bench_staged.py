"""`manage.py bench staged`: a question across conversations asked both ways."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.models import Organization

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]


def say(thread: str, *said: str) -> dict[str, Any]:
    exchanges = [
        {"at": f"2026-03-0{day}T10:00:00Z", "user": text, "assistant": "Noted."}
        for day, text in enumerate(said, start=1)
    ]
    return {"thread_id": thread, "exchanges": exchanges}


KETTLE = say("kettle", "Where is my order 4711?", "I want a refund of 43.90 for the leaking kettle, order 4711.")
CASE = {
    "id": "one", "lang": "en", "domain": "support", "kind": "other", "negative": False,
    "threads": [KETTLE, say("door", "The garden door squeaks.")], "current": say("now", "Good morning."),
    "query": "How much refund did I ask for, order 4711?", "at": "2026-03-09T10:00:00Z",
    "gold": [{"thread_id": "kettle", "exchange": 1}], "answer": ["43.90"],
}  # fmt: skip
ABSENT = {**CASE, "id": "two", "kind": "absent", "negative": True, "gold": [], "answer": [], "query": "Hello there"}


def test_both_ways_are_asked_and_compared(tmp_path: Path) -> None:
    data, path = tmp_path / "cases.jsonl", tmp_path / "figures.json"
    data.write_text("".join(json.dumps(case) + "\n" for case in (CASE, ABSENT)))
    printed = StringIO()
    call_command("bench", "staged", str(data), f"--json={path}", stdout=printed)
    figures = json.loads(path.read_text())["cases.jsonl"]
    for mode in ("hybrid", "staged"):
        found = figures[mode]
        assert (found["positive"], found["negative"]) == (1, 1)
        assert (found["held"], found["recall_at_5"]) == (1, 1.0)
        assert found["tokens"]["positive"] > 0
        assert f"cases.jsonl, {mode}: gold exchanges found" in printed.getvalue()
    assert not Organization.objects.filter(slug__startswith="benchmark").exists()


def test_a_case_without_its_gold_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "cases.jsonl"
    data.write_text(json.dumps({name: value for name, value in CASE.items() if name != "gold"}))
    with pytest.raises(CommandError, match="gold"):
        call_command("bench", "staged", str(data))
