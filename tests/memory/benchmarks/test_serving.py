import json
import os
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import TCPServer
from threading import Thread

import pytest

from config.runtime.programs import WebAddress
from config.supervisor import Program
from memory.benchmarks import serving
from memory.benchmarks.client import CallFailedError
from memory.benchmarks.serving import find_free_port, find_running_address, start_program
from tests.patience import slowness


def program(code: str, **changes: object) -> Program:
    values = {"name": "web", "environment": dict(os.environ), "cwd": Path.cwd(), "ready": lambda: False, **changes}
    return Program(argv=[sys.executable, "-c", code], **values)  # type: ignore[arg-type]


class Healthy(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.parametrize("content", [None, "", "{}", "[1]", '{"api_url": 5}', '{"api_url": "http://127.0.0.1"}'])
def test_without_a_usable_address_nothing_is_taken_to_run(tmp_path: Path, content: str | None) -> None:
    access = tmp_path / "access.json"
    if content is not None:
        access.write_text(content)
    assert find_running_address(access) is None


def test_a_server_is_used_only_while_it_answers(tmp_path: Path) -> None:
    access = tmp_path / "access.json"
    with TCPServer(("127.0.0.1", 0), Healthy) as server:
        port = server.server_address[1]
        access.write_text(json.dumps({"api_url": f"http://127.0.0.1:{port}/"}))
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        assert find_running_address(access) == WebAddress("127.0.0.1", port)
        server.shutdown()
        thread.join()
    # The file outlives the process that wrote it.
    assert find_running_address(access) is None


def test_a_program_that_ends_at_once_is_told_with_its_log(tmp_path: Path) -> None:
    refusal = pytest.raises(CallFailedError, match=r"web did not start; see .*bench-web\.log")
    with refusal, start_program(program("print('no such module')"), tmp_path):
        pytest.fail("it did not start")
    assert "no such module" in (tmp_path / "bench-web.log").read_text()


def test_a_program_that_does_not_get_ready_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "READY_WITHIN_S", 0.0)
    mark = tmp_path / "pid"
    code = f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    refusal = pytest.raises(CallFailedError, match="did not start")
    with refusal, start_program(program(code, ready_within_s=2.0 * slowness()), tmp_path):
        pytest.fail("it never said that it was ready")
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)


def test_a_program_runs_as_long_as_it_is_needed(tmp_path: Path) -> None:
    mark = tmp_path / "ready"
    code = f"import time; open({str(mark)!r}, 'w').close(); time.sleep(600)"
    with start_program(program(code, ready=mark.exists), tmp_path):
        assert mark.exists()


def test_a_free_port_can_be_taken() -> None:
    with TCPServer(("127.0.0.1", find_free_port()), Healthy):
        pass
