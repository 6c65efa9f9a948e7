"""An index to rebuild: in either engine, with a user's memories in it, and with a process that dies where it is told.

Run as a program it carries the open run on and kills itself at the given call: ``python -m
tests.memory.indexing.interrupted_rebuild DATABASE MODULE:NAME WHEN NTH``.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any
from uuid import UUID

from django.db import connection

from config.env import BASE_DIR


def texts(name: str, count: int) -> list[str]:
    return [f"{name} wrote down that shelf {number} holds box {number * 7}" for number in range(count)]


def store_memories(user: Any, count: int) -> None:
    """Give a user this many memories that stay."""
    from django.utils import timezone

    from memory.facade import MemoryFacade
    from memory.store.admission import NewMemory
    from memory.tiers import Tier

    batch = [NewMemory(text, tier=Tier.HISTORY) for text in texts(user.external_id, count)]
    MemoryFacade("key:test").store_many(user, batch, now=timezone.now())


def read_index(user: Any) -> dict[UUID, tuple[str, str, str]]:
    """What the live collection holds of a user."""
    from memory.indexes import vector_index
    from memory.platform.deadline import Deadline

    ids = [item_id for item_id, _ in vector_index().scroll(user.pk)]
    assert len(ids) == len(set(ids))
    return {
        point.id: (point.tier, point.status, point.vector_hash)
        for point in vector_index().held(user.pk, ids, Deadline(10))
    }


def read_rows(user: Any) -> dict[UUID, tuple[str, str, str]]:
    from memory.access.scope import user_scope
    from memory.models import MemoryItem

    with user_scope(user):
        found = MemoryItem.objects.for_user(user).values_list("pk", "tier", "status", "vector_hash")
        return {pk: (tier, status, digest) for pk, tier, status, digest in found}


def list_items(user: Any) -> list[Any]:
    from memory.access.scope import user_scope
    from memory.models import MemoryItem

    with user_scope(user):
        return list(MemoryItem.objects.for_user(user).order_by("arrival"))


def collection_roles() -> list[str]:
    """Of the collections there are."""
    from memory.models import VectorCollection

    return sorted(row.role for row in VectorCollection.objects.all())


def die_at(point: str, when: str, nth: int) -> int:
    """Carry the open run on in a process of its own, to its death. Returns how it ended."""
    from memory.conf import memory_conf

    name = str(connection.settings_dict["NAME"])
    environment = {
        "DJANGO_SETTINGS_MODULE": "config.settings_test",
        "QDRANT_URL": memory_conf().vector.qdrant_url,
    }
    ended = subprocess.run(
        [sys.executable, "-m", "tests.memory.indexing.interrupted_rebuild", name, point, when, str(nth)],
        cwd=BASE_DIR,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode in {0, -signal.SIGKILL}, ended.stderr[-2000:]
    return ended.returncode


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
    from importlib import import_module

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


def main(words: Iterable[str]) -> None:
    import django

    database, point, when, nth = words
    django.setup()
    connection.settings_dict["NAME"] = database
    from memory.indexing import rebuild, runs

    rebuild.BATCH, rebuild.PAGE = 8, 8
    patch(point, when, int(nth))
    run = runs.find_open_run()
    assert run is not None
    rebuild.continue_run(run.pk, stop=lambda: False)


if __name__ == "__main__":
    main(sys.argv[1:])
