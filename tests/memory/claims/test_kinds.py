"""What a value is says what a clause tells: nobody lives in a hospital, eats shifts or owns the bus they drive."""

import pytest

from memory.claims import read_claims
from memory.claims.claim import Claim

Slot = tuple[str, str, str]


def list_slots(text: str, *previous: str, asked: str = "") -> set[Slot]:
    return {(one.subject, one.relation, one.object) for one in read_claims(text, previous, asked=asked) if one.polarity}


def list_relations(claims: list[Claim]) -> set[str]:
    return {one.relation for one in claims}


@pytest.mark.parametrize(
    "text",
    [
        "we ended up in A&E with her at 3am",
        "my brother ended up in intensive care, in the ICU",
        "He wound up living in hospital for a month",
        "mein Sohn lag drei Wochen in der Klinik",
        "sie ist in der Notaufnahme gelandet",
        "mi padre terminó en urgencias",
        "mon frère a fini aux urgences",
        "mia figlia è finita al pronto soccorso",
        "mio nonno è finito in ospedale",
        "a minha avó foi parar às urgências",
        "הבת שלי הייתה בבית חולים",
        "הבן שלי הגיע למיון",
    ],
)
def test_nobody_lives_in_a_hospital(text: str) -> None:
    told = read_claims(text, ["I live in Goole with my son Kit"])
    assert not [one for one in told if one.relation in {"lives_in", "home", "son", "daughter"}]


@pytest.mark.parametrize(
    ("text", "place"), [("we ended up in Goole", "goole"), ("ich wohne in Bremen", "bremen"), ("אני גרה בעכו", "עכו")]
)
def test_a_town_stays_a_home(text: str, place: str) -> None:
    assert ("you", "lives_in", place) in list_slots(text)


@pytest.mark.parametrize(
    "text",
    [
        "no more night shifts",
        "no more nights!",
        "finally no more shifts",
        "endlich keine Nachtdienste mehr",
        "keine Spätschichten mehr",
        "niente più turni",
        "finalmente niente notti",
        "nada de noches",
        "nada de guardias",
        "fini les gardes de nuit",
        "plus de nuits",
        "acabaram-se os turnos",
        "אין יותר משמרות לילה",
    ],
)
def test_shifts_are_no_diet_and_no_manner_of_answering(text: str) -> None:
    assert not list_relations(read_claims(text)) & {"diet", "style", "works_at", "works_as"}


@pytest.mark.parametrize("text", ["nada de lácteos", "niente formaggio", "no dairy for me", "esse kein Schwein"])
def test_food_stays_a_diet(text: str) -> None:
    assert list_relations(read_claims(text)) & {"diet", "style", "about", "allergic_to"}


@pytest.mark.parametrize(
    "text",
    [
        "nada de me recomendar ibuprofeno",
        "nada de sugerirme aspirina",
        "nada de consejos sobre aspirina",
        "niente suggerimenti sull'aspirina",
        "niente consigli con l'ibuprofene",
        "nada de sugestões com leite",
    ],
)
def test_what_is_not_to_be_advised_is_kept_as_said(text: str) -> None:
    [told] = read_claims(text)
    assert told.relation == "about"
    assert told.statement.casefold().startswith(text.casefold())


@pytest.mark.parametrize("text", ["no recommending aspirin please", "no suggesting ibuprofen", "stop suggesting dairy"])
def test_what_is_not_to_be_advised_is_a_wish(text: str) -> None:
    assert list_relations(read_claims(text)) == {"style"}


@pytest.mark.parametrize(
    ("text", "work"),
    [
        ("i drive the 48 bus", "drive the 48 bus"),
        ("i drive a night bus", "drive a night bus"),
        ("ich fahre den 48er Bus", "fahre den 48er bus"),
        ("conduzco el tranvía 4", "conduzco el tranvía 4"),
        ("je conduis un tramway", "conduis un tramway"),
        ("guido il tram 14", "guido il tram 14"),
    ],
)
def test_a_bus_that_somebody_drives_is_their_work(text: str, work: str) -> None:
    slots = list_slots(text, asked="What do you do for a living?")
    assert not [one for one in slots if one[1] == "car"]
    assert ("you", "works_as", work) in slots


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("my dad drives a tram", ("dad", "works_as", "drives a tram")),
        ("mi padre conduce un autobús", ("padre", "works_as", "conduce un autobús")),
        ("my brother Declan drives the school bus", ("declan", "works_as", "drives the school bus")),
    ],
)
def test_a_bus_that_somebody_else_drives_is_theirs(text: str, told: Slot) -> None:
    assert told in list_slots(text)


@pytest.mark.parametrize(
    ("text", "car"),
    [
        ("I drive a Fiat Panda", "fiat panda"),
        ("ich fahre einen VW Bus", "vw bus"),
        ("conduzco un Seat León", "seat león"),
    ],
)
def test_a_car_stays_a_car(text: str, car: str) -> None:
    assert ("you", "car", car) in list_slots(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("im in Goole btw", "goole"),
        ("By the way, I'm in Ennis", "ennis"),
        ("ich bin übrigens in Bremen", "bremen"),
        ("estoy en Lugo, por cierto", "lugo"),
        ("au fait, je suis à Fougères", "fougères"),
        ("a proposito, sono a Prato", "prato"),
        ("estou em Viseu, por sinal", "viseu"),
        ("estou no Porto, já agora", "porto"),
        ("דרך אגב אני בירושלים", "ירושלים"),
    ],
)
def test_where_somebody_is_by_the_way(text: str, place: str) -> None:
    assert list_slots(text) == {("you", "lives_in", place)}


@pytest.mark.parametrize(
    "text",
    [
        "im in bed btw",
        "I'm in hospital by the way",
        "btw I'm in Goole on Thursday",
        "I'm in Goole",
        "was in Goole btw",
        "bin übrigens in Rente",
        "sono in ufficio comunque",
        "estoy en casa, por cierto",
    ],
)
def test_where_somebody_only_is(text: str) -> None:
    assert "lives_in" not in list_relations(read_claims(text))


@pytest.mark.parametrize("text", ["im on sertraline", "im on lisinopril 10 mg", "im on 10 mg of ramipril"])
def test_im_is_the_person(text: str) -> None:
    assert {one.subject for one in read_claims(text) if one.relation == "takes"} == {"you"}


@pytest.mark.parametrize(
    ("text", "what"),
    [("Ciara has a parents evening", "parents evening"), ("we have a parents' evening on Monday", "parents' evening")],
)
def test_an_evening_of_parents_is_one_thing(text: str, what: str) -> None:
    slots = list_slots(text, "Ciara is my daughter")
    assert what in {word for slot in slots for word in slot}
    assert not [one for one in slots if "parents" in one]


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("we have a cat, Bella", "she's 5 kg"),
        ("wir haben eine Katze, Bella", "sie ist 5 kg"),
        ("tenemos una gata, Bella", "está en 5 kilos"),
    ],
)
def test_what_somebody_weighs_is_no_hour(before: str, text: str) -> None:
    assert "time" not in list_relations(read_claims(text, [before]))


@pytest.mark.parametrize(
    ("text", "employer"),
    [
        ("I work at Harbour Dentists in Wexford, receptionist", "harbour dentists"),
        ("she's fine, I work at Meadow Vets in Sligo", "meadow vets"),
        ("I work for Oakfield Physio in Ennis", "oakfield physio"),
    ],
)
def test_a_firm_may_be_named_after_people(text: str, employer: str) -> None:
    assert {one for one in list_slots(text) if one[1] == "works_at"} == {("you", "works_at", employer)}


@pytest.mark.parametrize(
    "text",
    [
        "ma mère a fait un AVC, du coup régime sans sel",
        "o meu avô teve um enfarte, por isso dieta sem sal",
        "mein Opa hatte einen Infarkt, deshalb salzarme Kost",
        "mia nonna ha avuto un infarto, quindi dieta senza sale",
    ],
)
def test_a_limit_stays_with_what_it_follows_from(text: str) -> None:
    assert any(text[-8:] in one.statement for one in read_claims(text))


@pytest.mark.parametrize(
    "text",
    [
        "they moved me to days",
        "mi hanno spostata di giorno",
        "endlich keine Nachtdienste mehr",
        "finally no more night shifts",
    ],
)
def test_new_shifts_are_a_routine_and_no_new_work(text: str) -> None:
    assert {(one.subject, one.relation) for one in read_claims(text)} == {("you", "routine")}
