"""A name between commas cuts no clause, and names counted off are as many as there are."""

import pytest

from memory.claims import read_claims
from memory.claims.frames.appositions import join_appositions, put_nouns_first

Slot = tuple[str, str, str]


def list_slots(text: str, *previous: str) -> set[Slot]:
    return {(one.subject, one.relation, one.object) for one in read_claims(text, previous) if one.polarity}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("my brother, Declan, eats fish", ("declan", "eats", "fish")),
        ("I'm vegan but my wife, Orla, drinks milk", ("orla", "drinks", "milk")),
        ("meine Schwester, Wiebke, wohnt in Bremen", ("wiebke", "lives_in", "bremen")),
        ("mi hermana, Lucía, come pescado", ("lucía", "eats", "pescado")),
        ("ma sœur, Inès, mange du porc", ("inès", "eats", "porc")),
        ("mio fratello, Elia, mangia pesce", ("elia", "eats", "pesce")),
        ("o meu irmão, Rui, come peixe", ("rui", "eats", "peixe")),
        ("אני טבעוני אבל האישה שלי, נועה, אוכלת גבינה", ("נועה", "eats", "גבינה")),
    ],
)
def test_a_clause_goes_on_behind_a_name(text: str, told: Slot) -> None:
    slots = list_slots(text)
    assert told in slots
    assert ("you", *told[1:]) not in slots


@pytest.mark.parametrize(
    "text",
    [
        "I live with my brother, Declan, and our dog",
        "my sister, Orla, my brother and I",
        "I told my brother, Declan, that I sing",
        "meine Schwester, Lehrerin, wohnt in Bremen",
        "my sons, Tom, Max, Leo",
        "with my wife, honestly, nothing works",
        "we eat apples, Pears, plums",
    ],
)
def test_other_commas_stay(text: str) -> None:
    assert join_appositions(text) == text


def test_places_stay() -> None:
    assert join_appositions("my wife, Orla, sings") == "my wife  Orla  sings"


@pytest.mark.parametrize(
    ("text", "spouse", "children"),
    [
        ("married to Declan, two girls: Orla (4) and Ciara (7)", "declan", {"orla": "4", "ciara": "7"}),
        ("verheiratet mit Jens, zwei Töchter: Wiebke (8) und Antje (11)", "jens", {"wiebke": "8", "antje": "11"}),
        ("casada con Iván, dos hijas: Lucía (3) y Vera (6)", "iván", {"lucía": "3", "vera": "6"}),
        ("mariée avec Luc, deux filles : Inès (5) et Maud (9)", "luc", {"inès": "5", "maud": "9"}),
        ("sposata con Elia, due figlie: Giulia (3) e Sara (6)", "elia", {"giulia": "3", "sara": "6"}),
        ("casada com o Rui, duas filhas: Inês (4) e Marta (6)", "rui", {"inês": "4", "marta": "6"}),
        ("נשואה לדן, שתי בנות: נועה (4) ומאיה (7)", "דן", {"נועה": "4", "מאיה": "7"}),
    ],
)
def test_children_counted_off_are_no_spouses(text: str, spouse: str, children: dict[str, str]) -> None:
    slots = list_slots(text)
    assert {one for one in slots if one[1] == "married_to"} == {("you", "married_to", spouse)}
    assert {one for one in slots if one[1] == "daughter"} == {("you", "daughter", name) for name in children}
    assert {one for one in slots if one[1] == "age"} == {(name, "age", age) for name, age in children.items()}


@pytest.mark.parametrize(
    "text",
    [
        "married with two kids, Orla and Max",
        "verheiratet mit zwei Kindern, Wiebke und Jens",
        "casada con dos hijas, Lucía y Vera",
        "sposato con due figli, Elia e Sara",
    ],
)
def test_nobody_is_married_to_their_children(text: str) -> None:
    assert not [one for one in list_slots(text) if one[1] == "married_to"]


@pytest.mark.parametrize(
    "text",
    [
        "não tenho cães, a gata é da minha vizinha",
        "no tengo mascotas, el perro es del vecino",
        "I have no pets, the dog is my neighbour's",
        "ich hab keine Tiere, der Hund ist vom Nachbarn",
        "je n'ai pas d'animaux, le chien est au voisin",
        "non ho animali, il cane è del vicino",
        "אין לי חיות, הכלב של השכן",
    ],
)
def test_a_neighbours_animal_is_not_the_persons(text: str) -> None:
    assert not [one for one in list_slots(text) if one[0] == "you" and one[1] in {"has", "owns", "dog", "cat"}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("biscuit, my old greyhound, snores", ("you", "dog", "biscuit")),
        ("Mia (my sister) lives in Leeds", ("you", "sister", "mia")),
        ("uri (my husband) is allergic to nuts", ("uri", "allergic_to", "nuts")),
        ("rüdiger (mein kater, 8 kilo) muss abnehmen", ("you", "cat", "rüdiger")),
        ("ana, mi novia, es enfermera", ("ana", "works_as", "enfermera")),
        ("moka, mon chat, dort dans le lavabo", ("you", "cat", "moka")),
        ("zorro, il mio cane, russa", ("you", "dog", "zorro")),
        ("bolinha, o meu cão, ressona", ("you", "dog", "bolinha")),
    ],
)
def test_a_name_may_come_before_who_it_names(text: str, told: Slot) -> None:
    assert told in list_slots(text)


@pytest.mark.parametrize("text", ["honestly, my dog, he snores", "ok, my wife, then", "Monday, my sister, the dentist"])
def test_no_other_word_before_somebody_is_a_name(text: str) -> None:
    assert put_nouns_first(text) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "On habite une maison à Riom avec nos deux enfants, Lucas, 12 ans, et Chloé, 8 ans",
            {("you", "child", "lucas"), ("you", "child", "chloé"), ("lucas", "age", "12"), ("chloé", "age", "8")},
        ),
        (
            "We live in Hull with our two kids, Lucas, 12, and Chloe, 8",
            {("you", "child", "lucas"), ("you", "child", "chloe"), ("lucas", "age", "12"), ("chloe", "age", "8")},
        ),
        (
            "Wir wohnen mit unseren zwei Kindern, Lukas, 12, und Klara, 8, in Kiel",
            {("you", "child", "lukas"), ("you", "child", "klara"), ("lukas", "age", "12"), ("klara", "age", "8")},
        ),
        ("mein bruder leon 14 nervt", {("you", "brother", "leon"), ("leon", "age", "14")}),
        ("my brother leon 14 is annoying", {("you", "brother", "leon"), ("leon", "age", "14")}),
        (
            "mum's called nisha shes 52 and lives in leicester",
            {("you", "mother", "nisha"), ("nisha", "age", "52"), ("nisha", "lives_in", "leicester")},
        ),
        (
            "meine mutter heißt gabi sie ist 52 und wohnt in kiel",
            {("you", "mother", "gabi"), ("gabi", "age", "52"), ("gabi", "lives_in", "kiel")},
        ),
        ("Die Kollegin Petra hat das Rauchen aufgegeben", {("you", "colleague", "petra")}),
    ],
)
def test_names_and_ages_stand_behind_whom_they_are_of(text: str, told: set[tuple[str, str, str]]) -> None:
    assert told <= {(one.subject, one.relation, one.object) for one in read_claims(text)}


def test_days_behind_a_name_are_no_age() -> None:
    assert "age" not in {one.relation for one in read_claims("mein bruder leon 14 tage krank")}
