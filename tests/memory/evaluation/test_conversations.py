"""What is still known of a conversation, measured: its figures, its forms, and that nothing of it is left."""

import json
from collections import Counter
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.evaluation import conversations
from memory.evaluation.answers import holds_any
from memory.models import EndUser, Organization

FACTS = Path(conversations.__file__).parent / "facts"
LIFE = {
    "id": "one",
    "turns": [
        {"at": "2026-03-02T09:00:00Z", "user": "I keep my bicycle in the blue shed.", "assistant": "Noted."},
        {"at": "2026-03-05T09:00:00Z", "user": "The ferry to Hvar leaves at 14:30.", "assistant": "Noted."},
    ],
    "questions": [
        {"question": "Where is my bicycle?", "answer": ["blue shed"], "stale": []},
        {"question": "Where is my bicycle kept?", "answer": ["garage"], "stale": ["blue shed"]},
    ],
}


@pytest.mark.django_db
@pytest.mark.usefixtures("services")
def test_what_was_said_is_known_on_the_last_day_and_later() -> None:
    said: list[str] = []
    life = conversations.read_conversation(LIFE)
    figures = conversations.measure_conversations([life], timedelta(days=30), said.append)
    assert list(figures) == ["on the last day", "30 days later"]
    for found in figures.values():
        assert (found.asked, found.in_context, found.right_first) == (2, 1, 1)
        assert (found.stale_first, found.only_stale) == (1, 1)
        assert (found.in_bullets, found.first_bullet, found.stale_bullets) == (1, 1, 1)
        assert found.bullets >= 2
        assert found.misses == [
            "not in the context: Where is my bicycle kept? (garage)",
            "stale first: Where is my bicycle kept? (garage): I keep my bicycle in the blue shed.",
            "no bullet: Where is my bicycle kept? (garage): Your bike: in the blue shed",
        ]
        assert found.tokens > 0
    assert not EndUser.objects.exists()
    assert not Organization.objects.filter(slug__startswith="benchmark").exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("services")
def test_the_command_prints_them(tmp_path: Path) -> None:
    change: dict[str, Any] = {
        "id": "two",
        "turns": LIFE["turns"],
        "question": "When does the ferry leave?",
        "answer_now": ["14:30"],
        "stale": [],
    }
    file, out, figures = tmp_path / "changes.jsonl", StringIO(), tmp_path / "figures.json"
    file.write_text(json.dumps(change) + "\n", encoding="utf-8")
    call_command("bench", "conversations", str(file), "--later=2", f"--json={figures}", stdout=out)
    assert "changes.jsonl, on the last day: in context: 1 of 1 (1.000)" in out.getvalue()
    assert json.loads(figures.read_text())["changes.jsonl"]["2 days later"]["right_first"] == 1


@pytest.mark.django_db
@pytest.mark.usefixtures("services")
def test_facts_are_compared_with_those_that_were_told() -> None:
    said = ["I live in Leeds and my dog is called Rex.", "I live in York now.", "My sister Ana moved to Porto."]
    turns = [
        {"at": f"2026-03-0{day}T09:00:00Z", "user": text, "assistant": "Noted."}
        for day, text in enumerate(said, start=1)
    ]
    expected = {
        "facts": [
            {"about": "you", "holds": ["york"], "what": "lives in York"},
            {"about": "you", "holds": ["moped"], "what": "rides a moped"},
            {"about": "Ana", "holds": ["porto"], "what": "lives in Porto"},
        ],
        "gone": [
            {"about": "you", "holds": ["leeds"], "what": "lived in Leeds"},
            {"about": "you", "holds": ["rex"], "what": "had Rex"},
        ],
        "never": [{"holds": ["porto"], "what": "lives in Porto"}, {"holds": ["york"], "what": "lives in York"}],
    }
    life = conversations.read_conversation({"id": "three", "turns": turns, "questions": LIFE["questions"], **expected})
    found = conversations.measure_conversations([life], timedelta(days=30), lambda _: None)["on the last day"].facts
    assert list(found.rows()) == [
        ("known", "2 of 3 (0.667)"),
        ("ended", "1 of 2 (0.500)"),
        ("kept out", "1 of 2 (0.500)"),
    ]
    assert found.misses == [
        "not known: you: rides a moped",
        "not ended: you: had Rex",
        "not kept out: you: lives in York",
    ]


@pytest.mark.parametrize("content", ["no json", '{"id": "x"}', '{"id": "x", "turns": [{"at": "yesterday"}]}'])
def test_a_file_of_another_kind_is_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(CommandError, match=r"odd\.jsonl holds no conversations"):
        call_command("bench", "conversations", str(file))


@pytest.mark.parametrize(
    ("text", "parts", "holds"),
    [
        ("I take 25 mg", ["25"], True),
        ("I take 125 mg", ["25"], False),
        ("In LEEDS now", ["leeds"], True),
        ("", ["x"], False),
    ],
)
def test_an_answer_is_a_part_of_the_text_and_a_number_no_part_of_another(
    text: str, parts: list[str], holds: bool
) -> None:
    assert holds_any(text, parts) is holds


def test_the_halves_of_the_sets_share_no_line_and_no_combination() -> None:
    seen: dict[str, set[str]] = {}
    for half in ("dev", "held_out"):
        lines = [
            json.loads(line)
            for file in FACTS.glob(f"*.{half}.jsonl")
            for line in file.read_text(encoding="utf-8").splitlines()
        ]
        assert max(Counter(line["id"] for line in lines).values()) == 1
        assert {line["split"] for line in lines} == {half}
        seen[half] = {line["id"] for line in lines}
        # These are parted by item: what is told in several turns, or as it comes, has no one phrasing.
        by_conversation = (
            *("sp-", "sg-", "vc-", "vp-", "nc-", "ns-", "nr-", "nn-", "nt-", "tc-", "ts-", "tr-", "tn-"),
            *(
                "commuter-",
                "flatmate-",
                "parent-",
                "repairer-",
                "freelancer-",
                "lodger-",
                "boarder-",
                "caller-",
                "patient-",
                "gardener-",
                "waiter-",
            ),
        )
        plain = [line for line in lines if "phrasing" in line and not line["id"].startswith(by_conversation)]
        seen[half] |= {f"{line['subject']} {line['phrasing']}" for line in plain}
    assert seen["dev"].isdisjoint(seen["held_out"])
