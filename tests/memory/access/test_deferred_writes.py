"""Writes that wait go with the next statement, in the order of the program."""

from typing import Any

import pytest
from django.db import DataError, connection, transaction

from memory.access.deferred_writes import defer_writes, insert_later, update_later, write_later
from memory.access.locks import lock_for_transaction
from memory.models import EndUser, Organization

pytestmark = pytest.mark.django_db

NAME = "UPDATE organization SET name = %s WHERE id = %s"


class Messages(list[str]):
    """What is sent."""

    def __call__(self, execute: Any, sql: str, values: Any, many: bool, context: Any) -> Any:
        self.append(sql)
        return execute(sql, values, many, context)


def read_name(organization: Organization) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM organization WHERE id = %s", [organization.pk])
        return str(cursor.fetchone()[0])


def test_a_write_goes_with_the_statement_after_it(organization: Organization) -> None:
    sent = Messages()
    with transaction.atomic(), connection.execute_wrapper(sent), defer_writes():
        write_later(NAME, ["100 % %s ours", organization.pk])
        write_later(NAME, ["50 % ours", organization.pk])
        assert sent == []
        assert read_name(organization) == "50 % ours"
        assert len(sent) == 1
        with connection.cursor() as cursor:
            write_later(NAME, ["10 % ours", organization.pk])
            cursor.execute("SELECT '5 %'")
            assert cursor.fetchone() == ("5 %",)
    assert len(sent) == 2
    assert read_name(organization) == "10 % ours"


def test_rows_are_written_as_the_mapper_would(organization: Organization) -> None:
    person = EndUser(organization=organization, external_id="nadia")
    person.pk = (EndUser.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1000
    with transaction.atomic(), defer_writes():
        insert_later(person)
        person.external_id = "nadia the second"
        update_later(person, ["external_id"])
        assert EndUser.objects.get(pk=person.pk).external_id == "nadia the second"
    kept = EndUser.objects.get(pk=person.pk)
    assert {field.attname: getattr(kept, field.attname) for field in EndUser._meta.concrete_fields} == {
        field.attname: getattr(person, field.attname) for field in EndUser._meta.concrete_fields
    }


def test_every_kind_of_statement_comes_after_what_waits(organization: Organization) -> None:
    with transaction.atomic(), defer_writes():
        write_later(NAME, ["first", organization.pk])
        assert [one.name for one in Organization.objects.filter(pk=organization.pk).iterator()] == ["first"]
        write_later(NAME, ["second", organization.pk])
        with connection.cursor() as cursor:
            cursor.executemany("UPDATE organization SET name = name || %s WHERE id = %s", [("!", organization.pk)] * 2)
        assert read_name(organization) == "second!!"
        write_later(NAME, ["third", organization.pk])
        assert Organization.objects.filter(pk=organization.pk).update(name="fourth") == 1
    assert read_name(organization) == "fourth"


def test_what_waits_at_the_end_is_sent_and_after_an_error_nothing(organization: Organization) -> None:
    with transaction.atomic(), defer_writes():
        with defer_writes():
            write_later(NAME, ["inner", organization.pk])
        write_later(NAME, ["outer", organization.pk])
    assert read_name(organization) == "outer"
    with pytest.raises(DataError):
        divide_by_zero(organization)
    with pytest.raises(ZeroDivisionError):
        write_and_fail(organization)
    assert read_name(organization) == "outer"
    write_later(NAME, ["at once", organization.pk])
    assert read_name(organization) == "at once"


def divide_by_zero(organization: Organization) -> None:
    with transaction.atomic(), defer_writes():
        write_later("UPDATE organization SET id = 1 / %s", [0])
        read_name(organization)


def write_and_fail(organization: Organization) -> None:
    with transaction.atomic(), defer_writes():
        write_later(NAME, ["lost", organization.pk])
        raise ZeroDivisionError


def test_counts_of_rows_are_told_when_the_write_is_sent(organization: Organization) -> None:
    counts: list[tuple[str, int]] = []
    nobody = "UPDATE organization SET name = %(name)s WHERE id = 0"
    with transaction.atomic(), defer_writes():
        write_later(NAME, ["first", organization.pk], lambda count: counts.append(("one", count)))
        write_later("SELECT 1", [])
        write_later(nobody, {"name": "100 % of nobody"}, lambda count: counts.append(("none", count)))
        assert counts == []
        # The answer is that of the statement they went with, and not of any of them.
        assert read_name(organization) == "first"
        assert counts == [("one", 1), ("none", 0)]
        write_later(NAME, ["last", organization.pk], lambda count: counts.append(("last", count)))
    assert counts[2:] == [("last", 1)]
    write_later(nobody, {"name": "x"}, lambda count: counts.append(("at once", count)))
    assert counts[3:] == [("at once", 0)]


def test_a_lock_is_held_from_the_next_statement_on(user: EndUser) -> None:
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
    with transaction.atomic(), defer_writes(), connection.cursor() as cursor:
        lock_for_transaction("notes", user)
        cursor.execute(held)
        assert cursor.fetchone() == (1,)
