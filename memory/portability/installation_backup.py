"""A whole installation as one archive, and back into an empty one.

Every table is copied as text in one snapshot, by the role that sees every row. It needs no program of Postgres beside
the server and reads archives of any version of it. Vectors are left out: they are most of the bytes, and the worker
embeds everything anew after a restore.
"""

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final

import psycopg
from django.apps import apps
from psycopg import sql

from memory.models import EndUser, MemoryItem, MemoryVector, TokenVectors
from memory.portability.values import write_value

FORMAT: Final = "commonplace-backup"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
CHUNK: Final = 1024 * 1024
# Django's own rows, which every installation makes for itself, and what is rebuilt.
LEFT_OUT: Final = frozenset({"contenttypes", "auth", "sessions", "admin"})
REBUILT: Final = (MemoryVector, TokenVectors)
# What tells an installation that was used from one that was only migrated.
IN_USE: Final = ("organization", "end_user", "operator")

Say = Callable[[str], None]
Connection = psycopg.Connection[Any]


class BackupRefused(Exception):
    """The archive cannot be made or restored; says why. Nothing was written."""


@dataclass(slots=True)
class TableCopy:
    """One table of the archive, with the digest of its text."""

    table: str
    columns: list[str]
    rows: int = 0
    sha256: str = ""


@dataclass(slots=True)
class Manifest:
    """What an archive holds, and of which state of the tables."""

    format: str = FORMAT
    version: int = VERSION
    made_at: str = ""
    migrations: list[list[str]] = field(default_factory=list)
    tables: list[TableCopy] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


def list_tables() -> list[str]:
    """The tables of the product, those of many-to-many fields too."""
    kept = [model for model in apps.get_models() if model._meta.managed and not model._meta.proxy]
    names = [model._meta.db_table for model in kept if model._meta.app_label not in LEFT_OUT and model not in REBUILT]
    return sorted(names)


def write_backup(source: str, path: Path, *, now: datetime, say: Say) -> Manifest:
    """``source`` is the address of the backup role. Raises BackupRefused."""
    manifest = Manifest(made_at=str(write_value(now)))
    with (
        psycopg.connect(source) as server,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        server.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        require_backup_role(server)
        manifest.migrations = read_migrations(server)
        for table in list_tables():
            copy = TableCopy(table, read_columns(server, table))
            with archive.open(name_entry(table), "w", force_zip64=True) as entry:
                write_table(server, copy, entry)
            manifest.tables.append(copy)
            say(f"{table}: {copy.rows:,} rows")
        # Last, so that an archive without it was cut off.
        archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
    return manifest


def require_backup_role(server: Connection) -> None:
    row = server.execute("SELECT rolbypassrls OR rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
    if not row or not row[0]:
        raise BackupRefused("this role does not see every row: a backup needs one with BYPASSRLS (DATABASE_BACKUP_URL)")


def write_table(server: Connection, copy: TableCopy, entry: IO[bytes]) -> None:
    digest = hashlib.sha256()
    statement = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT").format(list_identifiers(copy.columns), name_table(copy))
    with server.cursor() as cursor, cursor.copy(statement) as rows:
        for data in rows:
            chunk = bytes(data)
            digest.update(chunk)
            entry.write(chunk)
            # In the text of COPY a line break within a value is escaped, so each one ends a row.
            copy.rows += chunk.count(b"\n")
    copy.sha256 = digest.hexdigest()


def read_migrations(server: Connection) -> list[list[str]]:
    return [list(row) for row in server.execute("SELECT app, name FROM django_migrations ORDER BY app, name")]


def read_columns(server: Connection, table: str) -> list[str]:
    """Those that are written: a generated column follows from the others."""
    rows = server.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
        " AND attgenerated = '' ORDER BY attnum",
        [table],
    )
    return [name for (name,) in rows]


def name_entry(table: str) -> str:
    return f"tables/{table}.copy"


def name_table(copy: TableCopy) -> sql.Identifier:
    return sql.Identifier(copy.table)


def list_identifiers(names: list[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))


def check_backup(path: Path) -> Manifest:
    """Read all of an archive: that it is complete, and that nothing of it was changed. Raises BackupRefused."""
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = read_manifest(archive)
            for copy in manifest.tables:
                digest = hashlib.sha256()
                for chunk in iterate_entry(archive, copy):
                    digest.update(chunk)
                if digest.hexdigest() != copy.sha256:
                    raise BackupRefused(f"{name_entry(copy.table)} is not what was written: its digest differs")
    except (zipfile.BadZipFile, EOFError, KeyError) as fault:
        raise BackupRefused(f"the archive is damaged: {fault}") from None
    return manifest


def read_manifest(archive: zipfile.ZipFile) -> Manifest:
    try:
        read = json.loads(archive.read(MANIFEST))
        tables = [TableCopy(**table) for table in read.pop("tables")]
        manifest = Manifest(**read, tables=tables)
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError):
        raise BackupRefused(f"{MANIFEST} is missing or not ours: this is no whole backup") from None
    if (manifest.format, manifest.version) != (FORMAT, VERSION):
        raise BackupRefused(f"{MANIFEST} is of format {manifest.format} {manifest.version}, not {FORMAT} {VERSION}")
    if unknown := {copy.table for copy in manifest.tables} - set(list_tables()):
        raise BackupRefused(f"the archive has tables that this release does not know: {', '.join(sorted(unknown))}")
    return manifest


def iterate_entry(archive: zipfile.ZipFile, copy: TableCopy) -> Iterator[bytes]:
    with archive.open(name_entry(copy.table)) as entry:
        while chunk := entry.read(CHUNK):
            yield chunk


def require_empty(server: Connection, manifest: Manifest) -> None:
    """That the archive fits here. Raises BackupRefused."""
    for table in IN_USE:
        if server.execute(sql.SQL("SELECT 1 FROM {} LIMIT 1").format(sql.Identifier(table))).fetchone():
            raise BackupRefused(f"this installation is not empty ({table} has rows): restore into a new one")
    ours = read_migrations(server)
    if missing := [name for name in manifest.migrations if name not in ours]:
        told = ", ".join(".".join(name) for name in missing[:3])
        raise BackupRefused(f"the backup is of a newer release: the tables here lack {told}")
    if newer := [name for name in ours if name not in manifest.migrations]:
        told = ", ".join(".".join(name) for name in newer[:3])
        raise BackupRefused(
            f"the backup is of an older release, without {told}: restore it with that one, then upgrade"
        )
    for copy in manifest.tables:
        if set(copy.columns) != set(read_columns(server, copy.table)):
            raise BackupRefused(f"{copy.table} has other columns here than in the archive")


def restore_backup(target: str, path: Path, manifest: Manifest, *, now: datetime, say: Say) -> None:
    """One transaction: everything or nothing. ``target`` is the address of the owner of the tables."""
    tables = [copy.table for copy in manifest.tables]
    with psycopg.connect(target) as server, zipfile.ZipFile(path) as archive:
        require_empty(server, manifest)
        # The owner is under the policies as well, and what triggers write is in the archive.
        isolated = [table for table in tables if is_forced(server, table)]
        for table in tables:
            alter_table(server, table, "DISABLE TRIGGER USER")
        for table in isolated:
            alter_table(server, table, "NO FORCE ROW LEVEL SECURITY")
        for copy in manifest.tables:
            statement = sql.SQL("COPY {} ({}) FROM STDIN").format(name_table(copy), list_identifiers(copy.columns))
            with server.cursor() as cursor, cursor.copy(statement) as rows:
                for chunk in iterate_entry(archive, copy):
                    rows.write(chunk)
            say(f"{copy.table}: {copy.rows:,} rows")
        queue_for_index(server, now)
        restart_sequences(server, tables)
        # What hangs on keys is checked before the tables may be altered again.
        server.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in isolated:
            alter_table(server, table, "FORCE ROW LEVEL SECURITY")
        for table in tables:
            alter_table(server, table, "ENABLE TRIGGER USER")


def is_forced(server: Connection, table: str) -> bool:
    row = server.execute("SELECT relforcerowsecurity FROM pg_class WHERE oid = %s::regclass", [table]).fetchone()
    return bool(row and row[0])


def alter_table(server: Connection, table: str, what: str) -> None:
    server.execute(sql.SQL("ALTER TABLE {} {}").format(sql.Identifier(table), sql.SQL(what)))


def queue_for_index(server: Connection, now: datetime) -> None:
    """Nothing has a vector: the worker finds every row by these marks."""
    item, user = sql.Identifier(MemoryItem._meta.db_table), sql.Identifier(EndUser._meta.db_table)
    pending = "UPDATE {} SET indexing = 'pending', index_attempts = 0, index_after = %s, vector_hash = ''"
    server.execute(sql.SQL(pending).format(item), [now])
    server.execute(sql.SQL("UPDATE {} SET index_due_since = %s").format(user), [now])


def restart_sequences(server: Connection, tables: list[str]) -> None:
    owned = [(table, "id") for table in tables if "id" in read_columns(server, table)]
    for table, column in owned:
        row = server.execute("SELECT pg_get_serial_sequence(%s, %s)", [table, column]).fetchone()
        if row and row[0]:
            set_sequence(server, row[0], table, column)
    set_sequence(server, "memory_item_arrival", MemoryItem._meta.db_table, "arrival")


def set_sequence(server: Connection, sequence: str, table: str, column: str) -> None:
    most = sql.SQL("SELECT setval(%s, coalesce(max({}), 0) + 1, false) FROM {}")
    server.execute(most.format(sql.Identifier(column), sql.Identifier(table)), [sequence])
