"""``manage.py prove``: what its table says of a row, and that a broken promise fails the command."""

import re
from contextlib import AbstractContextManager, nullcontext
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.env import BASE_DIR
from memory.management.commands import prove
from memory.proving.promises import Finding, PromiseRow, UnmeasurableError
from memory.proving.register import ROWS

KEPT = PromiseRow(1, "kept", lambda _stage: Finding("0 of 9 lost", is_kept=True))
BROKEN = PromiseRow(2, "broken", lambda _stage: Finding("1 of 9 lost", is_kept=False))
CRASHED = PromiseRow(3, "crashed", lambda _stage: Finding(str(1 // 0), is_kept=True))
LEFT = PromiseRow(4, "left", reason="needs a disk of its own")


def refuse_measuring(_stage: object) -> Finding:
    raise UnmeasurableError("may not mount")


UNMEASURED = PromiseRow(5, "unmeasured", refuse_measuring)


@pytest.fixture
def staged(monkeypatch: pytest.MonkeyPatch) -> None:
    def stage_nothing(**_options: Any) -> AbstractContextManager[SimpleNamespace]:
        return nullcontext(SimpleNamespace(ensure_running=lambda: None, say=lambda _line: None))

    monkeypatch.setattr(prove, "stage_installation", stage_nothing)
    monkeypatch.setattr(prove, "ROWS", (KEPT, BROKEN, CRASHED, LEFT, UNMEASURED))


@pytest.mark.usefixtures("staged")
def test_a_broken_promise_fails_the_command_and_the_others_are_still_told(tmp_path: Path) -> None:
    table = tmp_path / "table.md"
    with pytest.raises(CommandError, match="broken: row 2, 3"):
        call_command("prove", "--markdown", str(table), stdout=StringIO())
    lines = table.read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ")[2:4] for line in lines if re.match(r"\| \d", line)]
    assert [verdict for _, verdict in rows] == ["kept", "broken", "broken", "not run", "not run"]
    assert rows[0][0] == "0 of 9 lost"
    assert "ZeroDivisionError" in rows[2][0]
    assert rows[3][0] == "needs a disk of its own"
    assert rows[4][0] == "not measured here: may not mount"


@pytest.mark.usefixtures("staged")
def test_rows_that_are_kept_or_left_out_pass() -> None:
    call_command("prove", "--rows", "1,4,5", stdout=StringIO())
    with pytest.raises(CommandError, match="numbers with commas"):
        call_command("prove", "--rows", "9", stdout=StringIO())


def test_every_promise_is_measured_or_says_why_not_and_where_instead() -> None:
    assert [row.number for row in ROWS] == list(range(1, 39))
    assert [row.number for row in ROWS if bool(row.prove) == bool(row.reason)] == []
    named = re.findall(r"(?:tests|docs)/[\w/.]*\w", " ".join(row.reason for row in ROWS))
    assert [path for path in named if not (BASE_DIR / path).exists()] == []
