"""Publishes the metrics: for Prometheus, for the console's charts, and as one row per day.

Counters come from `memory.platform.metrics`; gauges (queues, breakers, index lag) are measured when somebody asks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from celery import current_app
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import Count, Max, Min
from kombu.exceptions import OperationalError
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from redis import RedisError

from memory.conf import memory_conf
from memory.models import DailyMetrics, EndUser, ModelCall
from memory.platform import metrics
from memory.platform.breakers import get_breaker
from memory.platform.faults import Unavailable
from memory.platform.metrics import BUCKET_BOUNDS_MS, METRICS, Series, Sums
from memory.webhooks.counts import count_deliveries

# The queues of config.queues; an unknown one would be counted as empty.
QUEUES = ("fast", "slow", "books")
BREAKER_VALUES = {"closed": 0.0, "half-open": 0.5, "open": 1.0}
# A year and the month after it, so that a month can be compared with the same one a year before.
KEPT_DAYS = 400
SOURCE_ERRORS = (Unavailable, DatabaseError, InterfaceError, OperationalError, RedisError, OSError)


def render_prometheus(now: datetime) -> bytes:
    """All metrics in the Prometheus text format. An unavailable source is left out and its `up` is 0."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(InstallationCollector(now))
    return generate_latest(registry)


class InstallationCollector(Collector):
    """Reads every source once per request."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("commonplace_source_up", "Whether a source of these numbers answered", labels=["source"])
        sources: dict[str, Callable[[], Iterable[Metric]]] = {
            "counts": lambda: build_families(metrics.read_totals()),
            "breakers": measure_breakers,
            "index": lambda: measure_index_lag(self.now),
            "consolidation": lambda: measure_consolidation(self.now),
            "webhooks": lambda: measure_webhooks(self.now),
            "queues": measure_queues,
        }
        for name, look in sources.items():
            try:
                yield from look()
                up.add_metric([name], 1)
            except SOURCE_ERRORS:
                up.add_metric([name], 0)
        yield up


def build_families(sums: Sums) -> list[Metric]:
    return [
        build_histogram(metric, sums) if metric.is_duration else build_counter(metric, sums)
        for metric in METRICS.values()
    ]


def build_counter(metric: metrics.Metric, sums: Sums) -> CounterMetricFamily:
    labels = [metric.label] if metric.label else []
    family = CounterMetricFamily(f"commonplace_{metric.name}", metric.help, labels=labels)
    counted = dict.fromkeys(metric.known if labels else ("",), 0.0)
    counted |= {series.label: amount for series, amount in sums.items() if series.metric == metric.name}
    for label, amount in sorted(counted.items()):
        family.add_metric([label] if labels else [], amount)
    return family


def build_histogram(metric: metrics.Metric, sums: Sums) -> HistogramMetricFamily:
    family = HistogramMetricFamily(f"commonplace_{metric.name}_seconds", metric.help, labels=[metric.label])
    for label in list_label_values(metric.name, sums):
        seen, buckets = 0.0, []
        for number, bound in zip(count_buckets(metric.name, label, sums), (*BUCKET_BOUNDS_MS, None), strict=True):
            seen += number
            buckets.append(("+Inf" if bound is None else str(bound / 1000), seen))
        family.add_metric([label], buckets, sums.get(Series(metric.name, label, "sum"), 0.0) / 1000)
    return family


def list_label_values(metric: str, sums: Sums) -> list[str]:
    return sorted({series.label for series in sums if series.metric == metric})


def count_buckets(metric: str, label: str, sums: Sums) -> list[float]:
    """The number of durations in each bucket, the open one last."""
    return [sums.get(Series(metric, label, str(place)), 0.0) for place in range(len(BUCKET_BOUNDS_MS) + 1)]


def measure_breakers() -> list[Metric]:
    family = GaugeMetricFamily("commonplace_breaker_open", "1 open, 0.5 about to try again", labels=["dependency"])
    for name in list_breaker_names():
        family.add_metric([name], BREAKER_VALUES.get(get_breaker(name).state, 0.0))
    return [family]


def list_breaker_names() -> list[str]:
    """The dependencies with a breaker that this installation has."""
    conf = memory_conf()
    present = {
        "embedder": True,
        "vector": conf.vector.backend == "qdrant",
        "reranker": bool(conf.reranker.url),
        "llm": bool(conf.llm.url),
    }
    return [name for name, is_present in present.items() if is_present]


def measure_index_lag(now: datetime) -> list[Metric]:
    waiting = EndUser.objects.filter(index_due_since__isnull=False)
    found = waiting.aggregate(users=Count("pk"), oldest=Min("index_due_since"))
    lag_s = max(0.0, (now - found["oldest"]).total_seconds()) if found["oldest"] else 0.0
    return [
        GaugeMetricFamily("commonplace_index_lag_seconds", "How long the oldest waiting memory has waited", lag_s),
        GaugeMetricFamily("commonplace_index_users", "Users with memories that wait for the index", found["users"]),
    ]


def measure_consolidation(now: datetime) -> list[Metric]:
    latest = EndUser.objects.aggregate(latest=Max("consolidated_at"))["latest"]
    age_s = max(0.0, (now - latest).total_seconds()) if latest else -1.0
    help_text = "How long ago the last consolidation of somebody's facts was finished; -1 where there was none"
    return [GaugeMetricFamily("commonplace_consolidation_age_seconds", help_text, age_s)]


def measure_webhooks(now: datetime) -> list[Metric]:
    counts = count_deliveries()
    lag_s = max(0.0, (now - counts.oldest).total_seconds()) if counts.oldest else 0.0
    return [
        GaugeMetricFamily("commonplace_webhooks_waiting", "Messages that wait to be delivered", counts.waiting),
        GaugeMetricFamily("commonplace_webhooks_dead", "Messages that were given up and not sent again", counts.dead),
        GaugeMetricFamily("commonplace_webhooks_lag_seconds", "How long the oldest waiting message has waited", lag_s),
        GaugeMetricFamily("commonplace_webhooks_disabled", "Endpoints disabled after failures", counts.disabled),
    ]


def measure_queues() -> list[Metric]:
    family = GaugeMetricFamily("commonplace_queue_tasks", "Tasks that wait for a worker", labels=["queue"])
    with current_app.connection_for_read(transport_options={"socket_timeout": 0.5, "max_retries": 0}) as connection:
        channel: Any = connection.default_channel
        for queue in QUEUES:
            family.add_metric([queue], float(channel.queue_declare(queue).message_count))
    return [family]


# --- over time ---------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class StageLatency:
    """The count of one stage and its percentiles in milliseconds."""

    stage: str
    number: int
    p50: float
    p95: float


def summarise_latencies(sums: Sums) -> list[StageLatency]:
    """Each stage that ran, by name."""
    found = []
    for stage in list_label_values("stage", sums):
        numbers = count_buckets("stage", stage, sums)
        if total := int(sum(numbers)):
            found.append(StageLatency(stage, total, percentile(numbers, 0.5), percentile(numbers, 0.95)))
    return found


def percentile(numbers: list[float], share: float) -> float:
    """Milliseconds, interpolated within the bucket; the last bound for values above it."""
    target, seen, lower = share * sum(numbers), 0.0, 0.0
    for number, bound in zip(numbers, BUCKET_BOUNDS_MS, strict=False):
        if number and seen + number >= target:
            return lower + (bound - lower) * (target - seen) / number
        seen, lower = seen + number, float(bound)
    return float(BUCKET_BOUNDS_MS[-1])


def roll_up(now: datetime) -> None:
    """Write yesterday's and today's counts into their rows. Idempotent, also days late. Raises Unavailable."""
    metrics.flush_counts()
    today = now.date()
    for back in range(7, -1, -1):
        day = today - timedelta(days=back)
        if sums := metrics.read_day(day):
            add_to_day(day, sums)
    DailyMetrics.objects.filter(day__lt=today - timedelta(days=KEPT_DAYS)).delete()
    ModelCall.objects.filter(at__lt=now - timedelta(days=memory_conf().limits.log_days)).delete()


def add_to_day(day: date, sums: Sums) -> None:
    with transaction.atomic():
        DailyMetrics.objects.get_or_create(day=day)
        row = DailyMetrics.objects.select_for_update().get(day=day)
        for series, amount in sums.items():
            before = row.seen.get(series.field, 0.0)
            # Less than at the last look: Redis was emptied, and all of it is new.
            grown = amount - before if amount >= before else amount
            row.counts[series.field] = row.counts.get(series.field, 0.0) + grown
            row.seen[series.field] = amount
        row.save(update_fields=["counts", "seen"])


def read_days(until: date, number: int) -> dict[date, Sums]:
    """The counts of each of the last days, empty for days without data."""
    first = until - timedelta(days=number - 1)
    rows = {
        row.day: parse_stored_sums(row.counts) for row in DailyMetrics.objects.filter(day__gte=first, day__lte=until)
    }
    all_days = [first + timedelta(days=place) for place in range(number)]
    return {day: rows.get(day, {}) for day in all_days}


def parse_stored_sums(counts: Mapping[str, float]) -> Sums:
    read = ((Series.parse(field), amount) for field, amount in counts.items())
    return {series: amount for series, amount in read if series is not None}
