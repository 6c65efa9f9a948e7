"""A value that is put right, in the turn that told it or in a later one, is read as it was meant."""

import pytest

from memory.claims import read_claims
from memory.claims.turns import read_turn

LATER = [
    ("I'm allergic to penicillin.", "scratch that, it's amoxicillin", "I'm allergic to amoxicillin.", "penicillin"),
    ("My flight is on Tuesday.", "no wait, Wednesday", "My flight is on Wednesday.", "tuesday"),
    ("My sister lives in York.", "correction: Leeds", "My sister lives in Leeds.", "york"),
    (
        "Ich bin gegen Penicillin allergisch.",
        "quatsch, Amoxicillin meine ich",
        "Ich bin gegen Amoxicillin allergisch.",
        "penicillin",
    ),
    (
        "Soy alérgica a la penicilina.",
        "perdón, quise decir a la amoxicilina",
        "Soy alérgica a la amoxicilina.",
        "penicilina",
    ),
    ("J'habite à Lyon.", "non, je voulais dire à Laon", "J'habite à Laon.", "lyon"),
    ("Il mio cane si chiama Argo.", "scusa, volevo dire Arno", "Il mio cane si chiama Arno.", "argo"),
    ("O meu voo é na terça.", "aliás, quarta", "O meu voo é na quarta.", "terça"),
]
AT_ONCE = [
    ("I'm allergic to penicillin. Actually no, scratch that, it's amoxicillin", "I'm allergic to amoxicillin."),
    ("My son is called Tim, sorry, Tom.", "My son is called Tom."),
    ("I was born in 1990, sorry, 1991", "I was born in 1991."),
    ("Ich wohne in Ulm, quatsch, in Neu-Ulm.", "Ich wohne in Neu-Ulm."),
    ("Vivo en Lima, digo, en Quito.", "Vivo en Quito."),
    ("Ma fille s'appelle Lise, pardon, Louise", "Ma fille s'appelle Louise."),
    ("Ho 34 anni, anzi 35", "Ho 35 anni."),
    ("I'm allergic to walnuts, no wait, hazelnuts", "I'm allergic to hazelnuts."),
]
NO_CORRECTION = [
    ("I live in Leeds. Sorry for the late reply", "leeds"),
    ("I work at Tesco. Sorry, bad day.", "tesco"),
    ("I'm a nurse. Oops, wrong window.", "nurse"),
    ("Ich habe eine Katze. Moment, es klingelt.", "katze"),
]


@pytest.mark.parametrize(("before", "turn", "statement", "wrong"), LATER, ids=[one[0] for one in LATER])
def test_what_a_later_turn_puts_right_is_told_anew(before: str, turn: str, statement: str, wrong: str) -> None:
    claim = next(one for one in read_claims(turn, [before]) if one.replaces)
    assert (claim.statement, claim.replaces, claim.is_correction) == (statement, wrong, True)


@pytest.mark.parametrize(("turn", "statement"), AT_ONCE, ids=[one[0] for one in AT_ONCE])
def test_of_what_is_put_right_at_once_only_what_is_meant_is_told(turn: str, statement: str) -> None:
    assert {claim.statement for claim in read_claims(turn)} == {statement}
    assert not read_turn(turn).retracted


@pytest.mark.parametrize(("turn", "told"), NO_CORRECTION, ids=[one[0] for one in NO_CORRECTION])
def test_an_apology_puts_no_value_right(turn: str, told: str) -> None:
    assert [one.object for one in read_turn(turn).triples] == [told]


def test_the_words_of_a_correction_are_no_value() -> None:
    reading = read_turn("typo, 1948 lol", ["I was born in 1984."])
    assert [one.key for one in reading.triples] == [("you", "born_in", "1948")]


@pytest.mark.parametrize(
    ("before", "turn", "statement"),
    [
        ("my mom's surgery is on March 3rd", "they pushed it to the 10th", "My mom's surgery is on March 10th."),
        ("my flight is on the 3rd at 9:20", "they moved it to the 5th at 10:40", "My flight is on the 5th at 10:40."),
        (
            "le rendez-vous chez le notaire est le 3",
            "on a dit le 7 finalement",
            "Le rendez-vous chez le notaire est le 7.",
        ),
        (
            "ich hab am Freitag um 9 Zahnarzt",
            "die haben es auf Montag um 10 verlegt",
            "Ich hab am Montag um 10 Zahnarzt.",
        ),
        (
            "tengo turno con la endocrino el 3 de diciembre a las 9",
            "me corrieron el turno, es el 10 a las 9",
            "Tengo turno con la endocrino el 10 de diciembre a las 9.",
        ),
        ("", "my mom's surgery is on March 3rd. actually no, the 4th", "My mom's surgery is on March 4th."),
        (
            "",
            "dentist on 8th dec, at Town Street. actually scratch that its the 9th",
            "Dentist on 9th dec, at Town Street.",
        ),
        (
            "",
            "Di Noia mi ha dato appuntamento il 2 dicembre alle 15. anzi no, alle 16.30",
            "Di Noia mi ha dato appuntamento il 2 dicembre alle 16.30.",
        ),
    ],
)
def test_a_date_or_an_hour_that_is_moved_is_told_with_its_event(before: str, turn: str, statement: str) -> None:
    assert statement in {one.statement for one in read_claims(turn, [before] if before else [])}


@pytest.mark.parametrize(
    ("before", "turn", "wrong"),
    [
        ("", "I'm off on Friday. Actually I moved to Leeds on Monday", "I'm off on Monday."),
        (
            "Zahnarzt am 4. Dezember um 9, Friseur am 5.",
            "Zahnarzt verschoben auf den 11.",
            "Friseur am 11.",
        ),
        ("I work at Aviva", "sorry, long day. Half past nine and still here", "I work at Half past nine."),
        ("i have a shift on friday", "sorry, can you explain what happened on monday?", "I have a shift on monday."),
        (
            "Mein Physiotermin ist Dienstag 14 Uhr.",
            "Physio ruft grad an, wird Mittwoch viertel nach drei",
            "Mein Physiotermin ist Mittwoch 14 Uhr.",
        ),
    ],
)
def test_what_tells_more_than_a_date_moves_none(before: str, turn: str, wrong: str) -> None:
    assert wrong not in {one.statement for one in read_claims(turn, [before] if before else [])}


@pytest.mark.parametrize(
    "turns",
    [
        ("I'm allergic to peanuts", "write a haiku about rain", "sorry, I meant snow"),
        ("soy alérgico a la penicilina", "¿para qué sirve el ibuprofeno?", "perdón, el paracetamol"),
        ("I'm allergic to shellfish", "oops wrong window. strawberries and cream please"),
        ("sono allergico alle arachidi", "scusa, mi sono perso. Le noci nella torta quante erano?"),
        ("I live in Leeds with my partner Joe", "sorry, got distracted. Birmingham match was on"),
        ("I work at Lidl", "oh no, Arsenal lost again"),
        ("I live in Perth", "oops, Sydney just woke up from her nap, brb"),
        ("my daughter Ivy is 3", "what's 12 times 7?", "oops, times 8"),
        ("my name is Nadia", "write a letter to Mr Brown", "oops, Mrs Brown"),
        ("trabajo de enfermera", "perdón, en Madrid"),
        ("Lavoro alle Poste", "anzi no, Lecce è più bella per le foto"),
        ("Vivo en Bilbao", "perdona, estaba en el tren. Burgos ya, por fin"),
    ],
    ids=lambda turns: turns[-1],
)
def test_an_apology_about_another_matter_takes_nothing_back(turns: tuple[str, ...]) -> None:
    *before, last = turns
    reading = read_turn(last, before)
    assert (reading.retracted, reading.amendment) == ((), None)
    assert not [one for one in read_claims(last, before) if one.replaces]


@pytest.mark.parametrize(
    ("before", "text", "told"),
    [
        ("My sister lives in Leeds.", "no, not Leeds, Hull", ("sister", "lives_in", "hull", "leeds")),
        ("Meine Schwester wohnt in Bonn.", "nein, nicht Bonn, Ulm", ("schwester", "lives_in", "ulm", "bonn")),
        ("Ma sœur habite à Lyon.", "non, pas Lyon, Brest", ("sœur", "lives_in", "brest", "lyon")),
        ("Mi hijo se llama Max.", "perdón, Marc, no Max", ("you", "son", "marc", "max")),
        ("Mia sorella vive a Bari.", "no, non Bari, Lecce", ("sorella", "lives_in", "lecce", "bari")),
        ("A minha irmã mora em Faro.", "não, Braga, não Faro", ("irmã", "lives_in", "braga", "faro")),
        ("אני גרה בחיפה.", "לא, לוד, לא חיפה", ("you", "lives_in", "לוד", "חיפה")),
        ("אחותי גרה בחיפה.", "לא, לא בחיפה, בלוד", ("אחות", "lives_in", "לוד", "חיפה")),
    ],
)
def test_two_values_side_by_side_put_the_turn_before_right(
    before: str, text: str, told: tuple[str, str, str, str]
) -> None:
    [claim] = read_claims(text, (before,))
    assert (claim.subject, claim.relation, claim.object) == told[:3]
    assert claim.replaces.endswith(told[3])
    assert claim.is_correction


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("Soy celíaca.", "al final no soy celíaca"),
        ("A minha filha Inês é celíaca.", "afinal, a Inês não é celíaca"),
        ("אני אלרגי לאגוזים", "אני כבר לא אלרגי לאגוזים"),
    ],
)
def test_what_is_denied_by_a_verb_is_over_and_no_value_for_another(before: str, text: str) -> None:
    assert [one.tense for one in read_claims(text, (before,))] == ["over"]


def test_a_contrast_of_what_nobody_said_puts_nothing_right() -> None:
    assert not [one for one in read_claims("no, not Leeds, Hull", ("I have two kids.",)) if one.relation != "about"]
