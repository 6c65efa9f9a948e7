"""What a thread's next turn is reminded of: chosen after an exchange, told where nothing else says so."""

from typing import Any
from uuid import uuid4

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from memory import tasks
from memory.access.confinement import RowScope, confine_to
from memory.access.scope import user_scope
from memory.conf import memory_conf, reset_conf
from memory.context.blocks import build_section
from memory.context.budget import Complexity, TokenBudget
from memory.context.streamed import build_streamed
from memory.facade import MemoryFacade
from memory.facts.streaming import StreamedLine, is_streaming_for
from memory.models import EndUser, FactStream, MemoryItem
from memory.store import archiving
from outcomes.exchanges.storing import NewExchange, StoredExchange
from tests.api_client import ApiClient
from tests.conftest import Clock

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def lenient(settings: Any) -> Any:
    settings.MEMORY = settings.MEMORY | {"STREAM": {"similarity": 0.3}}
    yield
    reset_conf(setting="MEMORY")


def say(user: EndUser, clock: Clock, message: str, thread: str = "t") -> StoredExchange:
    stored = memory.store_exchange(user, NewExchange(thread, message, "I see."), now=clock())
    tasks.stream_thread(user.pk, thread)
    return stored


def texts(api: ApiClient, thread: str = "t") -> list[str]:
    answer = api.get("facts/stream", {"thread_id": thread})
    assert answer.status_code == 200, answer.content
    return [line["text"] for line in answer.json()["results"]]


def context_of(api: ApiClient, query: str, **fields: Any) -> dict[str, str]:
    answer = api.post("context", {"query": query, "thread_id": "t", **fields}).json()
    return {part["name"]: part["text"] for part in answer["sections"]}


def test_the_next_turn_is_reminded_of_what_lies_near_the_last(user: EndUser, api: ApiClient, clock: Clock) -> None:
    for statement in (
        "My sailing boat is moored in Whitby.",
        "My sailing boat lies moored in Whitby harbour.",
        "I am afraid of spiders in the cellar.",
    ):
        memory.state_fact(user, statement, now=clock())
    say(user, clock, "We want to take the sailing boat out of Whitby at the weekend.")
    found = api.get("facts/stream", {"thread_id": "t"}).json()
    assert (found["is_told"], found["made_at"]) == (True, clock().isoformat().replace("+00:00", "Z"))
    assert len(found["results"]) == 1
    told = found["results"][0]
    assert "moored in Whitby" in told["text"]
    assert told["relevance_score"] == pytest.approx(
        0.6 * told["similarity"] + 0.3 * told["confidence"] + 0.1, abs=0.001
    )
    sections = context_of(api, "What was the name of that film again?")
    assert "moored in Whitby" in sections["streamed_memories"]
    # What the question asks for says it already.
    asked = context_of(api, "Where is my sailing boat moored?")
    assert "Whitby" in asked["known_context"] + asked.get("retrieved_memories", "") + asked.get("hot_bullets", "")
    assert "streamed_memories" not in asked
    assert texts(api, "other") == []
    with user_scope(user):
        kept = FactStream.objects.get(user=user)
        assert "Whitby" not in str(kept.lines)


def test_what_was_forgotten_or_has_worn_is_told_no_more(user: EndUser, api: ApiClient, clock: Clock) -> None:
    boat = memory.state_fact(user, "My sailing boat is moored in Whitby.", now=clock()).fact
    assert boat is not None
    say(user, clock, "The sailing boat needs a new sail.")
    assert texts(api) == [boat.statement]
    memory.forget_fact(user, boat.pk, now=clock())
    assert texts(api) == []
    said = say(user, clock, "The sailing boat needs paint.")
    clock.advance(days=8)
    tasks.purge_user_logs(user.pk)
    assert api.get("facts/stream", {"thread_id": "t"}).json()["made_at"] is None
    archiving.delete_memories(user, [said.memory_id], now=clock())


def test_past_conversations_are_brought_to_mind_and_found(user: EndUser, api: ApiClient, clock: Clock) -> None:
    for message in ("The boiler of the greenhouse leaks.", "The plumber fixed the boiler in the greenhouse."):
        memory.store_exchange(user, NewExchange("old", message, "Noted."), now=clock())
    clock.advance(days=2)
    memory.consolidate(user, now=clock(), clock=clock)
    say(user, clock, "The greenhouse is cold again, is it the boiler?")
    found = api.get("facts/stream", {"thread_id": "t"}).json()["results"]
    assert [(one["kind"], one["text"]) for one in found] == [
        ("episode", "The boiler of the greenhouse leaks. / The plumber fixed the boiler in the greenhouse.")
    ]
    assert texts(api, "old") == []
    sought = api.post("facts/search", {"query": "boiler in the greenhouse", "search_type": "episodes"}).json()
    assert {one["kind"] for one in sought["results"]} == {"episode"}
    with user_scope(user):
        MemoryItem.objects.for_user(user).filter(thread_id="old").update(status="archived")
    told = api.post("facts/search", {"query": "boiler in the greenhouse", "search_type": "both"}).json()["results"]
    assert any(one["text"].startswith("The boiler of the greenhouse leaks.\n") for one in told)


def test_a_share_of_the_people_is_told_and_always_the_same(settings: Any, organization: Any, user: EndUser) -> None:
    people = [EndUser(organization=organization, external_id=f"person-{number}") for number in range(400)]
    settings.MEMORY = settings.MEMORY | {"STREAM": {"share": 0.5}}
    told = [is_streaming_for(person) for person in people]
    assert 0.4 < sum(told) / len(told) < 0.6
    assert told == [is_streaming_for(person) for person in people]
    for share, expected in ((0.0, set()), (1.0, {True})):
        settings.MEMORY = settings.MEMORY | {"STREAM": {"share": share}}
        assert memory_conf().stream.share == share
        assert {is_streaming_for(person) for person in people} - {False} == expected


def test_it_makes_room_for_everything_else(clock: Clock) -> None:
    lines = [
        StreamedLine(
            "fact", uuid4(), f"Line {number} of twelve words that says nothing at all here", 0.8, clock(), 0.6, 0.7
        )
        for number in range(4)
    ]
    shown = [build_section("retrieved_memories", "word " * 150)]

    def told(tokens: int, *, is_hard: bool) -> int:
        budget = TokenBudget(Complexity.SIMPLE, tokens, is_hard)
        made = build_streamed(lines, [], [], [], shown, budget, "fence")
        assert sum(part.tokens for part in (*shown, *made)) <= max(tokens, 150)
        return made[0].text.count("Line ") if made else 0

    assert [told(tokens, is_hard=True) for tokens in (150, 180, 215, 400)] == [0, 0, 2, 4]
    assert told(100, is_hard=False) == 0


def test_a_project_is_reminded_of_what_lies_near_its_own_conversation(user: EndUser, clock: Clock) -> None:
    """Two projects that both call a thread "main" have two conversations."""
    atlas, boreas = RowScope(project_id="atlas"), RowScope(project_id="boreas")
    memory.state_fact(user, "My sailing boat is moored in Whitby.", now=clock())
    for scope, message in (
        (atlas, "We want to sail the boat out of Whitby."),
        (boreas, "Who has the key of the lift?"),
    ):
        with confine_to(scope):
            memory.store_exchange(user, NewExchange("main", message, "I see."), now=clock())
        tasks.stream_thread(user.pk, "main", "", scope.project_id)
    for scope, is_reminded in ((atlas, True), (boreas, False), (RowScope(), False)):
        with confine_to(scope):
            told = " ".join(line.text for line in memory.read_stream(user, "main", now=clock()).lines)
            assert ("Whitby" in told) is is_reminded, scope


def test_of_a_burst_one_task_waits_for_each_thread_until_a_worker_takes_it_up(
    user: EndUser,
    other_user: EndUser,
    clock: Clock,
    services: None,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    sent: list[tuple[Any, ...]] = []

    def note(task: Any, *arguments: Any, **options: Any) -> None:
        if task is tasks.stream_thread:
            sent.append(arguments)

    def tell(who: EndUser, number: int) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            exchange = NewExchange(f"t-{number % 2}", f"We sail to pier {number}.", "I see.")
            memory.store_exchange(who, exchange, now=clock())

    monkeypatch.setattr("memory.platform.queue.send_task", note)
    for number in range(12):
        tell(user, number)
    tell(other_user, 0)
    assert sent == [(user.pk, "t-0", "", ""), (user.pk, "t-1", "", ""), (other_user.pk, "t-0", "", "")]
    tasks.stream_thread(*sent[0])
    for number in range(4):
        tell(user, number)
    assert sent[3:] == [(user.pk, "t-0", "", "")]
    monkeypatch.setattr("memory.platform.queue.shared.call_or_default", lambda call, otherwise: otherwise)
    for number in range(4):
        tell(user, number)
    assert len(sent) == 8
