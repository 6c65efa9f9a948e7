"""Finds the person an organisation names, and makes them at the first write."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import LiteralString, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import Model, QuerySet

from memory.models import EndUser, Organization

Row = TypeVar("Row", bound=Model)


EXTERNAL_ID_PATTERN = re.compile(r"[A-Za-z0-9_.@:+|-]{1,128}")


def find_user(organization: Organization | int, external_id: str) -> EndUser | None:
    organization_id = organization if isinstance(organization, int) else organization.pk
    return fetch_row(EndUser, "organization_id = %s AND external_id = %s", organization_id, external_id)


def find_owner(organization_id: int, item_id: UUID) -> EndUser | None:
    """Whose memory it is, if the organisation's. Says nothing of whether a key may act for them."""
    return fetch_row(
        EndUser,
        "organization_id = %s AND id = (SELECT owner_id FROM memory_address WHERE item_id = %s)",
        organization_id,
        str(item_id),
    )


def fetch_row(model: type[Row], where: LiteralString, *values: int | str) -> Row | None:
    """The row of a model, by a condition on its columns. Every request looks up its key and its user, and the ORM
    takes longer to compose such a statement than Postgres to answer it. For columns that the driver reads by itself."""
    # Looking up a key and a user took 1.3 ms of Python with the ORM and takes 0.4 by hand.
    fields = {field.attname: str(field.column) for field in model._meta.concrete_fields}
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(fields.values())} FROM {model._meta.db_table} WHERE {where}", values)  # noqa: S608
        row = cursor.fetchone()
    return None if row is None else model.from_db(connection.alias, list(fields), row)


def select_known(organization_id: int, among: Collection[str] | None) -> QuerySet[EndUser]:
    # An erased one has a name no client can give, until its rows are gone.
    known = EndUser.objects.filter(organization_id=organization_id).exclude(external_id__startswith="#")
    return known if among is None else known.filter(external_id__in=sorted(among))


def list_users_after(organization_id: int, among: Collection[str] | None, *, after: int, limit: int) -> list[EndUser]:
    """Those of an organisation with these ids, None for all; the first known first, behind the key ``after``."""
    return list(select_known(organization_id, among).filter(pk__gt=after).order_by("pk")[:limit])


def list_users(
    organization_id: int, among: Collection[str] | None, *, start: int, limit: int
) -> tuple[list[EndUser], int]:
    """Those of an organisation with these ids, None for all; the first known first, and how many there are."""
    rows = select_known(organization_id, among)
    return list(rows.order_by("pk")[start : start + limit]), rows.count()


# People of one statement; in between no cursor is held on the server, which behind a pooler that lends connections by
# transaction would be another's.
PAGE = 1_000


def iterate_users(organization_id: int | None = None, *, after: int = 0) -> Iterator[EndUser]:
    """Everybody, or everybody of an organisation, in the order of their keys, behind the key ``after``."""
    rows = EndUser.objects.order_by("pk")
    if organization_id is not None:
        rows = rows.filter(organization_id=organization_id)
    last = after
    while page := list(rows.filter(pk__gt=last)[:PAGE]):
        yield from page
        last = page[-1].pk


def iterate_user_ids() -> Iterator[int]:
    return (user.pk for user in iterate_users())


# The primary key of a person without a row: the last that Postgres could give. Not 0, which indexes refuse.
STRANGER = 2**63 - 1


def stand_in_for_stranger(organization: Organization | int, external_id: str) -> EndUser:
    """A person nobody wrote to yet: reading finds nothing, and whoever would write looks at ``is_stranger`` first."""
    organization_id = organization if isinstance(organization, int) else organization.pk
    return EndUser(pk=STRANGER, organization_id=organization_id, external_id=external_id)


def is_stranger(user: EndUser) -> bool:
    return user.pk == STRANGER


def get_or_create_user(organization: Organization | int, external_id: str) -> EndUser:
    """The end user, created by the first write. Raises ValueError for an id outside the allowed alphabet."""
    if not EXTERNAL_ID_PATTERN.fullmatch(external_id):
        raise ValueError("a user id is 1-128 of A-Z a-z 0-9 _ . @ : + | -")
    organization_id = organization if isinstance(organization, int) else organization.pk
    found = find_user(organization_id, external_id)
    return found or EndUser.objects.get_or_create(organization_id=organization_id, external_id=external_id)[0]


def delete_rows(user: EndUser, models: Iterable[type[Model]]) -> dict[str, int]:
    """Delete everything of a user in these tables, in this order; how many rows by table. Needs the user's scope.

    One statement a table: the ORM would first read every row to see what refers to it.
    """
    removed = {}
    with connection.cursor() as cursor:
        for table in (model._meta.db_table for model in models):
            cursor.execute(f"DELETE FROM {table} WHERE user_id = %s", [user.pk])  # noqa: S608 -- names of our own
            removed[table] = cursor.rowcount
    return removed
