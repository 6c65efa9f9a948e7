"""A plan that a connection keeps serves every user, and shows none the rows of another."""

import pytest
from django.db import connection

from memory.access.cursors import GENERIC_PLAN, fetch_prepared, open_bounded_cursor
from memory.access.scope import user_scope
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from tests.factories import EndUserFactory, MemoryItemFactory

pytestmark = pytest.mark.django_db(transaction=True)

TEXTS = "SELECT text FROM memory_item WHERE length(text) > %(least)s ORDER BY text"
KEPT = "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE 'SELECT text FROM%'"


def texts(user: EndUser) -> list[str]:
    with open_bounded_cursor("mill", user.pk, Deadline(5), GENERIC_PLAN) as cursor:
        return [text for (text,) in fetch_prepared(cursor, TEXTS, {"least": 1})]


def kept() -> list[tuple[int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(KEPT)
        return list(cursor.fetchall())


@pytest.fixture
def two() -> tuple[EndUser, EndUser]:
    ann, ben = EndUserFactory.create_batch(2)
    for user, text in ((ann, "of Ann"), (ben, "of Ben")):
        with user_scope(user):
            MemoryItemFactory.create(user=user, text=text)
    return ann, ben


def test_one_plan_serves_all_and_shows_each_its_own(two: tuple[EndUser, EndUser]) -> None:
    ann, ben = two
    assert [texts(user) for user in (ann, ben, ann)] == [["of Ann"], ["of Ben"], ["of Ann"]]
    assert kept() == [(3, 0)]


def test_a_pooler_gets_no_prepared_statement(two: tuple[EndUser, EndUser]) -> None:
    connection.ensure_connection()
    before = connection.connection.prepare_threshold
    connection.connection.prepare_threshold = None
    try:
        assert [texts(user) for user in two] == [["of Ann"], ["of Ben"]]
        assert kept() == []
    finally:
        connection.connection.prepare_threshold = before


def test_a_statement_that_takes_too_long_is_interrupted(two: tuple[EndUser, EndUser]) -> None:
    with (
        pytest.raises(Unavailable, match="statement timeout"),
        open_bounded_cursor("mill", two[0].pk, Deadline(0.1), GENERIC_PLAN) as cursor,
    ):
        fetch_prepared(cursor, "SELECT pg_sleep(%(time)s)", {"time": 5})
    assert texts(two[0]) == ["of Ann"]
