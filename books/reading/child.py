"""The process that reads one document: from its standard input, to lines of JSON on its standard output.

It is started by `sandbox` and trusted with nothing: before it sees a byte of the document it gives up files, network,
children, and all memory and time beyond its limits.
"""

import json
import os
import sys
from io import BytesIO

from books.reading.building import DocumentBuilder, derive_title
from books.reading.confinement import confine_process, die_with_parent
from books.reading.document import DocumentBlock, DocumentRefused, ReadingLimits, RefusalCode
from books.reading.kinds import guess_kind, recognise_kind
from books.reading.readers import Reader, load_reader

# Lines are gathered, as a write each would cost more than reading.
GATHERED = 256


class LineWriter:
    """Writes what happens as lines of JSON, many at a time."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def write(self, **message: object) -> None:
        self._lines.append(json.dumps(message, ensure_ascii=False, separators=(",", ":")))
        if len(self._lines) >= GATHERED:
            self.flush()

    def flush(self) -> None:
        if self._lines:
            data = memoryview(("\n".join(self._lines) + "\n").encode())
            self._lines.clear()
            while data:
                data = data[os.write(1, data) :]

    def write_block(self, block: DocumentBlock) -> None:
        cells = {"cells": block.cells} if block.cells else {"text": block.text}
        self.write(block=block.kind, section=block.section, page=block.page, **cells)

    def write_progress(self, done: float) -> None:
        self.write(progress=round(done, 3))
        self.flush()


def main() -> None:
    die_with_parent()
    name, limits = sys.argv[1], ReadingLimits(**json.loads(sys.argv[2]))
    lines = LineWriter()
    try:
        reader = load_reader(guess_kind(name))
        confine_process(limits.memory_bytes, limits.cpu_seconds)
        read_input(name, limits, reader, lines)
    except DocumentRefused as refused:
        lines.write(refused=refused.code, detail=refused.detail)
    except MemoryError:
        lines = LineWriter()
        lines.write(refused=RefusalCode.TOO_MUCH_MEMORY, detail="Reading the document takes too much memory.")
    except RecursionError:
        lines.write(refused=RefusalCode.DAMAGED, detail="The document is nested too deeply to be read.")
    except Exception:  # noqa: BLE001
        # The libraries raise whatever comes when a file is not what they expect.
        lines.write(refused=RefusalCode.DAMAGED, detail="The document cannot be read.")
    lines.flush()
    # Whatever the libraries would still tidy up is the kernel's to take back.
    os._exit(0)


def read_input(name: str, limits: ReadingLimits, reader: Reader, lines: LineWriter) -> None:
    data = sys.stdin.buffer.read(limits.max_bytes + 1)
    if len(data) > limits.max_bytes:
        raise DocumentRefused(RefusalCode.TOO_LARGE, f"The file is larger than {limits.max_bytes:,} bytes.")
    kind = recognise_kind(BytesIO(data), name)
    lines.write(kind=kind)
    lines.write_progress(0.0)
    builder = DocumentBuilder(limits, lines.write_block, lines.write_progress)
    reader(data, builder)
    if not builder.blocks:
        raise DocumentRefused(RefusalCode.NO_TEXT, "There is no text in the document.")
    lines.write(
        done=True,
        title=builder.title or derive_title(name),
        author=builder.author,
        pages=builder.pages,
        notices=list(builder.notices),
    )
