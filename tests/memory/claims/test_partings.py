"""What ends, by words that end anything, whatever it is; and somebody new whose name comes in the next words."""

import pytest

from memory.claims import read_claims
from memory.claims.turns import read_turn


@pytest.mark.parametrize(
    ("before", "text", "ended"),
    [
        ("Our cat Sooty is nine", "we had to put Sooty down", ("you", "cat", "sooty")),
        ("nuestro perro Chispa ladra mucho", "ayer tuvimos que sacrificar a Chispa", ("you", "dog", "chispa")),
        ("unser Hund Bruno ist alt", "wir mussten Bruno einschläfern lassen", ("you", "dog", "bruno")),
        ("a nossa gata Mimi é velhinha", "a Mimi morreu ontem", ("you", "cat", "mimi")),
        ("J'habite à Fougères", "Nous quittons Fougères", ("you", "lives_in", "fougères")),
        ("we live in Goole", "we're leaving Goole", ("you", "lives_in", "goole")),
        ("my boyfriend Rory is a roofer", "Rory and I called it a day", ("you", "boyfriend", "rory")),
        ("la mia ragazza Elisa studia legge", "con Elisa è finita", ("you", "girlfriend", "elisa")),
        ("my girlfriend is Nadia", "nadia and me are done. don't ask", ("you", "girlfriend", "nadia")),
        ("we have a hamster called Pip", "so no more Pip", ("you", "hamster", "pip")),
        ("tenemos dos perros, Nube y Rayo", "Rayo se nos fue anoche", ("you", "dog", "rayo")),
        ("Chispa es mi gata, tiene 14", "hoy la pusimos a dormir a Chispa", ("you", "cat", "chispa")),
    ],
)
def test_what_was_told_ends_by_its_name(before: str, text: str, ended: tuple[str, str, str]) -> None:
    [over] = read_turn(text, (before,)).retracted
    assert over.key == ended
    assert over.is_over


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("we live in Goole", "we're leaving Goole on Friday at nine"),
        ("we live in Goole", "we're not leaving Goole"),
        ("Our cat Sooty is nine", "my aunt's dog passed away"),
        ("my sister Maud is a nurse", "Maud retired last year"),
        ("my husband Greg is a plumber", "Greg left work early"),
        ("ma femme Inès est pharmacienne", "Inès a quitté la pharmacie à 19h"),
        ("my son Jude is 3", "we left Jude at nursery"),
    ],
)
def test_a_journey_a_denial_and_others_end_nothing(before: str, text: str) -> None:
    assert read_turn(text, (before,)).retracted == ()


@pytest.mark.parametrize(
    ("text", "relation", "name"),
    [
        ("Seeing someone new, she's called Petra", "girlfriend", "petra"),
        ("estoy saliendo con un chico, se llama Iker", "boyfriend", "iker"),
        ("hab jemanden kennengelernt, heißt Jonas", "partner", "jonas"),
        ("אני יוצאת עם מישהו, קוראים לו רועי", "boyfriend", "רועי"),
    ],
)
def test_somebody_new_gets_their_name(text: str, relation: str, name: str) -> None:
    assert ("you", relation, name) in [one.key for one in read_turn(text).triples]
    assert (relation, name) in [(one.relation, one.object) for one in read_claims(text)]


@pytest.mark.parametrize(
    ("before", "text", "gone", "name"),
    [
        ("my boss is called Clive", "Clive retired on friday, Shaz runs the shop now", "clive", "shaz"),
        (
            "mein Chef ist Herr Wolff",
            "der Wolff ist in Rente, jetzt haben wir die Frau Yildiz",
            "herr wolff",
            "frau yildiz",
        ),
        ("mi jefe es Raúl", "a Raúl lo echaron, ahora está una tal Vanesa", "raúl", "vanesa"),
        ("il mio capo è Bonetti", "Bonetti è andato in pensione, al posto suo c'è la Ferrero", "bonetti", "ferrero"),
    ],
)
def test_who_comes_in_the_place_of_who_has_gone(before: str, text: str, gone: str, name: str) -> None:
    reading = read_turn(text, (before,))
    assert [one.object for one in reading.retracted] == [gone]
    assert [one.key for one in reading.triples] == [("you", "boss", name)]


def test_who_is_merely_named_beside_takes_no_place() -> None:
    reading = read_turn("Clive retired on friday, Anna baked a cake", ("my boss is called Clive",))
    assert reading.triples == ()


@pytest.mark.parametrize(
    "text", ["ceno siempre los viernes con julián, mi novio", "mangio sempre a casa di mia nonna la domenica"]
)
def test_what_the_person_always_does_is_no_wish_about_answers(text: str) -> None:
    assert "style" not in {one.relation for one in read_claims(text)}


def test_what_is_done_always_is_no_wish_about_answers() -> None:
    assert [one.relation for one in read_claims("carry an epipen always")] == ["asked_to_remember"]
    assert [one.relation for one in read_claims("always recommend vegan options for me")] == ["style"]


def test_what_drives_like_new_likes_nothing() -> None:
    assert read_turn("the Skoda drives like new").triples == ()


def test_two_people_beside_each_other_are_no_irony() -> None:
    told = [(one.subject, one.object) for one in read_claims("mon mari travaille chez Airbus et moi je suis fleuriste")]
    assert told == [("mari", "airbus"), ("you", "fleuriste")]


@pytest.mark.parametrize(
    "text",
    [
        "translate this: my sister lives in Rome",
        "übersetz mir: ich wohne in Ulm",
        "scrivimi una favola su un bambino che vive a Lecce con il nonno",
        "escribe un cuento sobre una chica que vive en Cuenca",
    ],
)
def test_a_text_to_make_tells_nothing(text: str) -> None:
    assert read_turn(text).triples == ()
    assert read_turn(text).intent == "INSTRUCTION"


def test_what_is_told_beside_a_text_to_make_is_kept() -> None:
    told = [one.key for one in read_turn("write me a note to my boss Tom, I live in Hull").triples]
    assert told == [("you", "boss", "tom"), ("you", "lives_in", "hull")]
