"""`manage.py import_chats`: all of a file or nothing, once and only once, for one user."""

import json
import zipfile
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.access.scope import user_scope
from memory.access.users import find_user
from memory.models import EndUser, MemoryItem, Organization
from memory.store import archiving, writing
from memory.tiers import MAX_TEXT_CHARS, Indexing, SourceType, Tier
from memory.transfer.chats import importing

SAMPLES = Path(__file__).parent.parent / "samples" / "chats"


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of two dozen lines is read and stored in several batches."""
    monkeypatch.setattr(importing, "BATCH", 10)


def run_import(file: Path | str, user: str = "ann", **options: Any) -> str:
    out = StringIO()
    call_command("import_chats", str(SAMPLES / file), user=user, stdout=out, **options)
    return out.getvalue()


def rows_of(user: EndUser) -> list[MemoryItem]:
    """The messages that were imported, without what was learned from them or stood beside them."""
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).filter(source__type="import").exclude(tier=Tier.MEMORY_BANK)
        return list(rows.order_by("thread_id", "occurred_at", "created_at", "id"))


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def turns(number: int, thread: str = "t") -> list[dict[str, Any]]:
    return [
        {"thread": thread, "time": f"2026-05-0{1 + n % 9}T10:00:00Z", "speaker": "Ines", "text": f"Line number {n}."}
        for n in range(number)
    ]


@pytest.mark.parametrize(("file", "kind", "added"), [("chatgpt.json", "chatgpt", 6), ("claude.json", "claude", 9)])
def test_an_export_becomes_history_and_the_second_time_nothing(user: EndUser, file: str, kind: str, added: int) -> None:
    first = run_import(file)
    assert f"added {added} to history of ann, 0 already there" in first
    rows = rows_of(user)
    assert len(rows) == added
    assert {row.tier for row in rows} == {Tier.HISTORY}
    assert {row.indexing for row in rows} == {Indexing.PENDING}
    assert {row.source["format"] for row in rows} == {kind}
    assert f"added 0 to history of ann, {added} already there" in run_import(file)
    assert len(rows_of(user)) == added


def test_speakers_times_threads_and_titles_arrive(user: EndUser) -> None:
    run_import("chatgpt.json")
    first = rows_of(user)[0]
    assert (first.speaker, first.source_type) == ("user", SourceType.USER)
    assert first.occurred_at.isoformat() == "2026-01-02T08:00:05.250000+00:00"
    assert first.metadata == {
        "thread_id": "6953f0c0-0000-8000-9000-00000000000a",
        "thread_title": "Mending the gate",
    }
    assert first.thread_id == first.metadata["thread_id"]


def test_lines_that_repeat_are_kept_apart_and_still_imported_once(user: EndUser) -> None:
    assert "added 6 to patterns of ann, 0 already there, 1 left out" in run_import("plain.jsonl", tier="patterns")
    assert "left out: 1 (empty)" in run_import("plain.jsonl", tier="patterns")
    texts = [row.text for row in rows_of(user)]
    assert texts.count("ok") == 2
    assert len(texts) == 6


def test_a_zip_adds_nothing_to_what_its_file_added(user: EndUser, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(SAMPLES / "claude.json", "conversations.json")
    run_import("claude.json")
    assert "added 0 to history of ann, 9 already there" in run_import(tmp_path / "export.zip")


def test_a_fault_anywhere_is_refused_with_its_line_and_nothing_is_stored(
    user: EndUser, tmp_path: Path, small_batches: None
) -> None:
    rows = turns(24)
    rows[22]["speaker"] = None
    with pytest.raises(CommandError, match=r"line 23: speaker is missing\nNothing was imported"):
        run_import(lines(tmp_path / "broken.jsonl", rows))
    assert rows_of(user) == []
    rows[22]["speaker"] = "Ines"
    assert "added 24" in run_import(lines(tmp_path / "whole.jsonl", rows))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "the file is empty"),
        ("[]", "holds no conversations"),
        ('{"question": 1}', "in none of the known formats"),
        ('[{"mapping": {}, "id": "a"}, {"chat_messages": []}]', "conversation 2: is not of a chatgpt export"),
        ('{"thread": "t", "time": "2026", "speaker": "a", "text": "b"}', "line 1: time '2026' is not"),
    ],
)
def test_other_files_are_refused_with_a_reason(user: EndUser, tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "file").write_text(content)
    with pytest.raises(CommandError, match=reason):
        run_import(tmp_path / "file")


def test_an_interrupted_import_goes_on_where_it_stopped(
    user: EndUser, tmp_path: Path, small_batches: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = lines(tmp_path / "long.jsonl", turns(24))
    calls = count(1)

    def stop_at_the_third(*args: Any, **options: Any) -> Any:
        if next(calls) == 3:
            raise KeyboardInterrupt
        return writing.store_memories(*args, **options)

    with monkeypatch.context() as interrupted:
        interrupted.setattr(importing, "store_memories", stop_at_the_third)
        with pytest.raises(CommandError, match="stopped after 20") as stopped:
            run_import(file)
    assert stopped.value.returncode == 130
    assert "added 4 to history of ann, 20 already there" in run_import(file)
    assert len(rows_of(user)) == 24


def test_a_long_message_is_split_and_nothing_of_it_is_lost(user: EndUser, tmp_path: Path) -> None:
    text = "The river rose again and the ferry stayed at its post. " * 1_500
    file = lines(tmp_path / "long.jsonl", [turns(1)[0] | {"text": text + "\u0007"}])
    said = run_import(file)
    assert "1 message in 1 thread" in said
    assert "added 3 to history" in said
    rows = sorted(rows_of(user), key=lambda row: row.metadata["part"])
    assert "".join(row.text for row in rows) == text.strip()
    assert all(len(row.text) <= MAX_TEXT_CHARS for row in rows)
    assert [row.metadata["parts"] for row in rows] == [3, 3, 3]
    assert "added 0" in run_import(file)


def test_a_rehearsal_says_what_would_happen_and_writes_nothing(organization: Organization) -> None:
    said = run_import("claude.json", user="newcomer", dry_run=True)
    assert "would add 9 to history of newcomer, 0 already there; nothing was written" in said
    assert find_user(organization, "newcomer") is None
    run_import("claude.json", user="newcomer")
    assert "would add 0 to history of newcomer, 9 already there" in run_import(
        "claude.json", user="newcomer", dry_run=True
    )


def test_what_its_owner_deleted_does_not_come_back(user: EndUser) -> None:
    run_import("plain.jsonl")
    gone = rows_of(user)[0]
    assert archiving.delete_memory(user, gone.pk, now=gone.created_at)
    assert "added 0 to history of ann, 6 already there" in run_import("plain.jsonl")


def test_the_organisation_must_be_named_when_there_are_several(user: EndUser, foreign_user: EndUser) -> None:
    with pytest.raises(CommandError, match="name the organisation with --org; there are: acme, umbra"):
        run_import("plain.jsonl")
    with pytest.raises(CommandError, match="no organisation 'nowhere'"):
        run_import("plain.jsonl", org="nowhere")
    run_import("plain.jsonl", org="umbra")
    assert rows_of(user) == []
    assert len(rows_of(foreign_user)) == 6


def test_an_id_no_client_could_use_is_refused(organization: Organization) -> None:
    with pytest.raises(CommandError, match="a user id is 1-128"):
        run_import("plain.jsonl", user="ann/../ben")
    assert not EndUser.objects.exists()


def test_the_same_file_in_two_projects_is_two_memories_and_each_once(user: EndUser, tmp_path: Path) -> None:
    file = lines(tmp_path / "chat.jsonl", turns(3))
    for project, added in (("acme/atlas", 3), ("acme/borealis", 3), ("", 3), ("acme/atlas", 0)):
        told = run_import(file, project=project)
        assert f"added {added} to history of ann, {3 - added} already there" in told
    assert f"would add 0 to history of ann, {3} already there" in run_import(file, project="acme/atlas", dry_run=True)
    found = sorted(row.project_id for row in rows_of(user))
    assert found == [""] * 3 + ["acme/atlas"] * 3 + ["acme/borealis"] * 3
    with pytest.raises(CommandError, match="--project: must be 1-128"):
        run_import(file, project="no spaces")
