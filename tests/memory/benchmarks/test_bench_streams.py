"""`manage.py bench streams`: the slow model and the readers of its streams, without the product between them."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.benchmarks import streams
from memory.benchmarks.serving import find_free_port
from memory.benchmarks.streams import StreamPlan, find_thought_ms, read_line, run_slow_model, serve_slow_model
from tests.memory.benchmarks.test_bench_speed import in_one_process
from tests.patience import eventually

__all__ = ["in_one_process"]


def is_listening(port: int) -> bool:
    import socket

    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_readers_tell_that_all_are_open_and_what_they_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    port = find_free_port()
    monkeypatch.setattr(StreamPlan, "stream_s", 0.5)
    with serve_slow_model(port, StreamPlan(events=20.0)):
        assert eventually(lambda: is_listening(port))
        argv = ["read", "--url", f"http://127.0.0.1:{port}/v1", "--key", "k", "--streams", "3"]
        with run_slow_model(argv) as process:
            lines = iter(process.stdout or ())
            assert read_line(lines) == {"open": 3}
            told = read_line(lines)
    assert (told["complete"], len(told["first_ms"])) == (3, 3)
    assert told["events"] >= 9


def test_the_event_that_tells_how_long_the_model_thought_is_found() -> None:
    event = {"choices": [{"delta": {"content": "first token after 0.250000"}}]}
    assert find_thought_ms(json.dumps(event)) == 250.0
    assert find_thought_ms(json.dumps({"choices": []})) is None
    assert find_thought_ms(json.dumps({"choices": [{"delta": {"content": "word "}}]})) is None


@pytest.mark.django_db
@pytest.mark.usefixtures("services", "in_one_process")
def test_only_processes_of_its_own_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "list_web_workers", list)
    with pytest.raises(CommandError, match="stop the server that runs here"):
        call_command("bench", "streams", "--memories=1", stdout=StringIO())
