"""Hints in what a user says next: noticed in six languages, shown, and moving nothing unless a flag allows it."""

import uuid
from typing import Any

import pytest
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem, Turn
from memory.tiers import Outcome, Tier
from outcomes.detection.cues import find_cues, is_small_talk
from outcomes.exchanges import listing
from outcomes.exchanges.storing import NewExchange
from outcomes.verdicts import recording
from tests.conftest import Clock
from tests.factories import MemoryItemFactory

memory = MemoryFacade("key:test")
QUESTION = "How do I restart the router in the cellar?"


def kinds(message: str, answer: str = "Pull the plug.") -> list[str]:
    return [cue.kind for cue in find_cues(message, [QUESTION], answer)]


@pytest.mark.parametrize(
    "message",
    [
        "Thanks, that did it!",
        "perfect",
        "That worked",
        "תודה, זה עובד",
        "Gracias, ya funciona",
        "Merci beaucoup !",
        "Danke, hat geklappt",
        "Grazie mille, perfetto",
    ],
)
def test_thanks_are_noticed(message: str) -> None:
    assert kinds(message) == ["thanks"]


@pytest.mark.parametrize(
    "message",
    [
        "No, that's wrong",
        "It still doesn't work",
        "That didn't help at all, thanks anyway",
        "Actually, I meant the one in the attic",
        "לא נכון, זה הנתב השני",
        "זה לא עובד",
        "No funciona",
        "Gracias, pero no es eso",
        "Non, ça ne marche pas",
        "Das stimmt nicht",
        "Nein, ich meinte den anderen",
        "Non funziona ancora",
        "No, intendevo quello in soffitta",
    ],
)
def test_corrections_are_noticed_and_outweigh_thanks(message: str) -> None:
    assert kinds(message) == ["corrects"]


@pytest.mark.parametrize(
    "message",
    [
        "And where is the printer?",
        "What is wrong with my code?",
        "No problem, go on",
        "Thanks in advance! Where is the printer?",
        "No dogs are allowed there, are they?",
        "No hay leche en casa",
        "Non so cosa cucinare",
        "Ich suche etwas Falsches im Text",
        "Tell me about the history of the word thanksgiving",
    ],
)
def test_what_is_no_reaction_is_no_signal(message: str) -> None:
    assert kinds(message) == []


def test_a_no_that_answers_a_question_corrects_nothing() -> None:
    assert kinds("No, only on Sundays", "It opens at nine.") == ["corrects"]
    assert kinds("No, only on Sundays", "Is it open every day?") == []


@pytest.mark.parametrize(
    ("message", "again"),
    [
        (QUESTION, True),
        ("how do I restart the cellar router??", True),
        ("How do I restart the printer in the cellar?", False),
        ("Who built the cathedral of Chartres?", False),
        ("ok", False),
    ],
)
def test_the_same_question_again_is_noticed(message: str, again: bool) -> None:
    assert ("repeats" in kinds(message)) is again


@pytest.mark.parametrize("message", ["hi", "Thank you so much!", "ok", "Bonjour", "danke, alles klar", "שלום", "👍"])
def test_small_talk(message: str) -> None:
    assert is_small_talk(message)


@pytest.mark.parametrize(
    "message", [QUESTION, "restart it", "Thanks, and the printer?", "לא נכון, זה הנתב השני", "ja, Bern"]
)
def test_what_asks_for_something_is_no_small_talk(message: str) -> None:
    assert not is_small_talk(message)


# --- in a conversation -------------------------------------------------------------------------------------------
def allow_scoring(settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "implicit_scoring": True}}


def turn_of(user: EndUser, clock: Clock, *items: MemoryItem) -> uuid.UUID:
    with user_scope(user):
        positions = [[str(item.pk), item.tier] for item in items]
        return Turn.objects.create(user=user, positions=positions, created_at=clock()).turn_id


def record_exchange(user: EndUser, clock: Clock, message: str, **fields: Any) -> uuid.UUID:
    new = NewExchange(fields.pop("thread_id", "t-1"), message, "Pull the plug.", **fields)
    return memory.store_exchange(user, new, now=clock.advance(minutes=1)).exchange_id


def list_signals(user: EndUser) -> dict[uuid.UUID, list[str]]:
    return {
        reported.exchange.pk: [one.kind for one in reported.signals]
        for reported in listing.list_exchanges(user, limit=50)[0]
    }


def test_a_signal_speaks_of_the_exchange_it_reacts_to_and_moves_nothing(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    first = record_exchange(user, clock, QUESTION, turn_id=turn_of(user, clock, item))
    second = record_exchange(user, clock, "No, that's wrong")
    third = record_exchange(user, clock, "How do I restart the cellar router?")
    assert list_signals(user) == {first: ["corrects", "repeats"], second: [], third: []}
    row = memory.get(user, item.pk)
    assert row is not None
    assert (row.score, row.uses, memory.list_events(user, item.pk)) == (0.5, 0, [])
    assert sum(recording.count_outcomes(user).values()) == 0
    assert memory.get_stats(user).signals == {"corrects": 1, "repeats": 1}


def test_another_thread_or_an_old_one_is_not_reacted_to(user: EndUser, clock: Clock) -> None:
    record_exchange(user, clock, QUESTION)
    record_exchange(user, clock, "No, that's wrong", thread_id="t-2")
    clock.advance(hours=13)
    record_exchange(user, clock, "No, that's wrong")
    assert [kinds for kinds in list_signals(user).values() if kinds] == []


def test_an_answer_that_was_broken_off_is_not_judged(user: EndUser, clock: Clock) -> None:
    record_exchange(user, clock, QUESTION, interrupted=True)
    record_exchange(user, clock, QUESTION)
    assert [kinds for kinds in list_signals(user).values() if kinds] == []


def test_a_flag_lets_a_signal_move_scores_a_little(user: EndUser, clock: Clock, settings: Settings) -> None:
    allow_scoring(settings)
    item, bank = MemoryItemFactory.create(user=user), MemoryItemFactory.create(user=user, tier=Tier.MEMORY_BANK)
    turn_id = turn_of(user, clock, item, bank)
    record_exchange(user, clock, QUESTION, turn_id=turn_id)
    record_exchange(user, clock, "Thanks, that worked")
    row, banked = memory.get(user, item.pk), memory.get(user, bank.pk)
    assert row is not None and banked is not None  # noqa: PT018
    assert (row.score, row.uses, row.worked, row.last_outcome, banked.score) == (0.52, 0, 0, "", 0.5)
    assert memory.list_events(user, item.pk)[0].kind == "signal_thanks"
    assert sum(recording.count_outcomes(user).values()) == 0
    memory.record_outcome(user, Outcome.FAILED, now=clock(), turn_id=turn_id)
    row = memory.get(user, item.pk)
    assert row is not None
    assert (row.score, row.uses) == (0.2, 1), "a verdict takes the place of a hint"
    record_exchange(user, clock, "Thanks, that worked")
    row = memory.get(user, item.pk)
    assert row is not None
    assert row.score == 0.2, "and a hint never of a verdict"
