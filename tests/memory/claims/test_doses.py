"""A number alone changes the dose of the one medicine that the turn before told of, and nothing else."""

import pytest

from memory.claims import read_claims
from memory.claims.turns import read_turn


def find_doses(text: str, *previous: str, asked: str = "") -> set[tuple[str, str]]:
    claims = read_claims(text, previous, asked=asked)
    return {(one.subject, one.object) for one in claims if one.relation == "takes_dose"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tomo enalapril 20", {("enalapril", "20")}),
        ("I take insulin, 14 units at night", {("insulin", "14 units")}),
        ("nehme Ramipril fünf", {("ramipril", "5")}),
        ("me han puesto insulina, doce por la noche", {("insulina", "12")}),
        ("I take ramipril 3 times a day", set()),
        ("I take ramipril, 2 tablets", set()),
        ("I've been taking ramipril since 2019", set()),
    ],
)
def test_a_dose_needs_no_unit(text: str, told: set[tuple[str, str]]) -> None:
    assert find_doses(text) == told


@pytest.mark.parametrize(
    ("before", "text", "told"),
    [
        ("tomo enalapril 20", "perdón, 10", ("enalapril", "10")),
        ("me han puesto insulina, doce por la noche", "desde hoy catorce", ("insulina", "14")),
        ("I take apixaban 5 mg", "it's two and a half now", ("apixaban", "2.5 mg")),
        ("apixaban 5 mg twice a day for me", "its two and a half now", ("apixaban", "2.5 mg")),
        ("tomo sertralina cincuenta", "perdón, veinticinco", ("sertralina", "25")),
        ("ich nehme Ramipril 5 mg", "ab heute zehn", ("ramipril", "10 mg")),
        ("nehme Ramipril fünf", "sorry, zweieinhalb", ("ramipril", "2.5")),
        ("je prends 20 mg de citalopram", "pardon, 10", ("citalopram", "10 mg")),
        ("prendo ramipril 5", "il medico dice dieci", ("ramipril", "10")),
        ("אני מזריק אינסולין 14 יחידות", "סליחה, 16", ("אינסולין", "16 יחידות")),
    ],
)
def test_a_number_alone_is_the_dose_that_was_told_last(before: str, text: str, told: tuple[str, str]) -> None:
    assert find_doses(text, before) == {told}
    claim = next(one for one in read_claims(text, [before]) if one.relation == "takes_dose")
    assert claim.replaces
    assert told[0] in claim.statement.casefold()


@pytest.mark.parametrize(
    ("previous", "text", "asked"),
    [
        (("I take ramipril 5 mg and bisoprolol 2.5 mg",), "sorry, 10", ""),
        (("I take insulin, 14 units at night", "can you convert 3 cups to ml"), "no wait, 4", ""),
        (("I take ramipril 5 mg at 8",), "sorry, 9", ""),
        (("I take ramipril 5 mg",), "sorry, 2000", ""),
        (("I take insulin, 14 units at night",), "4", "How many people are coming?"),
        (("I take insulin, 14 units at night",), "sorry, 2 seconds", ""),
        ((), "sorry, 10", ""),
    ],
)
def test_a_number_of_anything_else_is_no_dose(previous: tuple[str, ...], text: str, asked: str) -> None:
    assert not find_doses(text, *previous, asked=asked)


def test_the_dose_of_somebody_elses_medicine_says_whose_it_is() -> None:
    (claim,) = read_claims("sorry, 5", ["my dad takes warfarin 3 mg"])
    assert (claim.subject, claim.object) == ("warfarin", "5 mg")
    assert claim.statement.startswith("Dad, warfarin:")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The doctor has put my ramipril up to 10 mg because the readings were still high", ("ramipril", "10 mg")),
        ("my doctor upped my sertraline to 100", ("sertraline", "100")),
        ("Der Hausarzt hat mein L-Thyroxin auf 100 erhöht", ("l-thyroxin", "100")),
        ("Meine Ärztin hat das Ramipril auf 5 mg gesenkt", ("ramipril", "5 mg")),
        ("Le médecin a augmenté mon Levothyrox à 75", ("levothyrox", "75")),
        ("El médico me ha subido el enalapril a 20", ("enalapril", "20")),
        ("Il medico mi ha aumentato l'Eutirox a 75", ("eutirox", "75")),
        ("O médico aumentou a minha losartana para 100", ("losartana", "100")),
        ("הרופא העלה לי את האלטרוקסין ל-100", ("אלטרוקסין", "100")),
    ],
)
def test_a_dose_of_the_persons_own_moves_though_nobody_told_it_before(text: str, told: tuple[str, str]) -> None:
    assert find_doses(text) == {told}


@pytest.mark.parametrize(
    "text",
    [
        "the doctor put my dad's ramipril up to 10 mg",
        "they upped his ramipril to 10",
        "should I raise my ramipril to 10?",
        "my ramipril costs went up to 10 euros",
    ],
)
def test_no_dose_of_the_persons_is_moved(text: str) -> None:
    assert not find_doses(text)


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("Mon citalopram est passé à 10 mg", "citalopram"),
        ("Citalopram wurde auf 10 mg reduziert", "citalopram"),
        ("Mein Citalopram wurde auf 10 mg reduziert.", "citalopram"),
        ("my citalopram went up to 10 mg", "citalopram"),
        ("mi citalopram pasó a 10 mg", "citalopram"),
        ("il citalopram è passato a 10 mg", "citalopram"),
    ],
)
def test_a_dose_that_has_moved_is_of_the_medicine_that_is_named_and_no_time(text: str, drug: str) -> None:
    assert find_doses(text) == {(drug, "10 mg")}
    assert not any(one.relation in {"time", drug} for one in read_claims(text))
    assert not any(one.relation == "time" for one in read_turn(text).triples)


@pytest.mark.parametrize(
    "text",
    [
        "I take ramipril and I'm allergic to penicillin.",
        "I take 5 mg of ramipril every morning and I'm allergic to penicillin.",
        "Ich nehme Ramipril und bin gegen Penicillin allergisch.",
        "tomo ramipril y soy alérgica a la penicilina",
        "je prends du ramipril et je suis allergique à la pénicilline",
        "prendo ramipril e sono allergica alla penicillina",
        "tomo ramipril e sou alérgica à penicilina",
        "I take ramipril but ibuprofen gives me hives",
        "I take ramipril and I can't have ibuprofen",
    ],
)
def test_what_somebody_cannot_bear_is_nothing_that_they_take(text: str) -> None:
    assert [one.object for one in read_claims(text) if one.relation == "takes"] == ["ramipril"]


@pytest.mark.parametrize(
    ("text", "dose"),
    [
        ("L'endocrinologa mi ha aumentato l'Eutirox a 100", ("eutirox", "100")),
        ("הפסיכיאטר העלה לי את הציפרלקס ל-15, זה הרבה?", ("ציפרלקס", "15")),
        ("The doctor upped my metformin to 1000, is that a lot?", ("metformin", "1000")),
        ("Le médecin m'a augmenté le Levothyrox à 100", ("levothyrox", "100")),
        ("Should the doctor up my metformin to 1000, or not?", None),
        ("A mia madre hanno aumentato l'Eutirox a 100", None),
    ],
)
def test_a_moved_dose_is_told_of_a_medicine_that_nothing_told_of(text: str, dose: tuple[str, str] | None) -> None:
    found = [(one.subject, one.object) for one in read_claims(text) if one.relation == "takes_dose"]
    assert found == ([dose] if dose else [])
