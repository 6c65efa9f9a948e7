"""Advisory locks: a background task and a writer of the same subject do not wait for each other."""

import pytest
from django.db import transaction

from memory.access.locks import try_lock_for_transaction, try_task_lock
from tests.at_once import run_at_once
from tests.factories import EndUserFactory

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_writer_does_not_wait_for_the_task_of_the_same_name() -> None:
    user = EndUserFactory.create()

    def write() -> bool:
        with transaction.atomic():
            return try_lock_for_transaction("facts", user)

    def work() -> bool:
        with try_task_lock("facts", user.pk) as mine:
            return mine

    with try_task_lock("facts", user.pk) as mine:
        assert mine
        assert run_at_once(write) == [True]
        assert run_at_once(work) == [False]
    with transaction.atomic():
        assert try_lock_for_transaction("facts", user)
        assert run_at_once(work) == [True]
