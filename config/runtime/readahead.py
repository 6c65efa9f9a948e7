"""Has the system read the database's files into its cache before anybody waits for them.

The Postgres of the wheel has no pg_prewarm. After a start of the machine a search then takes its pages of the vector
index from disk one after the other, hundreds of them.
"""

import os
import threading
from contextlib import suppress
from pathlib import Path

import psutil

# Of the memory that is free: the rest is for what the programs are about to need.
SHARE = 0.5
# Smaller files are catalogues and the like, read at once anyway.
LEAST_BYTES = 256 * 1024
STEP = 8 * 2**20


def start_reading_ahead(folder: Path) -> None:
    """In the background: whoever starts the server does not wait for it, and nothing fails with it."""
    if hasattr(os, "posix_fadvise"):
        threading.Thread(target=read_ahead, args=(folder,), name="read ahead", daemon=True).start()


def read_ahead(folder: Path, most_bytes: int | None = None) -> int:
    """Ask for the files below a folder, those written last first, up to a share of the free memory. Returns the bytes
    asked for."""
    left = int(psutil.virtual_memory().available * SHARE) if most_bytes is None else most_bytes
    begun = left
    for path, size in list_large_files(folder):
        if size > left:
            continue
        left -= size
        # A file may go while it is read: an index that is built anew.
        with suppress(OSError), path.open("rb") as file:
            for start in range(0, size, STEP):
                os.posix_fadvise(file.fileno(), start, STEP, os.POSIX_FADV_WILLNEED)
    return begun - left


def list_large_files(folder: Path) -> list[tuple[Path, int]]:
    found: list[tuple[float, Path, int]] = []
    # A whole folder may go meanwhile: a database that is dropped. What was seen until then is read.
    with suppress(OSError):
        for path in folder.rglob("*"):
            state = path.stat()
            if path.is_file() and state.st_size >= LEAST_BYTES:
                found.append((state.st_mtime, path, state.st_size))
    return [(path, size) for _, path, size in sorted(found, reverse=True)]
