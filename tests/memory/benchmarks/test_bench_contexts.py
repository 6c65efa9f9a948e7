"""`manage.py bench contexts`: what is asked is in the context with each section and without, and what each costs."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from memory.conf import memory_conf
from memory.evaluation import contexts
from memory.models import Organization

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]


def test_sections_are_left_out_in_turn(tmp_path: Path) -> None:
    texts = {"a": "I live in Oviedo and work as a nurse.", "b": "I am learning to repair accordions."}
    memories = [
        {
            "key": key,
            "tier": "memory_bank",
            "text": text,
            "tags": ["life"],
            "days_ago": 3,
            "importance": 0.8,
            "confidence": 0.9,
        }
        for key, text in texts.items()
    ]
    scenario = {
        "id": "one", "lang": "en", "family": "plain", "memories": memories,
        "query": "Where do I live, in Oviedo?", "relevant": {"a": 2}, "must_not_top1": [],
    }  # fmt: skip
    data, path = tmp_path / "data.jsonl", tmp_path / "figures.json"
    data.write_text(json.dumps(scenario) + "\n")
    call = StringIO()
    call_command("bench", "contexts", str(data), f"--json={path}", stdout=call)
    figures = json.loads(path.read_text())
    assert {name: figures[name]["best"] for name in (contexts.EVERYTHING, *contexts.SWITCHES)} == dict.fromkeys(
        (contexts.EVERYTHING, *contexts.SWITCHES), 1
    )
    assert "known_context" in figures[contexts.EVERYTHING]["sections"]
    assert "known_context" not in figures["known_context"]["sections"]
    assert memory_conf().context.tells_known
    assert not Organization.objects.filter(slug__startswith="benchmark").exists()
