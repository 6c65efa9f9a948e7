"""Starts traces in the processes that are to have them; without an address nothing is loaded."""

from typing import Any

import structlog
from celery import Task
from celery.signals import task_postrun, task_prerun, worker_process_init
from django.conf import settings

from memory.platform import tracing

# Where a task keeps the span it runs in.
OPEN = "open_span"


def start_process_traces(part: str) -> None:
    """After the last fork: the thread that sends spans would not survive one."""
    if settings.TRACES["endpoint"]:
        tracing.start_tracing(f"commonplace-{part}", settings.TRACES["endpoint"], settings.TRACES["share"])


def trace_tasks() -> None:
    """Each task of a worker is a span, of the trace of the request that sent it."""
    if not settings.TRACES["endpoint"]:
        return
    worker_process_init.connect(lambda **_: start_process_traces("worker"), weak=False)
    task_prerun.connect(open_task_span, weak=False)
    task_postrun.connect(close_task_span, weak=False)


def open_task_span(task: "Task[..., Any]", **kwargs: Any) -> None:
    parent = task.request.get(tracing.PARENT) or (task.request.headers or {}).get(tracing.PARENT)
    context = tracing.continue_trace(f"task {task.name}", {tracing.PARENT: parent} if parent else {})
    span = context.__enter__()
    if span is not None:
        structlog.contextvars.bind_contextvars(trace_id=tracing.get_trace_id(span))
    setattr(task.request, OPEN, context)


def close_task_span(task: "Task[..., Any]", **kwargs: Any) -> None:
    context = task.request.get(OPEN)
    if context is not None:
        structlog.contextvars.unbind_contextvars("trace_id")
        context.__exit__(None, None, None)
