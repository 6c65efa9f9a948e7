#!/usr/bin/env python
"""Runs management commands; starts the embedded parts a command needs when no URL names real ones."""

import os
import sys

# These read files and print; they must work on a machine where nothing runs yet.
WITHOUT_DATABASE = frozenset(
    {"check", "compilemessages", "collectstatic", "diffsettings", "down", "findstatic", "help", "makemessages"}
    | {"startapp", "startproject", "up", "version"}
)
# Only the owner of the tables may change them; everything else runs as the role that policies bind.
AS_OWNER = frozenset(
    {"flush", "makemigrations", "migrate", "optimizemigration", "showmigrations", "sqlmigrate", "squashmigrations"}
)
DATABASE_ONLY = AS_OWNER | {"changepassword", "createsuperuser", "dbshell", "inspectdb", "prepare_database"}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
