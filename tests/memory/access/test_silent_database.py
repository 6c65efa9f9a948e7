"""A database that is connected and says nothing: whoever asked it is told, and the connection is used no more."""

import pytest
from django.db import OperationalError, connection, transaction

from config import databases
from config.databases import PunctualConnection
from memory.access.scope import user_scope
from memory.models import EndUser

UNHURRIED = {"statement_timeout": "0"}


def raw_connection() -> PunctualConnection:
    connection.ensure_connection()
    assert isinstance(connection.connection, PunctualConnection)
    return connection.connection


@pytest.mark.django_db(transaction=True)
def test_a_statement_that_is_never_answered_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = raw_connection()
    monkeypatch.setattr(databases, "SILENCE_S", 0.05)
    monkeypatch.setattr(silent, "statement_s", 0.05)
    with pytest.raises(OperationalError), transaction.atomic(), connection.cursor() as cursor:
        # As if the server stood still: by itself it would answer in a minute.
        cursor.execute("SELECT set_config('statement_timeout', '0', true), pg_sleep(60)")
    assert silent.closed
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


@pytest.mark.django_db(transaction=True)
def test_it_waits_for_as_long_as_the_server_lets_a_statement_take(user: EndUser) -> None:
    kept, waited = raw_connection(), []
    usual = kept.statement_s
    with user_scope(user, settings=UNHURRIED):
        waited.append(kept.statement_s)
        with user_scope(user, savepoint=True, settings={"statement_timeout": "9000"}):
            waited.append(kept.statement_s)
        waited.append(kept.statement_s)
    assert usual
    assert [*waited, kept.statement_s] == [None, 9.0, None, usual]
