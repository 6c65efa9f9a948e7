"""Files of other memories and of coding agents: recognised by what they hold, read as what was said."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.models import EndUser
from memory.tiers import Tier
from memory.transfer.chats.importing import ChatFile, import_chats
from memory.transfer.chats.messages import BrokenExport, ImportedMessage
from tests.api_client import ApiClient

MEM0: dict[str, Any] = {
    "count": 2,
    "next": None,
    "results": [
        {
            "id": "m-1",
            "memory": "Keeps two beehives behind the shed",
            "user_id": "ines",
            "categories": ["hobbies"],
            "created_at": "2026-03-01T10:00:00-08:00",
        },
        {"id": "m-2", "memory": " ", "created_at": "2026-03-02T10:00:00Z"},
    ],
}
ZEP_MESSAGES: dict[str, Any] = {
    "messages": [
        {"uuid": "z-1", "role": "Ines", "role_type": "user", "content": "The hive is loud", "created_at": "2026-03-01"},
        {"uuid": "z-2", "role": "bot", "role_type": "assistant", "content": "They may swarm."},
        {"uuid": "z-3", "role": "x", "role_type": "tool", "content": "{}"},
    ],
    "row_count": 3,
}
ZEP_FACTS = [
    {"uuid": "f-1", "fact": "Ines keeps bees", "name": "KEEPS", "created_at": "2026-03-02", "valid_at": "2025-01-01"}
]
LETTA: dict[str, Any] = {
    "agents": [
        {
            "id": "agent-0",
            "name": "Bee keeper",
            "messages": [
                {"id": "l-0", "role": "system", "content": [{"type": "text", "text": "You are"}]},
                {
                    "id": "l-1",
                    "role": "user",
                    "content": [{"type": "text", "text": json.dumps({"type": "user_message", "message": "Hi bees"})}],
                    "created_at": "2026-03-01T10:00:00+00:00",
                },
                {
                    "id": "l-2",
                    "role": "assistant",
                    "content": [{"type": "text", "text": "a thought"}],
                    "tool_calls": [
                        {"function": {"name": "send_message", "arguments": json.dumps({"message": "Hello Ines"})}}
                    ],
                },
                {"id": "l-3", "role": "user", "content": json.dumps({"type": "heartbeat", "reason": "time"})},
            ],
        }
    ],
    "blocks": [
        {"id": "b-0", "label": "persona", "value": "I am a helper"},
        {"id": "b-1", "label": "human", "value": "Ines has two hives"},
    ],
    "tools": [],
}
HINDSIGHT = {
    "items": [
        {
            "id": "h-1",
            "text": "Ines bought a smoker",
            "context": "shopping",
            "fact_type": "world",
            "occurred_start": "2026-02-01T00:00:00Z",
            "mentioned_at": "2026-03-01T00:00:00Z",
            "document_id": "d",
        }
    ],
    "total": 1,
}


def entry(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    base = {"sessionId": "s-1", "cwd": "/srv/hive", "timestamp": "2026-03-01T10:00:00.000Z", "isSidechain": False}
    return {"type": kind, "uuid": f"u-{len(str(content))}", "message": {"content": content}, **base, **more}


CLAUDE_CODE = [
    {"type": "summary", "summary": "A session", "leafUuid": "x"},
    entry("user", "Why does the build fail?"),
    entry("user", "<command-name>/clear</command-name>"),
    entry("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "A file is missing."}]),
    entry("assistant", [{"type": "tool_use", "name": "Read", "input": {}}]),
    entry("user", [{"type": "tool_result", "content": "text of a file"}]),
    entry("user", "work of a subagent", isSidechain=True),
    {"type": "system", "sessionId": "s-1", "content": "took 3 s"},
]


def write_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("kind", "content", "said", "left_out"),
    [
        ("mem0", json.dumps(MEM0), [("mem0", "assistant", "Keeps two beehives behind the shed", "2026-03-01T18")], 1),
        ("mem0", json.dumps(MEM0, indent=2), [("mem0", "assistant", MEM0["results"][0]["memory"], "2026-03-01T18")], 1),
        (
            "mem0",
            json.dumps(MEM0["results"]),
            [("mem0", "assistant", MEM0["results"][0]["memory"], "2026-03-01T18")],
            1,
        ),
        (
            "zep",
            json.dumps(ZEP_MESSAGES),
            [("zep", "Ines", "The hive is loud", "2026-03-01T00"), ("zep", "assistant", "They may swarm.", "")],
            1,
        ),
        (
            "zep",
            json.dumps(
                [
                    {"uuid": "1", "role": "user", "name": "Bob", "content": "Hi", "created_at": "2026-03-01"},
                    {"uuid": "2", "role": "human", "content": "Bees", "created_at": "2026-03-01"},
                    {"uuid": "3", "role": "ai", "name": "Bot", "content": "Hm", "created_at": "2026-03-01"},
                ]
            ),
            [
                ("zep", "Bob", "Hi", "2026-03-01T00"),
                ("zep", "user", "Bees", "2026-03-01T00"),
                ("zep", "assistant", "Hm", "2026-03-01T00"),
            ],
            0,
        ),
        ("zep", json.dumps({"edges": ZEP_FACTS}), [("zep", "assistant", "Ines keeps bees", "2025-01-01T00")], 0),
        (
            "letta",
            json.dumps(LETTA, indent=1),
            [
                ("agent-0", "user", "Hi bees", "2026-03-01T10"),
                ("agent-0", "assistant", "Hello Ines", ""),
                ("letta", "assistant", "Ines has two hives", ""),
            ],
            3,
        ),
        ("hindsight", json.dumps(HINDSIGHT), [("d", "assistant", "Ines bought a smoker", "2026-02-01T00")], 0),
        (
            "claude-code",
            write_lines(CLAUDE_CODE),
            [
                ("s-1", "user", "Why does the build fail?", "2026-03-01T10"),
                ("s-1", "assistant", "A file is missing.", "2026-03-01T10"),
            ],
            6,
        ),
    ],
)
def test_a_file_is_recognised_and_read_as_what_was_said(
    tmp_path: Path, kind: str, content: str, said: list[tuple[str, str, str, str]], left_out: int
) -> None:
    path = tmp_path / "file"
    path.write_text(content, "utf-8")
    file = ChatFile(path)
    read = [message for message in file.read_messages() if isinstance(message, ImportedMessage)]
    assert file.kind == kind
    assert [
        (one.thread_id, one.speaker, one.text, one.said_at.isoformat()[:13] if one.said_at else "") for one in read
    ] == said
    assert file.survey().skipped.total() == left_out


def test_what_another_memory_knows_to_be_over_is_left_out_and_the_rest_ends_in_its_time(
    tmp_path: Path, user: EndUser, api: ApiClient
) -> None:
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date()
    kept = {**MEM0["results"][0], "expiration_date": tomorrow.isoformat()}
    gone = {**MEM0["results"][0], "id": "m-3", "expiration_date": "2026-04-01"}
    facts = [
        *ZEP_FACTS,
        {**ZEP_FACTS[0], "uuid": "f-2", "fact": "Ines keeps hens", "invalid_at": "2025-06-01T00:00:00Z"},
    ]
    for kind, content, reason in (
        ("mem0", {"results": [kept, gone]}, "expired"),
        ("zep", facts, "fact that has ended"),
    ):
        path = tmp_path / kind
        path.write_text(json.dumps(content), "utf-8")
        assert ChatFile(path).survey().skipped == {reason: 1}
        import_chats(user, ChatFile(path), tier=Tier.PATTERNS, now=timezone.now())
    ends = {one["text"]: one["expires_at"] for one in api.get("memories").json()["items"]}
    assert ends == {
        "Keeps two beehives behind the shed": f"{tomorrow + timedelta(days=1)}T00:00:00Z",
        "Ines keeps bees": None,
    }


def test_a_folder_of_transcripts_is_one_import(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        rows = [{**row, "sessionId": name} for row in CLAUDE_CODE]
        (tmp_path / name / f"{name}.jsonl").write_text(write_lines(rows), "utf-8")
    assert ChatFile(tmp_path).survey().threads == {"a", "b"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (json.dumps({"results": [{"id": "1", "memory": "Bees"}, {"id": "2", "memory": 7}]}), "memory must be a string"),
        (json.dumps({"results": [{"id": "1", "memory": "Bees"}, 7]}), "entry 2 must be an object"),
        (json.dumps({"messages": [{"uuid": "1", "role_type": "user", "content": ["x"]}]}), "content must be a string"),
        (json.dumps({"agents": [7], "blocks": []}), "agents: entry 1 must be an object"),
        (json.dumps(HINDSIGHT).replace("2026-02-01T00:00:00Z", "soon"), "is not an ISO 8601 time"),
        (write_lines([{**entry("user", "x"), "message": []}]), "message must be an object"),
        (json.dumps({"messages": [*ZEP_MESSAGES["messages"], {"role_type": "user"}]}), "entry 4: uuid is missing"),
        (json.dumps({"edges": [*ZEP_FACTS, {"uuid": "f-2"}]}), "entry 2: role_type, fact, or role with content"),
        (json.dumps({"unknown": True}), "none of the known formats"),
    ],
)
def test_a_file_of_another_shape_is_refused_with_its_place(tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "file").write_text(content, "utf-8")
    with pytest.raises(BrokenExport, match=reason):
        ChatFile(tmp_path / "file").survey()


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("zep", ["uuid", "role_type", "fact"]),
        ("mem0", ["id", "memory"]),
        ("letta", ["agents"]),
        ("hindsight", ["text", "fact_type"]),
        ("chatgpt", ["mapping"]),
        ("claude", ["chat_messages"]),
    ],
)
def test_a_file_that_is_not_of_the_format_named_says_what_one_has(tmp_path: Path, kind: str, fields: list[str]) -> None:
    (tmp_path / "file").write_text(json.dumps({"messages": [{"id": 1}]}), "utf-8")
    with pytest.raises(BrokenExport, match=f"is not of a {kind} export: ") as refused:
        ChatFile(tmp_path / "file", kind).survey()
    assert [field for field in fields if field not in refused.value.reason] == []
