"""Named reasons to rank one memory above another: what each says, and that an explanation adds up."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from memory.conf import memory_conf
from memory.language import build_query_groups
from memory.retrieval.fusion import OF_REMARK, fuse_zscore
from memory.retrieval.late import score_token_matches
from memory.retrieval.leeway import OF_KIND, Standings
from memory.retrieval.pool import Candidate, CandidateMemory, Pool
from memory.retrieval.query import understand_query
from memory.retrieval.ranking import RankedCandidate, RankingSignal, load_signals, rank_pool, squash_score
from memory.retrieval.signals import exact, experience, learned, question, recency, subject, thread
from memory.tiers import Tier

NOW = datetime(2025, 6, 16, 12, tzinfo=UTC)


def make_pool(query: str, *memories: dict[str, Any]) -> Pool:
    """Candidates in order, ids from 1. ``relevance`` and ``days_ago`` are given beside the fields of a memory."""
    words = build_query_groups(query)
    found = []
    for number, given in enumerate(memories, 1):
        fields = {"tier": Tier.HISTORY, "days_ago": 10, "relevance": 0.5, **given}
        relevance, days = fields.pop("relevance"), fields.pop("days_ago")
        fields = {"holds": (False,) * len(words), **fields}
        memory = CandidateMemory(UUID(int=number), occurred_at=NOW - timedelta(days=days), **fields)
        found.append(Candidate(memory, relevance=relevance))
    return Pool(found, NOW, words)


def signal_values(
    signal: RankingSignal, query: str, *memories: dict[str, Any], speakers: tuple[str, ...] = ()
) -> list[float]:
    return list(signal.value(understand_query(query, speakers, NOW), make_pool(query, *memories)))


def text(words: str, **fields: Any) -> dict[str, Any]:
    return {"text": words, **fields}


def fact(words: str, **fields: Any) -> dict[str, Any]:
    return {"text": words, "tier": Tier.MEMORY_BANK, "tags": ("home",), **fields}


# --- the sum -----------------------------------------------------------------------------------------------------
def by_number(number: float) -> RankingSignal:
    return RankingSignal("number", 2.0, lambda query, pool: [number * memory.id.int for memory in pool.memories])


def rank_example(*signals: RankingSignal) -> list[RankedCandidate]:
    query = "key"
    return rank_pool(
        understand_query(query, (), NOW),
        make_pool(query, text("a", relevance=0.25), text("b", relevance=-1.5)),
        signals,
    )


def test_relevance_and_boosts_add_up_to_the_total_that_is_squashed() -> None:
    for one in rank_example(by_number(1 / 3), RankingSignal("silent", 1.0, lambda query, pool: [0.0, 0.0])):
        assert list(one.boosts) == ["number"]
        assert one.total == round(one.candidate.relevance + sum(one.boosts.values()), 6)
        assert one.final == squash_score(one.total)
    assert [one.boosts["number"] for one in rank_example(by_number(1 / 3))] == [0.666667, 1.333333]


def broken(query: object, pool: object) -> list[float]:
    raise ValueError("a signal's own fault")


@pytest.mark.parametrize(
    "reason",
    [
        RankingSignal("broken", 1.0, broken),
        RankingSignal("short", 1.0, lambda query, pool: [1.0]),
        RankingSignal("infinite", 1.0, lambda query, pool: [float("inf"), float("nan")]),
    ],
)
def test_a_signal_that_fails_is_left_out(reason: RankingSignal) -> None:
    assert [one.boosts for one in rank_example(reason, by_number(1))] == [{"number": 2.0}, {"number": 4.0}]


def test_without_signals_the_relevance_decides() -> None:
    assert [one.total for one in rank_example()] == [0.25, -1.5]


def test_squashing_keeps_the_order_within_nought_and_one() -> None:
    totals = [-1e9, -3.0, 0.0, 0.001, 4.0, 25.0, 1e9]
    finals = [squash_score(total) for total in totals]
    assert finals == sorted(finals)
    assert all(0 <= final <= 1 for final in finals)
    assert squash_score(0.0) == 0.5


def test_every_signal_of_the_settings_says_something_finite_of_any_pool() -> None:
    reasons = load_signals(memory_conf().ranking.boosts)
    assert len({reason.name for reason in reasons}) == len(reasons) > 20
    for query in ("", "What did Maya not say about 5 June, ERR_1 or my wife last time?"):
        for memories in ((), (text("x"),), (text("a"), fact("b", days_ago=-3), text("c", relevance=900.0))):
            for reason in reasons:
                assert len(signal_values(reason, query, *memories, speakers=("Maya",))) == len(memories)


# --- threads and asking ------------------------------------------------------------------------------------------
def test_a_turn_stands_on_the_words_of_the_turn_before() -> None:
    turns = (text("The canoe trip?"), text("In May.", previous_id=UUID(int=1)), text("Rain."))
    found = make_pool("canoe trip", *turns, text("Where to?", next_id=UUID(int=1)))
    holds = [(True, True), (False, False), (False, False), (False, False)]
    for candidate, held in zip(found.candidates, holds, strict=True):
        candidate.memory = replace(candidate.memory, holds=held)
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


# --- the published formula ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fields", "share"),
    [
        ({"uses": 5, "score": 0.8}, 0.80),
        ({"uses": 3, "score": 0.7}, 0.75),
        ({"uses": 5, "score": 0.7}, 0.75),
        ({"uses": 2, "score": 0.5}, 0.65),
        ({"uses": 2, "score": 0.4}, 0.30),
        ({"uses": 1, "score": 1.0}, 0.30),
        ({"tier": Tier.MEMORY_BANK, "importance": 0.9, "confidence": 0.9}, 0.55),
        ({"tier": Tier.MEMORY_BANK, "importance": 0.8, "confidence": 0.9}, 0.40),
    ],
)
def test_the_table_of_learned_weights(fields: dict[str, Any], share: float) -> None:
    [memory] = make_pool("x", text("y", **fields)).memories
    assert learned.choose_learned_share(memory) == share


def test_the_published_formula_is_a_sum_as_well() -> None:
    items = (fact("a", importance=1.0, confidence=1.0, relevance=0.5), text("b", tier=Tier.BOOKS, relevance=0.5))
    reasons = (learned.DYNAMIC_WEIGHTS, learned.QUALITY_MULTIPLIER)
    bank, book = rank_pool(understand_query("x", (), NOW), make_pool("x", *items), reasons)
    assert bank.total == pytest.approx((0.45 * 0.5 + 0.55 * 1.0) * 2)
    assert book.total == pytest.approx(0.7 * 0.5)


# --- kinds -------------------------------------------------------------------------------------------------------
def rank_kinds(shed_distance: float, count: int = 2, against: float = 0.0, shed: float = 0.0) -> float:
    """What a cue of kind gives a memory at distance 1.3, a cosine of about .15, beside one that is nearer and has as
    much of the cue as ``shed``."""
    pool = make_pool("where is the ladder?", *(text(f"memory {number}") for number in range(count)))
    for candidate in pool.candidates:
        candidate.distance = 1.3
    pool.candidates[0].distance = shed_distance
    values = [shed, *([1.0] * (count - 1))]
    kind = RankingSignal("kind", 3.0, lambda query, pool: values, leeway=OF_KIND)
    opposed = RankingSignal("opposed", 1.0, lambda query, pool: [-against] + [0.0] * (len(pool) - 1))
    return rank_pool(understand_query("where is the ladder?", (), NOW), pool, (kind, opposed))[1].boosts.get("kind", 0)


def test_its_kind_lifts_no_memory_past_one_that_is_far_nearer_and_of_no_such_kind() -> None:
    assert rank_kinds(0.7) == 0.0
    # Where that one has it too, all keep what they have, and of a half of it the half is kept.
    assert rank_kinds(0.7, shed=1.0) == 3.0
    assert rank_kinds(0.7, shed=0.5) == 1.5
    # Where nothing is nearer by much, the kind decides.
    assert rank_kinds(1.285) == 3.0
    # What something speaks against holds nobody back.
    assert rank_kinds(0.7, against=1.0) == 3.0
    # Nor do many beside it change that.
    assert rank_kinds(0.7, count=190) == 0.0


@pytest.mark.parametrize(("count", "share"), [(2, 1.0), (10, 1.0), (30, 0.5), (190, 0.1)])
def test_of_which_kind_a_memory_is_counts_little_among_many(count: int, share: float) -> None:
    pool = make_pool("where is the ladder?", *(text(f"memory {number}", is_dormant=True) for number in range(count)))
    query = understand_query("where is the ladder?", (), NOW)
    assert rank_pool(query, pool, (recency.DORMANT,))[0].boosts["dormant"] == pytest.approx(-0.5 * share)


def test_how_far_behind_a_memory_is_depends_on_how_far_apart_all_are() -> None:
    """Between statements of one matter cosines lie close, among many matters far apart."""
    lifts, rivals = [2.0, 0.0, 0.0, 0.0], np.array([True, True, True, True])
    close = Standings(np.array([0.50, 0.58, 0.48, 0.47]), rivals).limit(lifts, OF_KIND)
    apart = Standings(np.array([0.50, 0.58, 0.10, 0.05]), rivals).limit(lifts, OF_KIND)
    assert close[0] < 1.0 < apart[0] == 2.0


def test_what_lowers_is_no_lift() -> None:
    standings = Standings(np.array([0.9, 0.1, 0.1]), np.array([True, True, True]))
    assert standings.limit([0.0, -2.0, 2.0], OF_KIND) == [0.0, -2.0, 0.0]


def test_who_asks_what_they_were_told_does_not_ask_about_themselves() -> None:
    asked = "What did you tell me about candle wax?"
    exchange = text("User: How do I get wax out?\nAssistant: Freeze it.", thread_id="t")
    assert signal_values(subject.ABOUT_ME, asked, fact("I live in Bristol."), exchange) == [0.0, 0.0]
    assert signal_values(thread.QUESTION, asked, fact("I live in Bristol."), exchange) == [0.0, 0.0]
    assert any(signal_values(subject.ABOUT_ME, "Where do I live?", fact("I live in Bristol."), exchange))
