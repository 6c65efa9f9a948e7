"""A command finds the installation that runs, wherever its data is, and starts no second one by mistake."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.embedded import EmbeddedError, installation_paths
from config.runtime import registry
from config.runtime.leases import InstallationLock
from memory.proving.installation import Stack, manage

Run = Callable[[str], Path]


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of its own, whose installations no other test's are among."""
    monkeypatch.setattr(registry, "REGISTRY", tmp_path / "checkout" / ".running")
    monkeypatch.setattr(registry, "BASE_DIR", tmp_path / "checkout")
    monkeypatch.delenv("DATA_DIR", raising=False)
    (tmp_path / "checkout").mkdir()
    return tmp_path / "checkout"


@pytest.fixture
def run_in(tmp_path: Path) -> Iterator[Run]:
    """Makes an installation run, as far as others can tell."""
    locks = []

    def run(name: str) -> Path:
        place = installation_paths(tmp_path / name)
        lock = InstallationLock(place, "up", [])
        assert lock.acquire()
        registry.register(place)
        locks.append(lock)
        return place.data

    yield run
    for lock in locks:
        lock.release()


def test_a_command_uses_the_one_installation_that_runs(run_in: Run, capsys: pytest.CaptureFixture[str]) -> None:
    data_dir = run_in("elsewhere")
    assert registry.choose_data_dir() == data_dir
    assert capsys.readouterr().err == f"using the installation that runs in {data_dir}\n"


def test_the_variable_and_the_default_come_first(
    run_in: Run, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in("elsewhere")
    default = run_in("checkout/.data")
    assert registry.choose_data_dir() == default == checkout / ".data"
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "named"))
    assert registry.choose_data_dir() == tmp_path / "named"


def test_without_a_running_one_it_is_the_default_whatever_a_killed_one_left(checkout: Path, tmp_path: Path) -> None:
    registry.register(installation_paths(tmp_path / "killed"))
    assert registry.choose_data_dir() == checkout / ".data"
    assert list(registry.REGISTRY.iterdir()) == []


def test_nothing_is_guessed_between_two(run_in: Run, checkout: Path) -> None:
    first = run_in("first")
    (checkout / ".data" / "pg").mkdir(parents=True)
    with pytest.raises(EmbeddedError, match=r"holds another installation; say which with DATA_DIR"):
        registry.choose_data_dir()
    second = run_in("second")
    with pytest.raises(EmbeddedError, match="several installations run") as refusal:
        registry.choose_data_dir()
    assert str(first) in str(refusal.value)
    assert str(second) in str(refusal.value)


@pytest.mark.slow
def test_what_runs_is_known_and_tells_its_key(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert stack.data_dir.resolve() in registry.list_running()
    assert manage("show_access", "api_key", data_dir=stack.data_dir).stdout.strip() == stack.api_key
    refused = manage("show_access", "nothing", data_dir=stack.data_dir)
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: there is no nothing; there are api_url")
