"""Advisory locks: one writer of a kind for each user, one run of a task at a time."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from memory.access.deferred_writes import write_later
from memory.models import EndUser


def lock_for_transaction(subject: str, user: EndUser) -> None:
    """Lock until the end of the transaction: later writers of the same subject wait and then see this write."""
    write_later("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", [subject, user.pk])


def try_lock_for_transaction(subject: str, user: EndUser) -> bool:
    """The same lock, where it is free: False when another transaction has it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, %s))", [subject, user.pk])
        row = cursor.fetchone()
    return bool(row and row[0])


@contextmanager
def try_task_lock(name: str, key: int) -> Iterator[bool]:
    """True for one process at a time. The lock ends with the connection, so a killed worker releases it.

    Only avoids duplicate work, which would be harmless.
    """
    # Of another name than any lock for a transaction: with one name for both, the turn of a person waited .9 s at p95
    # while the worker embedded facts of theirs, and a worker that met a write left its work to the sweep.
    subject = f"task {name}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, %s))", [subject, key])
        row = cursor.fetchone()
    mine = bool(row and row[0])
    try:
        yield mine
    finally:
        if mine:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, %s))", [subject, key])
