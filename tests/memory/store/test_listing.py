"""Pages of a user's memories: in order, whole, and read by an index however many there are."""

import json
from datetime import datetime, timedelta
from random import Random

import pytest
from django.db import connection

from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from memory.store import listing
from memory.store.listing import RECENT, SCORE, ItemFilter, build_item_cursor, list_items
from memory.tiers import Indexing, Status, Tier
from tests.factories import LONG_AGO, MemoryItemFactory

pytestmark = pytest.mark.django_db


def read_pages(user: EndUser, wanted: ItemFilter, sort: str, size: int) -> list[MemoryItem]:
    found: list[MemoryItem] = []
    while page := list_items(
        user, wanted, sort=sort, after=build_item_cursor(found[-1], sort) if found else None, limit=size
    ):
        found += page
    return found


@pytest.mark.parametrize("sort", [RECENT, SCORE])
@pytest.mark.parametrize("size", [1, 4, 7, 100])
def test_pages_hold_every_memory_once_in_order_also_where_many_share_a_moment(
    user: EndUser, sort: str, size: int
) -> None:
    choose = Random(size)
    moments: list[datetime] = [LONG_AGO + timedelta(hours=hour) for hour in range(3)]
    items = [
        MemoryItemFactory.create(
            user=user,
            tier=choose.choice(list(Tier)),
            occurred_at=choose.choice(moments),
            score=choose.choice([0.2, 0.5, 1.0]),
        )
        for _ in range(24)
    ]
    MemoryItemFactory.create(user=user, archived=True)
    expected = sorted(items, key=lambda item: item.pk)
    expected.sort(key=lambda item: item.score if sort == SCORE else item.occurred_at, reverse=True)
    assert [item.pk for item in read_pages(user, ItemFilter(), sort, size)] == [item.pk for item in expected]


def test_those_that_could_not_be_indexed_are_listed_by_themselves(user: EndUser) -> None:
    MemoryItemFactory.create(user=user)
    failed = MemoryItemFactory.create(user=user, indexing=Indexing.FAILED)
    MemoryItemFactory.create(user=user, indexing=Indexing.FAILED, archived=True)
    assert [item.pk for item in list_items(user, ItemFilter(indexing=Indexing.FAILED))] == [failed.pk]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_page_of_all_tiers_sorts_no_tier_whole(user: EndUser, is_first: bool) -> None:
    """With 100,000 rows the sort was most of the time that the console's front page took."""
    items = MemoryItemFactory.create_batch(30, user=user, tier=Tier.HISTORY)
    after = None if is_first else build_item_cursor(items[10], RECENT)
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).filter(status=Status.ACTIVE)
        if after is not None:
            rows = listing.filter_after(rows, "occurred_at", after)
        asked = listing.union_tiers(rows.order_by("-occurred_at", "pk"), 8).order_by("-occurred_at", "pk")[:8]
        with connection.cursor() as cursor:
            # With so few rows any plan is quick; what is asked is whether the index can serve the order.
            for way in ("seqscan", "bitmapscan", "sort"):
                cursor.execute(f"SET LOCAL enable_{way} = off")
        plan = json.loads(asked.explain(format="json"))[0]["Plan"]
    scans = [node for node in plan_nodes(plan) if node.get("Index Name") == "memory_item_recent_seen"]
    assert len(scans) == len(Tier)
    assert all("occurred_at" in str(scan["Index Cond"]) for scan in scans if not is_first)
    assert [node["Node Type"] for node in plan_nodes(plan)].count("Sort") <= 1


def plan_nodes(plan: dict[str, object]) -> list[dict[str, object]]:
    below = plan.get("Plans", [])
    assert isinstance(below, list)
    return [plan, *(node for part in below for node in plan_nodes(part))]
