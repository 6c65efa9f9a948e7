"""Walls taken away one by one, to see whether the next one holds."""

from collections.abc import Iterator

import pytest
from django.db import connection, transaction

from tests.database_roles import connect_as, isolated_tables

CANARY = "heliotrope-7731"
"""Words that stand in one person's memories only."""


@pytest.fixture
def no_policies(transactional_db: None) -> Iterator[None]:
    """The database's own wall is down: the owner has switched row-level security off, until the test is undone."""
    connect_as("owner")
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                for table in isolated_tables():
                    cursor.execute(f'ALTER TABLE "{table}" DISABLE ROW LEVEL SECURITY')
            yield
            transaction.set_rollback(True)
    finally:
        connect_as("app")
