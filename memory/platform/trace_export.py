"""Spans to a collector, with a line in the log when it goes away and one when it is back.

Loaded where traces are on alone: the exporter is a second of imports.
"""

import logging
from collections.abc import Sequence
from typing import Final

import structlog
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

logger = structlog.get_logger(__name__)

EXPORT_TIMEOUT_S: Final = 5.0
# Several lines for each batch of a collector that is away: one every five seconds in each process.
logging.getLogger("opentelemetry.exporter.otlp.proto.http").setLevel(logging.CRITICAL)


class CollectorExporter(SpanExporter):
    """Called by one thread of the process, batch after batch."""

    def __init__(self, endpoint: str) -> None:
        self._inner = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=EXPORT_TIMEOUT_S)
        self._is_away = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._inner.export(spans)
        is_away = result is not SpanExportResult.SUCCESS
        if is_away != self._is_away:
            self._is_away = is_away
            if is_away:
                logger.warning("traces are dropped: the collector does not take them", spans=len(spans))
            else:
                logger.info("traces are taken again")
        return result

    def shutdown(self) -> None:
        self._inner.shutdown()  # type: ignore[no-untyped-call]

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._inner.force_flush(timeout_millis)
