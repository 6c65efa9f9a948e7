"""What becomes of appointments: moved, given, cancelled."""

import pytest

from memory.claims.reader import read_claims

MOVED = [
    ("Der Zahnarzt hat den Termin auf den 5. um 14 Uhr verschoben.", "zahnarzt", "5. um 14 uhr"),
    ("La dentista me ha cambiado la cita al 5 a las 14.", "dentista", "5 a las 14"),
    ("Le dentiste a décalé mon rendez-vous au 5 à 14h.", "dentiste", "5 à 14h"),
    ("Il dentista ha spostato l'appuntamento al 5 alle 14.", "dentista", "5 alle 14"),
    ("O dentista mudou a consulta para dia 5 às 14h.", "dentista", "5 às 14h"),
    ("רופא השיניים העביר לי את התור ל-5 בשעה 14.", "רופא השיניים", "5 בשעה 14"),
    ("dentist moved me to the 5th at 2pm", "dentist", "5th at 2pm"),
    ("der friseur hat mich auf freitag 16 uhr verschoben", "friseur", "freitag 16 uhr"),
]
CANCELLED = [
    ("zahnarzt musste ich absagen, neuer termin 2. dezember 10:30 uhr", "zahnarzt", "2. dezember 10:30 uhr"),
    ("Den Zahnarzt musste ich leider absagen. Neuer Termin ist der 12. um 9 Uhr.", "zahnarzt", "12. um 9 uhr"),
    ("I had to cancel the dentist, new appointment 2 December 10:30", "dentist", "2 december 10:30"),
    ("j'ai dû annuler le dentiste, nouveau rdv le 2 décembre", "dentiste", "2 décembre"),
    (
        "He tenido que cancelar el dentista, nueva cita el 2 de diciembre a las 10:30",
        "dentista",
        "2 de diciembre a las 10:30",
    ),
    (
        "ho dovuto annullare il dentista, nuovo appuntamento il 2 dicembre alle 10:30",
        "dentista",
        "2 dicembre alle 10:30",
    ),
    ("tive de cancelar o dentista, nova consulta dia 2 de dezembro às 10:30", "dentista", "2 de dezembro às 10:30"),
    (
        "נאלצתי לבטל את רופא השיניים, תור חדש ב-2 בדצמבר בשעה 10:30",
        "רופא השיניים",
        "2 בדצמבר בשעה 10:30",
    ),
]
GIVEN = [
    ("The dentist gave me an appointment on 3 March at 10.", "dentist", "3 march at 10"),
    ("Der Zahnarzt hat mir einen Termin am 3. März um 10 Uhr gegeben.", "zahnarzt", "3. märz um 10 uhr"),
    ("La dentista me ha dado cita el 3 de marzo a las 10.", "dentista", "3 de marzo a las 10"),
    ("Le dentiste m'a donné rendez-vous le 3 mars à 10h.", "dentiste", "3 mars à 10h"),
    ("Il dentista mi ha dato appuntamento il 3 marzo alle 10.", "dentista", "3 marzo alle 10"),
    ("O dentista marcou-me consulta para 3 de março às 10h.", "dentista", "3 de março às 10h"),
    ("רופא השיניים קבע לי תור ל-3 במרץ בשעה 10.", "רופא השיניים", "3 במרץ בשעה 10"),
]
NO_TIME = [
    "I moved my desk to the 5th floor next to the dentist",
    "the dentist gave me a filling on the 3rd of march",
    "The dentist moved my son to the 5th at 2pm",
    "if the dentist moved me to the 5th at 2pm I would be glad",
    "The vet changed her food on the 5th",
]


@pytest.mark.parametrize(
    ("turn", "subject", "time"), [*MOVED, *CANCELLED, *GIVEN], ids=[one[0] for one in [*MOVED, *CANCELLED, *GIVEN]]
)
def test_whoever_gives_appointments_has_the_whole_new_time(turn: str, subject: str, time: str) -> None:
    (claim,) = read_claims(turn)
    assert (claim.subject, claim.relation, claim.object, claim.tense) == (subject, "time", time, "new")


@pytest.mark.parametrize(
    ("before", "turn", "subject", "old"),
    [
        (
            "my dentist appointment is on 3 November at 9am",
            "Dentist moved me to the 5th at 2pm.",
            "dentist appointment",
            "3 november at 9am",
        ),
        (
            "Zahnarzttermin ist am 3. November um 9 Uhr",
            "Der Zahnarzt hat mich auf den 5. verschoben",
            "zahnarzttermin",
            "3. november um 9 uhr",
        ),
        (
            "Zahnarzt ist am 3. November um 9 Uhr",
            "Den Zahnarzttermin musste ich absagen, neuer Termin am 5.12. um 9 Uhr",
            "zahnarzt",
            "3",
        ),
    ],
)
def test_a_moved_appointment_is_the_one_that_was_told(before: str, turn: str, subject: str, old: str) -> None:
    (claim,) = read_claims(turn, [before])
    assert (claim.subject, claim.relation, claim.replaces, claim.is_correction) == (subject, "time", old, False)


@pytest.mark.parametrize(
    ("before", "turn", "subject", "old"),
    [
        (
            "I have a dentist appointment on 3 November at 9",
            "I cancelled the dentist appointment",
            "dentist appointment",
            "3 november at 9",
        ),
        (
            "Zahnarzt ist am 3. November um 9 Uhr",
            "den Zahnarzttermin hab ich abgesagt",
            "zahnarzt",
            "3",
        ),
        (
            "tengo dentista el 3 de noviembre a las 10",
            "he cancelado el dentista",
            "dentista",
            "3 de noviembre a las 10",
        ),
    ],
)
def test_what_is_cancelled_without_a_new_day_is_over(before: str, turn: str, subject: str, old: str) -> None:
    claims = read_claims(turn, [before])
    assert (subject, "time", old, "over") in {(one.subject, one.relation, one.object, one.tense) for one in claims}


@pytest.mark.parametrize("turn", NO_TIME)
def test_what_moves_nothing_of_the_person_has_no_time(turn: str) -> None:
    assert "time" not in {claim.relation for claim in read_claims(turn)}


@pytest.mark.parametrize(
    ("before", "turn", "time"),
    [
        (
            "Elternabend ist am 4. November um 19 Uhr",
            "Elternabend ist verschoben auf den 11., gleiche Uhrzeit.",
            "11. november um 19 uhr",
        ),
        (
            "Arzttermin ist am 3. Dezember um 9 Uhr.",
            "Der Arzttermin wurde auf den 10. verschoben, gleiche Zeit.",
            "10. dezember um 9 uhr",
        ),
    ],
)
def test_at_the_same_hour_is_the_hour_that_was_told(before: str, turn: str, time: str) -> None:
    (claim,) = read_claims(turn, [before])
    assert (claim.object, claim.tense, claim.is_correction) == (time, "new", False)


@pytest.mark.parametrize(
    ("text", "event", "time", "old"),
    [
        (
            "Der Friseurtermin wurde von Dienstag auf Freitag um 15 Uhr verlegt",
            "friseurtermin",
            "freitag um 15 uhr",
            "dienstag",
        ),
        (
            "Le rendez-vous chez le coiffeur a été déplacé de mardi à vendredi à 15 h",
            "coiffeur",
            "vendredi à 15 h",
            "mardi",
        ),
        ("Dentist moved from Tuesday to Friday at 3", "dentist", "friday at 3", "tuesday"),
        (
            "La cita con el dentista se ha movido del martes al viernes a las 15",
            "dentista",
            "viernes a las 15",
            "martes",
        ),
        (
            "L'appuntamento dal dentista è stato spostato da martedì a venerdì alle 15",
            "dentista",
            "venerdì alle 15",
            "martedì",
        ),
        ("A consulta do dentista foi mudada de terça para sexta às 15", "dentista", "sexta às 15", "terça"),
        (
            "The hospital rang, my cataract appointment has been moved to the 19th of November",
            "cataract appointment",
            "19th of november",
            "",
        ),
        (
            "Das Krankenhaus hat angerufen, mein OP-Termin wurde auf den 19. November verschoben",
            "op-termin",
            "19. november",
            "",
        ),
        ("Der Zahnarzttermin wurde vom 3.11. auf den 5.11. verlegt", "zahnarzttermin", "5.11", "3.11"),
    ],
)
def test_an_appointment_moves_though_it_is_not_known(text: str, event: str, time: str, old: str) -> None:
    told = [one for one in read_claims(text) if one.relation == "time"]
    assert [(one.subject, one.object, one.replaces) for one in told] == [(event, time, old)]
    assert {one.relation for one in read_claims(text)} == {"time"}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("op ist am 2.12. in der uniklinik", ("op", "time", "2.12")),
        ("Mein Zahnarzttermin ist am 3.11. um 9 Uhr", ("zahnarzttermin", "time", "3.11. um 9 uhr")),
        ("Ich werde am 3. Dezember 40", ("you", "turns", "40")),
        ("J'aurai 40 ans le 3 décembre", ("you", "turns", "40")),
    ],
)
def test_a_day_is_told_in_numbers_or_before_an_age(text: str, key: tuple[str, str, str]) -> None:
    assert [(one.subject, one.relation, one.object) for one in read_claims(text)] == [key]


def test_a_day_is_no_event() -> None:
    text = "Am 28. Oktober um 9 Uhr habe ich einen Termin beim Zahnarzt Dr. Wolff"
    assert {one.subject for one in read_claims(text)} == {"termin", "you"}
