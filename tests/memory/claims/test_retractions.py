"""What a turn takes back of what the turns before it told, by naming its value."""

import pytest

from memory.claims.turns import read_turn

TAKEN_BACK = [
    (
        "I keep the books at Harrow & Pike",
        "scrap what I said about Harrow and Pike",
        ("you", "works_at", "harrow & pike"),
    ),
    ("Trabajo en Iberdrola", "olvida lo de Iberdrola", ("you", "works_at", "iberdrola")),
    (
        "Ich arbeite bei der Sparkasse Lippstadt",
        "bei der Sparkasse bin ich nicht mehr",
        ("you", "works_at", "sparkasse lippstadt"),
    ),
    ("Trabajo en Correos", "ya no curro en Correos eh", ("you", "works_at", "correos")),
]
REPLACED = [
    ("My goddaughter's name is Sunniva", "its Synnøve not Sunniva", ("goddaughter", "synnøve", "sunniva")),
    ("Mein Hund heißt Bruno", "Benno, nicht Bruno", ("dog", "benno", "bruno")),
    ("הבת שלי קוראים לה נועה", "סליחה, נועם ולא נועה", ("daughter", "נועם", "נועה")),
    ("Mia suocera si chiama Ines", "scusa mia suocera è Agnese", ("mother_in_law", "agnese", "ines")),
    ("Meu personal é o Wesley", "troquei de personal, agora é a Keila", ("coach", "keila", "wesley")),
    ("I work at Lidl", "I've switched from Lidl to Aldi", ("works_at", "aldi", "lidl")),
    ("Ich arbeite bei Bosch", "bin von Bosch zu Siemens gewechselt", ("works_at", "siemens", "bosch")),
    ("My dentist is Dr Okafor", "we changed dentists, it's Dr Ruiz now", ("dentist", "dr ruiz", "dr okafor")),
]


@pytest.mark.parametrize(("told", "said", "gone"), TAKEN_BACK)
def test_what_is_named_and_unsaid_or_over_is_taken_back_as_it_was_told(
    told: str, said: str, gone: tuple[str, str, str]
) -> None:
    reading = read_turn(said, [told])
    assert [one.key for one in reading.retracted] == [gone]
    assert reading.triples == ()
    assert reading.intent == "CORRECTION"


@pytest.mark.parametrize(("told", "said", "change"), REPLACED)
def test_a_value_that_stands_against_the_one_that_was_told_takes_its_place(
    told: str, said: str, change: tuple[str, str, str]
) -> None:
    relation, new, old = change
    reading = read_turn(said, [told])
    assert [one.key for one in reading.triples] == [("you", relation, new)]
    assert [one.key for one in reading.retracted] == [("you", relation, old)]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("My dog is called Bruno", "good boy, not like Bruno at all"),
        ("I work at Harrow & Pike", "the new vet is open late"),
        ("Mi perro se llama Lolo", "no es lo mismo sin Lolo"),
        ("My sister is Odalys", "I told Odalys about it"),
    ],
)
def test_naming_what_was_told_takes_nothing_back(told: str, said: str) -> None:
    reading = read_turn(said, [told])
    assert reading.retracted == ()


@pytest.mark.parametrize(
    "played",
    [
        "pretend you are the captain. I am Wat, I live in Tortuga and I have a dog called Bones",
        "Joue le rôle d'un banquier. Moi je suis Monsieur Dupuis, boucher à Limoges.",
        "בוא נשחק: אני בלש בשם דן מחיפה, אתה החשוד",
        "Lass uns spielen: ich bin Ritter Kuno und wohne in Xanten",
    ],
)
def test_of_a_part_that_is_played_nothing_is_so(played: str) -> None:
    assert read_turn(played).triples == ()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("cumplo años el 29 de febrero", ("you", "birthday", "29 de febrero")),
        ("Mon voisin Gaspard a un âne qui s'appelle Pompon", ("gaspard", "donkey", "pompon")),
        ("אח שלי עידו נשוי לרומי והם גרים בחיפה", ("עידו", "lives_in", "חיפה")),
        ("minha cunhada Zuleide tem sete gatos, SETE", ("zuleide", "has", "gatos")),
        ("Mia suocera è Agnese", ("you", "mother_in_law", "agnese")),
        ("our youngest, Ivy, is at uni in Leeds", ("you", "child", "ivy")),
        ("mi hija mayor, Carmen, estudia en Granada", ("you", "daughter", "carmen")),
        ("la mia padrona di casa, la signora Ottaviani, è gentile", ("you", "landlord", "signora ottaviani")),
        ("mein Großer heißt Jonas", ("you", "child", "jonas")),
    ],
)
def test_whose_something_is(said: str, told: tuple[str, str, str]) -> None:
    assert told in {one.key for one in read_turn(said).triples}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("wir ziehen Ende des Monats nach Ulm", "Wir wohnen in Bonn"),
        ("we move from Hull to York next month", "We live in Hull"),
        ("je déménage à Brest à la fin du mois", "J'habite à Metz"),
        ("from Hull to Leeds is an hour", "We live in Hull"),
    ],
)
def test_what_is_still_to_come_and_a_way_change_no_home(said: str, told: str) -> None:
    reading = read_turn(said, [told])
    assert not [one for one in reading.triples if one.relation == "lives_in"]
    assert reading.retracted == ()


def test_whoever_is_left_is_ended_as_they_were_told() -> None:
    [over] = read_turn("נפרדתי מאסף", ["החבר שלי אסף"]).retracted
    assert over.object == "אסף"
    assert over.is_over


def test_a_plan_of_one_language_is_no_fact_of_another() -> None:
    # Portuguese reads the same verb, and not the time to come.
    assert read_turn("nos mudamos a Lugo a fin de mes").triples == ()
