"""A connection that served one user and goes back to the pool: the next request must find it clean."""

import contextlib
import random
import threading
from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.db.transaction import TransactionManagementError

from memory.access.scope import WrongScope, user_scope
from memory.models import EndUser, MemoryItem
from tests.factories import EndUserFactory, MemoryItemFactory

pytestmark = pytest.mark.django_db(transaction=True)


class Interrupted(Exception):
    pass


@pytest.fixture
def people() -> list[EndUser]:
    people = EndUserFactory.create_batch(5)
    for someone in people:
        MemoryItemFactory.create_batch(2, user=someone)
    return people


@pytest.fixture(autouse=True)
def back_to_the_pool() -> Iterator[None]:
    yield
    connection.close()


def owners() -> set[int]:
    return set(MemoryItem.objects.values_list("user_id", flat=True))


def current_scope() -> str:
    """The user id the connection is scoped to, or an empty string."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(current_setting('app.user_id', true), '')")
        row = cursor.fetchone()
    return str(row[0]) if row else ""


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        row = cursor.fetchone()
    return int(row[0])


def test_a_scope_ends_with_its_commit(people: list[EndUser]) -> None:
    with user_scope(people[0]):
        assert owners() == {people[0].pk}
    assert (owners(), current_scope()) == (set(), "")


def test_a_scope_ends_with_its_rollback(people: list[EndUser]) -> None:
    with user_scope(people[0]):
        transaction.set_rollback(True)
    assert (owners(), current_scope()) == (set(), "")


def test_a_scope_ends_with_an_exception(people: list[EndUser]) -> None:
    with pytest.raises(Interrupted), user_scope(people[0]):
        raise Interrupted
    assert (owners(), current_scope()) == (set(), "")


def test_a_scope_within_a_transaction_does_not_outlast_itself(people: list[EndUser]) -> None:
    with transaction.atomic():
        with user_scope(people[0]):
            assert owners() == {people[0].pk}
        assert (owners(), current_scope()) == (set(), "")
        with pytest.raises(Interrupted), user_scope(people[1]):
            raise Interrupted
        assert (owners(), current_scope()) == (set(), "")


def test_an_inner_scope_leaves_the_outer_one_in_place(people: list[EndUser]) -> None:
    outer = people[0]
    with user_scope(outer):
        with user_scope(outer):
            pass
        assert owners() == {outer.pk}
        with pytest.raises(Interrupted), user_scope(outer, savepoint=True):
            raise Interrupted
        assert owners() == {outer.pk}


def test_a_failure_in_a_joined_scope_spoils_the_whole_transaction(people: list[EndUser]) -> None:
    outer = people[0]
    with user_scope(outer):
        with pytest.raises(Interrupted), user_scope(outer):
            raise Interrupted
        with pytest.raises(TransactionManagementError):
            owners()
    assert (owners(), current_scope()) == (set(), "")


def test_a_scope_for_somebody_else_inside_a_scope_is_a_bug_and_says_so(people: list[EndUser]) -> None:
    with user_scope(people[0]):
        with pytest.raises(WrongScope), user_scope(people[1]):
            pytest.fail("the scope of another user was opened")
        assert owners() == {people[0].pk}


def test_a_scope_set_for_the_whole_session_is_forgotten_by_the_pool(people: list[EndUser]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('app.user_id', %s, false)", [str(people[0].pk)])
    assert owners() == {people[0].pk}
    connection.close()
    assert (owners(), current_scope()) == (set(), "")


def visit_as(people: list[EndUser], seed: int, backends: set[int], wrong: list[str]) -> None:
    """Requests of many users on whatever connection the pool hands out, some of them ending badly."""
    dice = random.Random(seed)
    for _ in range(60):
        someone, ending = dice.choice(people), dice.choice(["commit", "rollback", "raise", "session", "nested"])
        backends.add(backend())
        if owners():
            wrong.append(f"rows before {ending}")
        with contextlib.suppress(Interrupted):
            serve(someone, ending)
        if ending != "session" and owners():
            wrong.append(f"rows after {ending}")
        connection.close()


def serve(someone: EndUser, ending: str) -> None:
    if ending == "session":
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('app.user_id', %s, false)", [str(someone.pk)])
        return
    with user_scope(someone):
        if ending == "nested":
            with user_scope(someone):
                pass
        if owners() != {someone.pk}:
            raise AssertionError("foreign rows in a scope")
        if ending == "rollback":
            transaction.set_rollback(True)
        if ending == "raise":
            raise Interrupted


def test_interleaved_requests_over_a_shared_pool_never_meet(people: list[EndUser]) -> None:
    wrong: list[str] = []
    backends: set[int] = set()
    threads = [threading.Thread(target=visit_as, args=(people, seed, backends, wrong)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    # Fewer connections than requests: what is shown is that a used one is clean, not that each had its own.
    assert len(backends) <= connection.settings_dict["OPTIONS"]["pool"]["max_size"]
