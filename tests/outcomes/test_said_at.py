"""When an exchange was said: kept with it, brought over from releases where only its memory told it."""

import importlib
import io
import json
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.portability import jobs
from memory.portability.checking import check_file
from outcomes.exchanges import listing
from outcomes.exchanges.storing import NewExchange
from outcomes.models import Exchange

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
LONG_AGO = timedelta(days=30)


def say_long_ago(user: EndUser) -> None:
    now = timezone.now()
    memory.store_exchange(user, NewExchange("t-1", "I live in York.", "Noted.", occurred_at=now - LONG_AGO), now=now)


def read_ages(user: EndUser) -> list[int]:
    """In days, each thread's last exchange."""
    with user_scope(user):
        rows = Exchange.objects.filter(user=user).order_by("thread_id")
        return [(one.created_at - one.said_at).days for one in rows]


def test_it_is_known_when_its_memory_is_gone(user: EndUser) -> None:
    say_long_ago(user)
    with user_scope(user):
        MemoryItem.objects.for_user(user).delete()
    [thread] = listing.list_threads(user, limit=2)
    assert (thread.last.created_at - thread.last.said_at) == LONG_AGO
    [row] = listing.iterate_export_rows(user)
    assert row["occurred_at"] < row["timestamp"]


@pytest.mark.django_db(transaction=True)
def test_an_older_installation_learns_it_from_its_memories(user: EndUser, other_user: EndUser) -> None:
    now = timezone.now()
    for someone in (user, other_user):
        say_long_ago(someone)
        memory.store_exchange(someone, NewExchange("t-2", "I live in Leeds.", "Noted."), now=now)
        memory.store_exchange(someone, NewExchange("t-3", "I live in Rome.", "Noted."), now=now)
        with user_scope(someone):
            Exchange.objects.filter(user=someone, thread_id="t-3").update(memory_id=None)
            # As the new column stands there at first.
            Exchange.objects.filter(user=someone).update(said_at=F("created_at") + timedelta(days=1))
    dates = importlib.import_module("outcomes.migrations.0013_said_at").DATES
    # As the application's role, which the policy of rows binds as it binds the owner of the tables.
    with connection.cursor() as cursor:
        cursor.execute(dates)
        cursor.execute(dates)
    assert [read_ages(someone) for someone in (user, other_user)] == [[LONG_AGO.days, 0, 0]] * 2


def test_a_file_of_an_older_release_is_read(user: EndUser, foreign_user: EndUser) -> None:
    say_long_ago(user)
    out = io.BytesIO()
    memory.export_person(user, out, now=timezone.now())
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert sum("said_at" in line for line in lines) == 1
    older = b"".join(json.dumps({k: v for k, v in line.items() if k != "said_at"}).encode() + b"\n" for line in lines)
    job = jobs.stage_import(
        foreign_user, io.BytesIO(older), check_file(io.BytesIO(older)), now=timezone.now(), actor="test"
    )
    done = jobs.write_import(foreign_user, job.pk, now=timezone.now())
    assert done is not None
    assert done.error == ""
    assert read_ages(foreign_user) == [LONG_AGO.days]
