"""The scope of a user: a transaction in which the database shows that user's rows alone."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from memory.models import EndUser

# The setting that the policies of the database read.
USER_SETTING = "app.user_id"


class WrongScope(Exception):
    """A scope of one user was opened inside the scope of another. Always a bug."""


# Three walls stand between two users: the policy in the database, which reads this variable, the ``for_user`` start of
# every query, and the vector filter that refuses to work without a user.
_current_user: ContextVar[str] = ContextVar("user_scope", default="")


@contextmanager
def user_scope(
    user: EndUser | int, *, savepoint: bool = False, settings: Mapping[str, str] | None = None
) -> Iterator[None]:
    """A transaction in which the rows of ``user``, and no others, exist.

    Nested for the same user it joins the open transaction and costs nothing; with ``savepoint`` a failure inside
    leaves that transaction usable. ``settings`` of Postgres hold inside it; without nesting they cost no statement of
    their own. Never hold it around a network call. Raises WrongScope inside another user's.
    """
    user_id = str(user.pk if isinstance(user, EndUser) else user)
    current = _current_user.get()
    if current == user_id:
        with transaction.atomic(savepoint=savepoint), apply_settings(settings or {}):
            yield
        return
    if current:
        raise WrongScope(f"a scope for user {user_id} inside that of user {current}")
    token = _current_user.set(user_id)
    try:
        with transaction.atomic(), apply_settings({USER_SETTING: user_id, **(settings or {})}) as before:
            if before[USER_SETTING] not in {"", user_id}:
                raise WrongScope(f"a scope for user {user_id} on a connection left to user {before[USER_SETTING]}")
            yield
    finally:
        _current_user.reset(token)


@contextmanager
def apply_settings(settings: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Settings of the open transaction, put back at the end where an outer one goes on. Gives the earlier values.

    A rollback undoes them by itself; a released savepoint does not.
    """
    if not settings:
        yield {}
        return
    with connection.cursor() as cursor:
        before = set_local(cursor, settings)
    yield before
    if before and connection.savepoint_ids:
        with connection.cursor() as cursor:
            set_local(cursor, before)


def set_local(cursor: CursorWrapper, settings: Mapping[str, str]) -> dict[str, str]:
    """Set for this transaction, in one statement. Returns the earlier values of those that had one."""
    read = ", ".join(["current_setting(%s, true)"] * len(settings))
    write = ", ".join(["set_config(%s, %s, true)"] * len(settings))
    # Left to right: the old values are read before the new ones are written.
    cursor.execute(f"SELECT {read}, {write}", [*settings, *(part for pair in settings.items() for part in pair)])
    earlier = zip(settings, cursor.fetchone() or (), strict=False)
    return {name: value or "" for name, value in earlier if value is not None or name == USER_SETTING}
