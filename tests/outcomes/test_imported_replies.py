"""A few words of an imported chat are read with the question of the assistant's that they answer."""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from memory.models import EndUser
from outcomes.exchanges import rereading
from tests.api_client import ApiClient

pytestmark = pytest.mark.django_db

Line = tuple[str, str]
BIRTHDAY: list[Line] = [
    ("user", "cake for theo"),
    ("assistant", "With pleasure. And how old is Theo?"),
    ("user", "nine."),
    ("assistant", "Any allergies?"),
    ("user", "nuts"),
    ("assistant", "Then a lemon cake. Where do you live?"),
    ("user", "Hull"),
]


def write_chat(folder: Path, lines: Sequence[Line], thread: str = "t") -> Path:
    rows = [
        {"thread": thread, "time": f"2026-05-01T10:{at:02}:00Z", "speaker": speaker, "text": text}
        for at, (speaker, text) in enumerate(lines)
    ]
    path = folder / "chat.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def import_chat(folder: Path, lines: Sequence[Line]) -> None:
    call_command("import_chats", str(write_chat(folder, lines)), user="ann", stdout=StringIO())


def list_told(api: ApiClient) -> dict[str, tuple[str, str]]:
    rows: list[dict[str, Any]] = api.get("facts", {"limit": 50}).json()["items"]
    return {row["statement"]: (row["subject"], row["relation"]) for row in rows}


def test_a_value_is_told_of_whom_the_assistant_asked_about(api: ApiClient, user: EndUser, tmp_path: Path) -> None:
    import_chat(tmp_path, BIRTHDAY)
    told = list_told(api)
    assert told["And how old is Theo? nine."] == ("theo", "about")
    assert told["Home: Hull."] == ("you", "lives_in")


def test_each_turn_is_read_alike_in_whatever_batch(
    api: ApiClient, user: EndUser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rereading, "BATCH", 1)
    import_chat(tmp_path, BIRTHDAY)
    told = list_told(api)
    assert {"And how old is Theo? nine.", "Home: Hull."} <= set(told)


def test_a_follow_up_knows_the_talk_that_led_to_it(api: ApiClient, user: EndUser, tmp_path: Path) -> None:
    lines = [
        ("user", "My mum's poorly."),
        ("assistant", "Sorry to hear it. What does she take?"),
        ("user", "metformin"),
        ("assistant", "What dose?"),
        ("user", "500 twice a day"),
    ]
    import_chat(tmp_path, lines)
    told = list_told(api)
    assert told, "what she takes is told of her"
    assert "you" not in {subject for subject, _ in told.values()}


@pytest.mark.parametrize("between", [("user", "hang on"), ("Tom", "How old is he again?")])
def test_what_others_ask_or_was_asked_long_before_is_not_answered(
    api: ApiClient, user: EndUser, tmp_path: Path, between: Line
) -> None:
    import_chat(tmp_path, [*BIRTHDAY[:2], between, BIRTHDAY[2]])
    assert not any("nine" in statement for statement in list_told(api))
