"""Reads a document in a process of its own, and ends that process whatever happens."""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO

from books.reading.building import GROWTH
from books.reading.document import (
    MIB,
    BlockKind,
    DocumentBlock,
    DocumentKind,
    DocumentRefused,
    ReadDocument,
    ReadingLimits,
    RefusalCode,
)

ROOT = Path(__file__).resolve().parents[2]
START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from books.reading.child import main; main()"
# How often somebody who waits hears that it goes on, and can stop it by raising.
TICK_S = 0.5
READ_AT_ONCE = 256 * 1024
OnProgress = Callable[[str, float], None]


@dataclass(slots=True)
class ReadingResult:
    """What the lines of the process have said so far."""

    kind: DocumentKind | None = None
    blocks: list[DocumentBlock] = field(default_factory=list)
    progress: float = 0.0
    document: ReadDocument | None = None


def read_document(path: Path, name: str, *, limits: ReadingLimits, on_progress: OnProgress) -> ReadDocument:
    """Read an uploaded file as the kind its name and content say. Raises DocumentRefused, and OSError without a file.

    ``on_progress`` is told the stage and a share from 0 to 1, at least twice a second; an exception it raises ends the
    reading and is passed on. Nothing is written to disk, and no process is left behind in any case.
    """
    if path.stat().st_size > limits.max_bytes:
        raise DocumentRefused(RefusalCode.TOO_LARGE, f"The file is larger than {limits.max_bytes:,} bytes.")
    result = ReadingResult()
    with path.open("rb") as file, start_child(file, name, limits) as child:
        for line in read_lines(child, limits, lambda: on_progress("reading", result.progress)):
            take_line(result, line)
    if result.document is None:
        raise explain_death(child.returncode)
    return result.document


@contextlib.contextmanager
def start_child(file: BinaryIO, name: str, limits: ReadingLimits) -> Iterator[subprocess.Popen[bytes]]:
    """The process that reads ``file``, killed with all of its group at the end.

    It inherits the file and nothing else: no environment, hence no secrets, and no open connection.
    """
    command = [sys.executable, "-I", "-B", "-X", "utf8", "-c", START, str(ROOT), name, json.dumps(asdict(limits))]
    child = subprocess.Popen(
        command,
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"MALLOC_ARENA_MAX": "1"},
        cwd="/",
        start_new_session=True,
    )
    try:
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # A group that is gone already answers so; macOS calls it a lack of permission.
            os.killpg(child.pid, signal.SIGKILL)
        if child.stdout is not None:
            child.stdout.close()
        child.wait()


def read_lines(child: subprocess.Popen[bytes], limits: ReadingLimits, tick: Callable[[], None]) -> Iterator[bytes]:
    """What the process writes, line by line, until it ends. Raises DocumentRefused for too much or too late."""
    assert child.stdout is not None  # noqa: S101
    ends, ticks = time.monotonic() + limits.wall_seconds, 0.0
    left = limits.max_characters * GROWTH * 4 + 16 * MIB
    parts: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            if now >= ends:
                raise DocumentRefused(
                    RefusalCode.TOOK_TOO_LONG, f"Reading takes longer than {limits.wall_seconds:g} seconds."
                )
            if now >= ticks:
                ticks = now + TICK_S
                tick()
            if not selector.select(min(TICK_S, ends - now)):
                continue
            data = os.read(child.stdout.fileno(), READ_AT_ONCE)
            left -= len(data)
            if left < 0:
                raise DocumentRefused(RefusalCode.TOO_LARGE, "The document gives more text than can be kept.")
            parts.append(data)
            if b"\n" in data:
                *lines, rest = b"".join(parts).split(b"\n")
                parts = [rest]
                yield from lines
            if not data:
                return


def take_line(result: ReadingResult, line: bytes) -> None:
    """Add what a line says. The process is not trusted: a line that says something else refuses the document."""
    try:
        message = json.loads(line)
        if "refused" in message:
            raise DocumentRefused(RefusalCode(message["refused"]), str(message["detail"])[:300])
        if "block" in message:
            result.blocks.append(take_block(message))
        elif "progress" in message:
            result.progress = min(1.0, max(0.0, float(message["progress"])))
        elif "kind" in message:
            result.kind = DocumentKind(message["kind"])
        elif message["done"] is True and result.kind is not None:
            result.document = ReadDocument(
                kind=result.kind,
                title=str(message["title"]),
                author=str(message["author"]),
                blocks=tuple(result.blocks),
                pages=None if message["pages"] is None else int(message["pages"]),
                notices=tuple(map(str, message["notices"])),
            )
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DocumentRefused(RefusalCode.DAMAGED, "The document cannot be read.") from error


def take_block(message: dict[str, object]) -> DocumentBlock:
    cells, section, page = message.get("cells", ()), message["section"], message["page"]
    if not isinstance(cells, list | tuple) or not isinstance(section, list):
        raise TypeError("cells and section are lists")
    if not (page is None or isinstance(page, int)):
        raise TypeError("a page is a number")
    worded = tuple(map(str, cells))
    text = "; ".join(worded) if worded else str(message["text"])
    return DocumentBlock(BlockKind(str(message["block"])), text, tuple(map(str, section)), page, worded)


def explain_death(code: int | None) -> DocumentRefused:
    """Why a process ended without a word: by the signal that ended it."""
    if code in {-signal.SIGXCPU, -signal.SIGKILL}:
        return DocumentRefused(RefusalCode.TOOK_TOO_LONG, "Reading the document takes too much computing time.")
    if code in {-signal.SIGABRT, -signal.SIGTRAP, -signal.SIGILL}:
        # What the libraries written in C do when they get no memory.
        return DocumentRefused(RefusalCode.TOO_MUCH_MEMORY, "Reading the document takes too much memory.")
    return DocumentRefused(RefusalCode.DAMAGED, "The document cannot be read.")
