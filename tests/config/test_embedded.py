"""Addresses, directories and secrets of a data directory; nothing is started here."""

import stat
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from redis import Redis

from config import embedded
from tests.doubles.faults import socket_path


@pytest.mark.parametrize(
    "name",
    ["plain", "with spaces", "comma, and 'quotes' \"too\"", "percent %20 @ #", "עברית", "long" * 40, "back\\slash"],
)
def test_the_run_directory_is_plain_and_short_whatever_the_path(tmp_path: Path, name: str) -> None:
    run = embedded.run_dir(tmp_path / name)

    assert embedded.UNQUOTED_PATH.fullmatch(str(run))
    assert len(str(run / ".s.PGSQL.5432")) <= 103


def test_a_plain_short_path_keeps_its_sockets_inside() -> None:
    assert embedded.run_dir("/srv/commonplace") == Path("/srv/commonplace/run")


def test_the_run_directory_does_not_depend_on_the_callers_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = embedded.run_dir(tmp_path / "a b")
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    assert embedded.run_dir(tmp_path / "a b") == before


def test_two_data_directories_never_share_a_run_directory(tmp_path: Path) -> None:
    assert embedded.run_dir(tmp_path / "a b") != embedded.run_dir(tmp_path / "a  b")


def test_a_run_directory_somebody_else_put_there_is_refused(tmp_path: Path) -> None:
    place = embedded.Paths(data=tmp_path / "data", run=tmp_path / "run")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(embedded.EmbeddedError, match="somebody else"):
        embedded.make_directories(place)


def test_a_data_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(embedded.EmbeddedError, match="cannot be made"):
        embedded.load_secrets(tmp_path / "file" / "data")


def test_secrets_are_private_and_stay_the_same(tmp_path: Path) -> None:
    first = embedded.load_secrets(tmp_path / "data")

    assert embedded.load_secrets(tmp_path / "data") == first
    assert stat.S_IMODE((tmp_path / "data" / "secrets.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    words = {
        first.superuser_password,
        first.owner_password,
        first.app_password,
        first.backup_password,
        first.django_key,
    }
    assert len(words) == 5
    assert min(len(word) for word in words) >= 50


def test_processes_that_are_first_at_once_agree_on_the_secrets(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4) as pool:
        read = list(pool.map(embedded.load_secrets, [tmp_path / "data"] * 8))

    assert len(set(read)) == 1
    assert [file.name for file in (tmp_path / "data").iterdir() if "secrets" in file.name] == ["secrets.json"]


def test_broken_secrets_are_told_and_not_replaced(tmp_path: Path) -> None:
    embedded.load_secrets(tmp_path)
    (tmp_path / "secrets.json").write_text("{")

    with pytest.raises(embedded.EmbeddedError, match="restore it"):
        embedded.load_secrets(tmp_path)
    assert (tmp_path / "secrets.json").read_text() == "{"


def test_addresses_lead_back_to_the_sockets(tmp_path: Path) -> None:
    place = embedded.installation_paths(tmp_path / "a b")

    assert socket_path(embedded.embedder_url(place.data)) == place.embedder_socket
    url = embedded.redis_url(place.data)
    assert Redis.from_url(url).connection_pool.connection_kwargs["path"] == str(place.redis_socket)
    assert embedded.build_broker_url(url) == f"redis+socket://{place.redis_socket}"
    assert embedded.build_broker_url("redis://queue:6379/0") == "redis://queue:6379/0"
    assert socket_path("http://embedder:80") is None


def test_a_role_gets_its_own_login(tmp_path: Path) -> None:
    app = embedded.database_settings(tmp_path, "app")
    owner = embedded.database_settings(tmp_path, "owner")

    assert (app["USER"], owner["USER"]) == ("commonplace_app", "commonplace_owner")
    assert app["PASSWORD"] != owner["PASSWORD"]
    assert app["NAME"] == owner["NAME"] == "commonplace"
