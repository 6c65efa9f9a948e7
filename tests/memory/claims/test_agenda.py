"""Appointments told side by side are claims of their own, and one of them is moved alone."""

import pytest

from memory.claims import read_claims


def list_times(text: str, *previous: str) -> list[tuple[str, str, str]]:
    return [(one.subject, one.object, one.statement) for one in read_claims(text, previous) if one.relation == "time"]


@pytest.mark.parametrize(
    ("text", "nouns"),
    [
        ("chiropodist thursday at 10, eye test friday at half 2", ["chiropodist", "eye test"]),
        ("I've got the plumber on the 5th at 9 and the vet on the 7th at 4", ["plumber", "vet"]),
        ("Friseur Dienstag 10 Uhr, Steuerberater Donnerstag 14 Uhr", ["friseur", "steuerberater"]),
        ("Dienstag um 10 Friseur und Donnerstag um halb drei Steuerberater", ["friseur", "steuerberater"]),
        ("dentista martes a las 10 y cuarto, taller jueves a las 8", ["dentista", "taller"]),
        ("dentiste mardi à 10h et garage jeudi à 8h", ["dentiste", "garage"]),
        ("orthophoniste lundi 17h, judo mercredi 14h", ["orthophoniste", "judo"]),
        ("oculista il 3 alle 9 e commercialista il 5 alle 15", ["oculista", "commercialista"]),
        ("תור לרופא שיניים ביום שלישי בעשר, מוסך ביום חמישי בשמונה", ["תור לרופא שיניים", "מוסך"]),
    ],
)
def test_each_appointment_is_a_claim_with_its_own_words(text: str, nouns: list[str]) -> None:
    told = list_times(text)
    assert [noun for noun, _, _ in told] == nouns
    assert not any(nouns[0] in statement.casefold() for _, _, statement in told[1:])


@pytest.mark.parametrize(
    "text",
    [
        "She has football on monday, piano on tuesday.",
        "room 2, floor 3 on monday",
        "Is the dentist thursday at 10, the eye test friday at 2?",
    ],
)
def test_a_sentence_that_tells_more_is_kept_whole(text: str) -> None:
    assert len(list_times(text)) < 2


@pytest.mark.parametrize(
    ("told", "text", "noun", "old"),
    [
        ("the plumber on the 5th at 9 and the vet on the 7th at 4", "vet moved to the 8th", "vet", "7th at 4"),
        ("the vet on the 7th at 4 and the plumber on the 9th at 9", "vet moved to the 8th", "vet", "7th at 4"),
        (
            "dentista martes a las 10, taller jueves a las 8",
            "el taller lo han pasado al viernes",
            "taller",
            "jueves a las 8",
        ),
        (
            "מוסך ביום חמישי בשמונה, תור לרופא שיניים ביום שלישי בעשר",
            "המוסך נדחה ליום ראשון",
            "מוסך",
            "ביום חמישי בשמונה",
        ),
    ],
)
def test_the_one_that_is_named_is_moved(told: str, text: str, noun: str, old: str) -> None:
    claim = next(one for one in read_claims(text, [told]) if one.relation == "time")
    assert (claim.subject, claim.replaces, claim.tense) == (noun, old, "new")


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (
            "my physio is on Wednesdays at 5",
            "is it not better to do physio in the morning? Fridays at 9 say",
        ),
        ("mi fisio es los miércoles a las 5", "¿no sería mejor por la mañana? los viernes a las 9, por ejemplo"),
        (
            "meine Krankengymnastik ist dienstags um drei",
            "wäre es nicht besser, morgens zu gehen? freitags um 9 zum Beispiel",
        ),
        ("my physio is on Wednesdays at 5", "would Fridays be better?"),
    ],
)
def test_a_time_that_is_asked_about_moves_nothing(told: str, text: str) -> None:
    assert read_claims(text, [told]) == []


def test_a_time_told_behind_a_question_moves_what_it_names() -> None:
    text = "did I tell you my physio has moved? It's on Fridays now"
    claim = next(one for one in read_claims(text, ["my physio is on Wednesdays at 5"]))
    assert (claim.subject, claim.relation, claim.object, claim.tense) == ("physio", "time", "fridays", "new")


@pytest.mark.parametrize(
    ("told", "text", "key"),
    [
        (
            "meine Krankengymnastik ist dienstags um drei",
            "ab Mittwoch dann viertel nach drei, also mittwochs",
            ("krankengymnastik", "mittwoch"),
        ),
        (
            "mi fisio es los martes a las tres",
            "a partir de ahora a las tres y cuarto, los miércoles",
            ("fisio", "miércoles"),
        ),
        ("mon kiné est le mardi à trois heures", "désormais trois heures et quart, le mercredi", ("kiné", "mercredi")),
        (
            "la mia fisioterapia è il martedì alle tre",
            "da mercoledì alle tre e un quarto, quindi il mercoledì",
            ("fisioterapia", "mercoledì"),
        ),
        ("הפיזיותרפיה שלי בימי שלישי בשלוש", "מעכשיו בימי רביעי ברבע אחרי שלוש", ("הפיזיותרפיה", "רביעי")),
        ("guitar lessons on Tuesdays at 6", "from now on it's Thursdays", ("guitar lessons", "thursdays")),
        (
            "Mein Physiotermin ist Dienstag 14 Uhr.",
            "Physio ruft grad an, wird Mittwoch viertel nach drei",
            ("physiotermin", "mittwoch"),
        ),
    ],
)
def test_a_new_day_alone_is_of_what_was_told(told: str, text: str, key: tuple[str, str]) -> None:
    claims = read_claims(text, [told])
    assert [(one.subject, one.object, one.tense) for one in claims] == [(*key, "new")]
    # The old hour is not told with the new one.
    assert told.casefold() not in claims[0].statement.casefold()


def test_a_question_with_a_day_still_tells_what_it_tells() -> None:
    text = "a Alba no le gusta nada el pescado, ¿qué le preparo el viernes?"
    claims = read_claims(text, ["tengo fisio los lunes a las 5", "mi hija Alba tiene clase el martes"])
    assert any("Alba" in one.statement and one.relation != "time" for one in claims)


def test_a_date_alone_is_of_what_was_on_a_date() -> None:
    told = "Desde hoy tenemos una estudiante de intercambio, Alba, de Valladolid."
    claims = read_claims("Alba viaja a Múnich el 10 de octubre con su clase", [told])
    assert not [one for one in claims if one.relation == "time"]
