"""Row-level security can take an index away without a word. These tests look at the plans of what is really run."""

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from config import databases
from memory.access.scope import user_scope
from memory.indexes import fulltext
from memory.indexes.base import IndexFilter
from memory.indexes.fulltext import FullTextIndex
from memory.models import EndUser
from memory.platform.deadline import Deadline
from tests.factories import EndUserFactory, MemoryItemFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

MANY = 10_000
FEW = 150
OTHERS = 40

# Copies of one row of the user, each with words of its own, one word of every hundredth row, and one of all.
COPIES = """
INSERT INTO memory_item
SELECT copy.*
FROM memory_item AS item, generate_series(1, %s) AS number, LATERAL jsonb_populate_record(item, jsonb_build_object(
    'id', gen_random_uuid(),
    'occurred_at', item.occurred_at + number * interval '1 minute',
    'lexemes', format(
        '''%%1$s~rare%%2$s'':1 ''%%1$s~some%%3$s'':2 ''%%1$s~every0'':3', item.user_id, number, number %% 100
    )
)) AS copy
"""


def remember_many(user: EndUser, count: int) -> None:
    MemoryItemFactory.create(user=user, text="lamp")
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(COPIES, [count])


@pytest.fixture
def crowd(user: EndUser, other_user: EndUser) -> None:
    """One large user, one small, and many more; with the statistics that a database gathers in time."""
    remember_many(user, MANY)
    remember_many(other_user, FEW)
    for _ in range(OTHERS):
        remember_many(EndUserFactory.create(organization=user.organization), FEW)
    entry = databases.database_from_environment(settings.DATA_DIR, "owner")
    with psycopg.connect(
        dbname=connection.settings_dict["NAME"],
        user=entry["USER"],
        password=entry["PASSWORD"],
        host=entry["HOST"],
        port=entry["PORT"],
        autocommit=True,
    ) as owner:
        owner.execute("VACUUM ANALYZE memory_item")


@pytest.fixture
def plans() -> Iterator[list[str]]:
    """The plan of each ranking that is run, as the role and in the transaction that runs it."""
    found: list[str] = []

    def explain(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if sql.lstrip().startswith("WITH found"):
            with connection.connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {sql}", params)
                found.append("\n".join(row[0] for row in cursor.fetchall()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield found


def search_words(user: EndUser, query: str, limit: int = 20) -> list[float]:
    return [match.score for match in FullTextIndex().search(query, IndexFilter(user.pk), limit, Deadline(30))]


def is_leakproof() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT proleakproof FROM pg_proc WHERE proname = 'ts_match_vq'")
        return bool(cursor.fetchone()[0])


def test_words_of_a_large_user_are_read_from_their_index(crowd: None, user: EndUser, plans: list[str]) -> None:
    if not is_leakproof():
        pytest.skip("this server does not let us mark ts_match_vq leakproof: searches read every row of the user")
    assert len(search_words(user, "rare77")) == 1
    assert len(search_words(user, "rare77 some5", limit=200)) == 101
    assert len(plans) == 2
    assert all("Bitmap Index Scan on memory_item_lexemes" in plan for plan in plans)


def test_many_words_in_many_forms_are_read_from_their_index_too(crowd: None, user: EndUser, plans: list[str]) -> None:
    # No row has them; the planner takes each of some 150 forms for one that is on rows of the table.
    asked = "gardening violinist harbour mountains painted swimming kettles windows bicycles journey umbrella teachers"
    more = "carpenter lanterns invoices duplicated attending figures resumed meetings sandwich blankets volcano"
    assert len(search_words(user, f"some5 {asked} {more}", limit=200)) == 100
    if is_leakproof():
        assert "Bitmap Index Scan on memory_item_lexemes" in plans[-1]


def test_of_who_has_many_memories_the_index_of_words_is_read_alone(
    crowd: None, user: EndUser, plans: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = "rare77 some5 harbour mountains"
    before = search_words(user, asked, limit=200)
    monkeypatch.setattr(fulltext, "MANY_ROWS", MANY // 2)
    assert search_words(user, asked, limit=200) == before
    if is_leakproof():
        assert "BitmapAnd" in plans[0]
        assert "BitmapAnd" not in plans[1]
        assert "Bitmap Index Scan on memory_item_lexemes" in plans[1]


def test_words_that_could_be_on_more_rows_than_one_has_are_read_from_their_index_too(
    crowd: None, user: EndUser, plans: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "MANY_ROWS", MANY // 2)
    test_many_words_in_many_forms_are_read_from_their_index_too(crowd, user, plans)


def test_a_word_that_every_row_holds_is_answered_by_the_newest_rows(
    crowd: None, user: EndUser, plans: list[str]
) -> None:
    assert len(search_words(user, "every0")) == 20
    if is_leakproof():
        assert "memory_item_recent_seen" in plans[-1]
        assert "Seq Scan on memory_item" not in plans[-1]


def test_a_common_word_beside_a_rare_one_only_adds_to_the_score(crowd: None, user: EndUser, plans: list[str]) -> None:
    alone = search_words(user, "rare77", limit=1)
    both = search_words(user, "rare77 every0", limit=1)
    assert both > alone
    assert len(plans) == 2


def test_a_small_user_never_reads_the_whole_table(crowd: None, other_user: EndUser, plans: list[str]) -> None:
    assert len(search_words(other_user, "rare7 some5 every0", limit=500)) == FEW
    assert "Seq Scan on memory_item" not in plans[0]


def test_the_number_of_rows_is_estimated_from_a_sample(crowd: None, user: EndUser, other_user: EndUser) -> None:
    totals = {}
    for someone in (user, other_user):
        with fulltext._cursor(someone.pk, Deadline(30)) as cursor:
            question = fulltext.FullTextSearch(cursor, IndexFilter(someone.pk), [("every0",), ("rare1",)], 10)
            survey = question._count_words()
        totals[someone.pk] = survey.total
        assert [word.forms for word in survey.words] == [("rare1",), ("every0",)]
    assert totals[user.pk] == pytest.approx(MANY, rel=0.35)
    assert totals[other_user.pk] == FEW + 1


def test_the_answer_is_the_same_when_no_index_serves(crowd: None, user: EndUser) -> None:
    queries = ["rare77 some5", "rare1 rare2 rare3", "some5 some6"]
    answers = [search_words(user, query) for query in queries]
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexscan = off")
        assert [search_words(user, query) for query in queries] == answers
