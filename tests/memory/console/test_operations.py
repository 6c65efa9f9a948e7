"""The operations page: who may see it, and what it says of the index."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memory.indexes import vector_index
from memory.models import DriftReport, EndUser, Organization, ReindexRun
from memory.operations import health
from tests.factories import OperatorFactory
from tests.memory.console.conftest import Console, console_for

pytestmark = pytest.mark.usefixtures("services")
PAGE = "/console/operations"


@pytest.fixture
def run(user: EndUser) -> ReindexRun:
    index = vector_index()
    index.ensure()
    target = index.registry.begin(index.shape, now=timezone.now())
    return ReindexRun.objects.create(target=target, collection=target.name, rows_total=200, rows_done=50)


def test_before_anything_happened_it_says_how_to_begin(console: Console, user: EndUser) -> None:
    page = console.get(PAGE)
    assert page.status_code == 200
    # Where there is a button nobody is sent to a shell.
    assert page.content.count(b'<a href="/console/data">Data</a>') == 2
    assert b"manage.py" not in page.content
    assert b"hx-trigger" not in page.content.split(b'id="index"')[1].split(b">")[0]


def test_a_run_is_shown_with_its_progress_until_it_rests(console: Console, run: ReindexRun) -> None:
    page = console.get(PAGE).content
    assert b"50 of about 200 rows" in page
    assert b'width="25.0%"' in page
    assert b"being built" in page
    assert b'hx-trigger="every 2s"' in page
    part = console.part(PAGE)
    assert part.status_code == 200
    assert b"<html" not in part.content
    ReindexRun.objects.update(state="done")
    assert console.part(PAGE).status_code == 286


def test_a_run_that_waits_says_why(console: Console, run: ReindexRun) -> None:
    ReindexRun.objects.update(error="embedder: <b>refused</b>")
    page = console.get(PAGE).content
    assert b"embedder: &lt;b&gt;refused" in page


def test_comparisons_are_told_in_words(console: Console, user: EndUser) -> None:
    now = timezone.now()
    DriftReport.objects.create(
        mode="full", rows=9, points=8, finished_at=now, found={"missing": 3}, mended={"missing": 2}
    )
    DriftReport.objects.create(mode="sample", rows=9, points=9, finished_at=now)
    DriftReport.objects.create(mode="full", finished_at=now, problem="vector: connection refused")
    page = console.get(PAGE).content
    assert b"3 rows without a point (2 mended)" in page
    assert b"consistent" in page
    assert b"vector: connection refused" in page


def test_an_alarm_is_seen_here_and_in_health(console: Console, user: EndUser) -> None:
    entry = {"item": "0d1e", "found_under": 1, "owner": 2}
    alarm = DriftReport.objects.create(mode="full", found={"foreign": 1}, mended={"foreign": 1}, quarantine=[entry])
    assert b"alarm" in console.get(PAGE).content
    assert any("points of one user" in warning for warning in health.probe_all().warnings)
    DriftReport.objects.filter(pk=alarm.pk).update(started_at=timezone.now() - timedelta(days=2))
    assert not health.list_index_warnings()


def test_health_tells_of_a_run(run: ReindexRun) -> None:
    assert "being rebuilt (running, copy, 25% copied)" in health.probe_all().components["vector_index"].detail


def test_only_who_may_see_everybody_may_look(
    console: Console, outsider: Console, nobody: Console, organization: Organization, user: EndUser
) -> None:
    for operator in (console, outsider):
        assert operator.get(PAGE).status_code == 404
        assert PAGE.encode() not in operator.get("/console/people").content
    assert nobody.get(PAGE).status_code == 302
    root = console_for(OperatorFactory.create(username="root", is_superuser=True))
    assert root.get(PAGE).status_code == 200
    assert PAGE.encode() in root.get("/console/people").content
