"""What is counted: in every process, brought together in Redis, kept by day, and read by Prometheus."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client, override_settings
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from memory.conf import memory_conf
from memory.facade import MemoryFacade
from memory.models import DailyMetrics, EndUser
from memory.operations import prometheus
from memory.platform import metrics, redis
from memory.platform.faults import Unavailable
from memory.platform.metrics import BUCKET_BOUNDS_MS, METRICS, Series
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tasks import roll_up_metrics
from memory.tiers import Outcome, Tier
from tests.conftest import Clock
from tests.doubles.faults import refusing_socket
from tests.patience import eventually

pytestmark = pytest.mark.usefixtures("services")

TIMINGS = {"understand": 0.4, "embed": 6.2, "vector": 11.0, "lexical": 4.0, "rank": 8.0, "remember": 2.0, "total": 33.0}
NOON = datetime(2026, 3, 2, 12, 2, tzinfo=UTC)


@pytest.fixture(autouse=True)
def only_these(services: None) -> Iterator[None]:
    metrics.drop_counts()
    redis.call_or_raise(lambda client: client.flushdb(), redis.BACKGROUND_TIMEOUT_S)
    yield
    metrics.drop_counts()


def carry_at(moment: datetime) -> None:
    metrics._tally.carry(moment)


def search_once(ms: float = 33.0) -> None:
    metrics.record_search({"total": ms}, ["embed_skipped"], ["working", "history", "working"], "high")


def scrape(client: Client | None = None, **headers: str) -> dict[tuple[str, tuple[str, ...]], float]:
    text = (client or Client()).get("/metrics", headers=headers).content.decode()
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


# --- counting ----------------------------------------------------------------------------------------------------
def test_nothing_leaves_the_process_until_it_is_carried() -> None:
    search_once()
    assert metrics.read_totals() == {}
    metrics.flush_counts()
    assert metrics.read_totals()[Series("searches", "high")] == 1
    metrics.flush_counts()
    assert metrics.read_totals()[Series("searches", "high")] == 1


def test_what_several_threads_count_is_all_there() -> None:
    def work() -> None:
        for _ in range(200):
            search_once()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    metrics.flush_counts()
    assert metrics.read_totals()[Series("hits", "working")] == 8 * 200 * 2


def test_what_redis_cannot_take_waits(tmp_path: Path, settings: Settings) -> None:
    search_once()
    with refusing_socket(tmp_path / "r.sock") as path:
        true_url, settings.REDIS_URL = settings.REDIS_URL, f"unix://{path}"
        redis.reset_clients()
        metrics.flush_counts()
        with pytest.raises(Unavailable):
            metrics.read_totals()
        settings.REDIS_URL = true_url
        redis.reset_clients()
    search_once()
    metrics.flush_counts()
    assert metrics.read_totals()[Series("fallbacks", "embed")] == 2


def test_a_thread_carries_by_itself(settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "METRICS": {"carry_every_s": 0.02}}
    search_once()
    assert eventually(metrics.read_totals)
    assert metrics.read_totals()[Series("searches", "high")] == 1


@pytest.mark.parametrize("label", ["", "what did Ann say", "x" * 41, "a|b", "é", "UPPER", "a\nb"])
def test_a_series_is_never_named_by_what_somebody_wrote(label: str) -> None:
    metrics.count("writes", label)
    metrics.flush_counts()
    assert metrics.read_totals() == {Series("writes", "other"): 1}


def test_leftovers_of_another_version_are_not_read() -> None:
    redis.call_or_raise(lambda client: client.hset(metrics.build_total_key(), "gone|x|", 4))
    redis.call_or_raise(lambda client: client.hset(metrics.build_total_key(), "nonsense", 4))
    assert metrics.read_totals() == {}


def test_recording_a_search_is_no_work_but_adding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*asked: object) -> None:
        raise AssertionError("a search waits for Redis to be counted")

    with monkeypatch.context() as patch:
        for name in ("call_or_raise", "call_or_default", "redis_client"):
            patch.setattr(redis, name, fail)
        metrics.record_search(TIMINGS, [], ["working"] * 10, "high")


# --- where it is counted -----------------------------------------------------------------------------------------
def test_the_product_counts_what_it_does(
    user: EndUser, clock: Clock, settings: Settings, django_capture_on_commit_callbacks: object
) -> None:
    # With the comparison of tokens on, a question is always embedded: its tokens are not kept.
    settings.MEMORY = {**settings.MEMORY, "BOOSTS": []}
    memory = MemoryFacade()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        memory.store(user, NewMemory("The kiln is fired on Fridays", tier=Tier.HISTORY), now=clock())
        memory.store_many(user, [NewMemory("One"), NewMemory("Two")], now=clock())
    found = memory.search(user, SearchRequest("kiln"), now=clock())
    memory.search(user, SearchRequest("kiln"), now=clock())
    memory.record_outcome(user, Outcome.WORKED, now=clock(), turn_id=found.turn_id)
    metrics.flush_counts()
    sums = metrics.read_totals()
    assert sums[Series("writes", "history")] == 1
    assert sums[Series("writes", "working")] == 2
    assert sums[Series("outcomes", "worked")] == 1
    # The question and the three that are not indexed yet, each once and then from the cache.
    assert sums[Series("embedding_cache", "miss")] == 4
    assert sums[Series("embedding_cache", "hit")] == 4


# --- over time ---------------------------------------------------------------------------------------------------
def test_the_last_hour_is_the_last_hour() -> None:
    for minutes in (0, 30, 50, 70):
        search_once()
        carry_at(NOON - timedelta(minutes=minutes))
    assert metrics.read_last_hour(NOON)[Series("searches", "high")] == 3


def test_percentiles_lie_in_their_class() -> None:
    for ms in [4.0] * 18 + [90.0] * 2:
        search_once(ms)
    metrics.flush_counts()
    [latency] = prometheus.summarise_latencies(metrics.read_totals())
    assert (latency.stage, latency.number) == ("total", 20)
    assert 3 < latency.p50 <= 5
    assert 70 < latency.p95 <= 100


def test_what_takes_longer_than_any_class_is_at_least_the_longest() -> None:
    search_once(1e9)
    metrics.flush_counts()
    [latency] = prometheus.summarise_latencies(metrics.read_totals())
    assert latency.p50 == latency.p95 == BUCKET_BOUNDS_MS[-1]


def test_days_are_rolled_up_once_however_often(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    search_once()
    carry_at(NOON - timedelta(days=1))
    for _ in range(2):
        search_once()
        carry_at(NOON)
        prometheus.roll_up(NOON)
        prometheus.roll_up(NOON)
    days = prometheus.read_days(NOON.date(), 3)
    assert [sums.get(Series("searches", "high"), 0) for sums in days.values()] == [0, 1, 2]


def test_a_day_survives_that_redis_is_emptied(db: None) -> None:
    for _ in range(3):
        search_once()
    carry_at(NOON)
    prometheus.roll_up(NOON)
    redis.call_or_raise(lambda client: client.flushdb(), redis.BACKGROUND_TIMEOUT_S)
    search_once()
    carry_at(NOON)
    prometheus.roll_up(NOON)
    assert prometheus.read_days(NOON.date(), 1)[NOON.date()][Series("searches", "high")] == 4


def test_days_are_not_kept_for_ever(db: None) -> None:
    DailyMetrics.objects.create(day=NOON.date() - timedelta(days=prometheus.KEPT_DAYS + 1))
    DailyMetrics.objects.create(day=NOON.date() - timedelta(days=prometheus.KEPT_DAYS - 1))
    prometheus.roll_up(NOON)
    assert DailyMetrics.objects.count() == 1


def test_the_task_leaves_the_rest_for_later_when_redis_is_away(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*asked: object) -> None:
        raise Unavailable("redis", "refused")

    monkeypatch.setattr(metrics, "read_day", away)
    roll_up_metrics()
    assert DailyMetrics.objects.count() == 0


# --- Prometheus --------------------------------------------------------------------------------------------------
def test_prometheus_reads_counts_and_classes(db: None) -> None:
    search_once(33.0)
    search_once(4.0)
    sample = scrape()
    assert sample["commonplace_searches_total", ("high",)] == 2
    assert sample["commonplace_hits_total", ("working",)] == 4
    assert sample["commonplace_fallbacks_total", ("embed",)] == 2
    assert sample["commonplace_stage_seconds_count", ("total",)] == 2
    assert sample["commonplace_stage_seconds_sum", ("total",)] == pytest.approx(0.037)
    assert sample["commonplace_stage_seconds_bucket", ("0.005", "total")] == 1
    assert sample["commonplace_stage_seconds_bucket", ("+Inf", "total")] == 2


def test_what_was_not_counted_yet_stands_at_nought(db: None) -> None:
    """Else the first fallback of all would be no change, and no alert."""
    sample = scrape()
    for stage in ("graph", "embed", "late", "vector", "lexical", "rerank"):
        assert sample["commonplace_fallbacks_total", (stage,)] == 0
    assert sample["commonplace_indexed_total", ()] == 0
    assert {name for name, _ in sample} >= {
        f"commonplace_{metric.name}_total" for metric in METRICS.values() if not metric.is_duration
    }


def test_prometheus_reads_how_things_stand(user: EndUser, clock: Clock) -> None:
    MemoryFacade().store(user, NewMemory("The kiln is fired on Fridays"), now=clock())
    clock.advance(seconds=90)
    sample = scrape()
    assert sample["commonplace_index_lag_seconds", ()] == pytest.approx(90)
    assert sample["commonplace_index_users", ()] == 1
    assert sample["commonplace_breaker_open", ("embedder",)] == 0
    assert sample["commonplace_queue_tasks", ("fast",)] >= 0
    assert all(value == 1 for (name, _), value in sample.items() if name == "commonplace_source_up")


def test_a_source_that_is_away_does_not_hide_the_others(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise Unavailable("redis", "refused")

    monkeypatch.setattr(metrics, "read_totals", away)
    sample = scrape()
    assert sample["commonplace_source_up", ("counts",)] == 0
    assert sample["commonplace_index_lag_seconds", ()] == 0


def test_only_this_machine_and_the_token_may_read(db: None, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "METRICS": {**settings.MEMORY["METRICS"], "token": "t0ken"}}
    away = Client(REMOTE_ADDR="203.0.113.9")
    assert Client().get("/metrics").status_code == 200
    assert away.get("/metrics").status_code == 401
    assert away.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert away.get("/metrics", headers={"Authorization": "Bearer t0ken"}).status_code == 200
    # Somebody else's request that a proxy on this machine hands on.
    assert Client().get("/metrics", headers={"X-Forwarded-For": "203.0.113.9"}).status_code == 401
    assert Client().post("/metrics").status_code == 405


def test_without_a_token_no_token_fits(db: None) -> None:
    assert memory_conf().metrics.token == ""
    for given in ("Bearer ", "Bearer", "Bearer None", ""):
        answer = Client(REMOTE_ADDR="203.0.113.9").get("/metrics", headers={"Authorization": given})
        assert answer.status_code == 401


@override_settings(SECURE_SSL_REDIRECT=True)
def test_a_scraper_on_this_machine_needs_no_tls(db: None) -> None:
    assert Client().get("/metrics").status_code == 200


def test_the_page_about_metrics_names_every_one() -> None:
    page = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text(encoding="utf-8")
    for metric in METRICS.values():
        assert f"`commonplace_{metric.name}" in page
