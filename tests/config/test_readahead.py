"""Files of the database that are read before anybody asks for them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.runtime import readahead

pytestmark = pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="this system takes no advice on files")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(readahead, "LEAST_BYTES", 10)
    for number, size in enumerate((5, 30, 20, 40)):
        path = tmp_path / "5" / str(number)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x" * size)
        os.utime(path, (number, number))
    return tmp_path


def test_the_latest_files_come_first_and_small_ones_not_at_all(files: Path) -> None:
    assert [path.name for path, _ in readahead.list_large_files(files)] == ["3", "2", "1"]


def test_no_more_is_asked_for_than_there_is_room(files: Path) -> None:
    assert readahead.read_ahead(files, most_bytes=1000) == 90
    assert readahead.read_ahead(files, most_bytes=65) == 60
    assert readahead.read_ahead(files, most_bytes=0) == 0


def test_a_folder_or_file_that_is_gone_fails_nothing(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert readahead.read_ahead(files / "none", most_bytes=1000) == 0
    listed = readahead.list_large_files(files)
    monkeypatch.setattr(readahead, "list_large_files", lambda folder: listed)
    for path, _ in listed:
        path.unlink()
    assert readahead.read_ahead(files, most_bytes=1000) == 90


def test_a_folder_that_goes_while_it_is_listed_fails_nothing(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = sorted((files / "5").iterdir(), reverse=True)

    def vanish(folder: Path, pattern: str) -> Iterator[Path]:
        yield listed[0]
        raise FileNotFoundError(folder)

    monkeypatch.setattr(Path, "rglob", vanish)
    assert readahead.read_ahead(files, most_bytes=1000) == 40
