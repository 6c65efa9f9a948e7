"""Progress of a long command: a bar on a terminal, now and then a plain line anywhere else."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.management.base import OutputWrapper
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

# Often enough to see that it lives, rarely enough for a log.
_LINE_EVERY_S = 5.0

Advance = Callable[[int], None]


@contextmanager
def show_progress(out: OutputWrapper, what: str, total: int | None = None) -> Iterator[Advance]:
    """A function to call with how many more are done."""
    if out.isatty():
        with _bar(what, total) as advance:
            yield advance
        return
    done = 0
    spoke = time.monotonic()

    def advance_in_lines(count: int) -> None:
        nonlocal done, spoke
        done += count
        if time.monotonic() - spoke >= _LINE_EVERY_S:
            spoke = time.monotonic()
            out.write(f"{what}: {done:,} of {total:,}" if total else f"{what}: {done:,}")
            out.flush()

    yield advance_in_lines


@contextmanager
def _bar(what: str, total: int | None) -> Iterator[Advance]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)
