"""Messages of imported chats in recall: found as they were said, and never longer than their memories."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from memory.access.scope import user_scope
from memory.models import EndUser
from memory.records import queue
from memory.records.models import RecordEmbedding
from memory.records.tasks import embed_user_records
from tests.api_client import ApiClient, client_for

CHAT = [
    ("2024-05-01T10:00:00Z", "user", "The boiler in our cabin leaks whenever it freezes."),
    ("2024-05-01T10:01:00Z", "assistant", "Replace the pressure valve of the boiler, it is worn out."),
    ("2024-05-02T10:00:00Z", "Ines", "I lent my blue kayak to the rowing club."),
]


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    lines = [{"thread": "cabin", "time": time, "speaker": name, "text": text} for time, name, text in CHAT]
    path = tmp_path / "chats.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def imported(chats: Path, user: EndUser, other_user: EndUser) -> None:
    import_chats(chats)
    embed_user_records(user.pk)


def import_chats(chats: Path) -> None:
    call_command("import_chats", str(chats), user="ann", stdout=StringIO())


def ask(api: ApiClient, query: str) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = api.post("recall/search", {"query": query}).json()["diagnostics"]["results"]
    return results


def list_messages(user: EndUser) -> dict[str, str]:
    """The snippets, by the ids of their memories."""
    with user_scope(user):
        return {str(row.memory_id): row.snippet for row in RecordEmbedding.objects.filter(user=user)}


def test_what_was_said_is_found_with_speaker_and_time(api: ApiClient, imported: None, other_user: EndUser) -> None:
    found = ask(api, "what leaks when it is freezing?")[0]

    assert (found["kind"], found["snippet"]) == ("message", f"(user) {CHAT[0][2]}")
    assert found["created_at"].startswith("2024-05-01T10:00:00")
    assert api.get(f"memories/{found['ref_id']}").json()["text"] == CHAT[0][2]
    assert ask(api, "who has my kayak?")[0]["snippet"] == f"(Ines) {CHAT[2][2]}"
    assert ask(client_for(other_user), "what leaks when it is freezing?") == []


def test_what_is_written_now_does_not_wait_for_an_import(
    api: ApiClient, user: EndUser, chats: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "BATCH", 1)
    import_chats(chats)
    api.post("kinds/todos", {"title": "Water the lemon tree"})
    queue.embed_batch(user, now=timezone.now())

    assert ask(api, "water the lemon tree")[0]["kind"] == "todo"
    assert api.get("recall/status").json()["pending"] == len(CHAT)


def test_a_message_goes_where_its_memory_goes(api: ApiClient, user: EndUser, imported: None) -> None:
    valve, kayak = ask(api, "replace the pressure valve")[0], ask(api, "who has my kayak?")[0]

    api.patch(f"memories/{valve['ref_id']}", {"text": "Replace the whole boiler."})
    assert list_messages(user)[valve["ref_id"]] == "(assistant) Replace the whole boiler."
    api.post(f"memories/{kayak['ref_id']}/archive", {})
    assert kayak["ref_id"] not in list_messages(user)
    api.post(f"memories/{kayak['ref_id']}/restore", {})
    assert list_messages(user)[kayak["ref_id"]] == kayak["snippet"]
    api.delete(f"memories/{kayak['ref_id']}")
    assert len(list_messages(user)) == 2


def test_the_same_file_again_adds_what_an_earlier_release_left_out(
    api: ApiClient, user: EndUser, imported: None, chats: Path
) -> None:
    before = list_messages(user)
    api.delete(f"memories/{ask(api, 'who has my kayak?')[0]['ref_id']}")
    with user_scope(user):
        RecordEmbedding.objects.filter(user=user).delete()

    import_chats(chats)
    import_chats(chats)
    # What its owner deleted stays deleted.
    assert list_messages(user).items() < before.items()
    assert len(list_messages(user)) == 2


def test_a_purged_source_leaves_recall(user: EndUser, imported: None) -> None:
    call_command("purge_source", source="import", user="ann", stdout=StringIO())

    assert list_messages(user) == {}
