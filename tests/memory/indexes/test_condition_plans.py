"""Filters on tags, metadata and threads have an index under row-level security, in whatever statement asks them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from django.db import connection

from memory.access.scope import user_scope
from memory.indexes.base import IndexFilter
from memory.indexes.fulltext import FullTextIndex
from memory.indexes.pgvector import PgVectorIndex
from memory.models import EndUser
from memory.models.conditions import RowConditions
from memory.platform.deadline import Deadline
from memory.store.listing import ItemFilter, list_items
from tests.memory.indexes.test_lexical_plans import crowd, is_leakproof

__all__ = ["crowd"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

RARE = 3
MARK_SOME = """
UPDATE memory_item SET tags = ARRAY['rare'], metadata = '{"project": {"name": "atlas"}}', thread_id = 't-rare'
WHERE id IN (SELECT id FROM memory_item WHERE user_id = %s ORDER BY id LIMIT %s)
"""
LABELLED = [
    RowConditions.of(tags=["rare"]),
    RowConditions.of(any_tags=["rare", "none"]),
    RowConditions.of(metadata={"project": {"name": "atlas"}}),
]


@pytest.fixture
def plans() -> Iterator[list[str]]:
    """The plan of each statement over memories, as the role and in the transaction that runs it."""
    found: list[str] = []

    def explain(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if "memory_label_query" in sql or "thread_id = " in sql:
            with connection.connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {sql}", params)
                found.append("\n".join(row[0] for row in cursor.fetchall()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield found


@pytest.fixture
def marked(crowd: None, user: EndUser) -> EndUser:
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(MARK_SOME, [user.pk, RARE])
    return user


def list_with(user: EndUser, conditions: RowConditions) -> int:
    return len(list_items(user, ItemFilter(rows=conditions)))


def search_words_with(user: EndUser, conditions: RowConditions) -> int:
    return len(FullTextIndex().search("every0", IndexFilter(user.pk, rows=conditions), 20, Deadline(30)))


def search_vectors_with(user: EndUser, conditions: RowConditions) -> int:
    vector = np.ones(384, np.float32) / np.sqrt(np.float32(384))
    return len(PgVectorIndex("test", 384).search(vector, IndexFilter(user.pk, rows=conditions), 20, Deadline(30)))


@pytest.mark.parametrize("ask", [list_with, search_words_with, search_vectors_with])
def test_tags_and_metadata_are_read_from_their_index(
    marked: EndUser, plans: list[str], ask: Callable[[EndUser, RowConditions], int]
) -> None:
    for conditions in LABELLED:
        # No vectors are written here: only the statement that resolves the filter is looked at.
        assert ask(marked, conditions) == (0 if ask is search_vectors_with else RARE)
    assert len(plans) >= len(LABELLED)
    for plan in plans:
        if is_leakproof():
            assert "memory_item_labels" in plan
        assert "Seq Scan on memory_item" not in plan


def test_a_thread_is_read_from_its_index(marked: EndUser, plans: list[str]) -> None:
    assert search_words_with(marked, RowConditions.of(thread_id="t-rare")) == RARE
    assert list_with(marked, RowConditions.of(thread_id="t-rare")) == RARE
    assert "memory_item_thread" in plans[-1]


def test_what_labels_cannot_tell_is_compared_all_the_same(marked: EndUser) -> None:
    with user_scope(marked), connection.cursor() as cursor:
        cursor.execute(
            """UPDATE memory_item SET metadata = '{"kinds": ["a", "b"], "n": 1.50, "deep": {"deep": {"deep": 1}}}'
            WHERE tags = ARRAY['rare']::varchar[]"""
        )
    for metadata, count in (
        ({"kinds": ["a"]}, RARE),
        ({"kinds": ["c"]}, 0),
        ({"kinds": "a"}, 0),
        ({"n": 1.5}, RARE),
        ({"n": "1.5"}, 0),
        ({"deep": {"deep": {"deep": 1}}, "kinds": []}, RARE),
        ({"deep": {}}, RARE),
    ):
        assert list_with(marked, RowConditions.of(metadata=metadata)) == count, metadata
