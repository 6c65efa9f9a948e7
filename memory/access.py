"""Who may touch what: bearer keys, and the scope inside which one user's rows exist.

Three walls stand between two users: the policy in the database (this module sets the one variable it reads), the
``for_user`` start of every query, and the vector filter that refuses to work without a user.
"""

import hashlib
import re
import secrets
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import LiteralString, TypeVar

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Model

from memory.models import ApiKey, EndUser, Organization

Row = TypeVar("Row", bound=Model)
SCOPES = ("read", "write", "admin")
KEY = re.compile(r"cpl_[A-Za-z0-9_-]{43}_[0-9a-f]{8}")
EXTERNAL_ID = re.compile(r"[A-Za-z0-9_.@:-]{1,128}")
TOUCH_EVERY = timedelta(minutes=1)
USER = "app.user_id"
"""The setting that the policies of the database read."""


class WrongScope(Exception):
    """A scope of one user was opened inside the scope of another. Always a bug."""


_held: ContextVar[str] = ContextVar("user_scope", default="")


@contextmanager
def user_scope(
    user: EndUser | int, *, savepoint: bool = False, settings: Mapping[str, str] | None = None
) -> Iterator[None]:
    """A transaction in which the rows of ``user``, and no others, exist.

    Nested for the same user it joins the open transaction and costs nothing; with ``savepoint`` a failure inside
    leaves that transaction usable. ``settings`` of Postgres hold inside it; without nesting they cost no statement of
    their own. Never hold it around a network call. Raises WrongScope inside another user's.
    """
    wanted = str(user.pk if isinstance(user, EndUser) else user)
    held = _held.get()
    if held == wanted:
        with transaction.atomic(savepoint=savepoint), set_for_now(settings or {}):
            yield
        return
    if held:
        raise WrongScope(f"a scope for user {wanted} inside that of user {held}")
    token = _held.set(wanted)
    try:
        with transaction.atomic(), set_for_now({USER: wanted, **(settings or {})}) as before:
            if before[USER] not in {"", wanted}:
                raise WrongScope(f"a scope for user {wanted} on a connection left to user {before[USER]}")
            yield
    finally:
        _held.reset(token)


@contextmanager
def set_for_now(settings: Mapping[str, str]) -> Iterator[dict[str, str]]:
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
    return {name: value or "" for name, value in earlier if value is not None or name == USER}


def current_scope() -> str:
    """The user id the connection is scoped to, or an empty string."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(current_setting('app.user_id', true), '')")
        row = cursor.fetchone()
    return str(row[0]) if row else ""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a request speaks for. ``user_ids`` None means every user of the organisation."""

    organization_id: int
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
    """A new key and its plain text, which is not stored anywhere."""
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


def is_well_formed(key: str) -> bool:
    """Whether the checksum is right; says nothing of whether the key exists. Asks no database."""
    return bool(KEY.fullmatch(key)) and secrets.compare_digest(f"{zlib.crc32(key[:-9].encode()):08x}", key[-8:])


def authenticate(key: str, *, now: datetime) -> Principal | None:
    """The principal of a key, or None when it is malformed, unknown, revoked or expired."""
    if not is_well_formed(key):
        return None
    row = one_of(ApiKey, "digest = %s", key_digest(key))
    if row is None or row.revoked_at is not None or (row.expires_at is not None and row.expires_at <= now):
        return None
    if row.last_used_at is None or now - row.last_used_at > TOUCH_EVERY:
        ApiKey.objects.filter(pk=row.pk).update(last_used_at=now)
    return Principal(
        organization_id=row.organization_id,
        key_id=row.pk,
        name=row.name,
        scopes=frozenset(row.scopes),
        user_ids=frozenset(row.user_ids) if row.user_ids is not None else None,
        requests_per_second=row.requests_per_second,
    )


def find_user(organization: Organization | int, external_id: str) -> EndUser | None:
    organization_id = organization if isinstance(organization, int) else organization.pk
    return one_of(EndUser, "organization_id = %s AND external_id = %s", organization_id, external_id)


def one_of(model: type[Row], where: LiteralString, *values: int | str) -> Row | None:
    """The row of a model, by a condition on its columns. Every request looks up its key and its user, and the ORM
    takes longer to compose such a statement than Postgres to answer it. For columns that the driver reads by itself."""
    fields = {field.attname: str(field.column) for field in model._meta.concrete_fields}
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(fields.values())} FROM {model._meta.db_table} WHERE {where}", values)  # noqa: S608
        row = cursor.fetchone()
    return None if row is None else model.from_db(connection.alias, list(fields), row)


def ensure_user(organization: Organization | int, external_id: str) -> EndUser:
    """The end user, created by the first write. Raises ValueError for an id outside the allowed alphabet."""
    if not EXTERNAL_ID.fullmatch(external_id):
        raise ValueError("a user id is 1-128 of A-Z a-z 0-9 _ . @ : -")
    organization_id = organization if isinstance(organization, int) else organization.pk
    found = find_user(organization_id, external_id)
    return found or EndUser.objects.get_or_create(organization_id=organization_id, external_id=external_id)[0]
