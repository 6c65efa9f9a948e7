"""Whether the database has the tables this program was written for. Commands look before they begin."""

import fcntl
import subprocess
import sys
from pathlib import Path

from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader

from config.env import BASE_DIR


def find_schema_problem() -> str:
    """What keeps a command from its work and what to do about it, in one line; nothing when nothing does."""
    try:
        loader = MigrationLoader(connection)
    except OperationalError as error:
        return f"the database does not answer: {' '.join(str(error).split())[:300]}"
    missing = sorted(set(loader.disk_migrations) - set(loader.applied_migrations))
    if not missing:
        return ""
    if not loader.applied_migrations:
        return "the database has no tables yet: run manage.py migrate first"
    since = f"{len(missing)} behind, from {'.'.join(missing[0])} on"
    return f"the tables are older than this program ({since}): run manage.py migrate first"


def migrate_schema(lock: Path) -> None:
    """Migrate as ``up`` does, with a program of its own since the owner of the tables does it, one at a time."""
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if find_schema_problem():
            sys.stderr.write("Making the tables ...\n")
            sys.stderr.flush()
            argv = [sys.executable, str(BASE_DIR / "manage.py"), "migrate", "--no-input", "--verbosity", "0"]
            subprocess.run(argv, check=False)
