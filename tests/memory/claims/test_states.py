"""What is a state of today, and what laughter, a dotted day or a quoted name beside it does not change."""

import pytest

from memory.claims.reader import read_claims


@pytest.mark.parametrize(
    "text",
    [
        "I lived in Leeds for ten years",
        "my brother worked at Lidl for years",
        "I drove a Fiat back then",
        "I had a dog called Rex as a kid",
        "I studied law in Graz",
        "My boss was Priya",
        "Priya was my boss",
        "mein Hund hieß Rex",
        "yo era enfermera",
        "j'ai bossé chez Lidl pendant trois ans",
        "ero infermiera",
        "era enfermeira",
    ],
)
def test_a_state_of_the_past_fills_no_slot(text: str) -> None:
    assert {claim.relation for claim in read_claims(text)} <= {"about"}


@pytest.mark.parametrize(
    ("text", "relation", "spoken"),
    [
        ("I've lived in Leeds for ten years", "lives_in", "leeds"),
        ("I've worked at Lidl since June", "works_at", "lidl"),
        ("we had a baby called Tim", "child", "tim"),
        ("my mum was called Eva", "mother", "eva"),
        ("my dog Rex was ill", "dog", "rex"),
    ],
)
def test_what_goes_on_or_stays_a_relative_does(text: str, relation: str, spoken: str) -> None:
    assert (relation, spoken) in {(claim.relation, claim.object) for claim in read_claims(text)}


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("i turned 35 yesterday lol", "I turned 35 yesterday."),
        ("vivo en Vigo jaja", "Vivo en Vigo."),
        ("tengo una gata en el baño jaja, Mostaza, de acogida", "Tengo una gata en el baño, Mostaza, de acogida."),
    ],
)
def test_laughter_is_no_part_of_what_is_told(text: str, statement: str) -> None:
    assert [claim.statement for claim in read_claims(text)][:1] == [statement]


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("Meine Schwester Ida hat am 5. Drillinge bekommen.", "Meine Schwester Ida hat am 5. Drillinge bekommen."),
        ("Meine Tante kommt am 5. Dann feiern wir.", "Meine Tante kommt am 5."),
        (
            "Lotte kommt am Montag in die neue Kita, die 'Wühlmäuse'.",
            "Lotte kommt am Montag in die neue Kita, die Wühlmäuse.",
        ),
    ],
)
def test_a_sentence_keeps_its_day_and_its_quoted_name(text: str, statement: str) -> None:
    assert statement in {claim.statement for claim in read_claims(text)}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("i only own like 40 mugs", "likes"),
        ("I swim on Thursdays.", "hobby"),
        ("we're with AXA for the house insurance", "dating"),
        ("I work with Priya", "works_at"),
        ("we got married last week", "married_to"),
        ("ich hab letzte woche geheiratet, er heißt Jonas", "married_to"),
        ("Mi marido empieza el 1 de diciembre como profesor.", "eats"),
    ],
)
def test_a_value_of_another_kind_fills_no_slot(text: str, wrong: str) -> None:
    assert wrong not in {claim.relation for claim in read_claims(text)}


@pytest.mark.parametrize(
    ("earlier", "text"),
    [
        ("I work at Lidl", "I moved from Lidl to Aldi"),
        ("Ich arbeite bei Lidl", "bin von Lidl zu Aldi gewechselt"),
    ],
)
def test_from_one_to_another_is_of_what_the_one_was_told_as(earlier: str, text: str) -> None:
    assert ("works_at", "aldi", "lidl") in {
        (claim.relation, claim.object, claim.replaces) for claim in read_claims(text, (earlier,))
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Sono intollerante al lattosio", ("you", "allergic_to", "lattosio")),
        ("Ben has an allergy to nuts", ("ben", "allergic_to", "nuts")),
        ("Léa a une allergie aux noix", ("léa", "allergic_to", "noix")),
        ("Emma hat eine Allergie gegen Nüsse", ("emma", "allergic_to", "nüsse")),
        ("לבת שלי יש אלרגיה לבוטנים", ("בת", "allergic_to", "בוטנים")),
        ("Minha mãe está com Alzheimer", ("mãe", "has_condition", "alzheimer")),
    ],
)
def test_what_is_had_or_been_is_an_allergy_or_an_illness(text: str, told: tuple[str, str, str]) -> None:
    assert [(one.subject, one.relation, one.object) for one in read_claims(text)] == [told]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Sto con Elena", {("dating", "elena")}),
        ("Sto male con lo stomaco", set()),
        ("Empecé en mayo", set()),
        ("Me han cogido en la clínica Quirón, empiezo el lunes", {("works_at", "clínica quirón")}),
        ("Mi celu es un iPhone 12", {("phone", "iphone 12")}),
    ],
)
def test_how_somebody_is_and_when_they_begin_is_no_home_employer_or_appointment(
    text: str, told: set[tuple[str, str]]
) -> None:
    assert {(one.relation, one.object) for one in read_claims(text) if one.relation != "about"} == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I don't have any siblings", ("has", "siblings", False)),
        ("Geschwister habe ich keine", ("has", "geschwister", False)),
        ("Ich habe keine Kinder", ("has", "kinder", False)),
        ("No tengo hermanos", ("has", "hermanos", False)),
        ("Non ho fratelli", ("has", "fratelli", False)),
        ("Não tenho irmãos", ("has", "irmãos", False)),
        ("I've never smoked myself", ("smokes", "", False)),
        ("Ich selbst habe nie geraucht", ("smokes", "", False)),
        ("Ich rauche nicht", ("smokes", "", False)),
        ("Je n'ai jamais fumé", ("smokes", "", False)),
        ("Mit dem Rauchen habe ich im März aufgehört", ("smokes", "", False)),
        ("Koriander finde ich widerlich", ("dislikes", "koriander", True)),
        ("I find coriander disgusting", ("dislikes", "coriander", True)),
        ("Je trouve la coriandre dégoûtante", ("dislikes", "coriandre", True)),
        ("Bei mir wurde Rheuma festgestellt", ("has_condition", "rheuma", True)),
    ],
)
def test_whom_one_has_not_and_what_one_cannot_stand(text: str, told: tuple[str, str, bool]) -> None:
    assert [(one.relation, one.object, one.polarity) for one in read_claims(text)] == [told]


@pytest.mark.parametrize(
    "text", ["I don't have any dairy", "No tengo hambre", "Die Kollegin Petra hat das Rauchen aufgegeben"]
)
def test_what_is_not_eaten_or_felt_is_nobody(text: str) -> None:
    assert not {one.relation for one in read_claims(text)} & {"has", "smokes"}
