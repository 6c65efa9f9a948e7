"""Deleted ids that an index may still return."""

from pathlib import Path
from uuid import uuid4

import pytest

from memory.indexes.ghosts import KEPT_S, GhostRegistry
from memory.platform import redis as shared
from tests.doubles.faults import refusing_socket

ANN, BEN = 11, 12


@pytest.fixture
def registry(services: object) -> GhostRegistry:
    return GhostRegistry()


def test_a_deleted_id_is_filtered_and_the_order_of_the_others_stays(registry: GhostRegistry) -> None:
    ids = [uuid4() for _ in range(5)]
    registry.add(ANN, [ids[1], ids[3]])
    assert registry.filter(ANN, ids) == [ids[0], ids[2], ids[4]]
    assert registry.find_among(ANN, ids) == {ids[1], ids[3]}


def test_ghosts_of_one_user_are_not_those_of_another(registry: GhostRegistry) -> None:
    gone = uuid4()
    registry.add(ANN, [gone])
    assert registry.filter(BEN, [gone]) == [gone]


def test_what_is_restored_is_no_ghost_any_more(registry: GhostRegistry) -> None:
    first, second = uuid4(), uuid4()
    registry.add(ANN, [first, second])
    registry.forget(ANN, [first])
    assert registry.filter(ANN, [first, second]) == [first]
    registry.forget(ANN)
    assert registry.filter(ANN, [first, second]) == [first, second]


def test_ghosts_expire(registry: GhostRegistry) -> None:
    registry.add(ANN, [uuid4()])
    left = shared.call_or_raise(lambda client: client.ttl(shared.build_key("ghosts", str(ANN))))
    assert 0 < left <= KEPT_S


def test_nothing_to_do_is_nothing(registry: GhostRegistry) -> None:
    registry.add(ANN, [])
    registry.forget(ANN, [])
    assert registry.filter(ANN, []) == []


def test_a_ghost_has_an_owner(registry: GhostRegistry) -> None:
    for nobody in (0, -1, None):
        with pytest.raises(ValueError, match="one user"):
            registry.filter(nobody, [uuid4()])  # type: ignore[arg-type]


def test_without_redis_no_ghost_is_known(
    registry: GhostRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = uuid4()
    registry.add(ANN, [gone])
    with refusing_socket(tmp_path / "dead.sock") as dead:
        monkeypatch.setattr("memory.platform.redis.redis_url", lambda: f"unix://{dead}")
        shared.reset_clients()
        registry.add(ANN, [uuid4()])
        registry.forget(ANN, [gone])
        assert registry.filter(ANN, [gone]) == [gone]
    monkeypatch.undo()
    shared.reset_clients()
    assert registry.filter(ANN, [gone]) == []
