import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.management import call_command
from django.db import connections

from memory.benchmarks import load, staging
from memory.benchmarks.client import BenchmarkClient
from memory.models import Organization, ReindexRun
from tests.memory.benchmarks.test_bench_speed import Inside, OneProcess

pytestmark = pytest.mark.django_db(transaction=True)
SMALL = ("--memories", "12", "--clients", "2", "--searches", "20", "--writes", "20", "--seconds", "1.5")


class InsideAnyThread(Inside):
    """Threads of the measurement end without closing what a web server's thread would keep."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return super().handle_request(request)
        finally:
            connections.close_all()


class ForgetfulClient(OneProcess):
    """Acknowledges a deletion and does not make it."""

    def remove(self, user: str, item: str) -> None:
        return


@pytest.fixture
def in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def no_server(data_dir: Path) -> Iterator[str]:
        yield "http://testserver"

    monkeypatch.setattr(staging, "run_server", no_server)
    monkeypatch.setattr("tests.memory.benchmarks.test_bench_speed.Inside", InsideAnyThread)
    monkeypatch.setattr(load, "WARM_UP", 1)
    monkeypatch.setattr(load, "send_task", lambda task: task())


def run_measurement(
    monkeypatch: pytest.MonkeyPatch, client: type[BenchmarkClient], path: Path
) -> tuple[dict[str, Any], str]:
    monkeypatch.setattr(staging, "BenchmarkClient", client)
    out = StringIO()
    call_command("bench", "load", *SMALL, "--json", str(path), stdout=out)
    return json.loads(path.read_text()), out.getvalue()


@pytest.mark.usefixtures("in_one_process")
def test_clients_writes_and_a_rebuilding_leave_nothing_lost_or_stale(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    figures, out = run_measurement(monkeypatch, OneProcess, tmp_path / "figures.json")
    assert (figures["errors"], figures["stale"], figures["lost"], figures["drift"]) == ([], 0, 0, 0)
    assert figures["written"] >= 10
    assert figures["deleted"] == figures["written"] // load.DELETE_EVERY
    assert figures["rebuilt"].startswith("done")
    assert ReindexRun.objects.get().state == ReindexRun.State.DONE
    assert all(words in out for words in ("under load", "times the quiet one", "errors 0"))
    assert not Organization.objects.filter(slug__startswith="benchmark").exists()


@pytest.mark.usefixtures("in_one_process")
def test_a_deletion_that_did_not_happen_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    figures, _ = run_measurement(monkeypatch, ForgetfulClient, tmp_path / "figures.json")
    assert figures["deleted"] >= 1
    assert figures["stale"] >= 1
