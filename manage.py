#!/usr/bin/env python
"""Runs management commands; starts the embedded parts a command needs when no URL names real ones."""

import gc
import os
import sys

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
        # Of an installation of its own, never the one that runs here.
        "prove",
        "show_access",
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
# These make the tables, or are of use without them.
WITHOUT_TABLES = WITHOUT_DATABASE | AS_OWNER | {"dbshell", "inspectdb", "prepare_database", "shell", "test"}
# These measure whatever is there, on a fresh clone as well: they make the tables of an embedded database by themselves.
MAKES_TABLES = frozenset({"bench"})
# The framework would check the whole program, with every page and endpoint of it, before each command: .9 of the 2.3 s
# of CPU a start took. The installation checks it with `migrate` when it starts, and `check` at any time.
CHECKED = frozenset({"check", "migrate"})
HELP = frozenset({"-h", "--help", "--version"})


def main(argv: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    # What is imported is no garbage; looking for some in it took a seventh of a start.
    gc.disable()
    command = next((word for word in argv[1:] if not word.startswith("-")), "help")
    if command in AS_OWNER:
        os.environ["DB_ROLE"] = "owner"
    from config.embedded import EmbeddedError
    from config.env import report_bad_settings

    try:
        return report_bad_settings(lambda: run(command, argv))
    except EmbeddedError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130


def run(command: str, argv: list[str]) -> int:
    if command in {"up", "down", "show_access"} and not HELP & set(argv):
        # Without Django: it starts at once, stays small, and can stop what a broken setting keeps from starting.
        from config.runtime import installation

        gc.enable()
        return installation.main(argv[1:])
    parts = list_needed_parts(command, argv)
    return run_with(parts, command, argv) if parts else execute(command, argv)


def run_with(parts: list[str], command: str, argv: list[str]) -> int:
    from config.embedded import installation_paths
    from config.runtime.leases import Lease
    from config.runtime.registry import choose_data_dir

    data_dir = choose_data_dir()
    # Read again by the settings, and by processes this one starts.
    os.environ["DATA_DIR"] = str(data_dir)
    paths = installation_paths(data_dir)
    with Lease(paths, tuple(parts)) as use:
        import django

        if not brings_settings(argv):
            django.setup()  # while the parts start
        use.wait()
        # An `up` makes the tables itself, perhaps at this moment.
        if command in MAKES_TABLES and "postgres" in parts and not use.is_beside_up and not brings_settings(argv):
            from config.schema import migrate_schema

            migrate_schema(paths.tables)
        return execute(command, argv)


def execute(command: str, argv: list[str]) -> int:
    import django
    from django.core.management import execute_from_command_line

    if command not in WITHOUT_TABLES and not HELP & set(argv) and not brings_settings(argv):
        django.setup()
        from config.schema import find_schema_problem

        if found := find_schema_problem():
            sys.stderr.write(f"error: {found}\n")
            return 1
    gc.freeze()
    # To make the tables makes and throws away 8,000 models: looked through more often they took a tenth longer.
    gc.set_threshold(10_000, 20, 20)
    gc.enable()
    if may_skip_checks(command):
        # Right behind its name: what follows may be a command's own.
        behind = argv.index(command) + 1
        argv = [*argv[:behind], "--skip-checks", *argv[behind:]]
    execute_from_command_line(argv)
    return 0


def may_skip_checks(command: str) -> bool:
    from django.apps import apps
    from django.core.management import get_commands, load_command_class

    # Asked before Django is set up, the list holds its own commands alone, and is kept like that.
    if not apps.ready:
        return False
    if command in CHECKED or command not in (known := get_commands()):
        return False
    return bool(load_command_class(known[command], command).requires_system_checks)


def brings_settings(argv: list[str]) -> bool:
    return any(word.startswith(("--settings", "--pythonpath")) for word in argv)


def list_needed_parts(command: str, argv: list[str]) -> list[str]:
    from config.embedded import PARTS, list_embedded_parts

    if HELP & set(argv):
        return []
    if command == "check" and any(word.startswith("--database") for word in argv):
        return list_embedded_parts(["postgres"])
    if command in WITHOUT_DATABASE:
        return []
    return list_embedded_parts(["postgres"] if command in DATABASE_ONLY else PARTS)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
