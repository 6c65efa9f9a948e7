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
