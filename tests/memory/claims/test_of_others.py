"""What is told of somebody else is theirs, under the relation that it tells, and never the person's."""

import pytest

from memory.claims import read_claims


def list_told(text: str, *previous: str) -> set[tuple[str, str, str]]:
    return {(one.subject, one.relation, one.object) for one in read_claims(text, previous)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My boss is allergic to nuts.", ("boss", "allergic_to", "nuts")),
        ("My wife is vegetarian.", ("wife", "diet", "vegetarian")),
        ("Mein Chef ist Vegetarier.", ("chef", "diet", "vegetarier")),
        ("Mon patron est allergique aux noix.", ("patron", "allergic_to", "noix")),
        ("אמא שלי אלרגית לאגוזים.", ("אמא", "allergic_to", "אגוזים")),
        ("אמא שלי לוקחת רמיפריל.", ("אמא", "takes", "רמיפריל")),
        ("אמא שלי נוהגת בסקודה.", ("אמא", "car", "סקודה")),
        ("אח שלי צמחוני.", ("אח", "diet", "צמחוני")),
        ("אמא שלי בת 34.", ("אמא", "age", "34")),
        ("אמא שלי אוהבת ג'אז.", ("אמא", "likes", "ג'אז")),
        ("חברה שלי גרה בחיפה.", ("חברה", "lives_in", "חיפה")),
        ("חברה שלי חולה סוכרת.", ("חברה", "has_condition", "סוכרת")),
    ],
)
def test_a_state_behind_a_noun_is_told_of_them_and_is_no_name(text: str, told: tuple[str, str, str]) -> None:
    assert told in list_told(text)
    assert all(subject != "you" for subject, _, _ in list_told(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Greta ist allergisch gegen Nüsse.", ("greta", "allergic_to", "nüsse")),
        ("Lucía es alérgica a las nueces.", ("lucía", "allergic_to", "nueces")),
        ("Giulia è allergica alle noci.", ("giulia", "allergic_to", "noci")),
        ("Grace works as a plumber.", ("grace", "works_as", "plumber")),
        ("Mi amiga es dentista.", ("amiga", "works_as", "dentista")),
        ("La mia amica è dentista.", ("amica", "works_as", "dentista")),
        ("Mon amie est dentiste.", ("amie", "works_as", "dentiste")),
        ("A minha amiga é dentista.", ("amiga", "works_as", "dentista")),
    ],
)
def test_a_name_alone_and_a_trade_that_strangers_have_are_told_of_them(text: str, told: tuple[str, str, str]) -> None:
    assert told in list_told(text)
    assert all(subject != "you" for subject, _, _ in list_told(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Carla tiene alergia a los cacahuetes.", ("carla", "allergic_to", "cacahuetes")),
        ("Sara è intollerante al lattosio.", ("sara", "allergic_to", "lattosio")),
        ("Carlos ha encontrado trabajo en Iberdrola.", ("carlos", "works_at", "iberdrola")),
        ("Rita ha trovato lavoro da Leroy Merlin.", ("rita", "works_at", "leroy merlin")),
        ("O Pedro arranjou emprego na TAP.", ("pedro", "works_at", "tap")),
        ("Paul a trouvé un travail chez Orange.", ("paul", "works_at", "orange")),
        ("Mi hermana ha encontrado trabajo en Amazon.", ("hermana", "works_at", "amazon")),
        ("Pietro ha cominciato alla Montessori.", ("pietro", "works_at", "montessori")),
    ],
)
def test_who_is_named_before_a_verb_without_a_pronoun_is_meant(text: str, told: tuple[str, str, str]) -> None:
    assert told in list_told(text)
    assert all(subject != "you" for subject, _, _ in list_told(text))


def test_a_name_that_no_list_has_is_known_from_before_or_by_its_article() -> None:
    assert list_told("a Bia tem alergia a amendoim", "tenho uma filha, a Bia") == {("bia", "allergic_to", "amendoim")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Luisa me ha encontrado trabajo en Correos.", ("you", "works_at", "correos")),
        ("Carla y yo tenemos alergia al polen.", ("you", "allergic_to", "polen")),
        ("Paolo è il mio capo.", ("you", "boss", "paolo")),
        ("He encontrado trabajo en Amazon.", ("you", "works_at", "amazon")),
        ("Ho trovato lavoro in Comune.", ("you", "works_at", "comune")),
    ],
)
def test_a_name_before_what_is_said_of_the_person_changes_nothing(text: str, told: tuple[str, str, str]) -> None:
    assert told in list_told(text)


@pytest.mark.parametrize(
    "text",
    [
        "My boss is a young woman, Marta.",
        "Ahora mi jefa es una chica joven, Marta.",
        "Mein Chef ist ein netter Kerl.",
    ],
)
def test_what_anybody_is_is_no_trade_and_no_name(text: str) -> None:
    told = list_told(text)
    assert not [one for one in told if one[1] == "works_as" or ("kerl" in one[2] and one[1] == "boss")]
    assert ("you", "dog", "guy") in list_told("My dog is called Guy.")


def test_a_hebrew_name_before_a_diet_is_not_the_person() -> None:
    assert not [one for one in list_told("נועה צמחונית.") if one[1] == "diet"]
    assert ("you", "diet", "צמחונית") in list_told("אני צמחונית.")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("אחותי מיה גרה בחיפה.", ("you", "sister", "מיה")),
        ("הבוס שלי הוא יאיר.", ("you", "boss", "יאיר")),
        ("My boss is Baker.", ("you", "boss", "baker")),
        ("החברה שלי נועה לומדת בטכניון", ("you", "girlfriend", "נועה")),
    ],
)
def test_a_name_behind_a_noun_is_one(text: str, told: tuple[str, str, str]) -> None:
    assert told in list_told(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("His wife is allergic to nuts.", ("his wife", "allergic_to", "nuts")),
        ("Seine Frau hat Diabetes.", ("seine frau", "has_condition", "diabetes")),
        ("Su mujer tiene diabetes.", ("su mujer", "has_condition", "diabetes")),
        ("Sa femme a du diabète.", ("sa femme", "has_condition", "diabète")),
        ("Sua moglie ha il diabete.", ("sua moglie", "has_condition", "diabete")),
        ("A mulher dele tem diabetes.", ("mulher dele", "has_condition", "diabetes")),
        ("אמא שלו גרה בחיפה.", ("אמא שלו", "lives_in", "חיפה")),
    ],
)
def test_his_wife_is_not_the_persons(text: str, told: tuple[str, str, str]) -> None:
    assert list_told(text) == {told}


@pytest.mark.parametrize(
    "text",
    [
        "My brother may have diabetes.",
        "My brother may live in York.",
        "my sister may work at aldi",
        "I may live in York.",
        "Mein Bruder könnte in Ulm wohnen.",
    ],
)
def test_what_may_be_is_not_told_as_certain(text: str) -> None:
    assert list_told(text) <= {("you", "about", ""), ("bruder", "is", "wohnen")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My birthday is in May and I live in York.", ("you", "birthday", "may")),
        ("my birthday is on 3 may", ("you", "birthday", "3 may")),
        ("my brother was born in may and lives in york", ("brother", "lives_in", "york")),
    ],
)
def test_the_month_of_may_doubts_nothing(text: str, told: tuple[str, str, str]) -> None:
    assert told in list_told(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("לאחותי קוראים מיה", ("you", "sister", "מיה")),
        ("לבעלי קוראים יאיר.", ("you", "husband", "יאיר")),
        ("ולאחותי קוראים מיה.", ("you", "sister", "מיה")),
        ("Mi hermana se llama Mía.", ("you", "sister", "mía")),
        ("mi hermana se llama mía", ("you", "sister", "mía")),
        ("mia sorella si chiama mia", ("you", "sister", "mia")),
    ],
)
def test_names_are_read_behind_whatever_is_written_together_or_means_mine(
    text: str, told: tuple[str, str, str]
) -> None:
    assert list_told(text) == {told}


@pytest.mark.parametrize("text", ["לאשתי יש סוכרת.", "לאשתו יש סוכרת."])
def test_an_illness_in_the_dative_is_theirs(text: str) -> None:
    [claim] = read_claims(text)
    assert (claim.subject != "you", claim.relation, claim.object) == (True, "has_condition", "סוכרת")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I'm from Cork and I'm 34.", {("you", "born_in", "cork"), ("you", "age", "34")}),
        ("Bin aus Ulm und 34.", {("you", "born_in", "ulm")}),
        (
            "I'm from Izmir but have lived in Hagen since 2019.",
            {("you", "born_in", "izmir"), ("you", "lives_in", "hagen")},
        ),
    ],
)
def test_where_somebody_is_from_stays_beside_what_is_joined(text: str, told: set[tuple[str, str, str]]) -> None:
    assert list_told(text) >= told


@pytest.mark.parametrize(
    "text", ["La profesora de mi hijo es alérgica a las nueces.", "La maestra di mio figlio è allergica alle noci."]
)
def test_whose_teacher_it_is_is_nobodys_name(text: str) -> None:
    assert {subject for subject, _, _ in list_told(text)} <= {"profesora de mi hijo", "maestra di mio figlio"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My husband Will takes ramipril.", ("will", "takes", "ramipril", True)),
        ("My husband Will is allergic to nuts.", ("will", "allergic_to", "nuts", True)),
        ("My husband Will doesn't eat pork.", ("will", "diet", "pork", False)),
        ("My sister Mia doesn't work at Aldi.", ("mia", "works_at", "aldi", False)),
    ],
)
def test_a_name_that_is_a_verb_and_a_denial_beside_a_name_lose_nothing(
    text: str, told: tuple[str, str, str, bool]
) -> None:
    claims = {(one.subject, one.relation, one.object, one.polarity) for one in read_claims(text)}
    assert told in claims
    assert {relation for subject, relation, _, _ in claims if subject == "you"} <= {"husband", "sister"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Il mio vicino si è trasferito a Lecce.", ("vicino", "lives_in", "lecce")),
        ("Il mio vicino ha 34 anni.", ("vicino", "age", "34")),
    ],
)
def test_an_italian_neighbour_is_near_nothing(text: str, told: tuple[str, str, str]) -> None:
    assert list_told(text) == {told}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ma femme est prof. J'habite à Lyon.", {("femme", "works_as", "prof"), ("you", "lives_in", "lyon")}),
        ("mi padre es hipertenso", {("padre", "has_condition", "hipertenso")}),
        ("אשתי נוהגת בסקודה.", {("אשתי", "car", "סקודה")}),
        ("my boss quit", {("boss", "about", "")}),
    ],
)
def test_titles_illnesses_and_leaving_are_what_they_say(text: str, told: set[tuple[str, str, str]]) -> None:
    assert list_told(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My friend's brother lives in York.", ("friend's brother", "lives_in", "york")),
        ("El hermano de mi amiga vive en Vigo.", ("hermano de mi amiga", "lives_in", "vigo")),
        ("Mia sorella si chiama Mia.", ("you", "sister", "mia")),
        ("Ich esse keinen Fisch.", ("you", "diet", "fisch")),
        ("My sister's a nurse.", ("sister", "works_as", "nurse")),
    ],
)
def test_whose_brother_it_is_what_she_is_called_and_what_is_eaten(text: str, told: tuple[str, str, str]) -> None:
    assert list_told(text) == {told}


def test_a_portuguese_name_behind_its_article_is_not_the_person() -> None:
    assert ("inês", "allergic_to", "nozes") in list_told("a inês é alérgica a nozes")
    assert all(subject != "you" for subject, _, _ in list_told("a inês é alérgica a nozes"))
