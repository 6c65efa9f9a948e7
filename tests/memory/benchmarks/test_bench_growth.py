"""`manage.py bench growth` and `bench cold` on a small installation; what they compute of their figures."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.access.scope import user_scope
from memory.benchmarks import bulk, cold, growth, population
from memory.benchmarks.curves import fit_curve
from memory.indexes.base import IndexFilter
from memory.indexes.fulltext import FullTextIndex
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from tests.memory.benchmarks.test_bench_speed import OneProcess

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services")]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """A small population in this process; the names of the people that were loaded, in order."""
    loaded: list[str] = []

    @contextmanager
    def no_server(data_dir: Path, **environment: str) -> Iterator[str]:
        yield "http://testserver"

    for module in (growth, cold):
        monkeypatch.setattr(module, "run_server", no_server)
        monkeypatch.setattr(module, "BenchmarkClient", OneProcess)
        monkeypatch.setattr(module, "data_dir", lambda: tmp_path)
    monkeypatch.setattr(population, "data_dir", lambda: tmp_path)
    monkeypatch.setattr(population, "connect_as_owner", lambda: nullcontext())
    monkeypatch.setattr(population, "closing", lambda owner: owner)
    monkeypatch.setattr(bulk, "refresh_statistics", lambda owner: None)
    monkeypatch.setattr(population, "EACH", 10)
    monkeypatch.setattr(bulk, "POOL", 12)
    monkeypatch.setattr(growth, "WARM_UP", 1)
    monkeypatch.setattr(growth, "DUE", 2)
    copy, fill = population.copy_memories, bulk.BulkLoader.fill

    def note_fill(self: bulk.BulkLoader, user: EndUser, *rest: Any) -> None:
        loaded.append(user.external_id)
        fill(self, user, *rest)

    def note_copy(loader: bulk.BulkLoader, source: EndUser, user: EndUser, *rest: Any) -> None:
        loaded.append(f"{user.external_id} from {source.external_id}")
        copy(loader, source, user, *rest)

    monkeypatch.setattr(bulk.BulkLoader, "fill", note_fill)
    monkeypatch.setattr(population, "copy_memories", note_copy)
    return loaded


def run_growth(path: Path, sizes: str, *more: str) -> tuple[dict[str, Any], str]:
    out = StringIO()
    call_command("bench", "growth", f"--sizes={sizes}", "--queries=2", *more, f"--json={path}", stdout=out)
    return json.loads(path.read_text()), out.getvalue()


def test_a_size_grows_out_of_the_smaller_one_and_is_measured_once(small: list[str], tmp_path: Path) -> None:
    figures, printed = run_growth(tmp_path / "first.json", "20")
    assert small == ["measured", "other-0", "other-1 from other-0"]
    assert figures["sizes"]["20"]["spreads"]["search, large person"]["count"] == 2
    small.clear()
    figures, printed = run_growth(tmp_path / "both.json", "20,40")
    assert "20 memories: measured before" in printed
    # What was stored to measure counts: the large person has enough.
    assert small == ["other-1", "other-2 from other-0", "other-3 from other-0"]
    for name in ("context, small person", "store until indexed, large person", "consolidation, next night"):
        assert {size: one["spreads"][name]["count"] > 0 for size, one in figures["sizes"].items()} == {
            "20": True,
            "40": True,
        }
    assert figures["sizes"]["40"]["costs"]["promotion, each of 2 due"]["calls"] == 2
    assert {"memory_item, rows", "memory_vector, indexes"} <= figures["sizes"]["40"]["stored"].keys()
    assert "exponent" in printed


def test_a_part_that_failed_is_measured_by_the_next_run_alone(
    small: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(growth, "consolidate_user", fail)
        with pytest.raises(RuntimeError):
            run_growth(tmp_path / "failed.json", "20")
        assert not EndUser.objects.filter(external_id="consolidated").exists()
    [figures] = growth.read_figures(tmp_path / "benchmarks" / "growth-1.json").values()
    assert figures.parts == ["asking", "promoting"]
    content, printed = run_growth(tmp_path / "whole.json", "20")
    assert content["sizes"]["20"]["parts"] == ["asking", "promoting", "consolidating"]
    assert "searching" not in printed
    spread = figures.spreads["search, large person"]
    assert content["sizes"]["20"]["spreads"]["search, large person"]["p50"] == spread.p50


def fail(*_: object, **__: object) -> None:
    raise RuntimeError("no night")


def test_a_copied_person_is_found_by_words_and_by_nearness_as_any_other(small: list[str]) -> None:
    with population.open_population(40, 1, lambda line: None):
        pass
    source, copied = (EndUser.objects.get(external_id=name) for name in ("other-0", "other-2"))
    texts = {}
    for user in (source, copied):
        with user_scope(user):
            texts[user.pk] = set(MemoryItem.objects.for_user(user).values_list("text", flat=True))
    assert len(texts[copied.pk]) == 10
    assert texts[copied.pk] <= texts[source.pk]
    word = max(next(iter(texts[copied.pk])).split(), key=len)
    found = FullTextIndex().search(word, IndexFilter(copied.pk), 20, Deadline(5))
    with user_scope(copied):
        assert {match.id for match in found} <= set(MemoryItem.objects.for_user(copied).values_list("pk", flat=True))
    assert found


def test_a_curve_through_sizes_is_a_power_of_them() -> None:
    curve = fit_curve({10: 3 * 10**0.5, 1_000: 3 * 1_000**0.5, 100_000: 3 * 100_000**0.5})
    assert curve
    assert (round(curve.factor, 6), round(curve.exponent, 6), curve.points) == (3, 0.5, 3)
    assert curve.at(1_000_000) == pytest.approx(3_000)
    assert fit_curve({10: 1.0}) is None
    assert fit_curve({10: 0.0, 100: 1.0}) is None


@pytest.mark.parametrize("sizes", ["none", "0,10", "10,,20", "-5"])
def test_what_is_no_size_is_refused(sizes: str) -> None:
    with pytest.raises(CommandError, match="sizes"):
        call_command("bench", "growth", f"--sizes={sizes}")


def test_the_first_searches_are_told_from_the_warm_ones(small: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    restarts: list[bool] = []
    monkeypatch.setattr(cold, "restart_postgres", lambda paths, drop_cache: restarts.append(drop_cache))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    out = StringIO()
    call_command("bench", "cold", "--memories=20", "--queries=2", stdout=out)
    assert restarts == [False, True]
    assert all(words in out.getvalue() for words in (cold.FILE_CACHE, cold.DISK, "warm p95"))


def test_a_cold_start_of_a_database_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://elsewhere/commonplace")
    with pytest.raises(CommandError, match="embedded Postgres"):
        call_command("bench", "cold", "--memories=20")


def test_forgotten_files_are_still_whole(tmp_path: Path) -> None:
    file = tmp_path / "base" / "1"
    file.parent.mkdir()
    file.write_bytes(b"kept" * 1000)
    cold.forget_files(tmp_path)
    assert file.read_bytes() == b"kept" * 1000
