"""Row 30 can fail: who connects inward is counted, and the names of its installation lead where the row says."""

import json
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx

from memory.benchmarks.serving import find_free_port
from memory.proving.inward import NAMES, PUBLIC, REDIRECTS, RESOLVER, InwardPort, serve_redirects
from memory.proving.patience import eventually

LOOK_UP = """
import socket
for name in ("later.example", "turning.example", "turning.example", "inward6.example"):
    try:
        print(name, socket.getaddrinfo(name, 80, type=socket.SOCK_STREAM)[0][4][0])
    except socket.gaierror as error:
        print(name, error.errno == socket.EAI_AGAIN)
print(socket.create_connection(("203.0.114.7", 80)).getpeername()[1])
"""


def look_up(folder: Path, port: int, *words: str) -> list[str]:
    (folder / "sitecustomize.py").write_text(RESOLVER, encoding="utf-8")
    environment = {"PYTHONPATH": str(folder), "PROVE_NAMES": json.dumps([NAMES, PUBLIC, port])}
    return subprocess.run(
        [sys.executable, "-c", LOOK_UP, *words], env=environment, capture_output=True, text=True, check=True
    ).stdout.split("\n")


def is_above(inner: InwardPort, count: int) -> bool:
    return inner.count > count


def test_a_connection_inward_is_counted_on_every_address_of_this_machine() -> None:
    with InwardPort(find_free_port()) as inner:
        assert inner.is_counting()
        assert inner.count == 0
        for host in ("127.0.0.1", "localhost", "[::1]"):
            before = inner.count
            # It is closed at once, without an answer.
            with suppress(httpx.HTTPError):
                httpx.get(f"http://{host}:{inner.port}/", trust_env=False)
            assert eventually(partial(is_above, inner, before), 10)


def test_names_turn_inward_for_who_sends_and_what_is_public_arrives_here(tmp_path: Path) -> None:
    with serve_redirects("http://127.0.0.1:9/") as server:
        made = look_up(tmp_path, server.server_port)
        sent = look_up(tmp_path, server.server_port, "celery")
    assert made[:4] == [
        "later.example True", f"turning.example {PUBLIC}", f"turning.example {PUBLIC}", "inward6.example ::1",
    ]  # fmt: skip
    assert sent[:4] == [
        "later.example 127.0.0.1", f"turning.example {PUBLIC}", "turning.example 127.0.0.1", "inward6.example ::1",
    ]  # fmt: skip
    assert made[4] == sent[4] == str(server.server_port)


def test_every_redirect_leads_inward() -> None:
    with InwardPort(find_free_port()) as inner, serve_redirects(f"http://127.0.0.1:{inner.port}/") as server:
        for status in REDIRECTS:
            url = f"http://127.0.0.1:{server.server_port}/to-{status}"
            answer = httpx.post(url, trust_env=False, follow_redirects=False)
            assert (answer.status_code, answer.headers["location"]) == (status, f"http://127.0.0.1:{inner.port}/")
        assert set(server.asked) == set(REDIRECTS)
        assert inner.count == 0
