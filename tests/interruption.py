"""Processes that are killed in the middle of their work, at the call a test names.

A program of this kind imports the product once and then takes an order a line, each carried out in a fork of itself: a
dozen deaths cost one start of the product instead of a dozen.
"""

import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, Self

from config.env import BASE_DIR, copy_environment

Order = dict[str, Any]


class InterruptedProcess:
    """The program of a module that calls `serve_orders`, and the way to talk to it; a context manager that ends it."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", self._module],
            cwd=BASE_DIR,
            env=copy_environment() | {"DJANGO_SETTINGS_MODULE": "config.settings_test"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate(timeout=30)

    def carry_out(self, order: Order) -> int:
        """Returns how the process ended that did: -9 for one that was killed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def serve_orders(prepare: Callable[[], None], carry_out: Callable[[Order], None]) -> None:
    """The main program. ``prepare`` imports what every fork is to have at once."""
    import django

    django.setup()
    prepare()
    # A fork that looked for garbage among what it was born with would make a copy of it for itself.
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            try:
                carry_out(json.loads(line))
                os._exit(0)
            finally:
                # Only an error comes here, with its traceback still to be told.
                sys.excepthook(*sys.exc_info())
                os._exit(1)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)  # noqa: T201


def patch_death(point: str, when: str, nth: int) -> tuple[Any, str, Callable[..., Any]]:
    """Have the process killed before or after the ``nth`` call of ``module:path``. Returns what was changed where."""
    module, path = point.split(":")
    owner: Any = import_module(module)
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    changed = kill_at_call(getattr(owner, name), when, nth)
    setattr(owner, name, changed)
    return owner, name, changed


def kill_at_call(call: Callable[..., Any], when: str, nth: int) -> Callable[..., Any]:
    calls = 0

    @wraps(call)
    def counted(*args: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == nth and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = call(*args, **named)
        if calls == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    return counted
