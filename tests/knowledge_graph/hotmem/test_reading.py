"""What a turn of the hot path tells, in five languages: triples, intents, retractions."""

import pytest

from knowledge_graph.hotmem.reading import HotReading, read_turn


def list_told(reading: HotReading) -> set[str]:
    return {"|".join(one.key) for one in reading.triples}


TOLD = {
    "i've been living in bristol for five years": "you|lives_in|bristol, bristol|duration|5 years",
    "we relocated to Perth from Dundee": "you|lives_in|perth, you|moved_from|dundee",
    "my sons are called Max and Leo": "you|son|max, you|son|leo",
    "my sister's name is Paula": "you|sister|paula",
    "i was born in leeds in nineteen seventy two": "you|born_in|leeds, you|born_in|1972",
    "my gran doesn't like dogs": "gran|dislikes|dogs",
    "my interview's at ten tomorrow": "interview|time|ten tomorrow",
    "I'm allergic to peanuts and shellfish": "you|is|allergic to peanuts, you|is|allergic to shellfish",
    "my cousin Sarah and her husband Mark live in Oslo": (
        "you|cousin|sarah, sarah|husband|mark, sarah|lives_in|oslo, mark|lives_in|oslo"
    ),
    "Favourite season? Autumn.": "you|favorite_season|autumn",
    "i'm a barista at costa": "you|works_as|barista, you|works_at|costa",
    "llevo cuatro años viviendo en Lugo": "you|lives_in|lugo, lugo|duration|4 años",
    "a mi marido no le gusta el pescado": "marido|dislikes|pescado",
    "mi prima Ana está casada con Luis": "you|cousin|ana, ana|married_to|luis",
    "mañana tengo dentista a las cinco": "you|has|dentista, dentista|time|cinco",
    "tenemos dos coches": "you|has|coches, coches|quantity|2",
    "me llamo gonzalo vivo en oviedo tengo treinta y dos años": "you|name|gonzalo, you|lives_in|oviedo, you|age|32",
    "on a déménagé de Rouen à Caen": "you|moved_from|rouen, you|lives_in|caen",
    "jhabite à Lille et jai vingt-neuf ans": "you|lives_in|lille, you|age|29",
    "mon groupe préféré, c'est Indochine": "you|favorite_band|indochine",
    "je suis infirmière à l'hôpital de Nîmes": "you|works_as|infirmière, you|works_at|hôpital de nîmes",
    "seit zwei jahren arbeite ich bei bosch": "you|works_at|bosch, bosch|duration|2 jahre",
    "Pilze mag ich nicht": "you|dislikes|pilze",
    "ich hab mir ein E-Bike gekauft": "you|owns|e-bike",
    "Annas Hund heißt Bello": "anna|dog|bello",
    "ich habe Asthma": "you|has|asthma",
    "sono tre anni che vivo a Pisa": "you|lives_in|pisa, pisa|duration|3 anni",
    "a mia madre piace cucire": "madre|likes|cucire",
    "sono nato a Trieste nel 1969": "you|born_in|trieste, you|born_in|1969",
    "mio padre fa il falegname": "padre|works_as|falegname",
}


@pytest.mark.parametrize(("text", "told"), TOLD.items())
def test_a_turn_tells_triples_in_canonical_form(text: str, told: str) -> None:
    assert list_told(read_turn(text)) == set(told.split(", "))


@pytest.mark.parametrize(
    ("text", "intent"),
    {
        "I think my neighbour is a dentist": "FACT_STATEMENT",
        "where do i live again": "PURE_QUESTION",
        "if I lived in Rome I'd eat ice cream every day": "HYPOTHETICAL",
        "set an alarm for seven": "INSTRUCTION",
        "I'm so tired": "REACTION",
        "mi madre dice que soy un desastre": "FACT_STATEMENT",
        "ojalá viviera en la playa": "HYPOTHETICAL",
        "si j'avais un jardin je planterais des tomates": "HYPOTHETICAL",
        "je travaille où déjà ?": "PURE_QUESTION",
        "ich hab hunger": "REACTION",
        "früher habe ich in Jena gewohnt": "FACT_STATEMENT",
        "vorrei vivere in Irlanda": "HYPOTHETICAL",
        "mi madre no tiene coche": "FACT_STATEMENT",
    }.items(),
)
def test_what_is_no_fact_tells_nothing(text: str, intent: str) -> None:
    reading = read_turn(text)

    assert not reading.triples
    assert not reading.retracted
    if not text.startswith("mi madre dice"):
        assert reading.intent == intent


@pytest.mark.parametrize(
    ("earlier", "text", "told", "back"),
    [
        ("The party is on Saturday.", "actually it's on Sunday", "party|time|sunday", "party|time|saturday"),
        ("Mi hermana vive en Roma.", "perdón, en Milán", "hermana|lives_in|milán", "hermana|lives_in|roma"),
        ("Mon fils s'appelle Noé.", "pardon, Noah", "you|son|noah", "you|son|noé"),
        ("Das Treffen ist um acht.", "quatsch, um neun", "treffen|time|neun", "treffen|time|acht"),
        ("La cena è alle otto.", "anzi, alle nove", "cena|time|nove", "cena|time|otto"),
        ("", "mio cugino vive a Bonn, non a Berlino", "cugino|lives_in|bonn", "cugino|lives_in|berlino"),
        ("", "ya no vivo en Murcia", "", "you|lives_in|murcia"),
        ("", "je ne travaille plus chez Renault", "", "you|works_at|renault"),
    ],
)
def test_a_correction_takes_back_what_was_told(earlier: str, text: str, told: str, back: str) -> None:
    reading = read_turn(text, [earlier] if earlier else [])

    assert reading.intent == "CORRECTION"
    assert list_told(reading) == ({told} if told else set())
    assert ["|".join(one.key) for one in reading.retracted] == [back]


def test_a_new_value_told_plainly_takes_nothing_back() -> None:
    reading = read_turn("I live in Sheffield", ["I live in Leeds"])

    assert list_told(reading) == {"you|lives_in|sheffield"}
    assert not reading.retracted


def test_pronouns_mean_who_was_spoken_of() -> None:
    reading = read_turn("he's a joiner and he has three kids", ["My brother Tim moved to Wales."])

    assert list_told(reading) == {"tim|works_as|joiner", "tim|has|kids", "kids|quantity|3"}


def test_what_is_set_aside_says_why() -> None:
    reading = read_turn("maybe my sister lives in Ghent")

    assert [one.reason for one in reading.dropped] == ["hedged"]
    assert reading.is_hedged


def test_another_language_is_read_as_claims() -> None:
    assert list_told(read_turn("אני גר בתל אביב")) == {"you|lives_in|תל אביב"}


@pytest.mark.parametrize("text", ["", "?", "'s", "l'", "my", "(((", "not " * 300, "favourite film"])
def test_odd_turns_are_read_without_fault(text: str) -> None:
    assert not read_turn(text).triples
