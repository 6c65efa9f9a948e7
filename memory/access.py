"""Who may touch what: bearer keys, and the scope inside which one user's rows exist.

Three walls stand between two users: the policy in the database (this module sets the one variable it reads), the
``for_user`` start of every query, and the vector filter that refuses to work without a user.
"""

import hashlib
import re
import secrets
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction

from memory.models import ApiKey, EndUser, Organization

SCOPES = ("read", "write", "admin")
KEY = re.compile(r"cpl_[A-Za-z0-9_-]{43}_[0-9a-f]{8}")
EXTERNAL_ID = re.compile(r"[A-Za-z0-9_.@:-]{1,128}")
TOUCH_EVERY = timedelta(minutes=1)


class WrongScope(Exception):
    """A scope of one user was opened inside the scope of another: a bug, never an answer."""


_held: ContextVar[str] = ContextVar("user_scope", default="")


@contextmanager
def user_scope(user: EndUser | int, *, savepoint: bool = False) -> Iterator[None]:
    """A transaction in which the rows of ``user``, and no others, exist.

    Nested for the same user it joins the open transaction and costs nothing; with ``savepoint`` a failure inside
    leaves that transaction usable. Never hold it around a network call. Raises WrongScope inside another user's.
    """
    wanted = str(user.pk if isinstance(user, EndUser) else user)
    held = _held.get()
    if held == wanted:
        with transaction.atomic(savepoint=savepoint):
            yield
        return
    if held:
        raise WrongScope(f"a scope for user {wanted} inside that of user {held}")
    token = _held.set(wanted)
    try:
        with transaction.atomic(), scoped_connection(wanted):
            yield
    finally:
        _held.reset(token)


@contextmanager
def scoped_connection(wanted: str) -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(current_setting('app.user_id', true), ''), set_config('app.user_id', %s, true)", [wanted]
        )
        row = cursor.fetchone()
    outer = row[0] if row else ""
    if outer not in {"", wanted}:
        raise WrongScope(f"a scope for user {wanted} on a connection left to user {outer}")
    yield
    # A rollback undoes the setting by itself; a released savepoint does not, so an inner transaction puts it back.
    if connection.savepoint_ids:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('app.user_id', %s, true)", [outer])


def current_scope() -> str:
    """The user id the connection is scoped to, or an empty string."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(current_setting('app.user_id', true), '')")
        row = cursor.fetchone()
    return str(row[0]) if row else ""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a request speaks for. ``user_ids`` None means every user of the organisation."""

    organization: Organization
    key_id: int
    name: str
    scopes: frozenset[str]
    user_ids: frozenset[str] | None
    requests_per_second: int | None

    def may_act_for(self, external_id: str) -> bool:
        return self.user_ids is None or external_id in self.user_ids


def new_key() -> str:
    """``cpl_`` + 256 random bits + a checksum, so that a typing mistake is refused without a query."""
    body = f"cpl_{secrets.token_urlsafe(32)}"
    return f"{body}_{zlib.crc32(body.encode()):08x}"


def key_digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def issue_key(
    organization: Organization,
    name: str,
    scopes: Sequence[str],
    *,
    now: datetime,
    user_ids: Sequence[str] | None = None,
    lifetime: timedelta | None = None,
    requests_per_second: int | None = None,
    key: str | None = None,
) -> tuple[ApiKey, str]:
    """A new key and its plain text, which exists only in this answer."""
    unknown = set(scopes) - set(SCOPES)
    if unknown or not scopes:
        raise ValueError(f"scopes must be some of {', '.join(SCOPES)}")
    plain = key or new_key()
    row = ApiKey.objects.create(
        organization=organization,
        name=name,
        hint=plain[:10],
        digest=key_digest(plain),
        scopes=sorted(set(scopes)),
        user_ids=list(user_ids) if user_ids is not None else None,
        requests_per_second=requests_per_second,
        created_at=now,
        expires_at=now + lifetime if lifetime else None,
    )
    return row, plain


def authenticate(key: str, *, now: datetime) -> Principal | None:
    """The principal of a key, or None when it is malformed, unknown, revoked or expired."""
    if not KEY.fullmatch(key) or not secrets.compare_digest(f"{zlib.crc32(key[:-9].encode()):08x}", key[-8:]):
        return None
    row = ApiKey.objects.select_related("organization").filter(digest=key_digest(key)).first()
    if row is None or row.revoked_at is not None or (row.expires_at is not None and row.expires_at <= now):
        return None
    if row.last_used_at is None or now - row.last_used_at > TOUCH_EVERY:
        ApiKey.objects.filter(pk=row.pk).update(last_used_at=now)
    return Principal(
        organization=row.organization,
        key_id=row.pk,
        name=row.name,
        scopes=frozenset(row.scopes),
        user_ids=frozenset(row.user_ids) if row.user_ids is not None else None,
        requests_per_second=row.requests_per_second,
    )


def find_user(organization: Organization, external_id: str) -> EndUser | None:
    return EndUser.objects.filter(organization=organization, external_id=external_id).first()


def ensure_user(organization: Organization, external_id: str) -> EndUser:
    """The end user, made at first write. Raises ValueError for an id outside the allowed alphabet."""
    if not EXTERNAL_ID.fullmatch(external_id):
        raise ValueError("a user id is 1-128 of A-Z a-z 0-9 _ . @ : -")
    found = find_user(organization, external_id)
    return found or EndUser.objects.get_or_create(organization=organization, external_id=external_id)[0]
