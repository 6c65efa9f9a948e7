"""The demo: a believable user whose memory answers, and a start that may be repeated."""

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django.plugin import DjangoDbBlocker

from memory.access.keys import authenticate
from memory.access.scope import user_scope
from memory.access.users import find_user
from memory.facade import MemoryFacade
from memory.indexing.queue import IndexCounts
from memory.lifecycle import erasure
from memory.management import demo, progress
from memory.management.demo import loading
from memory.measuring import cases
from memory.measuring.labels import LabelSource
from memory.models import ApiKey, EndUser, Fact, MemoryItem, Operator, Organization
from memory.models.facts import FactState
from memory.retrieval.results import SearchRequest
from memory.store import archiving
from memory.tiers import Tier
from outcomes.models import Exchange
from outcomes.tasks import read_exchanges

DATA = Path(loading.__file__).parent


def read_data(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


CONVERSATION, OUTCOMES = read_data("conversation.jsonl"), read_data("outcomes.jsonl")


@pytest.fixture(scope="module")
def opened(services: None, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, str]]:
    """Loaded once, which takes half a second of CPU; what a test does to it is undone with the test."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield demo.prepare_demo()
        transaction.set_rollback(True)


@pytest.fixture
def prepared(opened: dict[str, str], db: None) -> dict[str, str]:
    return dict(opened)


@pytest.fixture
def tamar(prepared: dict[str, str]) -> EndUser:
    user = find_user(Organization.objects.get(slug=loading.SLUG), demo.USER_ID)
    assert user is not None
    return user


def count_by_tier(user: EndUser) -> Counter[str]:
    with user_scope(user):
        return Counter(MemoryItem.objects.for_user(user).values_list("tier", flat=True))


def test_the_conversation_spans_months_threads_and_two_languages() -> None:
    days = {datetime.fromisoformat(turn["time"]).date() for turn in CONVERSATION}
    hebrew = [turn for turn in CONVERSATION if any("א" <= letter <= "ת" for letter in turn["text"])]
    assert len(CONVERSATION) >= 140
    assert len({turn["thread"] for turn in CONVERSATION}) >= 12
    assert len(hebrew) >= 35
    assert (max(days) - min(days)).days > 250


def test_each_thread_is_in_order_and_takes_turns() -> None:
    for thread in {turn["thread"] for turn in CONVERSATION}:
        turns = [turn for turn in CONVERSATION if turn["thread"] == thread]
        assert [turn["time"] for turn in turns] == sorted({turn["time"] for turn in turns})
        assert [turn["speaker"] for turn in turns] == ["Tamar", "assistant"] * (len(turns) // 2)


def test_the_key_and_the_password_open_the_doors(prepared: dict[str, str]) -> None:
    principal = authenticate(prepared["api_key"], now=timezone.now())
    assert principal is not None
    assert principal.scopes == {"read", "write", "admin"}
    operator = Operator.objects.get(username=prepared["console_user"])
    assert operator.check_password(prepared["console_password"])
    assert [row.slug for row in operator.organizations.all()] == [loading.SLUG]


def test_all_of_it_is_stored_and_outcomes_tell_memories_apart(tamar: EndUser) -> None:
    found = count_by_tier(tamar)
    lessons = [line for line in OUTCOMES if "takeaway" in line]
    assert found[Tier.HISTORY] == len(CONVERSATION) + len(lessons)
    assert found[Tier.MEMORY_BANK] >= 12
    with user_scope(tamar):
        assert MemoryItem.objects.for_user(tamar).filter(always_inject=True).count() == 2
        scores = set(MemoryItem.objects.for_user(tamar).filter(tier=Tier.HISTORY).values_list("score", flat=True))
    assert min(scores) < 0.5 < 0.9 <= max(scores)


def test_a_second_start_changes_nothing(prepared: dict[str, str], tamar: EndUser) -> None:
    before, outcomes = count_by_tier(tamar), MemoryFacade().get_stats(tamar).outcomes
    assert demo.prepare_demo(prepared) == prepared
    assert count_by_tier(tamar) == before
    assert MemoryFacade().get_stats(tamar).outcomes == outcomes
    assert ApiKey.objects.count() == 1


def test_its_exchanges_teach_facts_that_later_ones_supersede(tamar: EndUser) -> None:
    with user_scope(tamar):
        others = Exchange.objects.filter(user=tamar).exclude(thread_id="evenings-car")
        # Reading all of them takes seconds, which is why the worker does it.
        assert others.update(profiled_at=timezone.now()) == 7
    read_exchanges(tamar.pk)

    with user_scope(tamar):
        cars = Fact.objects.filter(user=tamar, relation="car").values_list("object_key", "state")
        assert dict(cars) == {"grey mazda 2": FactState.SUPERSEDED, "kia niro": FactState.ACTIVE}


def test_what_was_deleted_stays_deleted(prepared: dict[str, str], tamar: EndUser) -> None:
    with user_scope(tamar):
        gone = MemoryItem.objects.for_user(tamar).filter(tier=Tier.MEMORY_BANK).first()
    assert gone is not None
    archiving.delete_memory(tamar, gone.pk, now=timezone.now())
    before = count_by_tier(tamar)
    demo.prepare_demo(prepared)
    assert count_by_tier(tamar) == before


def test_an_erased_demo_user_does_not_come_back(prepared: dict[str, str], tamar: EndUser) -> None:
    erasure.request_erasure(tamar, now=timezone.now())
    demo.prepare_demo(prepared)
    assert find_user(Organization.objects.get(), demo.USER_ID) is None


def test_a_lost_database_gets_its_old_key_again_and_a_revoked_key_a_new_one(prepared: dict[str, str]) -> None:
    ApiKey.objects.all().delete()
    assert demo.prepare_demo(prepared)["api_key"] == prepared["api_key"]
    ApiKey.objects.update(revoked_at=timezone.now())
    assert demo.prepare_demo(prepared)["api_key"] != prepared["api_key"]


def test_a_changed_password_is_left_alone_and_a_forgotten_one_made_anew(prepared: dict[str, str]) -> None:
    operator = Operator.objects.get()
    operator.set_password("tall yellow lighthouse")
    operator.save()
    assert demo.prepare_demo(prepared)["console_password"] == ""
    made = demo.prepare_demo()["console_password"]
    operator.refresh_from_db()
    assert operator.check_password(made)


def test_the_example_queries_are_answered(tamar: EndUser, index_now: Callable[[EndUser], None]) -> None:
    # Of one index: to store and index the whole conversation for each took 1.5 s of CPU.
    index_now(tamar)
    for query, answer in zip(demo.EXAMPLE_QUERIES, ("heartbeat", "gate 3", "72 %", "ארבעה סלקים"), strict=True):
        result = MemoryFacade().search(tamar, SearchRequest(query=query, limit=5), now=timezone.now())
        found = [hit.item.text for hit in result.hits]
        assert any(answer.casefold() in text.casefold() for text in found), (query, found)


def test_measure_and_replay_have_something_to_show(tamar: EndUser, client: Client, prepared: dict[str, str]) -> None:
    """Both were empty pages to whoever saw the console for the first time."""
    facade, questions = MemoryFacade(), read_data("questions.jsonl")
    demo.ask_questions(tamar)
    asked = facade.read_questions(tamar)
    assert (asked.count(LabelSource.OUTCOME), asked.count(LabelSource.SAVED)) == (4, 2)
    assert (asked.named, sum(asked.left_out.values())) == (6, 0)
    turns = facade.list_turns(tamar, 20)
    assert [turn.query for turn in reversed(turns)] == [line["question"] for line in questions]
    # Handed over as a context, which Replay lays out part by part.
    assert all(turn.sections and turn.positions for turn in turns)

    assert client.login(username=prepared["console_user"], password=prepared["console_password"])
    pages = [client.get(f"/console/demo/demo/{page}").content.decode() for page in ("measure", "replay")]
    assert all("What finally fixed ERR_4521" in page for page in pages)

    # What was answered badly is a conversation, and its exchange leads to what the answer was made of.
    for line in (line for line in questions if "thread" in line):
        page = client.get("/console/demo/demo/conversations", {"thread": line["thread"]}).content.decode()
        assert line["answer"] in page
        assert "Known context" in page
        assert "/replay?turn=" in page
        assert "The outcome scored 1 memory" in page

    # Another start, and one after somebody deleted what was saved.
    cases.delete_case(tamar, cases.list_cases(tamar)[0].pk)
    demo.ask_questions(tamar)
    assert len(facade.list_turns(tamar, 20)) == len(questions)
    assert facade.read_questions(tamar).count(LabelSource.SAVED) == 1


def test_waiting_for_the_index_tells_what_is_done_and_never_less(
    prepared: dict[str, str], tamar: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memories become due again while the worker reads facts in them."""
    pending = iter([214, 215, 94, 95, 0])
    monkeypatch.setattr(
        MemoryFacade, "count_indexing", lambda *_: IndexCounts(pending=next(pending), ready=0, failed=0)
    )
    monkeypatch.setattr(progress, "_LINE_EVERY_S", 0.0)
    told = io.StringIO()
    call_command("prepare_demo", stdout=told)
    done = [int(line) for line in re.findall(r"demo memories indexed: (-?\d+) of 214", told.getvalue())]
    assert done == [0, 120, 120, 214]
