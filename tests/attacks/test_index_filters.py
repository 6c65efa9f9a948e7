"""The third wall alone: policies off, no query set. An index is asked for one user, or it does not answer."""

import uuid
from typing import Any

import numpy as np
import pytest

from memory.indexes import lexical_index, vector_index
from memory.indexes.base import IndexFilter, PayloadChange, VectorPoint, require_user
from memory.platform.deadline import Deadline
from tests.attacks.conftest import CANARY
from tests.factories import EndUserFactory, MemoryItemFactory

NOBODY = [None, 0, -1, "1", True, 1.0, [1]]


@pytest.mark.parametrize("nobody", NOBODY)
def test_a_filter_needs_a_user(nobody: Any) -> None:
    with pytest.raises(ValueError, match="one user"):
        IndexFilter(nobody)
    with pytest.raises(ValueError, match="one user"):
        VectorPoint(uuid.uuid4(), nobody, "working", "active", np.zeros(3, np.float32), "h")
    with pytest.raises(ValueError, match="one user"):
        require_user(nobody)


@pytest.mark.parametrize("nobody", NOBODY)
def test_no_method_of_the_vector_index_works_for_nobody(no_policies: None, nobody: Any) -> None:
    index = vector_index()
    for call in (
        lambda: index.set_payload(nobody, [uuid.uuid4()], PayloadChange(tier="working"), Deadline(1)),
        lambda: index.delete(nobody, [uuid.uuid4()], Deadline(1)),
        lambda: list(index.scroll(nobody)),
        lambda: index.erase(nobody),
    ):
        with pytest.raises(ValueError, match="one user"):
            call()


def unit(*values: float) -> Any:
    vector = np.zeros(384, np.float32)
    vector[: len(values)] = values
    return vector / np.linalg.norm(vector)


def test_the_vector_index_finds_only_the_points_of_its_user(no_policies: None) -> None:
    ann, mallory = EndUserFactory.create_batch(2)
    index, same = vector_index(), unit(1.0)
    items = [MemoryItemFactory.create(user=someone) for someone in (ann, mallory)]
    points = [VectorPoint(item.pk, item.user_id, "working", "active", same, "h") for item in items]
    index.upsert(points, Deadline(5))
    for point in points:
        found = index.search(same, IndexFilter(point.user_id), 10, Deadline(5))
        assert [match.id for match in found] == [point.id]
        assert [item_id for item_id, _ in index.scroll(point.user_id)] == [point.id]
    index.delete(mallory.pk, [points[0].id], Deadline(5))
    index.set_payload(mallory.pk, [points[0].id], PayloadChange(status="archived"), Deadline(5))
    assert [match.id for match in index.search(same, IndexFilter(ann.pk), 10, Deadline(5))] == [points[0].id]


def test_the_lexical_index_finds_only_the_words_of_its_user(no_policies: None) -> None:
    ann, mallory = EndUserFactory.create_batch(2)
    item = MemoryItemFactory.create(user=ann, text=f"the word is {CANARY}")
    found = lexical_index().search(CANARY, IndexFilter(ann.pk), 10, Deadline(5))
    assert [match.id for match in found] == [item.pk]
    assert lexical_index().search(CANARY, IndexFilter(mallory.pk), 10, Deadline(5)) == []


def test_an_empty_set_of_tiers_is_nothing_and_not_everything(no_policies: None) -> None:
    user = EndUserFactory.create()
    item = MemoryItemFactory.create(user=user, text=CANARY)
    vector_index().upsert([VectorPoint(item.pk, user.pk, "working", "active", unit(1.0), "h")], Deadline(5))
    for nothing in (IndexFilter(user.pk, frozenset()), IndexFilter(user.pk, statuses=frozenset())):
        assert vector_index().search(unit(1.0), nothing, 10, Deadline(5)) == []
        assert lexical_index().search(CANARY, nothing, 10, Deadline(5)) == []
