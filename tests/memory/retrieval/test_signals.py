"""Ranking signals of single memories: exact values, what is known of them, and whom they are about."""

from typing import Any

import pytest

from memory.retrieval.ranking import RankingSignal
from memory.retrieval.signals import exact, experience, recency, subject
from memory.tiers import Tier
from tests.memory.retrieval.pools import fact, signal_values, text


# --- exact values ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("signal", "query", "texts", "values"),
    [
        (exact.CODES, "What is ABC-12?", ["ABC-12: done", "ABC-21: open", "nothing"], [1.0, -0.5, 0.0]),
        (exact.CODES, "What is ABC-12?", ["ABC-21", "none", "XY"], [0.0, 0.0, 0.0]),
        (exact.DAYS, "What is on 7 August?", ["2027-08-07: parade", "8 July: race", "soon"], [1.0, -0.5, 0.0]),
        (exact.AMOUNTS, "Who paid 480?", ["four hundred and eighty", "for 840", "paid"], [1.0, -0.5, 0.0]),
        (exact.NAMES, "What did Ann give to Bo?", ["Ann and Bo", "Bo alone", "nobody"], [0.0, -0.5, -1.0]),
        (exact.NAMES, "What did Ann give?", ["Bo", "Cy", "nobody"], [0.0, 0.0, 0.0]),
    ],
)
def test_exact_values(signal: RankingSignal, query: str, texts: list[str], values: list[float]) -> None:
    assert signal_values(signal, query, *(text(words) for words in texts)) == values


# --- what is known -----------------------------------------------------------------------------------------------
def test_outcomes_lift_what_is_on_the_topic_and_sink_what_failed() -> None:
    proven = {"score": 1.0, "uses": 4, "worked": 4}
    failed = {"score": 0.0, "uses": 3, "failed": 3}
    items = (text("a", **proven), text("b", **proven, relevance=-2.0), text("c", **failed), text("d"))
    on, off, down, unknown = signal_values(experience.OUTCOMES, "how to fix it", *items)
    assert on > 0.5 > 0.01 > off > 0.0 == unknown > -1 > down
    assert signal_values(experience.OUTCOMES, "which way failed", *items)[2] > 0
    assert signal_values(experience.OUTCOMES, "x", text("a", tier=Tier.BOOKS, **proven), fact("b", **proven)) == [
        0.0,
        0.0,
    ]


def test_a_doubted_statement_sinks_whatever_it_is_about() -> None:
    items = (fact("a", confidence=0.4), fact("b", confidence=0.5), text("c", confidence=0.1))
    assert signal_values(experience.HEARSAY, "x", *items, fact("d", confidence=0.1))[3] == 1.0
    assert signal_values(experience.HEARSAY, "x", *items) == pytest.approx([0.5, 0.0, 0.0])
    sure, unsure, chat = signal_values(
        experience.BANK_QUALITY, "x", fact("a", importance=1.0, confidence=1.0), *items[::2]
    )
    assert sure > 0 == chat > unsure


def test_a_newer_statement_of_the_same_kind_replaces_the_older() -> None:
    new, old = fact("Tea now", days_ago=3), fact("Coffee", days_ago=300)
    later, earlier = signal_values(recency.SUPERSEDED, "what do I drink", new, old)
    assert later == 0.0 < earlier
    later, earlier = signal_values(recency.SUPERSEDED, "what did I drink before", new, old)
    assert later > 0.0 == earlier


@pytest.mark.parametrize(
    "other",
    [
        fact("Tea", days_ago=3, tags=("work",)),
        fact("His wife drinks tea", days_ago=3),
        fact("Perhaps tea", days_ago=3, confidence=0.2),
        text("Tea", days_ago=3),
        fact("Coffee too", days_ago=300),
    ],
)
def test_what_is_of_another_kind_replaces_nothing(other: dict[str, Any]) -> None:
    assert signal_values(recency.SUPERSEDED, "what do I drink", other, fact("Coffee", days_ago=300))[1] == 0.0


def test_last_time_prefers_the_newest_on_the_topic() -> None:
    items = (text("a", days_ago=30), text("b", days_ago=2), text("c", days_ago=1, relevance=-1.0))
    old, new, elsewhere = signal_values(recency.LATEST, "what did she say last time", *items)
    assert new > old == elsewhere == 0.0
    assert signal_values(recency.LATEST, "what did she say", *items) == [0.0, 0.0, 0.0]


def test_a_statement_of_change_holds_now_and_not_before() -> None:
    items = (fact("User no longer smokes"), fact("User smokes"))
    assert (
        signal_values(recency.CHANGE, "Do I smoke?", *items)[0]
        > 0
        == signal_values(recency.CHANGE, "Do I smoke?", *items)[1]
    )
    assert signal_values(recency.CHANGE, "Did I smoke before?", *items)[0] < 0


# --- whom and where ----------------------------------------------------------------------------------------------
def test_somebody_elses_is_not_mine() -> None:
    items = (fact("The user collects stamps"), fact("User's wife collects shells"), fact("The neighbour collects cars"))
    assert signal_values(subject.OTHER_PERSON, "What do I collect?", *items) == [0.0, 1.0, 1.0]
    assert signal_values(subject.OTHER_PERSON, "What does my wife collect?", *items) == [0.0, 0.0, 1.0]
    assert signal_values(subject.OTHER_PERSON, "Who collects shells?", *items) == [0.0, 0.0, 0.0]


def test_statements_answer_questions_about_the_user() -> None:
    items = (fact("User is a cooper", tags=("identity",)), text("A cooper called"))
    mine, chat = signal_values(subject.ABOUT_ME, "What do I do?", *items)
    assert mine > 0.0 == chat
    assert signal_values(subject.IDENTITY, "Who am I?", *items) == [1.0, 0.0]
    assert signal_values(subject.IDENTITY, "Who is she?", *items) == [0.0, 0.0]


def test_books_answer_what_books_say_and_not_what_i_concluded() -> None:
    items = (text("Chapter 1", tier=Tier.BOOKS), text("I read it"))
    assert signal_values(subject.BOOKS, "What does the handbook say?", *items) == [1.0, 0.0]
    assert signal_values(subject.BOOKS, "What did I conclude from the handbook?", *items) == [-1.0, 0.0]
    assert signal_values(subject.BOOKS, "What is said?", *items) == [0.0, 0.0]


def test_what_is_not_is_answered_by_what_is_not() -> None:
    items = (text("She cannot eat nuts"), text("She eats figs"), text("Keep milk out of it"))
    assert signal_values(subject.POLARITY, "What can she not eat?", *items) == [1.0, 0.0, 1.0]
    assert signal_values(subject.POLARITY, "What does she eat?", *items) == [0.0, 0.0, 0.0]


def test_a_reported_question_is_no_answer() -> None:
    items = (text("User asked who sells maps"), text("The kiosk sells maps"))
    assert signal_values(subject.REPORTED_QUESTION, "Who sells maps?", *items) == [1.0, 0.0]
