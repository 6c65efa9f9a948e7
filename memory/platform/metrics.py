"""The product's own metrics: names, labels and numbers, never user text.

Each process counts in memory, which takes microseconds, and a background thread adds the sums to Redis every few
seconds, where the counts of all processes and machines are combined. Without Redis the sums wait.
"""

import atexit
import os
import re
import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from redis import Redis

from memory.conf import memory_conf
from memory.platform import redis as shared
from memory.platform.faults import Unavailable
from memory.tiers import Outcome, Tier

# Upper bounds of the histogram buckets; one more bucket is for everything above.
# Summed in Redis, not in files: the Prometheus client shares counts between processes through a folder of
# memory-mapped files, which works on one machine only, keeps a file for every process that ever ran, and cannot tell
# the last hour. Counting here and adding the sums to Redis every two seconds costs a search 20 microseconds.
BUCKET_BOUNDS_MS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 5000, 15000)
SLICE = timedelta(minutes=5)
SLICES_AN_HOUR = 12
SLICE_TTL_S = 75 * 60
DAY_TTL_S = 8 * 24 * 3600
LABEL = re.compile(r"[a-z0-9_.-]{1,40}")
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Metric:
    """Has at most one ``label``; durations are counted in histogram buckets."""

    name: str
    help: str
    label: str = ""
    is_duration: bool = False
    # Labels whose series start at 0 before anything was counted, so that the first event is seen as a change.
    known: tuple[str, ...] = ()


TIERS = tuple(tier.value for tier in Tier)
METRICS = {
    metric.name: metric
    for metric in (
        Metric("stage", "Time of each stage of a search, and of the whole", "stage", is_duration=True),
        Metric("searches", "Searches, by how sure the first hit is", "confidence", known=("high", "medium", "low")),
        Metric("hits", "Memories shown, by tier", "tier", known=TIERS),
        Metric(
            "fallbacks",
            "Stages left out of a search because they failed or were late",
            "stage",
            known=(
                "graph",
                "embed",
                "late",
                "vector",
                "lexical",
                "rerank",
                "insights",
                "hot",
                "stream",
                "gateway",
                "personality",
            ),
        ),
        Metric(
            "rerank",
            "Searches with a reranker at hand, by what became of it",
            "result",
            known=("used", "skipped", "spared"),
        ),
        Metric(
            "embedding_cache",
            "Texts whose vector was asked for, by whether the cache had it",
            "result",
            known=("hit", "miss"),
        ),
        Metric("overload", "Requests refused because more arrived than can be served"),
        Metric("writes", "Memories written, by tier", "tier", known=TIERS),
        Metric("indexed", "Memories brought into the vector index"),
        Metric("outcomes", "Outcomes recorded", "outcome", known=tuple(outcome.value for outcome in Outcome)),
        Metric(
            "moves",
            "Memories that promotion moved or retired",
            "kind",
            known=("promoted", "dormant", "archived"),
        ),
        Metric(
            "model_calls",
            "Calls of the language model, by how they ended",
            "result",
            known=("ok", "repaired", "invalid", "late", "unavailable", "rejected"),
        ),
        Metric(
            "hot_stage", "Time of each stage of a turn of the hot path, and of the whole", "stage", is_duration=True
        ),
        Metric(
            "hot_turns",
            "Turns of the hot path, by whether anything was laid beside them",
            "result",
            known=("told", "silent"),
        ),
        Metric(
            "hot_hints", "Answers to turns with bullets, by whether they used one", "result", known=("used", "unused")
        ),
        Metric(
            "consolidated",
            "Facts and episodes that consolidation changed, by what became of them",
            "kind",
            known=(
                "episodes",
                "embedded",
                "supported",
                "merged",
                "superseded",
                "doubted",
                "review",
                "ended",
                "deprecated",
                "answered",
            ),
        ),
        Metric("consolidations", "Consolidations of a person's facts", "result", known=("done", "partial")),
        Metric(
            "chat_turns",
            "Answers that the gateway passed on, by how they ended",
            "result",
            known=("answered", "handed_over", "interrupted", "failed", "refused", "busy"),
        ),
        Metric("chat_searches", "Searches that a model made while it answered through the gateway"),
        Metric("chat_stage", "Time that the gateway's turns wait, by what for", "stage", is_duration=True),
        Metric(
            "webhooks",
            "Attempts to deliver a webhook, by how they ended",
            "result",
            known=("delivered", "failed", "dead"),
        ),
        Metric(
            "books",
            "Documents handed in, by what became of them",
            "result",
            known=("completed", "failed", "cancelled", "duplicate", "removed"),
        ),
        Metric("book_stage", "Time of each stage of reading a document", "stage", is_duration=True),
        Metric("prefixes", "Contextual prefixes, by where they came from", "source", known=("model", "cache", "none")),
    )
}


@dataclass(frozen=True, slots=True)
class Series:
    """One number of a metric and label; for durations, a bucket (its position in BOUNDS_MS) or the sum."""

    metric: str
    label: str = ""
    part: str = ""

    @property
    def field(self) -> str:
        return f"{self.metric}|{self.label}|{self.part}"

    @classmethod
    def parse(cls, field: str) -> "Series | None":
        """None for series that another version of the product left there."""
        parts = field.split("|")
        return cls(*parts) if len(parts) == 3 and parts[0] in METRICS else None


Sums = dict[Series, float]


class Tally:
    """The counts of this process since the last transfer to Redis."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sums: dict[Series, float] = defaultdict(float)
        self._carrier: threading.Thread | None = None

    def add(self, amounts: Iterable[tuple[Series, float]]) -> None:
        with self._lock:
            for series, amount in amounts:
                self._sums[series] += amount
            has_carrier = self._carrier is not None
        if not has_carrier:
            self._engage()

    def carry(self, now: datetime | None = None) -> None:
        """Add the counts to Redis; on failure they are kept for the next attempt."""
        with self._lock:
            sums, self._sums = self._sums, defaultdict(float)
        if not sums:
            return
        try:
            shared.call_or_raise(lambda client: write_counts(client, sums, now or datetime.now(UTC)))
        except Unavailable:
            self._give_back(sums)

    def _give_back(self, sums: Mapping[Series, float]) -> None:
        with self._lock:
            for series, amount in sums.items():
                self._sums[series] += amount

    def _engage(self) -> None:
        pause_s = memory_conf().metrics.carry_every_s
        if not pause_s:
            return
        with self._lock:
            if self._carrier is None:
                self._carrier = threading.Thread(target=self._keep_carrying, args=(pause_s,), name="tally", daemon=True)
                self._carrier.start()
                # Of the tally this process has at its end: a fork has one of its own.
                atexit.register(flush_counts)

    def _keep_carrying(self, pause_s: float) -> None:
        rest = threading.Event()
        while not rest.wait(pause_s):
            self.carry()


def write_counts(client: Redis, sums: Mapping[Series, float], now: datetime) -> None:
    places = {build_total_key(): None, build_slice_key(now): SLICE_TTL_S, build_day_key(now.date()): DAY_TTL_S}
    pipe = client.pipeline(transaction=True)
    for place, ttl_s in places.items():
        for series, amount in sums.items():
            pipe.hincrbyfloat(place, series.field, amount)
        if ttl_s:
            pipe.expire(place, ttl_s)
    pipe.execute()


_tally = Tally()


def count(metric: str, label: str = "", amount: float = 1) -> None:
    if amount:
        _tally.add([(Series(metric, limit_label(metric, label)), amount)])


def list_duration_samples(metric: str, label: str, ms: float) -> list[tuple[Series, float]]:
    label = limit_label(metric, label)
    return [(Series(metric, label, str(bisect_left(BUCKET_BOUNDS_MS, ms))), 1), (Series(metric, label, "sum"), ms)]


def record_search(
    timings_ms: Mapping[str, float], fallbacks: Iterable[str], tiers: Iterable[str], confidence: str
) -> None:
    """Record all metrics of one search under one lock."""
    amounts = [amount for stage, ms in timings_ms.items() for amount in list_duration_samples("stage", stage, ms)]
    amounts.append((Series("searches", limit_label("searches", confidence)), 1))
    amounts += [(Series("hits", limit_label("hits", tier)), 1) for tier in tiers]
    amounts += [(Series("fallbacks", limit_label("fallbacks", name.removesuffix("_skipped"))), 1) for name in fallbacks]
    _tally.add(amounts)


def record_stages(metric: str, timings_ms: Mapping[str, float]) -> None:
    """Count the durations of several stages under one lock."""
    _tally.add([amount for stage, ms in timings_ms.items() for amount in list_duration_samples(metric, stage, ms)])


def limit_label(metric: str, label: str) -> str:
    """The label if the metric has one and it is a plain word: user text never becomes a label."""
    if not METRICS[metric].label:
        return ""
    return label if LABEL.fullmatch(label) else OTHER


def flush_counts() -> None:
    """Transfer this process's counts to Redis."""
    _tally.carry()


def read_totals() -> Sums:
    """Everything counted since Redis was last emptied. Raises Unavailable."""
    return read_sums([build_total_key()])[0]


def read_last_hour(now: datetime) -> Sums:
    """What was counted in the last hour, to the nearest five minutes. Raises Unavailable."""
    merged: Sums = defaultdict(float)
    for sums in read_sums([build_slice_key(now - SLICE * back) for back in range(SLICES_AN_HOUR)]):
        for series, amount in sums.items():
            merged[series] += amount
    return dict(merged)


def read_day(day: date) -> Sums:
    """What was counted on a day in UTC, as long as Redis still knows. Raises Unavailable."""
    return read_sums([build_day_key(day)])[0]


def read_sums(keys: list[str]) -> list[Sums]:
    def look(client: Redis) -> list[dict[bytes, bytes]]:
        pipe = client.pipeline(transaction=False)
        for key in keys:
            pipe.hgetall(key)
        return list(pipe.execute())

    return [parse_sums(found) for found in shared.call_or_raise(look)]


def parse_sums(found: Mapping[bytes, bytes]) -> Sums:
    sums: Sums = {}
    for field, amount in found.items():
        series = Series.parse(field.decode(errors="replace"))
        if series is not None:
            sums[series] = float(amount)
    return sums


def build_total_key() -> str:
    return shared.build_key("metrics", "total")


def build_slice_key(moment: datetime) -> str:
    return shared.build_key("metrics", "slice", str(int(moment.timestamp() // SLICE.total_seconds())))


def build_day_key(day: date) -> str:
    return shared.build_key("metrics", "day", day.isoformat())


def drop_counts() -> None:
    """Drop counts not yet transferred: a forked process must not send its parent's counts again."""
    global _tally
    _tally = Tally()


os.register_at_fork(after_in_child=drop_counts)
