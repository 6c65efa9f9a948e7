"""Traces: spans of the product's own stages, sent to an OpenTelemetry collector. Off unless `start_tracing` was called.

Off, a span is one comparison and nothing is imported. On, finished spans wait in a bounded queue that a thread
empties: a collector that is away costs spans and nobody's time. No text, id or name of anybody becomes an attribute;
of a failure only its class is told, as its words may quote what was stored.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer

P = ParamSpec("P")
Result = TypeVar("Result")

PARENT: Final = "traceparent"
_OFF: Final[AbstractContextManager[None]] = nullcontext()
_tracer: "Tracer | None" = None
_provider: "TracerProvider | None" = None


def start_tracing(service: str, endpoint: str, share: float, exporter: "SpanExporter | None" = None) -> None:
    """Trace this process from now on, which must not fork later. ``share`` of the requests that nobody else traces."""
    global _provider, _tracer
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    from memory.platform.trace_export import CollectorExporter

    provider = TracerProvider(
        resource=Resource.create({"service.name": service}), sampler=ParentBased(TraceIdRatioBased(share))
    )
    provider.add_span_processor(BatchSpanProcessor(exporter or CollectorExporter(endpoint)))
    _provider, _tracer = provider, provider.get_tracer("commonplace")


def stop_tracing() -> None:
    """Send what waits, and trace no more."""
    global _provider, _tracer
    provider, _provider, _tracer = _provider, None, None
    if provider is not None:
        provider.shutdown()


def open_span(name: str, **attributes: str | int | bool) -> "AbstractContextManager[Span | None]":
    """A stage of whatever is being traced here. ``attributes`` are words of ours, never of a person."""
    return _OFF if _tracer is None else record_span(_tracer, name, attributes, {})


def continue_trace(
    name: str, carried: Mapping[str, str], **attributes: str | int | bool
) -> "AbstractContextManager[Span | None]":
    """The first span of a process: of the trace that the headers name, or of a new one."""
    return _OFF if _tracer is None else record_span(_tracer, name, attributes, carried)


@contextmanager
def record_span(
    tracer: "Tracer", name: str, attributes: Mapping[str, str | int | bool], carried: Mapping[str, str]
) -> "Iterator[Span]":
    from opentelemetry.trace import StatusCode
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    parent = TraceContextTextMapPropagator().extract(carried) if carried else None
    with tracer.start_as_current_span(
        name, parent, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield span
        except BaseException as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(StatusCode.ERROR)
            raise


def trace_calls(name: str) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Each call of the function is a span."""

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> Result:
            with open_span(name):
                return function(*args, **kwargs)

        return call

    return decorate


def carry_trace() -> dict[str, str]:
    """Headers by which another process goes on with this trace; none where nothing is traced."""
    if _tracer is None:
        return {}
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carried: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carried)
    return carried


def get_trace_id(span: "Span | None") -> str:
    return "" if span is None else f"{span.get_span_context().trace_id:032x}"
