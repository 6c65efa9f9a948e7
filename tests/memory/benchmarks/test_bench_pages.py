"""`manage.py bench pages` on a small person: every page answers, and nothing is left behind."""

import json
from io import StringIO
from pathlib import Path

import httpx
import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.urls import resolve

from memory.benchmarks import bulk, pages
from memory.console import urls as console
from memory.models import Operator, Organization
from memory.personal_page import urls as personal
from tests.memory.benchmarks.test_bench_speed import Inside, in_one_process

# What only takes a form, what only leads elsewhere, files, and the page that signs in.
ONLY_SENT = [
    *("archive", "bank_add", "bank_change", "bank_judge", "bank_undo", "cancel_book", "change_transfer"),
    *("confirm_fact", "decide_kind", "decide_matter", "decide_names", "decide_review", "delete_case"),
    *("delete_personality", "drop_reading", "export", "import", "logout", "look_for_duplicates", "make-space"),
    *("publish_book", "record_item_outcome", "record_outcome", "reject_fact", "remove-member", "rename_thread"),
    *("restore", "restore_fact", "retry_book", "retry_indexing", "retry_recall", "revoke_key", "revoke_link"),
    *("save_case", "save_personality", "save_replay", "set-member", "set_always_inject", "start_measure"),
    *("sync_personality", "theme", "undo", "undo_decision", "undo_fact", "unshare", "upload_book"),
    *("upload_personality", "use_personality"),
]
LEADS_ELSEWHERE = ["home", "book_passage", "display", "login"]
FILES = ["measure_download", "measure_everybody_download", "download_personality"]
# Parts of the overview, which leads whoever asks for one alone back to it.
PARTS = ["health", "indexing"]
OWN_FORMS = ["archive", "display", "download", "enter", "erase", "reject_fact", "restore", "restore_fact", "sign_out"]
NO_PAGES = {
    *(f"console:{name}" for name in (*ONLY_SENT, *LEADS_ELSEWHERE, *FILES, *PARTS)),
    *(f"personal:{name}" for name in OWN_FORMS),
}
__all__ = ["in_one_process"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services", "in_one_process")]


def test_every_page_is_opened_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_inside(url: str, cookies: dict[str, str]) -> httpx.Client:
        return httpx.Client(base_url=url, cookies=cookies, transport=Inside())

    opened: set[str] = set()

    def note_and_open(reader: httpx.Client, path: str) -> None:
        opened.add(path)
        open_page(reader, path)

    open_page = pages.open_page
    monkeypatch.setattr(pages, "open_page", note_and_open)
    monkeypatch.setattr(pages, "open_reader", open_inside)
    monkeypatch.setattr(bulk, "POOL", 12)
    out, path = StringIO(), tmp_path / "figures.json"
    small = ["--memories=60", "--concepts=20", "--facts=4", "--times=1"]
    call_command("bench", "pages", *small, f"--json={path}", stdout=out)
    figures = json.loads(path.read_text())
    assert {"overview", "search, asked", "timeline", "graph", "inbox, duplicates"} <= figures["spreads"].keys()
    assert {spread["count"] for spread in figures["spreads"].values()} == {1}
    assert figures["costs"].keys() == figures["spreads"].keys()
    assert "pages of the console, 60 memories" in out.getvalue()
    assert "processor time of a page" in out.getvalue()
    assert find_pages_left_out({resolve(path.partition("?")[0]).view_name for path in opened}) == []
    for left in (
        Organization.objects.filter(slug__startswith="benchmark"),
        Operator.objects.all(),
        Session.objects.all(),
    ):
        assert not left.exists()


def find_pages_left_out(opened: set[str]) -> list[str]:
    """Pages of the console, and of a person's own page, that the table has no line of: one was added without it."""
    urls = [("console", row) for row in console.urlpatterns] + [("personal", row) for row in personal.urlpatterns]
    return sorted({f"{app}:{row.name}" for app, row in urls} - opened - NO_PAGES)
