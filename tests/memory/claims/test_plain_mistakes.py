"""Plain sentences that were taken for something else: a trade, a gym, a name, an age."""

import pytest

from memory.claims import read_claims

WRONG = [
    ("I'm a Leo", "works_as"),
    ("I'm a Londoner", "works_as"),
    ("I'm a morning person", "works_as"),
    ("I'm a big fan of Dune", "works_as"),
    ("I'm a fast learner", "works_as"),
    ("ich bin Frühaufsteher", "works_as"),
    ("je suis gaucher", "works_as"),
    ("I switched to oat milk", "gym"),
    ("I switched to Vodafone", "gym"),
    ("je suis passé chez Free", "gym"),
    ("sono passato a Iliad", "bank"),
    ("עברתי לסלקום", "lives_in"),
    ("ich bin zu Vodafone gewechselt", "name"),
    ("ich bin zu Fuß gekommen", "name"),
    ("I volunteer at the food bank on Saturdays", "works_at"),
    ("sou voluntária na Refood", "works_at"),
    ("I turn 40 in May", "age"),
    ("my daughter turns 6 in June", "age"),
    ("cumplo 40 en mayo", "age"),
    ("ma fille aura 6 ans en juin", "age"),
    ("mia figlia compie 6 anni a giugno", "age"),
    ("הבת שלי תהיה בת 6 ביוני", "daughter"),
    ("I'm seeing someone new", "dating"),
    ("je suis de retour à Nantes", "from"),
    ("we lost our cat on friday", "cat"),
    ("my mum's poorly", "mother"),
    ("mein Sohn ist krank", "son"),
    ("mon mari est malade", "husband"),
    ("mail to my boss pls", "boss"),
    ("tengo que escribir a mi jefe", "has"),
    ("hab heut gekündigt", "member_of"),
    ("lui et moi on est brouillés", "name"),
    ("il camper è nostro da una vita", "da"),
]
WRONG += [
    ("i live with jonah and kit", "has_condition"),
    ("Ich bin zu einer neuen Zahnärztin gewechselt, Dr. Ott.", "works_as"),
    ("Ich bin zu einer neuen Zahnärztin gewechselt, Dr. Ott.", "works_at"),
    ("I switched from bass to drums.", "provider"),
    ("I drive to work these days.", "owns"),
    ("Mein Sohn Paul ist in Kanada", "school"),
    ("Meine Frau Anna ist auf Kur", "school"),
    ("Meine Miete ist auf 950 Euro gestiegen", "school"),
    ("Zahnarzttermin ist auf den 9. Mai verschoben", "school"),
    ("Unsere Tochter Ida ist gestern geboren", "born_in"),
]
RIGHT = [
    ("I switched from bass to drums.", "plays", "drums"),
    ("Ich bin von Bass zu Schlagzeug gewechselt", "plays", "schlagzeug"),
    ("Mein Sohn Paul ist jetzt auf der Waldorfschule", "school", "waldorfschule"),
    ("lern grad gitarre", "learns", "gitarre"),
    ("I live with diabetes", "has_condition", "diabetes"),
    ("Still driving my dad's old Saab.", "car", "dad's old saab"),
    ("meine freundin lea mag keine überraschungen aber wird am 9 oktober 18", "turns", "18"),
    ("I'm a roofer", "works_as", "roofer"),
    ("I'm a GP", "works_as", "gp"),
    ("ich bin Bäcker", "works_as", "bäcker"),
    ("I turned 40 in May", "age", "40"),
    ("I joined a gym, PureGym", "gym", "puregym"),
    ("me he apuntado a un gimnasio, el VivaGym", "gym", "vivagym"),
    ("ich bin Mona", "name", "mona"),
    ("I'm seeing Jonas", "dating", "jonas"),
    ("I switched to Vodafone", "provider", "vodafone"),
    ("I work at Orange", "works_at", "orange"),
    ("I got the job at Siemens!", "works_at", "siemens"),
    ("mi hanno preso alla Siemens", "works_at", "siemens"),
    ("fiquei com a vaga na Siemens", "works_at", "siemens"),
    ("התקבלתי לעבודה באינטל", "works_at", "אינטל"),
    ("I'm back in Leeds for good", "lives_in", "leeds"),
    ("sono tornata a Torino", "lives_in", "torino"),
    ("I get up at 5:30", "routine", "5:30"),
]
NO_HOME = ["I'm back in Leeds for the weekend", "I'm back in the office", "sono tornata a casa", "he vuelto a fumar"]
ILL = [
    ("my mum has dementia and lives in a care home in Ayr", "mum", "dementia"),
    ("mi madre tiene alzheimer", "madre", "alzheimer"),
    ("meine Mutter hat Demenz", "mutter", "demenz"),
    ("לאמא שלי יש דמנציה", "אמא", "דמנציה"),
]


@pytest.mark.parametrize(("said", "relation"), WRONG)
def test_a_plain_sentence_is_not_taken_for_what_it_is_not(said: str, relation: str) -> None:
    assert relation not in {one.relation for one in read_claims(said)}


@pytest.mark.parametrize(("said", "relation", "value"), RIGHT)
def test_beside_it_what_is_meant_is_read(said: str, relation: str, value: str) -> None:
    assert (relation, value) in {(one.relation, one.object) for one in read_claims(said)}


@pytest.mark.parametrize("said", NO_HOME)
def test_who_is_back_for_a_while_lives_nowhere_else(said: str) -> None:
    assert "lives_in" not in {one.relation for one in read_claims(said)}


@pytest.mark.parametrize(("said", "who", "illness"), ILL)
def test_illnesses_of_the_old_are_known(said: str, who: str, illness: str) -> None:
    assert (who, "has_condition", illness) in {(one.subject, one.relation, one.object) for one in read_claims(said)}


@pytest.mark.parametrize("said", ["J'ai repris le piano l'an dernier.", "Ho cambiato lavoro.", "J'ai revu Camille."])
def test_what_was_done_is_not_had(said: str) -> None:
    assert not {claim.relation for claim in read_claims(said)} & {"has", "owns"}


@pytest.mark.parametrize("said", ["Ho preso un cane.", "J'ai adopté une chatte."])
def test_who_has_got_an_animal_has_one(said: str) -> None:
    assert {claim.relation for claim in read_claims(said)} & {"has", "owns"}


@pytest.mark.parametrize(
    "said",
    [
        "I have a brother called Sam and two cats, Milo and Otis.",
        "Ich habe einen Bruder namens Sam und zwei Katzen, Milo und Otis.",
        "J'ai un frère qui s'appelle Sam et deux chats, Milo et Otis.",
        "Tengo un hermano que se llama Sam y dos gatos, Milo y Otis",
        "Ho un fratello di nome Sam e due gatti, Milo e Otis",
    ],
)
def test_names_behind_another_noun_are_of_that(said: str) -> None:
    named = {(one.relation, one.object) for one in read_claims(said) if one.relation in {"brother", "cat"}}
    assert named == {("brother", "sam"), ("cat", "milo"), ("cat", "otis")}


@pytest.mark.parametrize(
    ("said", "is_drunk"),
    [
        ("je bois plus d'alcool depuis 90 jours", False),
        ("je bois plus d'eau qu'avant", True),
        ("je bois plus d'un litre de café", True),
    ],
)
def test_spoken_french_ends_without_a_ne(said: str, is_drunk: bool) -> None:
    assert [one.polarity for one in read_claims(said) if one.relation == "drinks"] == [is_drunk]


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("someone nicked my bike", "bike"),
        ("my bike got nicked", "bike"),
        ("my car has been stolen", "car"),
        ("jemand hat mein Fahrrad geklaut", "fahrrad"),
        ("on m'a volé mon vélo", "vélo"),
        ("me robaron la bici", "bici"),
        ("mi hanno rubato la bici", "bici"),
    ],
)
def test_what_was_stolen_is_no_longer_had(said: str, thing: str) -> None:
    assert [(one.relation, one.object, one.polarity) for one in read_claims(said)] == [("owns", thing, False)]


@pytest.mark.parametrize("said", ["my brother's bike was stolen", "someone stole my car last night"])
def test_what_was_stolen_is_not_told_as_had(said: str) -> None:
    assert not {one.relation for one in read_claims(said)} & {"owns", "has"}


@pytest.mark.parametrize(
    "said",
    [
        "Ich bin gegen nichts allergisch.",
        "I'm not allergic to anything",
        "Je ne suis allergique à rien.",
        "no soy alérgico a nada",
        "non sono allergico a niente",
    ],
)
def test_who_is_allergic_to_nothing_has_no_allergy_of_that_name(said: str) -> None:
    assert [(one.relation, one.object, one.polarity) for one in read_claims(said)] == [("allergic_to", "", False)]
