"""`manage.py bench pages` on a small person: every page answers, and nothing is left behind."""

import json
from io import StringIO
from pathlib import Path

import httpx
import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command

from memory.benchmarks import bulk, pages
from memory.models import Operator, Organization
from tests.memory.benchmarks.test_bench_speed import Inside, in_one_process

__all__ = ["in_one_process"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services", "in_one_process")]


def test_every_page_is_opened_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_inside(url: str, cookies: dict[str, str]) -> httpx.Client:
        return httpx.Client(base_url=url, cookies=cookies, transport=Inside())

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
    for left in (
        Organization.objects.filter(slug__startswith="benchmark"),
        Operator.objects.all(),
        Session.objects.all(),
    ):
        assert not left.exists()
