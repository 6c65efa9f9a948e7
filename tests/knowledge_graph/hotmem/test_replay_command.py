"""The command that replays a conversation."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memory.models import Organization

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]


def test_a_conversation_is_replayed_and_leaves_nothing(tmp_path: Path) -> None:
    file, out = tmp_path / "turns.txt", StringIO()
    file.write_text("My brother Kofi lives in Kumasi.\nhaha\n" + json.dumps({"text": "Kofi rang"}) + "\n")
    before = Organization.objects.count()
    call_command("hotmem", "replay", str(file), stdout=out)
    told = out.getvalue()
    assert "stored: kofi · lives_in · kumasi" in told.casefold()
    assert "3 turns" in told
    assert Organization.objects.count() == before
    with pytest.raises(CommandError, match="nowhere"):
        call_command("hotmem", "replay", str(tmp_path / "nowhere"))


def test_a_turn_may_come_with_what_it_replies_to(tmp_path: Path) -> None:
    file, out = tmp_path / "turns.jsonl", StringIO()
    file.write_text(json.dumps({"text": "Hull", "last_reply": "Where do you live?"}) + "\n")
    call_command("hotmem", "replay", str(file), stdout=out)
    assert "stored: you · lives_in · hull" in out.getvalue().casefold()


def test_a_file_without_turns_is_named(tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_text("\n\n")

    with pytest.raises(CommandError, match=r"talk\.txt: no turn in it"):
        call_command("hotmem", "replay", str(file))
