"""The page that takes a person's data out and adds a file, without JavaScript."""

import io
import json
import re
import zipfile
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact, MemoryItem, Transfer, TransferPart
from memory.models.transfers import TransferState
from memory.portability import jobs, tasks
from memory.portability.chats import KEPT_FOR
from memory.store.admission import NewMemory
from tests.memory.console.conftest import Console
from tests.memory.management.test_import_accounts import CHAT, MEMORIES, PROJECTS

CHATS = b"""
{"thread": "home", "time": "2026-05-01T10:00:00Z", "speaker": "user", "text": "My sister is called Mara."}
{"thread": "home", "time": "2026-05-01T10:01:00Z", "speaker": "assistant", "text": "Noted."}
{"thread": "home", "time": "2026-05-01T10:02:00Z", "speaker": "user", "text": " "}
{"thread": "boat", "time": "2026-05-03T10:00:00Z", "speaker": "user", "text": "How often should a bilge pump run?"}
""".lstrip()


@pytest.fixture
def console(governing: Console) -> Console:
    """An owner; what a member may do here is asked with the access to every page."""
    return governing


def test_a_file_is_taken_out_checked_and_added_and_each_is_told(
    console: Console, outsider: Console, user: EndUser
) -> None:
    MemoryFacade().store(user, NewMemory("The hive is loud"), now=timezone.now())
    address = f"/console/{user.organization.slug}/{user.external_id}/transfer"
    assert "Nothing yet." in console.get(address).content.decode()
    assert console.get(f"{address}/export").status_code == 405
    for path in (address, f"{address}/export", f"{address}/import"):
        assert outsider.post(path, {}).status_code in {404, 405}

    response = console.post(f"{address}/export")
    file = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    assert b"The hive is loud" in file
    assert response.headers["Content-Disposition"] == f'attachment; filename="{user.external_id}.jsonl"'

    def send(body: bytes, **more: str) -> tuple[int, str]:
        answer = console.post(f"{address}/import", {"file": SimpleUploadedFile("<b>.jsonl", body), **more})
        return answer.status_code, answer.content.decode()

    status, text = send(file.replace(b'"status":"active"', b'"status":"<i>"'))
    assert (status, "line 2: status: must be one of" in text, "Nothing was imported" in text) == (422, True, True)
    status, _ = send(file)
    with user_scope(user):
        held = Transfer.objects.get(state=TransferState.CHECKED)
    page = console.get(f"{address}/{held.pk}").content.decode()
    assert (status, "Nothing is written yet" in page, "operator" in page) == (302, True, True)
    assert outsider.post(f"{address}/{held.pk}/change", {"do": "start"}).status_code == 404
    assert not jobs.list_open_imports(user)
    assert console.post(f"{address}/{held.pk}/change", {"do": "start"}).status_code == 302
    assert jobs.list_open_imports(user) == [held.pk]
    assert "waits for the worker" in console.get(address).content.decode()
    run_worker(user)
    assert "0 new" in console.get(f"{address}/{held.pk}").content.decode()


def test_chats_are_recognised_and_shown_before_anything_is_written(console: Console, user: EndUser) -> None:
    address = find_address(user)
    answer = console.post(f"{address}/import", {"file": SimpleUploadedFile("x", b'{"lamp": 1}')})
    assert (answer.status_code, "in none of the known formats" in answer.content.decode()) == (422, True)

    lines = b'{"thread": "t", "foo": 1}\n{"foo": 1}\nnot json\n'
    told_lines = console.post(f"{address}/import", {"file": SimpleUploadedFile("x", lines)}).content.decode()
    # The format that is nearest, and what is wrong with each line.
    assert "the nearest: a line of JSON Lines has thread, time, speaker and text" in unescape(told_lines)
    faults = re.findall(r"<li[^>]*>(line \d+: is \w+ \w+)", told_lines)
    assert faults == ["line 1: is in none", "line 2: is in none", "line 3: is not JSON"]
    assert "ChatGPT conversation" not in told_lines
    assert '<details id="example" open>' in told_lines

    page = check_chats(console, user)
    text = console.get(page).content.decode()
    for told in ("JSON Lines", "3 in 2 conversations", "1 May 2026 to 3 May 2026", "1 (empty)"):
        assert told in text
    assert list_texts(user) == set()
    console.post(f"{page}/change", {"do": "discard"})
    assert console.get(page).status_code == 404
    with user_scope(user):
        assert not TransferPart.objects.filter(user=user).exists()


def test_what_nobody_imports_is_forgotten_after_a_day(console: Console, user: EndUser) -> None:
    page = check_chats(console, user)
    run_worker(user)
    assert console.get(page).status_code == 200
    with user_scope(user):
        Transfer.objects.filter(user=user).update(created_at=timezone.now() - KEPT_FOR)
    run_worker(user)
    assert console.get(page).status_code == 404


def test_an_import_of_chats_is_taken_back_with_its_facts_and_may_come_again(
    console: Console, outsider: Console, user: EndUser
) -> None:
    MemoryFacade().store(user, NewMemory("The hive is loud"), now=timezone.now())
    page = check_chats(console, user)
    console.post(f"{page}/change", {"do": "start"})
    assert "Waits for the worker" in console.get(page).content.decode()
    run_worker(user)
    text = console.get(page).content.decode()
    assert ("3 new, 0 already there" in text, "taught 1 fact" in text) == (True, True)
    # From here one goes on to what was added.
    links = re.findall(r'<a href="/console/acme/ann/(\w+)">', text[text.index("taught 1 fact") :])
    assert links[:3] == ["conversations", "memories", "facts"]
    assert "My sister is called Mara." in list_texts(user)
    again = check_chats(console, user)
    assert '<td data-label="Already here">3</td>' in console.get(again).content.decode()

    assert "Undo this import?" in console.get(f"{page}?undo=1").content.decode()
    assert outsider.post(f"{page}/change", {"do": "undo"}).status_code == 404
    console.post(f"{page}/change", {"do": "undo"})
    run_worker(user)
    assert "Undone" in console.get(page).content.decode()
    assert list_texts(user) == {"The hive is loud"}
    with user_scope(user):
        assert not Fact.objects.filter(user=user).exists()
    console.post(f"{again}/change", {"do": "start"})
    run_worker(user)
    assert "3 new, 0 already there" in console.get(again).content.decode()


def find_address(user: EndUser) -> str:
    return f"/console/{user.organization.slug}/{user.external_id}/transfer"


def check_chats(console: Console, user: EndUser) -> str:
    """The page of a checked file."""
    file = SimpleUploadedFile("x", CHATS)
    answer = console.post(f"{find_address(user)}/import", {"file": file, "tier": "patterns"})
    assert answer.status_code == 302, answer.content.decode()
    return str(answer.headers["Location"])


def list_texts(user: EndUser) -> set[str]:
    with user_scope(user):
        return set(MemoryItem.objects.for_user(user).values_list("text", flat=True))


def run_worker(user: EndUser) -> None:
    tasks.import_person(user.pk)


def test_what_stands_beside_conversations_is_counted_written_and_taken_back(console: Console, user: EndUser) -> None:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for name, content in {
            "conversations.json": [CHAT],
            "memories.json": MEMORIES,
            "projects.json": PROJECTS,
        }.items():
            archive.writestr(name, json.dumps(content))
    answer = console.post(f"{find_address(user)}/import", {"file": SimpleUploadedFile("x", body.getvalue())})
    page = str(answer.headers["Location"])
    text = console.get(page).content.decode()
    for told in (
        "Claude",
        "Remembered about the person",
        "Remembered about projects",
        "1 in 1 conversation<",
        "add it to",
    ):
        assert told in text
    assert list_texts(user) == set()
    console.post(f"{page}/change", {"do": "start"})
    run_worker(user)
    assert "8 new, 0 already there" in console.get(page).content.decode()
    assert "The hull of the boat is made of oak." in list_texts(user)
    console.post(f"{page}/change", {"do": "undo"})
    run_worker(user)
    assert list_texts(user) == set()
