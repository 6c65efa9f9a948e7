"""Two facts of the plainest kind in one sentence: neither hides the other."""

import pytest

from memory.claims.reader import read_claims


def read_facts(text: str) -> set[tuple[str, str]]:
    return {(claim.relation, claim.object) for claim in read_claims(text)}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I'm 34 and I live in Hull.", {("age", "34"), ("lives_in", "hull")}),
        ("im 34 and i work at aldi", {("age", "34"), ("works_at", "aldi")}),
        ("I'm 34 and I like jazz.", {("age", "34"), ("likes", "jazz")}),
        ("Ich komme aus Izmir, wohne aber seit 2019 in Gelsenkirchen.", {("lives_in", "gelsenkirchen")}),
        (
            "oi, aqui é a Jurema, sou bibliotecária e moro em Olinda",
            {("name", "jurema"), ("works_as", "bibliotecária")},
        ),
        ("allora io sono Donatella, faccio la sarta a Prato", {("name", "donatella"), ("works_as", "sarta")}),
        ("אני רוני, גרה בעכו ועובדת במאפייה", {("name", "רוני"), ("lives_in", "עכו")}),
        ("Seeing somebody new, he's called Rhodri and he's a paramedic", {("boyfriend", "rhodri")}),
    ],
)
def test_each_is_told(text: str, facts: set[tuple[str, str]]) -> None:
    assert read_facts(text) >= facts


@pytest.mark.parametrize(
    ("text", "no_fact"),
    [
        ("we live in a rented flat and pay 900", "lives_in"),
        ("vivimos en un piso alquilado y pagamos 900", "lives_in"),
        ("moramos num apartamento alugado e pagamos 1800 por mes", "lives_in"),
        ("ich bin 1,93 groß", "age"),
        ("Ich bin aber 1,93 groß.", "age"),
        ("Vivo en Vigo y soy feliz", "works_as"),
        ("J'habite à Lyon et je suis triste", "works_as"),
    ],
)
def test_a_rent_is_no_home_a_height_no_age_and_a_mood_no_trade(text: str, no_fact: str) -> None:
    assert no_fact not in {relation for relation, _ in read_facts(text)}


@pytest.mark.parametrize(("text", "age"), [("im 34", "34"), ("I'm 34.", "34"), ("im 25 years old", "25")])
def test_an_age_alone_is_english(text: str, age: str) -> None:
    assert ("age", age) in read_facts(text)


def test_german_im_is_a_preposition() -> None:
    assert read_facts("im Norden") == set()


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Ya no vivo en Bilbao, estoy en Gijón.", ("lives_in", "gijón")),
        ("Je n'habite plus à Lyon, je suis à Brest.", ("lives_in", "brest")),
        ("Já não moro em Braga, estou em Faro.", ("lives_in", "faro")),
        ("Ya no trabajo en Seur, estoy en Glovo.", ("works_at", "glovo")),
    ],
)
def test_where_somebody_is_behind_what_is_over_is_the_next(text: str, fact: tuple[str, str]) -> None:
    assert fact in read_facts(text)


@pytest.mark.parametrize("text", ["Ya no vivo en Bilbao, estoy contenta.", "Ya no trabajo en Seur, estoy en casa."])
def test_how_somebody_is_behind_it_is_no_place(text: str) -> None:
    assert len(read_facts(text)) == 1


@pytest.mark.parametrize(
    ("said", "statement"),
    [
        ("I work at Lidl and I'd like to learn Polish", "I work at Lidl."),
        ("lavoro alla Lidl e vorrei imparare il polacco", "Lavoro alla Lidl."),
        ("trabajo en Lidl y me gustaría aprender polaco", "Trabajo en Lidl."),
        ("je travaille chez Lidl et j'aimerais apprendre le polonais", "Je travaille chez Lidl."),
        ("ich arbeite bei Lidl und würde gern Polnisch lernen", "Ich arbeite bei Lidl."),
        ("trabalho no Lidl e gostava de aprender polaco", "Trabalho no Lidl."),
        ("ho due cani e vorrei un gatto", "Ho due cani."),
    ],
)
def test_what_is_told_before_a_wish_is_told(said: str, statement: str) -> None:
    assert statement in [claim.statement for claim in read_claims(said)]


@pytest.mark.parametrize("said", ["I'd like a dog and live by the sea", "vorrei un cane e vivere al mare"])
def test_what_goes_on_with_a_wish_is_wished_for(said: str) -> None:
    assert not [claim for claim in read_claims(said) if claim.relation in {"has", "lives_in"}]
