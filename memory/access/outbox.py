"""The outbox: work left with the row that needs it, in the writer's transaction, and found again by any worker.

Two parts. `PendingRows` are rows that are their own queue: whatever is ``pending`` remains to be done. An `Outbox` is
the mark that says which users have any, so that a sweep reads one small index instead of every table under every
user's scope. A lost message or a killed worker costs a sweep's wait (30 s), never the work.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

import structlog
from django.db import OperationalError, connection
from django.db.models import Model, QuerySet
from django.utils import timezone
from psycopg.errors import LockNotAvailable

from memory.access.deferred_writes import write_later
from memory.access.locks import try_task_lock
from memory.access.scope import user_scope
from memory.models import EndUser
from memory.platform.faults import Unavailable
from memory.platform.stopping import is_stopping
from memory.tiers import Indexing

logger = structlog.get_logger(__name__)

Row = TypeVar("Row", bound=Model)

LOCK_USER = "SELECT 1 FROM end_user WHERE id = %s FOR KEY SHARE"
MAX_ATTEMPTS = 5
# A server that came back is noticed within half a minute, which is also how often the sweep looks.
MAX_RETRY_DELAY = timedelta(seconds=30)


def retry_delay(attempts: int) -> timedelta:
    return min(MAX_RETRY_DELAY, timedelta(seconds=2**attempts))


@dataclass(frozen=True, slots=True)
class Drained:
    """How much was taken, and whether another task is needed: time ran out, or more came in at the very end.

    ``is_held`` where another process is at it.
    """

    taken: int
    has_more: bool = False
    is_held: bool = False


class Outbox:
    """Users with work of one kind: ``field`` of ``model`` says when a user's work is due.

    ``model`` is EndUser, or a table with a row for each user that waits.
    """

    def __init__(self, model: type[Model], field: str) -> None:
        self.model = model
        self.field = field
        columns = {known.name: known.column for known in model._meta.concrete_fields}
        table, column, key = model._meta.db_table, columns[field], columns[model._meta.pk.name]
        if model is EndUser:
            self._mark = f"UPDATE {table} SET {column} = %(due)s WHERE {key} = %(user)s AND {column} IS NULL"  # noqa: S608
        else:
            # The earlier of two moments, or the only one: least() passes over nulls.
            self._mark = (
                f"INSERT INTO {table} AS mark ({key}, {column}) VALUES (%(user)s, %(due)s) ON CONFLICT ({key})"  # noqa: S608
                f" DO UPDATE SET {column} = least(mark.{column}, excluded.{column})"
                f" WHERE mark.{column} IS NULL OR mark.{column} > excluded.{column}"
            )

    def mark(self, user: EndUser, due: datetime) -> bool:
        """Mark that this user has work. Call it after the write, in the same transaction. True when nothing waited.

        The shared lock is what clearing waits for before it looks: the row's own foreign key is checked, and so locks
        the user, only at the commit. Taken first, it lets the mark see what a clearing that was faster has removed.
        """
        write_later(LOCK_USER, [user.pk])
        with connection.cursor() as cursor:
            cursor.execute(self._mark, {"user": user.pk, "due": due})
            return bool(cursor.rowcount)

    def mark_later(self, user: EndUser, due: datetime, begin: Callable[[], object]) -> None:
        """The same with the next statement of `deferred_writes`; ``begin`` is called where nothing waited."""
        write_later(LOCK_USER, [user.pk])
        write_later(self._mark, {"user": user.pk, "due": due}, lambda count: begin() if count else None)

    def clear(self, user: EndUser, has_pending: Callable[[EndUser], bool]) -> bool:
        """Remove the user's mark if nothing is pending. False if something is, or a writer takes too long.

        The lock waits for every writer whose row is not visible yet (marking locks the user's row in share mode) and
        blocks later ones, which then find the mark gone and set it again.
        """
        now = timezone.now()
        return self.advance(user, lambda user: now if has_pending(user) else None, now)

    def advance(self, user: EndUser, find_next: Callable[[EndUser], datetime | None], now: datetime) -> bool:
        """Move the user's mark, in the same way, to when work falls due next. False if it is due already."""
        try:
            with user_scope(user):
                if not self.lock(user):
                    return True
                due = find_next(user)
                if due is not None and due <= now:
                    return False
                self.move(user, due)
        except OperationalError as error:
            if isinstance(error.__cause__, LockNotAvailable):
                return False
            raise
        return True

    def is_due(self, user: EndUser, now: datetime) -> bool:
        return self.model._default_manager.filter(pk=user.pk, **{f"{self.field}__lte": now}).exists()

    def lock(self, user: EndUser) -> bool:
        """Keep writers of this user from marking until the transaction ends. False when the user is gone."""
        return EndUser.objects.select_for_update().filter(pk=user.pk).values_list("pk").first() is not None

    def move(self, user: EndUser, due: datetime | None) -> None:
        """Under the lock: when the user's work is due next, None for no work."""
        rows = self.model._default_manager.filter(pk=user.pk)
        if due is None and not self.model._meta.get_field(self.field).null:
            rows.delete()
        else:
            rows.update(**{self.field: due})

    def list_users(self, now: datetime | None = None, limit: int = 1000) -> list[int]:
        """Users with work (that is due at this time), those that have waited longest first."""
        marked = self.model._default_manager.filter(**{f"{self.field}__isnull": False})
        if now is not None:
            marked = marked.filter(**{f"{self.field}__lte": now})
        return list(marked.order_by(self.field).values_list("pk", flat=True)[:limit])


def drain(
    work: str,
    user_id: int,
    take: Callable[[], int],
    clear: Callable[[], bool],
    *,
    seconds: float,
    is_backing_off: Callable[[], bool] = lambda: True,
    is_marked: Callable[[], bool] = lambda: False,
    has_others: Callable[[], bool] = lambda: False,
) -> Drained:
    """Take batches of a user's work until none is left and the mark is cleared; one process at a time for each user.

    Out of time or told to stop it ends between batches, so that the caller passes the rest to another task, behind
    other users'.
    ``is_marked`` is asked when the lock is free again: a message sent after the mark was cleared may have met the lock,
    and would leave its work to the sweep.
    """
    taken, is_done = 0, False
    until = timezone.now() + timedelta(seconds=seconds)
    with try_task_lock(work, user_id) as is_mine:
        if not is_mine:
            return Drained(0, is_held=True)
        try:
            while not is_done and timezone.now() < until and not is_stopping():
                batch = take()
                taken += batch
                # What became visible while clearing waited is taken now, unless somebody else (a rebuild) took it: then
                # it is cleared again, or later writers would wait for the sweep. What only pauses is left to the sweep.
                is_done = not batch and (clear() or is_backing_off())
                if not is_done and has_others():
                    break
        except Unavailable as error:
            # The rows stay pending; the sweep enqueues them again.
            logger.warning("work paused", work=work, dependency=error.dependency, reason=error.reason)
            return Drained(taken)
    return Drained(taken, has_more=not is_done or is_marked())


@dataclass(frozen=True, slots=True)
class PendingRows(Generic[Row]):
    """Rows of a table that are their own queue, by the names of its columns.

    ``stamp`` counts changes of a row: a failure is written down only on the row it was a failure of.
    """

    model: type[Row]
    state: str
    due: str
    attempts: str
    error: str
    stamp: str

    def select(self, user: EndUser) -> QuerySet[Row]:
        return self.model._default_manager.filter(**{"user": user, self.state: Indexing.PENDING})

    def has_any(self, user: EndUser) -> bool:
        """Whether anything is pending. Needs the user's scope."""
        return self.select(user).exists()

    def is_backing_off(self, user: EndUser, now: datetime) -> bool:
        """Whether rows are pending, and none of them is due yet."""
        with user_scope(user):
            pending = self.select(user)
            return pending.exists() and not pending.filter(**{f"{self.due}__lte": now}).exists()

    def list_due(self, user: EndUser, now: datetime, limit: int, *, without: Sequence[str] = ()) -> list[Row]:
        with user_scope(user):
            due = self.select(user).filter(**{f"{self.due}__lte": now})
            return list(due.defer(*without).order_by(self.due, "pk")[:limit])

    def postpone(self, user: EndUser, rows: Sequence[Row], now: datetime, error: Unavailable) -> None:
        """Retry later because a dependency is down; no attempt is counted."""
        with user_scope(user):
            self.select(user).filter(pk__in=[row.pk for row in rows]).update(
                **{self.due: now + retry_delay(1), self.error: error.reason[:300]}
            )

    def record_failure(self, user: EndUser, row: Row, now: datetime, error: Unavailable) -> None:
        """Count an attempt of this row alone; after the last it is given up and waits for a person's ``retry``."""
        attempts = getattr(row, self.attempts) + 1
        state = Indexing.FAILED if attempts >= MAX_ATTEMPTS else Indexing.PENDING
        logger.warning(
            "row not processed",
            table=self.model._meta.db_table,
            row=str(row.pk),
            attempts=attempts,
            reason=error.reason,
        )
        values: dict[str, Any] = {
            self.state: state,
            self.attempts: attempts,
            self.due: now + retry_delay(attempts),
            self.error: error.reason[:300],
        }
        with user_scope(user):
            same = self.model._default_manager.filter(user=user, pk=row.pk, **{self.stamp: getattr(row, self.stamp)})
            same.update(**values)
