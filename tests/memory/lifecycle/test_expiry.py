"""Forgetting what was kept only for a while."""

from datetime import timedelta

import pytest

from memory.access.scope import user_scope
from memory.access.users import iterate_user_ids
from memory.lifecycle import expiry
from memory.models import EndUser, IdempotencyRecord, Turn
from tests.conftest import Clock
from tests.factories import MemoryItemFactory


def leave_rows(user: EndUser, clock: Clock, age: timedelta) -> None:
    with user_scope(user):
        Turn.objects.create(user=user, created_at=clock() - age)
        IdempotencyRecord.objects.create(user=user, key=str(age), route="/", body_digest="d", created_at=clock() - age)


def count_left(user: EndUser) -> tuple[int, int]:
    with user_scope(user):
        return Turn.objects.count(), IdempotencyRecord.objects.count()


def test_turns_go_after_a_month_and_answers_after_a_day(user: EndUser, other_user: EndUser, clock: Clock) -> None:
    MemoryItemFactory.create(user=user, created_at=clock() - timedelta(days=900))
    for owner in (user, other_user):
        for age in (timedelta(hours=23), timedelta(hours=25), timedelta(days=29), timedelta(days=31)):
            leave_rows(owner, clock, age)
    assert expiry.purge_expired_logs(user.pk, now=clock()) == 4
    assert count_left(user) == (3, 1)
    assert count_left(other_user) == (4, 4)
    assert expiry.purge_expired_logs(user.pk, now=clock()) == 0


def test_more_than_a_batch_is_purged_in_one_run(user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiry, "BATCH", 2)
    for days in range(31, 36):
        leave_rows(user, clock, timedelta(days=days))
    assert expiry.purge_expired_logs(user.pk, now=clock()) == 10
    assert count_left(user) == (0, 0)


def test_every_user_is_visited(user: EndUser, other_user: EndUser) -> None:
    assert list(iterate_user_ids()) == [user.pk, other_user.pk]
