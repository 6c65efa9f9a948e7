"""Connections to services at a socket of this machine."""

from pathlib import Path

import httpx
import pytest

from memory.platform.deadline import Deadline
from memory.platform.http import limit_to_deadline, open_client
from tests.doubles.faults import EmbedderStub


def test_a_socket_is_not_left_open_when_the_time_is_up_before_it_connects(tmp_path: Path) -> None:
    # What is left open warns when it is collected, and every warning is an error in these tests.
    with EmbedderStub(tmp_path / "e.sock") as stub, open_client(stub.url, {}) as client:
        with limit_to_deadline(Deadline(0.0)), pytest.raises(httpx.ConnectTimeout):
            client.get("/info")
        assert client.get("/info").status_code == 200
