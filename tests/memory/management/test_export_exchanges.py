"""`manage.py export_exchanges`: one line an exchange, oldest first; a file is whole or is not there."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memory.facade import MemoryFacade
from memory.models import EndUser
from outcomes.exchanges import listing
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")


def run_export(*args: str) -> str:
    out = StringIO()
    call_command("export_exchanges", "--org=acme", *args, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_every_exchange_is_a_line_also_across_batches(
    user: EndUser, other_user: EndUser, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "EXPORT_BATCH", 2)
    for number in range(5):
        memory.store_exchange(user, NewExchange(f"t-{number % 2}", f"Question {number}", "a\nb"), now=clock())
        # Two of them carry the same moment.
        clock.advance(minutes=number % 2)
    memory.store_exchange(other_user, NewExchange("t-0", "Somebody else", "a"), now=clock())
    records = [json.loads(line) for line in run_export("--user=ann").splitlines()]
    assert {record["user"] for record in records} == {f"Question {number}" for number in range(5)}
    assert len(records) == 5
    assert [record["timestamp"] for record in records] == sorted(record["timestamp"] for record in records)
    assert {record["role"] for record in records} == {"exchange"}
    odd = [json.loads(line)["user"] for line in run_export("--user=ann", "--thread=t-1").splitlines()]
    assert odd == ["Question 1", "Question 3"]
    target = tmp_path / "ann.jsonl"
    assert run_export("--user=ann", f"--out={target}") == ""
    assert [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()] == records
    assert list(tmp_path.iterdir()) == [target]


def test_a_wrong_name_or_place_is_told(user: EndUser, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--user: nobody is known as nobody"):
        run_export("--user=nobody")
    with pytest.raises(CommandError, match="--out: "):
        run_export("--user=ann", f"--out={tmp_path / 'missing' / 'x.jsonl'}")
