"""Which of the person's statements answers for now, by what they say."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from memory.facts.pairs.voice import cut_questions
from memory.retrieval.latest import WEIGHTS, order_former, order_statements, outdates
from memory.retrieval.told import SIGNS, ToldStatement, ToldStatements

BEGAN = datetime(2026, 3, 1, tzinfo=UTC)


def tell_all(*texts: str) -> list[ToldStatement]:
    """As they were said, a week apart, each as near to the question as the others."""
    return [ToldStatement(text, BEGAN + timedelta(weeks=week), 1.0, 0.5, 0.0) for week, text in enumerate(texts)]


def test_every_sign_has_a_weight() -> None:
    assert set(json.loads(WEIGHTS.read_text(encoding="utf-8"))) == set(SIGNS)


@pytest.mark.parametrize(
    ("question", "earlier", "later"),
    [
        ("How many lengths do I swim?", "I swim thirty lengths before work", "forty lengths now, I got quicker"),
        ("Wo parke ich?", "Ich parke im Hof hinter der Schule", "seit Montag jetzt in der Tiefgarage am Markt"),
        ("¿A qué hora ensayamos?", "ensayamos los martes a las siete", "ahora a las ocho, el local lo usan antes"),
    ],
)
def test_the_later_of_two_that_say_the_same_matter_comes_first(question: str, earlier: str, later: str) -> None:
    assert order_statements(question, tell_all(earlier, later)) == [1, 0]


@pytest.mark.parametrize(
    ("question", "earlier", "later"),
    [
        (
            "How many lengths did I use to swim?",
            "I swim thirty lengths before work",
            "forty lengths now, I got quicker",
        ),
        (
            "Wo habe ich früher geparkt?",
            "Ich parke im Hof hinter der Schule",
            "seit Montag parke ich in der Tiefgarage",
        ),
        ("¿A qué hora ensayábamos antes?", "ensayamos los martes a las siete", "ahora ensayamos a las ocho"),
    ],
)
def test_of_two_that_say_the_same_matter_the_earlier_comes_first_where_the_past_is_asked_for(
    question: str, earlier: str, later: str
) -> None:
    assert order_former(question, tell_all(earlier, later)) == [0, 1]
    # What the words of the question alone would have put first.
    older, newer = tell_all(earlier, later)
    assert order_former(question, [older, replace(newer, total=1.5)]) == [0, 1]


def test_the_past_is_asked_of_what_is_said_of_its_matter_and_of_nothing_else() -> None:
    ferry, oven = tell_all("The ferry leaves at half past two", "I used to bake in a brick oven")
    order = order_former("What did I use to bake in?", [replace(ferry, total=0.5), replace(oven, total=2.5)])
    assert order == [1, 0]


@pytest.mark.parametrize(
    ("question", "earlier", "later"),
    [
        ("Which tractor do I drive?", "I drive a grey Ferguson", "my neighbour drives a brand new Fendt"),
        ("Wo imkere ich?", "Ich imkere am Waldrand bei Plön", "mein Kollege imkert neuerdings in Eutin"),
        ("¿Dónde remo?", "remo en el club del puerto", "ojalá remara algún día en el lago de Banyoles"),
    ],
)
def test_what_others_do_and_what_is_wished_for_stands_behind_what_the_person_does(
    question: str, earlier: str, later: str
) -> None:
    assert order_statements(question, tell_all(earlier, later)) == [0, 1]


def test_what_likely_took_the_place_of_another_when_it_was_told_stands_before_it() -> None:
    oven, sieve = uuid4(), uuid4()
    older, newer = tell_all("Our baker is Hollis by the bridge", "Pryce delivers on Saturdays, lovely rye")
    older = replace(older, facts=frozenset({oven}), cosine=0.6, total=6.0)
    beside = replace(newer, facts=frozenset({sieve}))
    waiting = replace(beside, doubts=frozenset({oven}))
    question = "Who is our baker?"
    assert order_statements(question, [older, beside]) == [0, 1]
    assert order_statements(question, [older, waiting]) == [1, 0]
    assert outdates(ToldStatements(question, [older, waiting]), waiting, older)


@pytest.mark.parametrize(
    ("question", "earlier", "later", "is_doubted"),
    [
        ("Which allotment is ours?", "Our allotment is plot 12", "They moved us, our allotment is plot 3 now", True),
        ("Bei welcher Bank bin ich?", "Ich bin bei der Nordbank", "Hab gewechselt, bin jetzt bei der Südkasse", True),
        ("Which allotment is ours?", "Our allotment is plot 12", "How do I get rid of slugs?", False),
        ("Which allotment is ours?", "Our allotment is plot 12", "my neighbour has plot 3 now", False),
    ],
)
def test_what_a_later_statement_takes_the_place_of_is_doubted(
    question: str, earlier: str, later: str, is_doubted: bool
) -> None:
    told = tell_all(earlier, later)
    assert outdates(ToldStatements(question, told), told[1], told[0]) is is_doubted
    assert not outdates(ToldStatements(question, told), told[0], told[1])


def test_of_a_turn_of_which_something_has_ended_already_another_fact_is_doubted_sooner() -> None:
    told = tell_all("I use Mobilo for my phone, 25 a month", "went over to Tello, I pay 10 now, what a relief")
    among = ToldStatements("Which phone company am I with?", told)
    assert outdates(among, told[1], told[0], {BEGAN})


def test_what_has_ended_comes_last_whatever_it_says() -> None:
    told = tell_all("I live in Vaasa", "I live in Turku now")
    ended = [told[0], ToldStatement(told[1].text, told[1].said_at, 9.0, 0.9, 3.0, has_ended=True)]
    assert order_statements("Where do I live?", ended) == [0, 1]


def test_a_piece_of_a_turn_stands_behind_the_turn_unless_it_tells_what_is_asked() -> None:
    turn = ToldStatement("Maple is four months old, a proper terror already", BEGAN, 1.0, 0.5, 0.0)
    piece = ToldStatement("A proper terror already.", BEGAN, 2.0, 0.6, 0.0, is_published=True)
    telling = ToldStatement("A proper terror already.", BEGAN, 2.0, 0.6, 0.0, is_published=True, tells_asked=True)
    assert order_statements("What is the puppy like?", [piece, turn]) == [1, 0]
    assert order_statements("What is the puppy like?", [telling, turn]) == [0, 1]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("I'm on 5 mg now, what helps against a cough?", "I'm on 5 mg now,"),
        ("What helps against a cough?", ""),
        ("We moved to Turku. Where is the library?", "We moved to Turku."),
        ("We moved to Turku.", "We moved to Turku."),
    ],
)
def test_what_a_turn_asks_is_cut_from_what_it_tells(text: str, left: str) -> None:
    assert cut_questions(text) == left


def test_what_has_nothing_in_common_with_another_leads_past_it_only_where_it_is_as_near() -> None:
    porter, jobs = tell_all("You get the key from Hilary, the porter", "I've changed jobs, I publish books now")
    assert order_statements("Who is the porter?", [replace(porter, cosine=0.65), replace(jobs, cosine=0.3)]) == [0, 1]
    # Of one matter, however it is worded, the later one answers.
    older, newer = tell_all("The porter is Hilary", "The porter is Maud now")
    assert order_statements("Who is the porter?", [replace(older, cosine=0.65), replace(newer, cosine=0.3)]) == [1, 0]
