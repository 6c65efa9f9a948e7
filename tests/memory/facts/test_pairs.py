"""The judge of pairs: subject, slot, value, polarity and time decide, in every language."""

import pytest

from memory.facts.pairs import judge_pair, read_statement


def judge(a: str, b: str, cosine: float | None = None, *, is_ordered: bool = False) -> str:
    return judge_pair(read_statement(a), read_statement(b), cosine, is_ordered=is_ordered)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I live in Leeds.", "I live in Leeds."),
        ("The user lives in Leeds.", "The user's home is in Leeds."),
        ("Die Nutzerin wohnt in Celle.", "Die Nutzerin hat ihre Wohnung in Celle."),
        ("El usuario vive en Lugo.", "El usuario tiene su casa en Lugo."),
        ("User plays the oboe.", "User plays the oboe in a wind quintet."),
        ("User works for the International Labour Office.", "User works for the ILO."),
        ("User is 1.70 m tall.", "User is 170 cm tall."),
    ],
)
def test_one_thing_in_two_wordings_is_merged(a: str, b: str) -> None:
    assert judge(a, b) == judge(b, a) == "merge"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("User lives in Leeds.", "User lives in York."),
        ("L'utente abita a Pavia.", "L'utente abita a Lodi."),
        ("המשתמשת גרה בלוד.", "המשתמשת גרה ביבנה."),
        ("User is allergic to wasps.", "User is not allergic to wasps."),
        ("L'utilisateur n'a pas de moto.", "L'utilisateur a une moto."),
        ("A utilizadora não come nenhum queijo.", "A utilizadora come queijo."),
        ("Der Nutzer ist ledig.", "Der Nutzer ist verheiratet."),
        ("User's blood group is O negative.", "User's blood group is A positive."),
        ("User's choir rehearsal is on Tuesday.", "User's choir rehearsal is on Friday."),
    ],
)
def test_what_cannot_both_hold_contradicts(a: str, b: str) -> None:
    assert judge(a, b) == judge(b, a) == "contradiction"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("User's uncle keeps bees.", "User's niece keeps bees."),
        ("User speaks Welsh.", "User speaks Breton."),
        ("Morgens isst der Nutzer Müsli.", "Abends isst der Nutzer Brot."),
        ("User has a flat in Cork.", "User has a holiday cottage in Kerry."),
        ("L'utilisatrice habite à Metz.", "L'utilisatrice habitait à Nancy."),
        ("User's work phone is a Nokia.", "User's private phone is a Fairphone."),
    ],
)
def test_what_can_both_hold_is_kept(a: str, b: str) -> None:
    assert judge(a, b) == judge(b, a) == "keep_both"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("User lost an umbrella on the bus.", "User lost a game of chess."),
        ("User plays chess.", "User's roof is leaking."),
        ("El usuario perdió las llaves.", "El usuario perdió una apuesta."),
    ],
)
def test_a_shared_word_alone_relates_nothing(a: str, b: str) -> None:
    assert judge(a, b) == judge(b, a) == "unrelated"
