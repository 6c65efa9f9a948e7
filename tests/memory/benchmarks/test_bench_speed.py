import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import httpx
import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client as DjangoClient

from memory.access.scope import user_scope
from memory.access.users import get_or_create_user
from memory.benchmarks import bulk, speed, staging
from memory.benchmarks.client import BenchmarkClient, IndexProgress
from memory.benchmarks.synthetic import NoteWriter
from memory.evaluation.loading import create_benchmark_organization, index_pending
from memory.indexes import vector_index
from memory.indexes.base import IndexFilter
from memory.indexing import queue
from memory.models import EndUser, MemoryItem, Organization
from memory.platform.deadline import Deadline

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


class Inside(httpx.BaseTransport):
    """Calls the web application in this thread, so that it works in the transaction of the test."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = DjangoClient().generic(
            request.method,
            request.url.raw_path.decode(),
            request.read(),
            content_type="application/json",
            headers=dict(request.headers),
        )
        headers = [("set-cookie", morsel.OutputString()) for morsel in answer.cookies.values()]
        return httpx.Response(answer.status_code, headers=headers, content=answer.content)


class OneProcess(BenchmarkClient):
    """The whole product in this process: nothing is served, and indexing is done on asking."""

    def __init__(self, url: str, key: str) -> None:
        super().__init__(url, key, transport=Inside())

    def wait_until_indexed(self, user: str) -> IndexProgress:
        index_pending(EndUser.objects.get(external_id=user))
        return self.index_progress(user)


@pytest.fixture
def in_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def no_server(data_dir: Path, **environment: str) -> Iterator[str]:
        yield "http://testserver"

    monkeypatch.setattr(staging, "run_server", no_server)
    monkeypatch.setattr(staging, "BenchmarkClient", OneProcess)
    monkeypatch.setattr(speed, "SINGLE_STORES", 3)
    monkeypatch.setattr(speed, "WARM_UP", 1)


@pytest.mark.usefixtures("in_one_process")
def test_everything_is_measured_and_nothing_is_left(tmp_path: Path) -> None:
    out, path = StringIO(), tmp_path / "figures.json"
    call_command("bench", "speed", "--memories", "12", "--queries", "3", "--json", str(path), stdout=out)
    figures = json.loads(path.read_text())
    counts = {stage: spread["count"] for stage, spread in figures["spreads"].items()}
    assert (counts["store a batch"], counts["store one memory"], counts["search"], counts["context"]) == (1, 3, 3, 3)
    assert counts["  embed"] == counts["  vector"] == counts["  lexical"] == 3
    assert (figures["not_indexed"], figures["fallbacks"]) == (0, {})
    assert figures["indexed_per_second"] > 0
    assert figures["postgres"]
    assert all(word in out.getvalue() for word in ("processors", "p95", "store one memory", "<= 25"))
    assert not Organization.objects.filter(slug__startswith="benchmark").exists()
    assert not EndUser.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--url", "http://testserver"], "belong together"),
        (["--key", "x"], "belong together"),
        (["--url", "http://testserver", "--key", "x", "--others", "5"], "leave out --url"),
        (["--url", "http://testserver", "--key", "x", "--memories", "10001"], "leave out --url"),
        (["--memories", "0"], "at least 1"),
        (["--queries", "many"], "not a whole number"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments: list[str], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        call_command("bench", "speed", *arguments)


def test_rows_loaded_directly_are_complete_and_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "POOL", 30)
    monkeypatch.setattr(bulk, "DIRECTIONS", 10)
    monkeypatch.setattr(bulk, "CHUNK", 40)
    writer = NoteWriter(1)
    cloud = bulk.build_cloud(writer, seed=1)
    with create_benchmark_organization(NOW) as organization:
        user, other = get_or_create_user(organization, "ann"), get_or_create_user(organization, "ben")
        loader = bulk.BulkLoader(cloud, seed=1)
        loader.fill(user, writer.notes(100), 100, NOW)
        loader.fill(other, writer.notes(20), 20, NOW)
        state = queue.count_indexing(user)
        assert (state.pending, state.ready, state.failed) == (0, 100, 0)
        with user_scope(user):
            texts = {item.text for item in MemoryItem.objects.for_user(user)}
            assert not MemoryItem.objects.for_user(user).filter(lexemes=None).exists()
        assert len(texts) == 100
        near = vector_index().search(cloud.pool[0], IndexFilter(user.pk), 10, Deadline(5))
        assert len(near) == 10
        # A vector that was moved keeps a cosine of about 0.9, which is a distance of about 0.45.
        lengths = [np.linalg.norm(vector) for vector in cloud.pool]
        assert np.allclose(lengths, 1, atol=1e-3)
        assert near[0].distance > 0.3
