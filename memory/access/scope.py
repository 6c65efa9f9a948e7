"""The scope of a user: a transaction in which the database shows that user's rows alone."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from memory.access.confinement import EVERYTHING, RowScope, confine_to, current_scope
from memory.access.membership import MEMBER_SETTING, NOBODY, current_member
from memory.models import EndUser
from memory.models.isolation import AGENT_SETTING, PROJECT_SETTING
from memory.models.spaces import is_space

STATEMENT_TIMEOUT = "statement_timeout"
# The setting that the policies of the database read.
USER_SETTING = "app.user_id"
POLICY_SETTINGS = frozenset({USER_SETTING, MEMBER_SETTING, AGENT_SETTING, PROJECT_SETTING})


# For work on all of somebody's rows in one transaction, which takes as long as it takes: on a busy machine a batch of
# texts took the fifteen seconds for which others may stand idle. A lost process ends its connection, and with it the
# transaction.
UNHURRIED = {"statement_timeout": "0", "idle_in_transaction_session_timeout": "0"}


class WrongScope(Exception):
    """A scope of one user, agent or project was opened inside the scope of another. Always a bug."""


# Three walls stand between two users: the policy in the database, which reads this variable, the ``for_user`` start of
# every query, and the vector filter that refuses to work without a user.
_current_user: ContextVar[tuple[str, str, RowScope]] = ContextVar("user_scope", default=("", NOBODY, EVERYTHING))


@contextmanager
def user_scope(
    user: EndUser | int, *, savepoint: bool = False, settings: Mapping[str, str] | None = None
) -> Iterator[None]:
    """A transaction in which the rows of ``user``, and no others, exist.

    Nested for the same user it joins the open transaction and costs nothing; with ``savepoint`` a failure inside
    leaves that transaction usable. ``settings`` of Postgres hold inside it; without nesting they cost no statement of
    their own. Never hold it around a network call. Raises WrongScope inside another user's, and where the agent or
    project it works for, or the member it acts as in a space, is not the one of the open transaction.
    """
    key, scope = user.pk if isinstance(user, EndUser) else user, current_scope()
    user_id, member = str(key), current_member() if is_space(key) else NOBODY
    allowed = (settings or {}).get(STATEMENT_TIMEOUT)
    current, acting, held = _current_user.get()
    if (current, acting, held) == (user_id, member, scope):
        with allow_statements(allowed), transaction.atomic(savepoint=savepoint), apply_settings(settings or {}):
            yield
        return
    if current:
        raise WrongScope(f"a scope for user {user_id} in {scope} inside that of user {current} in {held}")
    token = _current_user.set((user_id, member, scope))
    wanted = {USER_SETTING: user_id, **scope.settings, **(settings or {})}
    if is_space(key):
        wanted[MEMBER_SETTING] = member
    try:
        with allow_statements(allowed), transaction.atomic(), apply_settings(wanted) as before:
            if before[USER_SETTING] not in {"", user_id}:
                raise WrongScope(f"a scope for user {user_id} on a connection left to user {before[USER_SETTING]}")
            yield
    finally:
        _current_user.reset(token)


@contextmanager
def visit_space(space_id: int) -> Iterator[None]:
    """The scope of a space within that of a person, whose transaction holds what is done in both.

    Which rows are there is decided by who the work acts as, as anywhere in a space. Raises WrongScope for a person.
    """
    if not is_space(space_id):
        raise WrongScope(f"a visit to {space_id}, which is no space")
    token = _current_user.set((str(space_id), current_member(), EVERYTHING))
    wanted = {USER_SETTING: str(space_id), MEMBER_SETTING: current_member(), AGENT_SETTING: "", PROJECT_SETTING: ""}
    try:
        # A space knows no agents and projects, whatever the person works in.
        with confine_to(EVERYTHING), transaction.atomic(), apply_settings(wanted):
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
    if before and connection.savepoint_ids and not connection.needs_rollback:
        with connection.cursor() as cursor:
            set_local(cursor, before)


@contextmanager
def allow_statements(timeout: str | None) -> Iterator[None]:
    """Let the connection wait for what Postgres lets a statement take: ``timeout`` is its setting in milliseconds, "0"
    for any time; None changes nothing. Around the transaction: its end checks what was put off to it."""
    if timeout is None:
        yield
        return
    connection.ensure_connection()
    given: Any = connection.connection
    if not hasattr(given, "statement_s"):
        yield
        return
    before, given.statement_s = given.statement_s, parse_timeout(timeout)
    try:
        yield
    finally:
        given.statement_s = before


def parse_timeout(timeout: str) -> float | None:
    milliseconds = float(timeout.removesuffix("ms"))
    return milliseconds / 1000 if milliseconds else None


def set_local(cursor: CursorWrapper, settings: Mapping[str, str]) -> dict[str, str]:
    """Set for this transaction, in one statement. Returns the earlier values of those that had one.

    What the policies read has one always: left standing in a transaction that goes on, it would hide rows from it.
    """
    read = ", ".join(["current_setting(%s, true)"] * len(settings))
    write = ", ".join(["set_config(%s, %s, true)"] * len(settings))
    # Left to right: the old values are read before the new ones are written.
    cursor.execute(f"SELECT {read}, {write}", [*settings, *(part for pair in settings.items() for part in pair)])
    earlier = zip(settings, cursor.fetchone() or (), strict=False)
    return {name: value or "" for name, value in earlier if value is not None or name in POLICY_SETTINGS}
