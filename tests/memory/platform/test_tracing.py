"""Traces reach a collector with the product's stages and nobody's words, and a collector that is away costs nothing."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.utils import timezone
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from structlog.testing import capture_logs

from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.platform import tracing
from memory.platform.trace_export import CollectorExporter
from memory.store.admission import NewMemory
from tests.api_client import ApiClient
from tests.doubles.webhook_receiver import Reply, WebhookReceiver

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
CANARY = "quagga"


@pytest.fixture(autouse=True)
def trace_no_more() -> Iterator[None]:
    yield
    tracing.stop_tracing()


def read_spans(collector: WebhookReceiver) -> list[Span]:
    sent = [ExportTraceServiceRequest.FromString(received.body) for received in collector.received]
    return [
        span
        for request in sent
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def test_a_request_is_one_trace_of_its_stages_without_a_word_of_anybody(api: ApiClient, user: EndUser) -> None:
    MemoryFacade().store(user, NewMemory(f"The {CANARY} sleeps"), now=timezone.now())
    with WebhookReceiver() as collector:
        tracing.start_tracing("commonplace-test", f"http://127.0.0.1:{collector.port}", 1.0)
        found = api.post("search", {"query": f"where does the {CANARY} sleep?"}, traceparent=PARENT, tracestate="x=y")
        api.post("context", {"query": CANARY, "thread_id": CANARY})
        api.post("memories", {"text": f"The {CANARY} wakes"})
        assert carried_trace() == {}, "outside of a request there is nothing to go on with"
        tracing.stop_tracing()
        spans = read_spans(collector)
        sent = b"".join(received.body for received in collector.received)
    trace_id = PARENT.split("-")[1]
    assert found.headers["X-Trace-Id"] == trace_id
    own = {span.name: span for span in spans if span.trace_id.hex() == trace_id}
    assert own["POST /api/v1/users/<user_id>/search"].parent_span_id.hex() == PARENT.split("-")[2]
    assert {"search", "search.understand", "search.embed", "search.rank", "search.remember"} <= set(own)
    assert own["search.rank"].parent_span_id == own["search"].span_id
    assert {"context", "context.facts", "store", "insights"} & {span.name for span in spans} >= {"context", "store"}
    for word in (CANARY, "ann", "acme"):
        assert word.encode() not in sent, word


def carried_trace() -> dict[str, str]:
    return tracing.carry_trace()


def test_a_collector_that_is_away_breaks_and_delays_nothing(api: ApiClient, user: EndUser) -> None:
    tracing.start_tracing("commonplace-test", "http://127.0.0.1:9", 1.0)
    for _ in range(3):
        assert api.post("search", {"query": "lamp"}).status_code == 200
    with tracing.open_span("whole") as span:
        assert span is not None
        assert tracing.carry_trace()[tracing.PARENT]
    with pytest.raises(ZeroDivisionError), tracing.open_span("broken"):
        _ = 1 / 0


def test_a_collector_that_goes_away_is_told_of_once_and_once_when_it_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with TracerProvider().get_tracer("test").start_as_current_span("one") as span:
        pass
    assert isinstance(span, ReadableSpan)
    with WebhookReceiver() as collector, capture_logs() as said:
        exporter = CollectorExporter(f"http://127.0.0.1:{collector.port}")
        # What is refused for good is not asked again, so nobody waits.
        for status in (400, 400, 400, 200, 200, 400):
            collector.replies = [Reply(status)]
            exporter.export([span])
        exporter.shutdown()
    away, back = "traces are dropped: the collector does not take them", "traces are taken again"
    assert [line["event"] for line in said] == [away, back, away]
    assert [record for record in caplog.records if record.name.startswith("opentelemetry")] == []


def test_without_an_address_nothing_is_loaded(api: ApiClient, user: EndUser) -> None:
    response = api.post("search", {"query": "lamp"})
    assert "X-Trace-Id" not in response.headers
    with tracing.open_span("nothing") as span:
        assert span is None
    script = (
        "import sys, django; django.setup(); from config.traces import start_process_traces;"
        "import config.celery; start_process_traces('web');"
        # Of the SDK the Redis client loads the metrics wherever it finds them.
        "print(not {'opentelemetry.sdk.trace', 'opentelemetry.exporter'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
