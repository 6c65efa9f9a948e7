"""Which installations of this checkout run, so that a command finds the one it is about.

``up`` leaves the path of its data directory beside the code. An entry counts only while the lock in that directory is
held, so one that a killed ``up`` left behind misleads nobody.
"""

import hashlib
import sys
from contextlib import suppress
from pathlib import Path

from config.embedded import EmbeddedError, Paths, installation_paths
from config.env import BASE_DIR, env_path, env_str
from config.runtime import leases

REGISTRY = BASE_DIR / ".running"


def register(paths: Paths) -> None:
    """Best effort: where the code cannot be written to, commands need DATA_DIR as they did without this."""
    with suppress(OSError):
        REGISTRY.mkdir(exist_ok=True)
        _entry(paths).write_text(str(paths.data), encoding="utf-8")


def unregister(paths: Paths) -> None:
    with suppress(OSError):
        _entry(paths).unlink(missing_ok=True)


def list_running() -> list[Path]:
    """The data directories in which an ``up`` of this checkout runs; entries of those that ended are removed."""
    running = []
    for entry in sorted(REGISTRY.glob("*.path")):
        with suppress(OSError, UnicodeDecodeError):
            paths = installation_paths(entry.read_text(encoding="utf-8"))
            owner = leases.read_owner(paths)
            if owner is None:
                unregister(paths)
            elif owner.kind == "up":
                running.append(paths.data)
    return running


def choose_data_dir() -> Path:
    """DATA_DIR; without it the installation that runs, or else ``.data``. Raises EmbeddedError rather than guess."""
    default = (BASE_DIR / ".data").resolve()
    if env_str("DATA_DIR"):
        return env_path("DATA_DIR", default)
    running = list_running()
    if not running or default in running:
        return default
    if len(running) > 1:
        named = ", ".join(map(str, running))
        raise EmbeddedError(f"several installations run: {named}; say which with DATA_DIR=...")
    if installation_paths(default).postgres.exists():
        raise EmbeddedError(f"{running[0]} runs, and {default} holds another installation; say which with DATA_DIR=...")
    sys.stderr.write(f"using the installation that runs in {running[0]}\n")
    return running[0]


def _entry(paths: Paths) -> Path:
    return REGISTRY / f"{hashlib.sha256(str(paths.data).encode()).hexdigest()[:16]}.path"
