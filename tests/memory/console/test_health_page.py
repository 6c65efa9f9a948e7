"""The health page: parts, the last hour, charts of days; for operators who may see everybody."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from memory.conf import memory_conf
from memory.console import charts
from memory.console.charts import shorten
from memory.models import DailyMetrics, DriftReport, EndUser
from memory.operations import health, prometheus
from memory.operations.health import Component, Health
from memory.platform import metrics, redis
from memory.platform.breakers import get_breaker, reset_breakers
from memory.platform.faults import Unavailable
from tests.factories import OperatorFactory
from tests.memory.console.conftest import Console, console_for

pytestmark = pytest.mark.usefixtures("services", "healthy")

PAGE = "/console/health"
WIDE, NARROW = charts.CHART_SIZES
DAYS = [date(2026, 3, 1) + timedelta(days=number) for number in range(14)]


@pytest.fixture(autouse=True)
def only_these(services: None) -> Iterator[None]:
    metrics.drop_counts()
    redis.call_or_raise(lambda client: client.flushdb(), redis.BACKGROUND_TIMEOUT_S)
    yield
    metrics.drop_counts()


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Health("ok", timezone.now(), {"postgres": Component(ok=True, detail="PostgreSQL 18")}, {}, {}, {}, [])
    monkeypatch.setattr(health, "current", lambda: seen)


@pytest.fixture
def keeper(db: None) -> Console:
    return console_for(OperatorFactory.create(username="root", is_superuser=True))


def text_of(page: bytes) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.decode()).split())


def record_search(ms: float, fallbacks: tuple[str, ...] = ()) -> None:
    metrics.record_search({"embed": 4.0, "total": ms}, fallbacks, ["working", "history"], "high")


def test_it_is_for_who_may_see_everybody(
    keeper: Console, console: Console, nobody: Console, user: EndUser, foreign_user: EndUser
) -> None:
    assert keeper.get(PAGE).status_code == 200
    assert console.get(PAGE).status_code == 404
    assert nobody.get(PAGE).status_code == 302
    assert PAGE in keeper.get("/console/people").content.decode()
    assert PAGE not in console.get("/console/people").content.decode()


def test_the_last_hour_stage_by_stage(keeper: Console) -> None:
    for ms in (12.0, 12.0, 90.0):
        record_search(ms, ("embed_skipped",))
    page = text_of(keeper.get(PAGE).content)
    assert "3 searches, 6 memories shown, 0 written" in page
    assert "Embedding the question 3" in page
    assert "The whole search 3" in page
    assert "Left out: Embedding the question 3 times." in page


def fail() -> None:
    raise Unavailable("embedder", "is away")


def test_breakers_and_drift_are_told_when_all_is_well_too(keeper: Console) -> None:
    page = text_of(keeper.get(PAGE).content)
    assert "Embedding model closed: asked as usual" in page
    assert "No full comparison yet" in page
    for _ in range(memory_conf().breakers.fail_max):
        with suppress(Unavailable):
            get_breaker("embedder").call(fail)
    DriftReport.objects.create(mode="full", found={"foreign": 2}, finished_at=timezone.now(), rows=7)
    page = text_of(keeper.get(PAGE).content)
    assert "Embedding model open: not asked for a moment" in page
    assert "differed 0 people, 7 rows, 2 differences" in page
    reset_breakers()


def test_days_are_drawn_and_told(keeper: Console) -> None:
    record_search(12.0)
    prometheus.roll_up(timezone.now())
    page = keeper.get(PAGE).content.decode()
    today = timezone.now().date()
    assert f"{today:%d %b}: Working 1" in page
    assert page.count('<polyline class="curve') == 2 * len(charts.CHART_SIZES)
    assert re.search(r"<rect class=\"tier-working\"[^>]*>", page)
    assert f"{today.day} {today:%b %Y}" in text_of(page.encode())


def test_a_part_is_not_a_page(keeper: Console) -> None:
    assert b"<html" not in keeper.part(PAGE).content
    assert b"<html" in keeper.get(PAGE).content


def test_without_any_number_it_says_so(keeper: Console) -> None:
    page = text_of(keeper.get(PAGE).content)
    assert "Nobody has searched in the last hour." in page
    assert "No day has been counted yet." in page
    assert "How long a search takes" not in page, "no chart of nothing"


def test_without_redis_the_days_are_still_there(keeper: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*asked: object) -> None:
        raise Unavailable("redis", "refused")

    DailyMetrics.objects.create(day=timezone.now().date(), counts={"searches|high|": 7})
    monkeypatch.setattr(metrics, "read_last_hour", away)
    page = text_of(keeper.get(PAGE).content)
    assert "Redis does not answer" in page
    assert re.search(r"\d{4} 7 ", page)


def test_looking_changes_nothing(keeper: Console) -> None:
    record_search(12.0)
    keeper.get(PAGE)
    assert DailyMetrics.objects.count() == 0


# --- charts ------------------------------------------------------------------------------------------------------
def test_bars_stand_on_one_another_and_inside_the_picture() -> None:
    chart = charts.stack_bars(DAYS[:1], {"low": ("a", [3.0]), "none": ("b", [0.0]), "high": ("c", [5.0])}, WIDE)
    low, high = chart.bars
    assert (low.css, high.css) == ("a", "c")
    assert low.y + low.height == pytest.approx(charts.HEIGHT - charts.BOTTOM)
    assert high.y + high.height == pytest.approx(low.y)
    assert high.y >= charts.TOP


def test_a_line_breaks_where_nothing_is_known() -> None:
    values: list[float | None] = [1.0, 2.0, None, 4.0, *[None] * 10]
    [line] = charts.draw_lines(DAYS, {"p50": ("a", values)}, "ms", WIDE).lines
    assert [len(points.split()) for points in line.points] == [2, 1]
    assert line.dots[-1].label == "04 Mar: p50 4 ms"


@pytest.mark.parametrize(("most", "top"), [(0, 4), (3, 4), (5, 8), (17, 20), (41, 80), (1999, 2000), (2001, 4000)])
def test_the_scale_ends_at_a_round_number(most: float, top: float) -> None:
    assert charts.round_up_to_scale(most) == top


@pytest.mark.parametrize("sheet", charts.CHART_SIZES, ids=lambda sheet: sheet.css)
def test_the_last_day_has_its_date_and_dates_do_not_crowd(sheet: charts.ChartSize) -> None:
    marks = charts.stack_bars(DAYS, {}, sheet).dates
    assert marks[-1].text == "14 Mar"
    assert all(later.x - earlier.x >= charts.DATE for earlier, later in pairwise(marks))
    assert all(mark.x <= sheet.width for mark in marks)


def test_no_days_are_an_empty_chart() -> None:
    assert charts.stack_bars([], {}, WIDE).bars == []


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (9_999, "9,999"), (10_000, "10k"), (187_500, "187.5k"), (2_500_000, "2.5M")]
)
def test_a_level_of_a_chart_has_room_beside_its_axis(value: float, shown: str) -> None:
    assert shorten(value) == shown
