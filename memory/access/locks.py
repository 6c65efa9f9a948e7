"""Advisory locks: one writer of a kind for each user, one run of a task at a time."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from django.db import connection

from memory.access.deferred_writes import write_later
from memory.models import EndUser

# Nothing is said on it until the work is done, which may take minutes.
TAKE_TASK_LOCK = """
SELECT set_config('idle_in_transaction_session_timeout', '0', true),
       pg_try_advisory_xact_lock(hashtextextended(%s, %s))
"""


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
    """True for one process at a time. The lock ends with its connection, so a killed worker releases it.

    Only avoids duplicate work, which would be harmless.
    """
    # Of another name than any lock for a transaction: with one name for both, the turn of a person waited .9 s at p95
    # while the worker embedded facts of theirs, and a worker that met a write left its work to the sweep.
    subject = f"task {name}"
    # In a transaction and on a connection of its own: a lock of the session would stay with whichever connection
    # a pooler lent for the statement that took it, and nobody could give it back.
    with closing(connection.copy()) as holder:
        holder.set_autocommit(False)
        with holder.cursor() as cursor:
            cursor.execute(TAKE_TASK_LOCK, [subject, key])
            row = cursor.fetchone()
        try:
            yield bool(row and row[1])
        finally:
            holder.rollback()
