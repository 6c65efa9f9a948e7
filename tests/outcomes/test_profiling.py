"""What a person says of themselves in passing: found after the exchange, kept once, from their words only."""

import os
import subprocess
import sys
import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from memory.access.confinement import RowScope, confine_to
from memory.access.locks import try_task_lock
from memory.access.scope import user_scope
from memory.facade import MemoryFacade, turns
from memory.facts import profile
from memory.facts.profile import ProfileFact, detection
from memory.models import EndUser, MemoryItem
from memory.platform.faults import Unavailable
from memory.tiers import SourceType, Tier, Trust
from outcomes import tasks, work
from outcomes.exchanges import listing, profiling, reading_queue, rereading
from outcomes.exchanges.reading_queue import TurnToRead
from outcomes.exchanges.storing import NewExchange
from outcomes.models import Exchange
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
FACT = "I am allergic to peanuts."


def record_exchange(user: EndUser, clock: Clock, message: str, answer: str = "Noted.", **fields: Any) -> uuid.UUID:
    new = NewExchange(fields.pop("thread_id", "t-1"), message, answer, **fields)
    return memory.store_exchange(user, new, now=clock.advance(minutes=1)).exchange_id


def list_bank(user: EndUser) -> list[MemoryItem]:
    with user_scope(user):
        return list(MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK).order_by("created_at"))


def count_pending(user: EndUser) -> int:
    with user_scope(user):
        return Exchange.objects.filter(profiled_at=None).count()


def extract_facts(user: EndUser) -> None:
    tasks.read_exchanges(user.pk)


def test_a_fact_in_passing_is_kept_with_where_it_comes_from(user: EndUser, clock: Clock) -> None:
    exchange_id = record_exchange(user, clock, f"Where can we eat tonight? {FACT}")
    assert (list_bank(user), count_pending(user)) == ([], 1)
    extract_facts(user)
    [item] = list_bank(user)
    assert "allergic to peanuts" in item.text
    reported = listing.find_exchange(user, exchange_id)
    assert reported is not None
    assert item.source == {"kind": "profile", "exchange": str(exchange_id)}
    assert item.parents == [reported.exchange.memory_id]
    assert (item.source_type, item.trust, item.principal) == (SourceType.USER, Trust.ASSISTANT, "profile")
    assert (item.always_inject, bool(item.tags), item.importance >= 0.6) == (False, True, True)
    assert count_pending(user) == 0
    assert work.PROFILES.list_users(clock.advance(days=1)) == []


def test_a_fact_is_trusted_no_more_than_its_exchange_and_those_who_worded_it(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept(message: str) -> int:
        reported = listing.find_exchange(user, record_exchange(user, clock, message))
        assert reported is not None
        assert reported.exchange.memory_id is not None
        memory.vouch(user, reported.exchange.memory_id, now=clock())
        extract_facts(user)
        return list_bank(user)[-1].trust

    # A person answers for the exchange, and nobody but them had a hand in the wording.
    assert kept(FACT) == Trust.USER
    fact = ProfileFact("preferences", "The user prefers answers in Italian.", "high", Trust.ASSISTANT)
    monkeypatch.setattr(profile, "detect_profile_facts", lambda *asked, **named: [fact])
    assert kept("Please, answer me in Italian from now on.") == Trust.ASSISTANT


def test_the_same_fact_again_is_the_same_item(user: EndUser, clock: Clock) -> None:
    for _ in range(3):
        record_exchange(user, clock, FACT)
        extract_facts(user)
    [item] = list_bank(user)
    assert item.mentions == 3


def test_the_assistants_words_are_not_the_persons(user: EndUser, clock: Clock) -> None:
    record_exchange(
        user, clock, "What can I cook for ten people?", answer="My name is Ben. I am allergic to shellfish."
    )
    extract_facts(user)
    assert list_bank(user) == []


@pytest.mark.parametrize(
    "message", ["thanks!", "hello", "My password is hunter2-Zq9!x", "What is the capital of Peru?"]
)
def test_what_is_not_lasting_or_not_allowed_is_not_kept(user: EndUser, clock: Clock, message: str) -> None:
    record_exchange(user, clock, message)
    extract_facts(user)
    assert (list_bank(user), count_pending(user)) == ([], 0)


def test_switched_off_nothing_is_looked_for_nor_waits(user: EndUser, clock: Clock, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "profile_detection": False}}
    record_exchange(user, clock, FACT)
    assert count_pending(user) == 0
    extract_facts(user)
    assert list_bank(user) == []


def begin_turn(user: EndUser, clock: Clock) -> TurnToRead:
    [turn], _ = reading_queue.begin_reading(user, clock(), 1)
    return turn


def test_a_killed_worker_loses_nothing_and_a_late_one_adds_nothing(user: EndUser, clock: Clock) -> None:
    record_exchange(user, clock, FACT)
    turn = begin_turn(user, clock)
    extract_facts(user)
    assert len(list_bank(user)) == 1
    late = profiling.store_facts(user, turn.exchange, profiling.draft_facts(user, turn), clock())
    [item] = list_bank(user)
    assert (late, item.mentions) == (0, 1)


def test_what_ends_the_worker_each_time_is_left(user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(message: str, *args: object, **named: object) -> list[ProfileFact]:
        if message == FACT:
            raise SystemExit
        return []

    record_exchange(user, clock, FACT)
    record_exchange(user, clock, "I collect stamps.")
    monkeypatch.setattr(profile, "detect_profile_facts", killed)
    for deaths in range(1, reading_queue.MOST_ATTEMPTS + 1):
        with pytest.raises(SystemExit):
            profiling.profile_due_exchanges(user, now=clock())
        # The first death may have been anybody's. After a second what was said later is not kept waiting.
        extract_facts(user) if deaths > 1 else None
        assert count_pending(user) == (1 if deaths > 1 else 2)
        clock.advance(minutes=1)
    extract_facts(user)
    assert (list_bank(user), count_pending(user)) == ([], 0)


def test_a_turn_that_cannot_be_read_keeps_no_other_from_being_read(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = profile.detect_profile_facts

    def stumble(message: str, *args: Any, **named: Any) -> list[ProfileFact]:
        if message == "Read me who can.":
            raise ValueError(message)
        return read(message, *args, **named)

    monkeypatch.setattr(profile, "detect_profile_facts", stumble)
    record_exchange(user, clock, "Read me who can.")
    record_exchange(user, clock, FACT)
    extract_facts(user)
    assert (len(list_bank(user)), count_pending(user)) == (1, 1)
    assert work.PROFILES.list_users(clock()) == [], "it pauses"
    for _ in range(reading_queue.MOST_ATTEMPTS):
        assert work.PROFILES.list_users(clock.advance(minutes=1)) == [user.pk]
        extract_facts(user)
    assert (count_pending(user), work.PROFILES.list_users(clock.advance(days=1))) == (0, [])


def test_a_service_that_is_away_costs_no_attempt(user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*args: object, **named: object) -> list[ProfileFact]:
        raise Unavailable("embedder", "connection refused")

    record_exchange(user, clock, FACT)
    record_exchange(user, clock, "I collect stamps.")
    with monkeypatch.context() as patched:
        patched.setattr(profile, "detect_profile_facts", away)
        for _ in range(reading_queue.MOST_ATTEMPTS + 1):
            extract_facts(user)
    assert count_pending(user) == 2
    assert work.PROFILES.list_users(clock()) == [user.pk], "the sweep finds it"
    extract_facts(user)
    assert (len(list_bank(user)) >= 1, count_pending(user)) == (True, 0)


def test_what_was_said_before_a_long_stop_is_still_read(user: EndUser, clock: Clock) -> None:
    record_exchange(user, clock, FACT)
    clock.advance(days=3)
    assert work.PROFILES.list_users(clock()) == [user.pk]
    extract_facts(user)
    assert len(list_bank(user)) == 1


def test_past_the_days_calls_of_a_model_rules_read_on(
    user: EndUser, clock: Clock, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {**settings.MEMORY["CONVERSATIONS"], "profiles_a_day": 1}
    settings.MEMORY = {**settings.MEMORY, "CONVERSATIONS": limits}
    asked: list[str] = []
    monkeypatch.setattr(detection, "find_prompt_model", lambda prompt: object())
    monkeypatch.setattr(detection, "find_facts_by_model", lambda model, message, deadline: asked.append(message))
    for message in (FACT, "My name is Ann.", "I am a vegetarian."):
        record_exchange(user, clock, message)
    extract_facts(user)
    # The model found nothing in the first, and is believed.
    assert (asked, len(list_bank(user)), count_pending(user)) == ([FACT], 2, 0)
    said, _ = rereading.list_said_turns(user, None)
    rereading.read_turns(user, said, rereading.ReadingCounts(), now=clock(), on_turns=lambda read: None)
    assert (asked, len(list_bank(user))) == ([FACT], 3), "read again it counts as well"


# --- order and bursts --------------------------------------------------------------------------------------------
def note_reading(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """What is read in which order, and what is known then to have been said before."""
    seen: list[tuple[str, list[str]]] = []

    def note(message: str, deadline: object, previous: Any = (), **named: Any) -> list[ProfileFact]:
        seen.append((message, list(previous)))
        return []

    monkeypatch.setattr(profile, "detect_profile_facts", note)
    return seen


def test_turns_are_read_in_the_order_they_were_said(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An old conversation that is stored after a newer one must not replace what was said since."""
    seen = note_reading(monkeypatch)
    record_exchange(user, clock, "I live in York now.")
    said_at = clock() - timedelta(days=30)
    for number in (3, 1, 2):
        record_exchange(user, clock, f"I live in Leeds, {number}.", occurred_at=said_at + timedelta(hours=number))
    extract_facts(user)
    assert [message for message, _ in seen] == [
        *("I live in Leeds, 1.", "I live in Leeds, 2.", "I live in Leeds, 3."),
        "I live in York now.",
    ]
    # What came before is told in that order too, whichever way the conversation came in.
    assert seen[-1] == ("I live in York now.", [message for message, _ in seen[:3]])
    record_exchange(user, clock, "I lived in Rome, in between.", occurred_at=said_at + timedelta(hours=2.5))
    extract_facts(user)
    assert seen[-1][1] == ["I live in Leeds, 1.", "I live in Leeds, 2."]


def test_a_burst_is_one_message_to_the_worker(
    user: EndUser,
    other_user: EndUser,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    sent: list[tuple[str, int, float]] = []

    def note(task: Any, *arguments: Any, after_s: float = 0.0) -> None:
        if task.name in {"outcomes.read_exchanges", "kinds.embed_user", "memory.promote_user"}:
            sent.append((task.name, *arguments, after_s))

    monkeypatch.setattr("memory.platform.queue.send_task", note)
    with django_capture_on_commit_callbacks(execute=True):
        for number in range(40):
            record_exchange(user, clock, f"Where is key {number}?", thread_id=f"t-{number % 3}")
        record_exchange(other_user, clock, FACT)
    assert sorted(name for name, who, _ in sent if who == user.pk) == [
        *("kinds.embed_user", "memory.promote_user", "outcomes.read_exchanges"),
    ]
    # The first of a silence is read at once.
    assert ("outcomes.read_exchanges", user.pk, 0.0) in sent
    assert ("outcomes.read_exchanges", other_user.pk, 0.0) in sent
    extract_facts(user)
    assert count_pending(user) == 0
    sent.clear()
    with django_capture_on_commit_callbacks(execute=True):
        store_at_once(user, clock, "Where is the last key?")
    [pause] = [after_s for name, _, after_s in sent if name == "outcomes.read_exchanges"]
    assert 0 < pause <= 0.5
    extract_facts(user)
    sent.clear()
    with django_capture_on_commit_callbacks(execute=True):
        store_at_once(user, clock, "Somebody waits for this.", is_awaited=True)
    assert ("outcomes.read_exchanges", user.pk, 0.0) in sent


def store_at_once(user: EndUser, clock: Clock, message: str, **fields: Any) -> None:
    memory.store_exchange(user, NewExchange("t-1", message, "Noted.", **fields), now=clock())


def test_a_backlog_lets_others_pass(user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of time a task goes to the end of the queue, and it takes up where it ended."""
    again: list[int] = []
    monkeypatch.setattr(tasks.read_exchanges, "delay", again.append)
    seen = note_reading(monkeypatch)
    read = profiling.profile_due_exchanges

    def take_long(user: EndUser) -> int:
        taken = read(user)
        clock.advance(seconds=tasks.READING_SECONDS)
        return taken

    for number in range(profiling.AT_ONCE + 3):
        record_exchange(user, clock, f"I collect {number} stamps.")
    with monkeypatch.context() as slow:
        slow.setattr(profiling, "profile_due_exchanges", take_long)
        assert tasks.read_exchanges(user.pk) == profiling.AT_ONCE
    assert again == [user.pk]
    assert tasks.read_exchanges(user.pk) == 3
    assert [message for message, _ in seen] == [f"I collect {number} stamps." for number in range(len(seen))]


@pytest.mark.django_db(transaction=True)
def test_a_message_that_met_the_lock_is_not_lost(user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is stored between the end of the work and that of its lock has nobody else to read it."""
    again: list[int] = []
    monkeypatch.setattr(tasks.read_exchanges, "delay", again.append)
    move = work.move_reading_mark

    def store_afterwards(user: EndUser, now: datetime) -> bool:
        is_done = move(user, now)
        store_at_once(user, clock, FACT)
        return is_done

    record_exchange(user, clock, "I collect stamps.")
    monkeypatch.setattr(work, "move_reading_mark", store_afterwards)
    tasks.read_exchanges(user.pk)
    assert again == [user.pk]


def test_a_request_leaves_to_the_worker_what_that_has_begun(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "AWAITED_S", 0.05)
    record_exchange(user, clock, FACT)
    with try_task_lock("exchanges", user.pk):
        turn = begin_turn(user, clock)
        memory.read_exchanges(user)
    with user_scope(user):
        exchange = Exchange.objects.get(pk=turn.exchange.pk)
    assert (exchange.profile_attempts, exchange.profile_after, list_bank(user)) == (1, None, [])
    with confine_to(RowScope(project_id="theirs")):
        record_exchange(user, clock, "I collect stamps.")
    with confine_to(RowScope(project_id="ours")):
        memory.read_exchanges(user)
    assert (len(list_bank(user)), count_pending(user)) == (2, 0)
    assert work.PROFILES.list_users(clock.advance(days=1)) == []


def test_an_exchange_that_was_deleted_meanwhile_leaves_nothing(user: EndUser, clock: Clock) -> None:
    exchange_id = record_exchange(user, clock, FACT)
    turn = begin_turn(user, clock)
    reported = listing.find_exchange(user, exchange_id)
    assert reported is not None
    assert reported.exchange.memory_id is not None
    memory.remove(user, reported.exchange.memory_id, now=clock())
    assert profiling.store_facts(user, turn.exchange, profiling.draft_facts(user, turn), clock()) == 0
    assert list_bank(user) == []


WORDS_LOADED = """
import django
django.setup()
from memory.facts.pairs.lexicon import load_pair_words
from memory.claims.lexicon import load_claim_words
from memory.claims.topics import load_topic_words
from memory.language.concepts import _load_concepts
from outcomes.tasks import load_readers
load_readers()
for load in (load_pair_words, load_claim_words, load_topic_words, _load_concepts):
    print(load.cache_info().currsize)
"""


def test_a_worker_has_its_words_before_it_takes_work() -> None:
    """Loaded in the first recording they held its transaction, on a busy machine until the database ended it."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    ran = subprocess.run(
        [sys.executable, "-c", WORDS_LOADED], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["1"] * 4


def test_a_bare_value_is_learned_with_what_it_was_asked_for(user: EndUser, clock: Clock) -> None:
    record_exchange(user, clock, "My rent is 640 a month, heating in.")
    clock.advance(days=30)
    record_exchange(user, clock, "the letter about the new rent came", "And what is it now?")
    record_exchange(user, clock, "658", "That fits the index.")
    extract_facts(user)
    assert any("rent" in item.text and "658" in item.text for item in list_bank(user))
