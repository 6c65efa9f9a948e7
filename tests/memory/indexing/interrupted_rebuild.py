"""A process that carries the open run of a rebuilding on and dies at the call it is told.

Run as a program it imports the product once and then does so for every line it reads, each time in a fork of itself: a
dozen deaths cost one start of the product instead of a dozen.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, Self

from django.db import connection

from config.env import BASE_DIR, copy_environment


class RebuildProcess:
    """The program below and the way to talk to it; a context manager that ends it."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.memory.indexing.interrupted_rebuild"],
            cwd=BASE_DIR,
            env=copy_environment() | {"DJANGO_SETTINGS_MODULE": "config.settings_test"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate(timeout=30)

    def die_at(self, point: str, when: str, nth: int) -> int:
        """Carry the open run on to the death at the ``nth`` call of ``point``. Returns how the process ended."""
        from memory.conf import memory_conf

        vector = memory_conf().vector
        order = {
            "database": str(connection.settings_dict["NAME"]),
            "vector": {"backend": vector.backend, "qdrant_url": vector.qdrant_url},
            "death": [point, when, nth],
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


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


def patch(point: str, when: str, nth: int) -> None:
    from memory.indexing import rebuild

    module, path = point.split(":")
    owner: Any = import_module(module)
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    changed = kill_at_call(getattr(owner, name), when, nth)
    setattr(owner, name, changed)
    for phase, step in list(rebuild.STEPS.items()):
        if owner is rebuild and step.__name__ == name:
            rebuild.STEPS[phase] = changed


def continue_to_the_death(order: dict[str, Any]) -> None:
    from django.conf import settings

    from memory.indexing import rebuild, runs

    connection.settings_dict["NAME"] = order["database"]
    settings.MEMORY = {**settings.MEMORY, "VECTOR": {**settings.MEMORY["VECTOR"], **order["vector"]}}
    rebuild.BATCH, rebuild.PAGE = 8, 8
    patch(*order["death"])
    run = runs.find_open_run()
    assert run is not None
    rebuild.continue_run(run.pk, stop=lambda: False)


def main() -> None:
    import django

    django.setup()
    from memory.indexing import drift, rebuild, runs  # noqa: F401  (a fork has them at once)

    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            try:
                continue_to_the_death(json.loads(line))
                os._exit(0)
            finally:
                # Only an error comes here, with its traceback still to be told.
                sys.excepthook(*sys.exc_info())
                os._exit(1)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
