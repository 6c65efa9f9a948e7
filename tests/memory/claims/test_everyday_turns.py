"""What people say in passing of their days: the claims that hold, and none of what only looks like them."""

import pytest

from memory.claims.reader import read_claims

Fact = tuple[str, str, str]


def read_facts(*turns: str) -> set[Fact]:
    return {(one.subject, one.relation, one.object) for one in read_claims(turns[-1], turns[:-1]) if one.polarity}


def read_statements(text: str) -> set[str]:
    return {one.statement for one in read_claims(text)}


@pytest.mark.parametrize(
    ("text", "fact", "others"),
    [
        ("I work at Jellyfish in London, my boss is Jenny", ("you", "boss", "jenny"), "boss"),
        (
            "meine Hausärztin ist Frau Dr. Lehmann, Tel. 0421 555123",
            ("you", "doctor", "frau dr. lehmann"),
            "doctor",
        ),
        ("Anna, my sister, lives in Leeds", ("you", "sister", "anna"), "sister"),
    ],
)
def test_a_name_looks_like_one(text: str, fact: Fact, others: str) -> None:
    assert [one for one in read_facts(text) if one[1] == others] == [fact]


@pytest.mark.parametrize(
    "text", ["das thinkpad hab ich meinem bruder geschenkt", "ich hab meinem vater gesagt dass ich komme"]
)
def test_what_was_done_is_no_name(text: str) -> None:
    assert {relation for _, relation, _ in read_facts(text)} <= {"about"}


@pytest.mark.parametrize(
    "text",
    [
        "Driving test got moved to 10 December",
        "my driving test on the 3rd of December",
        "driving lessons on Monday",
    ],
)
def test_a_driving_test_is_no_car_and_a_day_no_field_of_study(text: str) -> None:
    assert not {relation for _, relation, _ in read_facts(text)} & {"car", "studies"}


def test_what_is_driven_is_a_car() -> None:
    assert ("you", "car", "polo") in read_facts("Driving the Polo to work")


@pytest.mark.parametrize(
    "text",
    [
        "Ich studiere Informatik in Graz im 4. Semester.",
        "Meine Tochter geht in die 8. Klasse.",
        "Meine Hausärztin ist Frau Dr. Lehmann, Tel. 0421 555123.",
    ],
)
def test_the_dot_of_a_number_ends_no_sentence(text: str) -> None:
    assert text in read_statements(text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I support Man City", ("you", "likes", "man city")),
        ("my dad supports Leeds United", ("dad", "likes", "leeds united")),
        ("I'm a Man City fan", ("you", "likes", "man city")),
        ("I'm a huge fan of Arsenal", ("you", "likes", "arsenal")),
        ("my brother is a City fan", ("brother", "likes", "city")),
        ("Ich bin Fan von Werder Bremen", ("you", "likes", "werder bremen")),
        ("ich bin Werder-Fan", ("you", "likes", "werder")),
        ("je suis supporter du PSG", ("you", "likes", "psg")),
        ("Soy del Betis", ("you", "likes", "betis")),
        ("Tifo per la Roma", ("you", "likes", "roma")),
        ("Torço pelo Benfica", ("you", "likes", "benfica")),
        ("אני אוהד מכבי חיפה", ("you", "likes", "מכבי חיפה")),
    ],
)
def test_who_supports_a_team_likes_it_and_plays_for_none(text: str, fact: Fact) -> None:
    assert read_facts(text) == {fact}
