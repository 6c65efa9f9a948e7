"""When tiers are looked at: at start, every half hour, every twenty messages, when the thread changes, when asked."""

from io import StringIO
from typing import Any

import pytest
from celery.signals import beat_init, worker_ready
from django.core.management import CommandError, call_command

from config import celery
from config.schedule import SCHEDULE
from memory import receivers, tasks
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.tiers import Tier
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock
from tests.factories import MemoryItemFactory

memory = MemoryFacade("key:test")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Users whose promotion was asked for."""
    asked: list[int] = []

    def enqueue(task: Any, *arguments: Any, **options: Any) -> None:
        if task is tasks.promote_user:
            asked.append(*arguments)

    monkeypatch.setattr(receivers, "enqueue", enqueue)
    return asked


def send_messages(user: EndUser, clock: Clock, times: int, thread: str = "t1") -> None:
    for _ in range(times):
        memory.store_exchange(user, NewExchange(thread, "question", "answer"), now=clock.advance(minutes=1))


def tier_of(item: MemoryItem) -> str:
    found = memory.get(item.user, item.pk)
    assert found is not None
    return found.tier


def test_it_runs_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(celery.app, "send_task", started.append)
    beat_init.send(sender=None)
    assert "memory.promote_everyone" in started


def test_a_worker_looks_at_once_for_what_the_one_before_it_left(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(celery.app, "send_task", started.append)
    worker_ready.send(sender=None)
    assert started == [
        "memory.sweep_index_queue",
        "outcomes.sweep_conversations",
        "memory.sweep_imports",
        "books.sweep",
        "memory.deliver_webhooks",
    ]
    assert set(started) < {entry["task"] for entry in SCHEDULE.values()}


def test_it_runs_every_half_hour() -> None:
    assert (SCHEDULE["promote"]["task"], SCHEDULE["promote"]["schedule"]) == ("memory.promote_everyone", 1800)


def test_everybody_has_a_task_of_their_own(
    user: EndUser, other_user: EndUser, foreign_user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(tasks.promote_user, "delay", asked.append)
    tasks.promote_everyone()
    assert asked == sorted([user.pk, other_user.pk, foreign_user.pk])


def test_it_runs_every_twenty_messages(user: EndUser, clock: Clock, sent: list[int]) -> None:
    send_messages(user, clock, 9)
    assert sent == []
    send_messages(user, clock, 1)
    assert sent == [user.pk]
    tasks.promote_user(user.pk)
    send_messages(user, clock, 9)
    assert sent == [user.pk]
    send_messages(user, clock, 1)
    assert sent == [user.pk, user.pk]


def test_it_runs_when_the_thread_changes(user: EndUser, clock: Clock, sent: list[int]) -> None:
    send_messages(user, clock, 2, "t1")
    assert sent == []
    send_messages(user, clock, 1, "t2")
    assert sent == [user.pk]


def test_what_was_asked_for_is_not_asked_for_again(user: EndUser, clock: Clock, sent: list[int]) -> None:
    send_messages(user, clock, 25)
    send_messages(user, clock, 1, "t2")
    assert sent == [user.pk]
    tasks.promote_user(user.pk)
    send_messages(user, clock, 1, "t3")
    assert sent == [user.pk, user.pk]


def test_it_runs_when_asked(user: EndUser, clock: Clock, api: ApiClient) -> None:
    item = MemoryItemFactory.create(user=user, score=0.7, uses=2)
    reported = api.post("promote", {"dry_run": True}).json()
    assert tier_of(item) == Tier.WORKING
    done = api.post("promote").json()
    assert done == reported
    [move] = done["promoted"]
    assert (move["from"], move["to"], move["reason"]) == ("working", "history", "score 0.70 >= 0.7 and uses 2 >= 2")
    assert tier_of(item) == Tier.HISTORY
    assert client_for(user, ("read", "write")).post("promote").status_code == 403


def run_promote(*words: str) -> str:
    out = StringIO()
    call_command("promote", *words, stdout=out)
    return out.getvalue()


def test_the_command_prints_what_would_move_and_why(
    user: EndUser, other_user: EndUser, foreign_user: EndUser, clock: Clock
) -> None:
    text = "The key of the [red]boat[/red] hangs behind the boiler, where nobody who does not know of it would look"
    item = MemoryItemFactory.create(user=user, text=text, score=0.7, uses=2)
    MemoryItemFactory.create(user=other_user, score=0.1, uses=2)
    MemoryItemFactory.create(user=foreign_user, score=0.9, uses=3)
    said = run_promote("--dry-run", "--organization=acme")
    assert "working → history" in said
    assert "score 0.70 >= 0.7 and uses 2 >= 2" in said
    [line] = [line for line in said.splitlines() if str(item.pk) in line]
    # An id alone tells nobody what would move; brackets are no markup.
    assert "The key of the [red]boat[/red] hangs behind the boiler," in line
    assert "where nobody" not in line
    assert "look" not in said
    assert "score 0.10 < 0.2 after 2 uses" in said
    assert "1 would be moved up, 0 made dormant, 1 archived, 0 deleted, 0 stay; 2 users" in said
    assert tier_of(item) == Tier.WORKING
    assert "1 were moved up, 0 made dormant, 0 archived, 0 deleted, 0 stay; 1 users" in run_promote(
        "--user=ann", "--org=acme"
    )
    assert tier_of(item) == Tier.HISTORY
    assert "2 archived" not in run_promote()
    assert "0 were moved up, 0 made dormant, 0 archived" in run_promote()


@pytest.mark.usefixtures("user", "foreign_user")
def test_the_command_says_whom_it_does_not_know() -> None:
    with pytest.raises(CommandError, match="acme has no user 'nobody'"):
        run_promote("--user=nobody", "--org=acme")
    with pytest.raises(CommandError, match="name the organisation"):
        run_promote("--user=ann")
