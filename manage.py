#!/usr/bin/env python
"""Runs management commands; starts the embedded parts a command needs when no URL names real ones."""

import argparse
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

# These read files and print; they must work on a machine where nothing runs yet.
WITHOUT_DATABASE = frozenset(
    {
        "check",
        "collectstatic",
        "diffsettings",
        "down",
        "export_openapi_schema",
        "findstatic",
        "help",
        "makemessages",
        "startapp",
        "up",
        "version",
    }
)
# Only the owner of the tables may change them; everything else runs as the role that row policies bind.
AS_OWNER = frozenset(
    {"flush", "makemigrations", "migrate", "optimizemigration", "showmigrations", "sqlmigrate", "squashmigrations"}
)
DATABASE_ONLY = AS_OWNER | {"changepassword", "createsuperuser", "dbshell", "inspectdb", "prepare_database"}


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    command = next((word for word in sys.argv[1:] if not word.startswith("-")), "help")
    if command in AS_OWNER:
        os.environ["DB_ROLE"] = "owner"
    if command == "up":
        take_data_dir(sys.argv[2:])
    from config.embedded import EmbeddedError

    try:
        with running_parts(needed_parts(command)):
            from django.core.management import execute_from_command_line

            execute_from_command_line(sys.argv)
    except EmbeddedError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def take_data_dir(arguments: list[str]) -> None:
    """``up --data-dir`` decides what the settings are built from, so it is read before they are."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--data-dir")
    given, _ = parser.parse_known_args(arguments)
    if given.data_dir:
        os.environ["DATA_DIR"] = given.data_dir


def needed_parts(command: str) -> list[str]:
    from config.embedded import PARTS, unaddressed

    if command in WITHOUT_DATABASE or {"-h", "--help", "--version"} & set(sys.argv[1:]):
        return []
    return unaddressed(["postgres"] if command in DATABASE_ONLY else PARTS)


def running_parts(parts: list[str]) -> AbstractContextManager[object]:
    from config.embedded import ensure_running
    from config.env import env_path

    data_dir = env_path("DATA_DIR", Path(__file__).resolve().parent / ".data")
    return ensure_running(data_dir, parts) if parts else nullcontext()


if __name__ == "__main__":
    sys.exit(main())
