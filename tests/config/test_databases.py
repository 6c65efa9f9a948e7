"""How the one database connection reads what Postgres sends."""

from datetime import UTC, datetime

import pytest
from django.db import DataError, connection
from psycopg.pq import Format

from config.databases import UtcLoader

TIMESTAMPTZ = 1184


@pytest.mark.django_db
@pytest.mark.parametrize("moment", ["2026-01-02 03:04:05+00", "2026-01-02 03:04:05.12+00", "0001-01-01 00:00:00+00"])
def test_moments_are_read_as_django_reads_them(moment: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [moment])
        (found,) = cursor.fetchone()
    assert found == datetime.fromisoformat(moment)
    assert found.tzinfo is UTC
    assert connection.connection.adapters.get_loader(TIMESTAMPTZ, Format.TEXT) is UtcLoader


@pytest.mark.django_db
def test_a_moment_beyond_the_years_of_python_is_refused_in_words() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'infinity'::timestamptz")
        with pytest.raises(DataError, match="infinity"):
            cursor.fetchone()
