"""Values of the wrong kind: an hour or a dwelling for a place, a count for a trade, a name within a relation."""

import pytest

from memory.claims.reader import read_claims
from memory.claims.turns import read_turn


def list_claims(*turns: str) -> set[tuple[str, str, str]]:
    return {(one.subject, one.relation, one.object) for one in read_claims(turns[-1], turns[:-1])}


@pytest.mark.parametrize(
    "said", ["עברנו דירה!", "Nos hemos mudado de piso.", "Ich wohne in einer Wohnung.", "Sto in affitto."]
)
def test_a_dwelling_without_a_name_is_no_place(said: str) -> None:
    assert not {relation for _, relation, _ in list_claims(said)} & {"lives_in", "moved_from", "home"}


def test_where_a_dwelling_is_somebody_lives() -> None:
    assert ("you", "lives_in", "zaragoza") in list_claims("Vivo en un ático en Zaragoza y en verano me aso.")


@pytest.mark.parametrize("said", ["Mon copain commence le 1er décembre.", "Somos cuatro en casa.", "Somos cinco."])
def test_a_day_and_a_count_are_no_work(said: str) -> None:
    assert not [one for one in list_claims(said) if one[1] in {"works_at", "works_as"}]


def test_who_begins_is_no_event() -> None:
    said = "Étienne a eu le poste à Bâle !! chef de projet chez Endress, il commence le 1er décembre"
    told = read_turn(said, ["Mon copain s'appelle Étienne."])
    assert not [one for one in told.triples if one.relation in {"time", "works_at"}]


@pytest.mark.parametrize("said", ["Ich arbeite im Klinikum, Spätschichten", "Ich arbeite im Klinikum, Nachtdienste"])
def test_a_shift_behind_a_comma_is_no_second_employer(said: str) -> None:
    assert {one.object for one in read_turn(said).triples if one.relation == "works_at"} == {"klinikum"}
    assert {one[2] for one in list_claims(said) if one[1] == "works_at"} == {"klinikum"}


@pytest.mark.parametrize("said", ["Die Nachtdienste bin ich los!", "I'm rid of the nights!"])
def test_who_is_rid_of_something_is_not_so(said: str) -> None:
    assert not [one for one in list_claims(said) if one[1] == "is"]
    assert not read_turn(said).triples


def test_signs_of_order_stay_and_no_name_is_in_a_relation() -> None:
    [floor] = read_claims("Vivo en el 4ºB de la calle Olmo.")
    assert (floor.object, floor.statement) == ("4ºb de la calle olmo", "Vivo en el 4ºB de la calle Olmo.")
    assert ("you", "has_condition", "silla de ruedas") in list_claims("Voy en silla de ruedas.")
    assert not [one for one in list_claims("Mi compañera Lucía es muy maja.") if "lucia" in one[1]]


COUPLES = [
    (
        "Mein Bruder Jonas zieht nach Straßburg, zu seiner Freundin Mireille.",
        "Jonas' Umzug ist geplatzt, Mireille hat Schluss gemacht.",
        ("jonas", "girlfriend", "mireille"),
    ),
    (
        "Meine Schwester Ida wohnt bei ihrem Freund Karl.",
        "Karl hat mit Ida Schluss gemacht.",
        ("ida", "boyfriend", "karl"),
    ),
    (
        "My brother Jonas lives with his girlfriend Mireille.",
        "Mireille broke up with him.",
        ("jonas", "girlfriend", "mireille"),
    ),
    ("Mon frère Paul vit avec sa copine Léa.", "Léa et Paul ont rompu.", ("paul", "girlfriend", "léa")),
    ("Mi hermano Luis vive con su novia Eva.", "Luis y Eva han roto.", ("luis", "girlfriend", "eva")),
]


@pytest.mark.parametrize(("told", "said", "couple"), COUPLES)
def test_a_couple_of_others_parts(told: str, said: str, couple: tuple[str, str, str]) -> None:
    assert couple in {one.key for one in read_turn(told).triples}
    parted = read_turn(said, [told])
    assert [(one.key, one.is_over) for one in parted.retracted] == [(couple, True)]
    assert not [one for one in parted.triples if one.relation == couple[1]]
    assert (*couple, False) in {
        (one.subject, one.relation, one.object, one.polarity) for one in read_claims(said, (told,))
    }


def test_a_friend_of_ones_own_is_a_friend() -> None:
    assert ("you", "friend_of", "ximena") in {one.key for one in read_turn("Meine Freundin Ximena ist da.").triples}


@pytest.mark.parametrize(
    ("said", "employer"),
    [
        ("I'm at the sorting office six till two", "sorting office"),
        ("I work at Tesco nine to five", "tesco"),
        ("I work at Aldi 9-5", "aldi"),
        ("trabajo en Aldi de nueve a cinco", "aldi"),
        ("lavoro all'Esselunga dalle nove alle due", "esselunga"),
        ("I work at Forever 21", "forever 21"),
        ("I work at Phase Eight", "phase eight"),
    ],
)
def test_the_hours_of_work_are_no_part_of_where(said: str, employer: str) -> None:
    assert {one[2] for one in list_claims(said) if one[1] == "works_at"} == {employer}


@pytest.mark.parametrize("said", ["I work nights, 10pm to 6am.", "on early shifts now, start at 6am"])
def test_an_hour_is_no_employer(said: str) -> None:
    assert not [one for one in list_claims(said) if one[1] == "works_at"]


def test_only_known_places_follow_another_in_small_letters() -> None:
    said = "wohn jetzt in leipzig, zumindest stand das im mietvertrag, brauch nen späti"
    assert {one for one in list_claims(said) if one[1] == "lives_in"} == {("you", "lives_in", "leipzig")}


@pytest.mark.parametrize(
    "said", ["vengo de comprar pan", "vengo de hacerme las pruebas", "vengo da fare la spesa", "venho de trabalhar"]
)
def test_nobody_is_from_what_they_have_just_done(said: str) -> None:
    assert not {one[1] for one in list_claims(said)} & {"moved_from", "born_in"}


@pytest.mark.parametrize("said", ["my boss Tom is off sick", "Tom, my boss, is off sick", "mi jefa Ana está de baja"])
def test_who_somebody_is_stays_when_the_rest_passes(said: str) -> None:
    assert ("you", "boss") in {one[:2] for one in list_claims(said)}


@pytest.mark.parametrize(
    "said", ["he dejado de fumar", "dejé de fumar hace dos meses", "deixei de fumar", "ho smesso di fumare"]
)
def test_who_has_given_up_smoking_has_left_no_employer(said: str) -> None:
    assert {one[1] for one in list_claims(said)} == {"smokes"}


@pytest.mark.parametrize("said", ["he dejado de comer carne", "deixei de comer carne", "he dejado de trabajar"])
def test_what_somebody_no_longer_does_is_no_employer(said: str) -> None:
    assert "works_at" not in {one[1] for one in list_claims(said)}
