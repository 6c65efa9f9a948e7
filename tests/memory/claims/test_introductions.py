"""Introductions in one breath: a name, and what somebody is, how old and where, between marks."""

import pytest

from memory.claims.reader import read_claims
from memory.claims.turns import read_turn as read_hot_turn

Told = dict[str, str]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "hi im sam, 42, plumber from hull. can you write me an invoice template",
            {"name": "sam", "age": "42", "works_as": "plumber", "born_in": "hull"},
        ),
        (
            "Moin, ich bin Malte, 47, Tischler mit eigener Werkstatt in Husum. Schreib mir ein Angebot.",
            {"name": "malte", "age": "47", "works_as": "tischler", "lives_in": "husum"},
        ),
        (
            "Moin, ich bin Jana, 34, Lehrerin aus Kiel.",
            {"name": "jana", "age": "34", "works_as": "lehrerin", "born_in": "kiel"},
        ),
        (
            "hola, soy Marta, 29, enfermera en Bilbao",
            {"name": "marta", "age": "29", "works_as": "enfermera", "lives_in": "bilbao"},
        ),
        (
            "salut, moi c'est Claire, 38 ans, infirmière à Nantes",
            {"name": "claire", "age": "38", "works_as": "infirmière", "lives_in": "nantes"},
        ),
        (
            "ciao, sono Luca, 45, idraulico di Torino",
            {"name": "luca", "age": "45", "works_as": "idraulico", "born_in": "torino"},
        ),
        (
            "olá, sou a Rita, 31, professora no Porto",
            {"name": "rita", "age": "31", "works_as": "professora", "lives_in": "porto"},
        ),
        ("היי, אני דנה, 34, מורה מחיפה", {"name": "דנה", "age": "34", "works_as": "מורה", "born_in": "חיפה"}),
        ("Hi! I'm Jo, a nurse at St Mary's", {"name": "jo", "works_as": "nurse", "works_at": "st mary's"}),
    ],
)
def test_what_stands_behind_a_name_is_told_of_who_speaks(text: str, told: Told) -> None:
    claims = read_claims(text)
    assert sorted((one.relation, one.object) for one in claims) == sorted(told.items())
    assert {one.subject for one in claims} == {"you"}
    assert {(one.relation, one.object) for one in read_hot_turn(text).triples} == set(told.items())


def test_each_statement_says_who_it_is() -> None:
    assert all("Malte" in one.statement for one in read_claims("Moin, ich bin Malte, 47, Tischler in Husum."))


@pytest.mark.parametrize(
    "text",
    ["I'm Sam, nice to meet you", "hi im sam, can you write me an invoice for a plumber from hull"],
)
def test_what_is_no_trade_is_none(text: str) -> None:
    assert not [one for one in read_claims(text) if one.relation in {"works_as", "born_in", "lives_in"}]


def test_which_job_somebody_got_is_said_behind() -> None:
    told = read_claims("I GOT THE JOB!! deputy head at Thornbury Primary, start after xmas on 4 jan")
    assert [(one.subject, one.relation, one.object, one.tense) for one in told] == [
        ("you", "works_as", "deputy head", "new"),
        ("you", "works_at", "thornbury primary", "new"),
    ]
    assert not [one for one in read_claims("my sister got the job! deputy head at Thornbury Primary") if one.object]
    assert not [one for one in read_claims("I got the job! lunch at Nandos later?") if one.object]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("yo im dev 23 from luton", {"name": "dev", "age": "23", "born_in": "luton"}),
        ("hey im sam 42 plumber from hull", {"name": "sam", "age": "42", "works_as": "plumber", "born_in": "hull"}),
        ("im priya 31", {"name": "priya", "age": "31"}),
        ("I'm Sam 42", {"name": "sam", "age": "42"}),
        ("ich bin timo 19", {"name": "timo", "age": "19"}),
        (
            "hi ich bin timo 19 azubi zum kfz mechatroniker bei autohaus brandt in rostock, kannst du mir helfen?",
            {
                "name": "timo",
                "age": "19",
                "works_as": "azubi",
                "works_at": "autohaus brandt",
                "lives_in": "rostock",
            },
        ),
        ("salut moi c'est léa 22 ans de lyon", {"name": "léa", "age": "22", "born_in": "lyon"}),
        (
            "hola soy marta 29 enfermera en bilbao",
            {"name": "marta", "age": "29", "works_as": "enfermera", "lives_in": "bilbao"},
        ),
        ("ciao sono luca 45 di torino", {"name": "luca", "age": "45", "born_in": "torino"}),
        ("oi sou a rita 31 do porto", {"name": "rita", "age": "31", "born_in": "porto"}),
        ("היי אני דנה 34 מחיפה", {"name": "דנה", "age": "34", "born_in": "חיפה"}),
    ],
)
def test_an_age_needs_no_marks_behind_a_name(text: str, told: Told) -> None:
    assert {(one.relation, one.object) for one in read_claims(text)} == set(told.items())


@pytest.mark.parametrize(
    "text",
    [
        "I'm size 12 in jeans",
        "I'm on bus 23 from Luton",
        "Ich bin Jahrgang 58",
        "I'm Sam 10 minutes away",
        "soy talla 42",
    ],
)
def test_a_number_behind_a_thing_is_no_age(text: str) -> None:
    assert not {one.relation for one in read_claims(text)} & {"name", "age"}
