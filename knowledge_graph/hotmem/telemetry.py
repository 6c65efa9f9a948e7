"""How long the turns of this process take and what they were given: a line in the log every half minute."""

import threading
import time
from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Final

import structlog

from memory.conf import memory_conf
from memory.platform import metrics
from memory.scoring import find_percentile

logger = structlog.get_logger(__name__)

EVERY_S: Final = 30.0
MOST_KEPT: Final = 2_000


class TurnTelemetry:
    """Times and counts of the turns of one process. Sums over all processes are in the metrics."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._times: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=MOST_KEPT))
        self._counts: dict[str, int] = defaultdict(int)
        self._reported_at = time.monotonic()

    def add(self, timings_ms: Mapping[str, float], bullets: int) -> dict[str, float] | None:
        """Count a turn; returns the figures to be logged now and then, else None."""
        with self._lock:
            for stage, ms in timings_ms.items():
                self._times[stage].append(ms)
            self._counts["turns"] += 1
            self._counts["bullets"] += bullets
            self._counts["silent"] += bullets == 0
            if time.monotonic() - self._reported_at < EVERY_S:
                return None
            return self._report()

    def _report(self) -> dict[str, float]:
        line = {f"{stage}_p95_ms": round(find_percentile(times, 0.95), 2) for stage, times in self._times.items()}
        line |= dict(self._counts)
        self._times.clear()
        self._counts.clear()
        self._reported_at = time.monotonic()
        return line


telemetry: Final = TurnTelemetry()


def record_turn(timings_ms: Mapping[str, float], *, bullets: int, text: str) -> None:
    """Count a turn. Its words are logged only where the operator has switched their redaction off."""
    metrics.record_stages("hot_stage", timings_ms)
    metrics.count("hot_turns", "told" if bullets else "silent")
    if line := telemetry.add(timings_ms, bullets):
        logger.info("hot path", **line)
    if not memory_conf().hot.redacts_logs:
        logger.info("hot turn", text=text, **timings_ms)
