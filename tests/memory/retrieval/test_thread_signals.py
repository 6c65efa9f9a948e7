"""Ranking signals of conversations: who asked, who answered, who is named, and on which day."""

from uuid import UUID

import numpy as np
import pytest

from memory.retrieval.fusion import OF_REMARK, fuse_zscore
from memory.retrieval.late import score_token_matches
from memory.retrieval.pool import Candidate, CandidateMemory
from memory.retrieval.query import understand_query
from memory.retrieval.signals import exact, question, subject, thread
from memory.tiers import Tier
from tests.memory.retrieval.pools import NOW, fact, make_pool, signal_values, text


def test_a_turn_stands_on_the_words_of_the_turn_before() -> None:
    turns = (text("The canoe trip?"), text("In May.", previous_id=UUID(int=1)), text("Rain."))
    found = make_pool("canoe trip", *turns, text("Where to?", next_id=UUID(int=1)))
    holds = [(True, True), (False, False), (False, False), (False, False)]
    for candidate, held in zip(found.candidates, holds, strict=True):
        candidate.memory = candidate.memory._replace(holds=held)
    asked_it, answered, other, before = thread.score_words_in_context(understand_query("canoe trip", (), NOW), found)
    assert asked_it > answered > before > other


def test_a_turn_need_not_repeat_a_name() -> None:
    said = text("Yes, she has two", thread_id="talk", speaker="Bo")
    assert signal_values(exact.NAMES, "What does Ann have?", text("Ann has cats"), said, text("Bo has one")) == [
        0.0,
        0.0,
        -1.0,
    ]


def test_a_word_of_the_question_may_be_met_in_the_turn_before() -> None:
    lake, hill = (np.eye(8, dtype=np.float32)[place : place + 1] for place in (0, 1))
    signs = [np.packbits(row > 0).tobytes() for row in (lake, hill, hill, hill)]
    alone = score_token_matches(lake, signs, [None, None, None, None])
    assert alone[0] > alone[1] == alone[2] == alone[3]
    answered = score_token_matches(lake, signs, [None, 0, 1, None])
    assert answered[0] > answered[1] > answered[2] == answered[3]


def test_the_turn_after_a_matching_question_may_be_its_answer() -> None:
    first, second = ({"previous_id": UUID(int=number)} for number in (1, 2))
    turns = (text("Where is the key?"), text("Under the mat.", **first), text("No", **second))
    assert signal_values(thread.ANSWER, "where is the key", *turns) == [0.0, 0.5, 0.0]


def test_only_a_short_turn_is_merely_a_question() -> None:
    told = (
        "I have three kilos of quinces from the tree behind the shed and no idea what becomes of them, can you help me?"
    )
    turns = [text(words, thread_id="a") for words in ("Where is the key?", told, "Under the mat.")]
    assert signal_values(thread.QUESTION, "where is the key", *turns) == [1.0, 0.0, 0.0]


def test_what_is_told_before_a_question_counts_as_told() -> None:
    turns = [text(words, thread_id="a") for words in ("My yaris flashes a light every morning. Ignore?", "Ignore?")]
    assert signal_values(thread.QUESTION, "which car do I have", *turns) == [1 / 8, 1.0]


def test_whoever_answers_may_ask_back() -> None:
    exchange = text("User: I moved to Ghent.\nAssistant: How do you like it there?", thread_id="a")
    assert signal_values(thread.QUESTION, "where do I live", exchange) == [0.0]


def test_names_are_expected_of_what_stands_alone() -> None:
    known = text("Ann has moved to Ghent", thread_id="a", speaker="Jo")
    exchange = text("User: Tom has moved to Lyon.\nAssistant: Noted.", thread_id="a")
    later = text("She has moved to Lyon", thread_id="a")
    assert signal_values(exact.NAMES, "Where does our Ann live now?", known, exchange, later) == [0.0, -1.0, 0.0]


def test_a_name_needs_no_capital_where_somebody_writes_without_any() -> None:
    """The answer to it has capitals, and a robin in a sentence that has them is none."""
    small = text("User: robin left early, we quarrelled\nAssistant: I am sorry to hear that.", thread_id="a")
    bird = text("We saw a robin in the hedge with Ann")
    named = text("Robin is back")
    assert signal_values(exact.NAMES, "Is Robin still here?", small, bird, named) == [0.0, -1.0, 0.0]


def test_what_was_published_of_passing_words_is_lifted_half_as_much() -> None:
    kept, published = fact("I swim at dawn."), fact("I swim at dusk.", is_published=True)
    first, second = signal_values(subject.ABOUT_ME, "When do I swim?", kept, published)
    assert second > 0
    assert first == pytest.approx(2 * second)


def test_what_a_person_said_stands_before_the_reply_to_it() -> None:
    asked = text("I bake with rye.", speaker="user", thread_id="a")
    reply = text("Rye needs a sourdough.", speaker="assistant", thread_id="a", previous_id=UUID(int=1))
    assert signal_values(thread.REPLY, "What do I bake with?", asked, reply) == [0.0, 1.0]
    assert signal_values(thread.REPLY, "What did you recommend for rye?", asked, reply) == [0.0, 0.0]
    assert signal_values(thread.REPLY, "What do I bake with?", asked) == [0.0]


def test_a_reply_that_alone_holds_what_is_asked_is_hardly_lowered() -> None:
    asked = text("I bake with rye.", speaker="user", thread_id="a", holds=(False, False))
    reply = text("It rose in a proving basket.", speaker="assistant", previous_id=UUID(int=1), holds=(True, True))
    assert signal_values(thread.REPLY, "proving basket", asked, reply) == [0.0, 0.0]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("I still count the stairs whenever the lift is out of order again", True),
        ("Ich zähle immer noch die Stufen, wenn der Aufzug wieder ausfällt", True),
        ("Hoy he vuelto a contar los peldaños porque el ascensor no funciona", True),
        ("Aujourd'hui encore j'ai compté les marches parce que l'ascenseur est en panne", True),
        ("היום שוב ספרתי את המדרגות כי המעלית מקולקלת", True),
        ("How many stairs do I count when the lift is out of order", False),
        ("I count the stairs, do you know how many there are?", False),
        ("Tell me what I said about the stairs and the lift", False),
        ("Dime lo que conté sobre los peldaños y el ascensor", False),
        ("Erinnere mich daran, was ich über den Aufzug gesagt habe", False),
        ("stairs lift order", False),
    ],
)
def test_a_remark_asks_for_nothing(words: str, expected: bool) -> None:
    assert understand_query(words, (), NOW).is_remark is expected


def test_a_remark_asks_about_nobody_and_has_no_answer() -> None:
    remark = "I still count the stairs whenever the lift is out of order"
    turns = (text("Who fell on the stairs?"), text("My son did.", previous_id=UUID(int=1)))
    for signal in (thread.ANSWER, subject.OTHER_PERSON):
        assert signal_values(signal, remark, *turns) == [0.0, 0.0]


def test_for_a_remark_the_words_count_little() -> None:
    near, worded = (Candidate(CandidateMemory(UUID(int=number), "x", Tier.HISTORY, NOW)) for number in (1, 2))
    near.distance, worded.distance, worded.text_score = 0.9, 1.1, 5.0
    fuse_zscore([near, worded], OF_REMARK)
    assert near.relevance > worded.relevance


def test_a_thread_counts_by_its_best_turns() -> None:
    turns = [text("x", thread_id=name, relevance=value) for name, value in (("a", 2.0), ("a", 1.0), ("b", 0.0))]
    first, second, third = signal_values(thread.THREAD, "x", *turns)
    assert first == second > third
    assert signal_values(thread.THREAD, "x", text("x"), text("y")) == [0.0, 0.0]


def test_a_note_is_a_thread_of_its_own() -> None:
    turns = [text("x", thread_id=name, relevance=value) for name, value in (("a", 1.0), ("b", 0.0))]
    first, second, note, other = signal_values(
        thread.THREAD, "x", *turns, text("x", relevance=1.0), text("y", relevance=0.0)
    )
    assert first == note > second == other


def test_the_named_speaker_is_meant_unless_everybody_is_that_speaker() -> None:
    turns = (text("x", speaker="Maya"), text("y", speaker="Jo"))
    assert signal_values(question.SPEAKER, "What did Maya say?", *turns, speakers=("Maya", "Jo")) == [1.0, 0.0]
    assert signal_values(question.SPEAKER, "What did Maya say?", turns[0], speakers=("Maya", "Jo")) == [0.0]
    assert signal_values(question.SPEAKER, "What was said?", *turns, speakers=("Maya", "Jo")) == [0.0, 0.0]


def test_of_two_who_are_named_the_first_is_rather_meant() -> None:
    turns = (text("x", speaker="Maya"), text("y", speaker="Jo"))
    told = signal_values(question.SPEAKER, "What did Maya tell Jo?", *turns, speakers=("Jo", "Maya"))
    assert told == [0.5, 0.0]


@pytest.mark.parametrize(
    ("words", "speakers", "named"),
    [
        ("What does Muhhamed cook?", ("Muhammad", "Jo"), {"muhammad"}),
        ("What does Mel cook?", ("Melanie", "Jo"), {"melanie"}),
        ("What does Nikolas cook?", ("Nicolas", "Jo"), {"nicolas"}),
        ("מה בישל ניקולס?", ("Nicolas", "Jo"), {"nicolas"}),
        ("What does Maria cook?", ("Mario", "Marie"), set()),
        ("What does Tim cook?", ("Tom", "Jo"), set()),
    ],
)
def test_a_name_may_be_spelt_otherwise(words: str, speakers: tuple[str, ...], named: set[str]) -> None:
    assert understand_query(words, speakers, NOW).named == named


def test_a_misspelt_name_is_found_where_nobody_bears_it_as_written() -> None:
    turns = (text("I met Muhammad at the pier"), text("I met Karim at the pier"))
    assert signal_values(exact.SPELLING, "Where did I meet Muhhamed?", *turns) == [1.0, 0.0]
    assert signal_values(exact.SPELLING, "Where did I meet Karim?", *turns) == [0.0, 0.0]


@pytest.mark.parametrize("day", ["15.06.2025", "2025-06-15", "15/06/2025", "June 15, 2025", "15. Juni 2025"])
def test_a_full_date_finds_the_day_and_not_the_month(day: str) -> None:
    items = (text("x", days_ago=1), text("y", days_ago=2), text("z", days_ago=366))
    assert signal_values(question.DATE, f"What did we talk about on {day}?", *items) == [1.0, 0.0, 0.0]


def test_where_nothing_is_of_the_day_the_month_is_meant() -> None:
    items = (text("x", days_ago=5), text("y", days_ago=60))
    assert signal_values(question.DATE, "What did we talk about on 14 June 2025?", *items) == [1.0, 0.0]


def test_dates_select_when_something_was_said() -> None:
    items = (text("x", days_ago=1), text("y", days_ago=40))
    assert signal_values(question.DATE, "What did we say yesterday?", *items) == [1.0, 0.0]
    assert signal_values(question.DATE, "What was in May 2025?", *items) == [0.0, 1.0]
    assert signal_values(question.DATE, "What was in June?", *items) == [1.0, 0.0]
    spoken = signal_values(question.TIME_WORDS, "When is the concert?", text("It is on Sunday"), text("It is loud"))
    assert spoken[0] > spoken[1] == 0.0
    years = signal_values(question.TIME_WORDS, "When was it built?", text("Begun in 1911"), text("It has 1,911 stones"))
    assert years[0] > years[1] == 0.0


def test_who_is_asked_about_tells_it_of_themselves() -> None:
    items = (
        text("I bought a kayak", speaker="Ada", thread_id="talk"),
        text("That is a nice kayak", speaker="Ada", thread_id="talk"),
        text("I bought paddles", speaker="Bo", thread_id="talk"),
        text("Compré un kayak y mi hermana otro", speaker="Ada", thread_id="talk"),
    )
    assert signal_values(question.OWN_WORDS, "What did Ada buy?", *items, speakers=("Ada", "Bo")) == [
        1.0,
        0.0,
        0.0,
        1.0,
    ]
    assert signal_values(question.OWN_WORDS, "Who bought a kayak?", *items, speakers=("Ada", "Bo")) == [0.0] * 4
    remark = "The river was so calm this morning again."
    assert signal_values(question.OWN_WORDS, remark, *items) == [1.0, 0.0, 1.0, 1.0]
