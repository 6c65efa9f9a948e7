"""Adapters that all threads of a process share."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memory import indexes
from memory.platform.per_process import PerProcess
from memory.records import embedding


def slow_down(make: Callable[..., Any]) -> Callable[..., Any]:
    def slow(*args: object) -> Any:
        time.sleep(0.05)
        return make(*args)

    return slow


@pytest.mark.parametrize(
    ("adapter", "part"),
    [
        (indexes.vector_index, "memory.indexes.import_string"),
        (indexes.lexical_index, "memory.indexes.import_string"),
        (embedding.load_own_embedder, "memory.records.embedding.HttpEmbedder"),
    ],
)
def test_threads_that_ask_at_once_share_one_adapter(
    adapter: PerProcess[Any], part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, _, name = part.rpartition(".")
    monkeypatch.setattr(part, slow_down(getattr(__import__(module, fromlist=[name]), name)))
    adapter.forget()
    try:
        with ThreadPoolExecutor(4) as pool:
            given = list(pool.map(lambda _: adapter(), range(4)))
        assert {id(one) for one in given} == {id(one) for one in adapter.made}
    finally:
        adapter.forget()


def test_a_forked_process_makes_its_own() -> None:
    adapter = PerProcess(object)
    adapter()
    child = os.fork()
    if not child:
        os._exit(len(adapter.made))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(adapter.made) == 1
