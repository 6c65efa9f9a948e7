"""A whole installation for the tests, from a data directory with a long and awkward name."""

from collections.abc import Iterator

import pytest

from memory.benchmarks.serving import find_free_port
from memory.proving.installation import Stack


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    home = tmp_path_factory.mktemp("an installation")
    data_dir = home / f"data of {'a rather long name ' * 6}end"
    made = Stack(data_dir, find_free_port(), find_free_port())
    yield made
    if made.is_running:
        made.stop()


@pytest.fixture
def stack(installation: Stack) -> Stack:
    """A running ``manage.py up``, shared by all tests of a run and started again after one that stopped it."""
    if not installation.is_running:
        installation.start()
    return installation
