"""Health checks: every part is probed on its own, with a time limit, at most once every few seconds."""

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Min
from django.utils import timezone

from memory import signals
from memory.conf import data_dir, memory_conf
from memory.indexes import vector_index
from memory.indexing import runs
from memory.inference import embedder, token_embedder
from memory.inference.remote import JsonService
from memory.models import DriftReport, EndUser
from memory.platform import redis as shared
from memory.platform.breakers import list_breaker_states
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable

GIGABYTE = 1024**3
# Postgres stops writing when the disk is full, so the product reports itself as down a little before.
LOW_DISK, VERY_LOW_DISK, NO_DISK = 5 * GIGABYTE, 1 * GIGABYTE, 500 * 1024**2
# The sweep runs every 30 s, so rows that wait longer than this have no worker.
QUEUE_LATE_S = 120
# A monitor asks every few seconds and so does each open console page; parts are asked once for all of them.
CACHE_S = 5.0
# A part that needs longer than this for nothing at all does not work.
PROBE_TIMEOUT_S = 1.0

OK, DEGRADED, UNAVAILABLE = "ok", "degraded", "unavailable"


@dataclass(frozen=True, slots=True)
class Component:
    """One part. The product fails without a ``required`` one; without others answers are worse or later."""

    ok: bool
    required: bool = False
    ms: float = 0.0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    status: str
    checked_at: datetime
    components: dict[str, Component]
    breakers: dict[str, str]
    disk: dict[str, int]
    sizes: dict[str, int]
    warnings: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class HealthCache:
    """Caches the last check for a few seconds: the endpoint is public and must not cause load."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: Health | None = None
        self._at = 0.0

    def current(self) -> Health:
        seen = self._seen
        if seen is not None and time.monotonic() - self._at <= CACHE_S:
            return seen
        # While one request checks, the others get the previous result; only the very first have to wait.
        if not self._lock.acquire(blocking=seen is None) and seen is not None:
            return seen
        try:
            if self._seen is seen:
                self._seen, self._at = probe_all(), time.monotonic()
            return self._seen or probe_all()
        finally:
            self._lock.release()

    def forget(self) -> None:
        with self._lock:
            self._seen = None


_watch = HealthCache()
current, forget = _watch.current, _watch.forget


def probe_all() -> Health:
    """Probe every part now."""
    components = {
        "postgres": probe_part(probe_postgres, required=True),
        "redis": probe_part(probe_redis),
        "embedder": probe_part(probe_embedder),
    }
    if components["postgres"].ok:
        # These query Postgres as well; while it is down each would wait for it again.
        components |= {"vector_index": probe_part(probe_vector_index), "queue": probe_part(probe_queue)}
    if memory_conf().mcp.url:
        components["mcp"] = probe_part(probe_mcp)
    disk = measure_free_space()
    warnings = [f"{name}: {part.detail}" for name, part in components.items() if part.detail and not part.ok]
    warnings += list_disk_warnings(disk["free"])
    if components["postgres"].ok:
        warnings += list_index_warnings()
        # A receiver that fails says nothing; it must not make the product look down.
        signals.health_probed.send_robust(Health, warnings=warnings)
    return Health(
        status=combine_components(components, disk["free"]),
        checked_at=timezone.now(),
        components=components,
        breakers=list_breaker_states(),
        disk=disk,
        sizes=measure_sizes() if components["postgres"].ok else {},
        warnings=warnings,
    )


def combine_components(components: dict[str, Component], free: int) -> str:
    if any(part.required and not part.ok for part in components.values()) or free < NO_DISK:
        return UNAVAILABLE
    return OK if all(part.ok for part in components.values()) and free >= VERY_LOW_DISK else DEGRADED


def probe_part(ask: Callable[[], str], *, required: bool = False) -> Component:
    """``ask`` returns a detail to show and raises when the part does not work."""
    started = time.perf_counter()
    try:
        detail, ok = ask(), True
    except (Unavailable, DatabaseError, InterfaceError) as error:
        detail, ok = " ".join(str(error).split())[:200], False
    return Component(ok=ok, required=required, ms=round((time.perf_counter() - started) * 1000, 2), detail=detail)


def probe_postgres() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version')")
        row = cursor.fetchone()
    return f"PostgreSQL {row[0].split()[0]}" if row else ""


def probe_redis() -> str:
    info = shared.call_or_raise(lambda client: client.info("server"))
    return f"Redis {info.get('redis_version', '')}" if isinstance(info, dict) else ""


def probe_embedder() -> str:
    conf = memory_conf().embedding
    # A real text: a server that answers /health may still have no model.
    [vector] = embedder().embed_passages(["health"], Deadline(PROBE_TIMEOUT_S))
    tokens = token_embedder()
    is_poorer = tokens is not None and not tokens.is_offered(Deadline(PROBE_TIMEOUT_S))
    return f"{conf.model}, {len(vector)} dimensions" + ("; no tokens, turns are not compared by them" * is_poorer)


def probe_vector_index() -> str:
    state = vector_index().state()
    if not state.ok:
        raise Unavailable("vector", state.problem or "does not work")
    points = "" if state.points is None else f", about {state.points} vectors"
    run = runs.find_open_run()
    rebuilding = f"; being rebuilt ({run.state}, {run.phase}, {run.progress:.0%} copied)" if run else ""
    return f"{state.backend}{points}{rebuilding}" + (f"; {state.problem}" if state.problem else "")


def probe_queue() -> str:
    oldest = EndUser.objects.aggregate(oldest=Min("index_due_since"))["oldest"]
    age_s = int((timezone.now() - oldest).total_seconds()) if oldest else 0
    if age_s > QUEUE_LATE_S:
        raise Unavailable("queue", f"memories have waited {age_s} s for the index: is a worker running?")
    return f"oldest waiting memory {age_s} s" if oldest else "queue empty"


def probe_mcp() -> str:
    request_mcp_health(memory_conf().mcp.url).exchange("GET", "/health", None, Deadline(PROBE_TIMEOUT_S))
    return "running"


@cache
def request_mcp_health(url: str) -> JsonService:
    return JsonService("mcp", url)


def list_index_warnings() -> list[str]:
    """Findings of the last day's consistency checks that an operator must look at."""
    recent = DriftReport.objects.filter(started_at__gt=timezone.now() - timedelta(days=1)).exclude(quarantine=[])
    return ["index: points of one user lay under another and were removed; see the drift report"] * recent.exists()


def measure_free_space() -> dict[str, int]:
    folder = data_dir()
    usage = shutil.disk_usage(folder if folder.exists() else folder.anchor)
    return {"free": usage.free, "total": usage.total}


def list_disk_warnings(free: int) -> list[str]:
    if free >= LOW_DISK:
        return []
    amount = f"{free / GIGABYTE:.1f} GB"
    if free < NO_DISK:
        return [f"disk: only {amount} free, writes will fail; free space now"]
    return [f"disk: {amount} free" + (", very low" if free < VERY_LOW_DISK else "")]


def measure_sizes() -> dict[str, int]:
    """Sizes in bytes, over all users."""
    with connection.cursor() as cursor:
        cursor.execute(
            # Counted by Postgres from the files: counting rows would need every user's scope.
            "SELECT pg_database_size(current_database()), pg_total_relation_size('memory_item'), "
            "pg_total_relation_size('memory_vector')"
        )
        row = cursor.fetchone() or (0, 0, 0)
    return dict(zip(("database", "memories", "vectors"), row, strict=True))
