"""Statements in the plainest words: what is denied, how one lives, contractions without their apostrophe."""

import pytest

from memory.claims.reader import read_claims
from memory.claims.turns import read_turn as read_hot_turn

Told = tuple[str, str, str, bool]


def read_told(text: str) -> set[Told]:
    return {(one.subject, one.relation, one.object, one.polarity) for one in read_claims(text)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("i dont live in leeds", ("you", "lives_in", "leeds", False)),
        ("we dont have kids", ("you", "has", "kids", False)),
        ("my sister doesnt eat pork", ("sister", "diet", "pork", False)),
        ("im not vegan", ("you", "diet", "vegan", False)),
        ("i cant eat nuts", ("you", "diet", "nuts", False)),
        ("jhabite à Lyon", ("you", "lives_in", "lyon", True)),
    ],
)
def test_a_contraction_without_its_apostrophe_is_one(text: str, told: Told) -> None:
    assert told in read_told(text)


def test_the_statement_is_told_with_the_apostrophe() -> None:
    assert [one.statement for one in read_claims("i dont live in leeds")] == ["I don't live in leeds."]


@pytest.mark.parametrize("text", ["im Garten steht ein Baum", "le film dont je parle", "my id is 4422"])
def test_the_same_letters_are_another_word_elsewhere(text: str) -> None:
    assert not [one for one in read_claims(text) if "'" in one.statement]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Wir haben keinen Hund.", ("you", "has", "hund", False)),
        ("ich hab keine Allergien", ("you", "has", "allergien", False)),
        ("I have no siblings", ("you", "has", "siblings", False)),
        ("Nous n’avons pas de chien", ("you", "has", "chien", False)),
        ("Non ho figli", ("you", "has", "figli", False)),
        ("אין לי ילדים", ("you", "has", "ילדים", False)),
        ("I have no kids", ("you", "has", "kids", False)),
        ("Ich habe keine Kinder", ("you", "has", "kinder", False)),
        ("No tengo hijos", ("you", "has", "hijos", False)),
        ("Não tenho filhos", ("you", "has", "filhos", False)),
        ("Vivo a Roma e non ho figli", ("you", "has", "figli", False)),
    ],
)
def test_what_a_denial_begins_is_not_had(text: str, told: Told) -> None:
    assert told in read_told(text)


@pytest.mark.parametrize(
    "text",
    [
        *("vivo sola", "vivo arriba del todo", "vivo lejos del centro", "ich wohne ganz oben", "moro sozinha"),
        *("j’habite tout en haut", "I live with Anna", "My gran lives with us."),
    ],
)
def test_how_and_with_whom_somebody_lives_is_no_home(text: str) -> None:
    assert not [one for one in read_claims(text) if one.relation in {"lives_in", "has_condition"}]


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("vivo sola en Vigo", "vigo"),
        ("Ich wohne allein in Köln", "köln"),
        ("j’habite lyon", "lyon"),
        ("j'habite aux Pays-Bas", "pays-bas"),
    ],
)
def test_where_somebody_lives_is_read_beside_it(text: str, home: str) -> None:
    assert ("you", "lives_in", home, True) in read_told(text)


@pytest.mark.parametrize(
    "text", ["duermo como un tronco", "Mi hijo se pone como un globo.", "otra noche como un tronco"]
)
def test_a_simile_is_no_food(text: str) -> None:
    assert not [one for one in read_claims(text) if one.relation == "eats"]


@pytest.mark.parametrize("text", ["yo como carne", "sólo como verdura"])
def test_what_somebody_eats_is_food(text: str) -> None:
    assert [one for one in read_claims(text) if one.relation == "eats" and one.polarity]


def test_being_a_mother_is_no_trade() -> None:
    assert read_told("I'm the mother of twins.") == {("you", "is", "mother of twins", True)}
    assert ("you", "works_as", "sage-femme", True) in read_told("Je suis sage-femme à l'hôpital de la Conception.")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Don't forget I'm allergic to nuts.", ("you", "allergic_to", "nuts", True)),
        ("Don't forget I don't eat meat.", ("you", "eats", "meat", False)),
        ("No olvides que soy alérgica a las nueces.", ("you", "allergic_to", "nueces", True)),
        ("No te olvides de que vivo en Vigo.", ("you", "lives_in", "vigo", True)),
        ("Vergiss nicht, dass ich gegen Nüsse allergisch bin.", ("you", "allergic_to", "nüsse", True)),
        ("N'oublie pas que j'habite à Lyon", ("you", "lives_in", "lyon", True)),
        ("Non scordarti che abito a Bari.", ("you", "lives_in", "bari", True)),
        ("Não esquece que eu moro em Recife.", ("you", "lives_in", "recife", True)),
        ("אל תשכח שאני אלרגית לאגוזים", ("you", "allergic_to", "אגוזים", True)),
    ],
)
def test_not_to_forget_denies_nothing(text: str, told: Told) -> None:
    assert [one.is_request for one in read_claims(text)] == [True]
    assert read_told(text) == {told}


def test_a_request_tells_all_that_its_words_tell() -> None:
    told = read_claims("Remember that my wife is Anna and we live in York")
    assert {(one.relation, one.object) for one in told} == {("wife", "anna"), ("lives_in", "york")}
    assert {one.statement for one in told} == {"My wife is Anna and we live in York."}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ich bin gerade nach Bonn gezogen", ("you", "lives_in", "bonn", True)),
        ("me acabo de mudar a Bilbao", ("you", "lives_in", "bilbao", True)),
        ("acabei de me mudar para Braga", ("you", "lives_in", "braga", True)),
        ("je viens de déménager à Nantes", ("you", "lives_in", "nantes", True)),
        ("acabo de empezar en Inditex", ("you", "works_at", "inditex", True)),
        ("ich habe gerade bei Bosch angefangen", ("you", "works_at", "bosch", True)),
    ],
)
def test_what_has_just_changed_is_no_passing_state(text: str, told: Told) -> None:
    assert told in read_told(text)
    assert not [one for one in read_claims(text) if one.relation == "moved_from"]


@pytest.mark.parametrize("text", ["acabo de mudarme de ropa", "ich bin gerade in den Zug gestiegen"])
def test_what_passes_still_claims_nothing(text: str) -> None:
    assert not read_claims(text)


@pytest.mark.parametrize(
    ("text", "illness"),
    [
        ("the doctor says I have high blood pressure", "high blood pressure"),
        ("el médico dice que tengo la tensión alta", "tensión alta"),
        ("il medico dice che ho la pressione alta", "pressione alta"),
    ],
)
def test_what_a_doctor_finds_is_the_persons(text: str, illness: str) -> None:
    assert ("you", "has_condition", illness, True) in read_told(text)


@pytest.mark.parametrize(
    ("text", "animal"), [("notre chien est mort", "dog"), ("הכלב שלנו מת", "dog"), ("our cat died yesterday", "cat")]
)
def test_that_an_animal_died_is_not_its_name(text: str, animal: str) -> None:
    assert [(one.relation, one.tense) for one in read_claims(text)] == [(animal, "over")]


@pytest.mark.parametrize(
    ("text", "employer"),
    [
        ("j’ai quitté mon boulot chez Orange", "orange"),
        ("ho lasciato il lavoro alla Fiat", "fiat"),
        ("עזבתי את העבודה באלביט", "אלביט"),
    ],
)
def test_whoever_leaves_a_job_leaves_the_employer(text: str, employer: str) -> None:
    assert ("you", "works_at", employer, False) in read_told(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mein Sohn hat eine Nussallergie", ("sohn", "allergic_to", "nuss", True)),
        ("my son has a peanut allergy", ("son", "allergic_to", "peanut", True)),
        ("j’ai une allergie aux noix", ("you", "allergic_to", "noix", True)),
        ("we're vegetarians", ("you", "diet", "vegetarians", True)),
        ("empiezo en Inditex el lunes", ("you", "works_at", "inditex", True)),
        ("I don't have a car so walking distance only", ("you", "owns", "", False)),
        ("I live in a small flat in York with two cats", ("you", "lives_in", "york", True)),
    ],
)
def test_a_value_holds_what_it_is_and_no_more(text: str, told: Told) -> None:
    assert told in read_told(text)
    assert len([one for one in read_claims(text) if one.relation == told[1]]) == 1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("our cat Mog died yesterday", "mog"),
        ("unser Hund Bello ist gestern Nacht gestorben", "bello"),
        ("notre chien Rex est mort", "rex"),
        ("nuestro perro Toby ha muerto", "toby"),
        ("o nosso cão Bobi morreu", "bobi"),
        ("הכלב שלנו רקסי מת", "רקסי"),
    ],
)
def test_an_animal_that_died_is_no_longer_had(text: str, name: str) -> None:
    assert [(one.object, one.tense, one.polarity) for one in read_claims(text)] == [(name, "over", False)]
    assert [(one.object, one.is_over) for one in read_hot_turn(text).retracted] == [(name, True)]


def test_what_an_animal_leaves_ends_nothing() -> None:
    assert ("you", "dog", "rex", True) in read_told("our dog Rex left mud everywhere")
    assert ("you", "cat", "mog", True) in read_told("our cat Mog loves dead mice")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Mein Zahnarzttermin ist am 3. März um 10 Uhr.", ("zahnarzttermin", "time", "3. märz um 10 uhr", True)),
        ("Oma hat am 3. März Geburtstag.", ("oma", "birthday", "3. märz", True)),
        ("Tengo cita con el dentista el 3 de marzo a las 10.", ("cita", "time", "3 de marzo a las 10", True)),
    ],
)
def test_a_day_of_a_month_is_one_date(text: str, told: Told) -> None:
    assert [one for one in read_told(text) if one[1] == told[1]] == [told]


def test_an_appointment_quotes_nobody_and_courts_nobody() -> None:
    assert read_claims("La dentista me ha dado cita el 3 de marzo a las 10.")
    assert not [one for one in read_claims("I'm seeing the dentist on 3 March at 10.") if one.relation == "dating"]
    assert ("you", "dating", "marta", True) in read_told("I'm seeing Marta")


def test_a_job_that_began_this_week_goes_on() -> None:
    assert ("you", "works_at", "aldi", True) in read_told("New job! Started at Aldi this week.")
    assert not read_told("I might start at Aldi this week")


@pytest.mark.parametrize("text", ["I nearly moved to York last year.", "our cat nearly died", "Casi me mudo a Bilbao."])
def test_what_almost_happened_changes_nothing(text: str) -> None:
    assert {one.relation for one in read_claims(text)} <= {"about"}


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Mio fratello si è appena trasferito a Bari.", ("fratello", "lives_in", "bari", True)),
        ("Mi hermano se acaba de mudar a Bilbao.", ("hermano", "lives_in", "bilbao", True)),
        ("O meu irmão acabou de se mudar para Braga.", ("irmão", "lives_in", "braga", True)),
        ("Mein Bruder ist gerade nach Bonn gezogen.", ("bruder", "lives_in", "bonn", True)),
    ],
)
def test_a_brothers_move_is_his(text: str, who: Told) -> None:
    assert read_told(text) == {who}


def test_kin_who_died_are_kin() -> None:
    assert read_told("mein Vater ist gestorben") == {("father", "about", "gestorben", True)}
    assert read_claims("my dad died when I was six")
    assert read_told("אמא שלי מתגוררת אצלנו") == {("אמא", "about", "", True)}


def test_whoever_moved_is_who_stands_beside_the_verb() -> None:
    told = read_told("my 3yo Theo won't sleep since we moved to Hove last month")
    assert {one for one in told if one[1] == "lives_in"} == {("you", "lives_in", "hove", True)}


def test_a_question_without_its_mark_tells_nothing_of_what() -> None:
    told = read_claims("my partner Joe eats everything, what's a compromise dinner")
    assert "what" not in {one.subject for one in told}


def test_working_remotely_names_no_employer() -> None:
    assert not [one for one in read_claims("trabajo en remoto desde Málaga") if one.relation == "works_at"]
    assert ("you", "works_at", "casa da moeda", True) in read_told("Trabalho na Casa da Moeda")


@pytest.mark.parametrize(
    ("text", "employer"),
    [
        ("Seit Montag bin ich bei Bosch.", "bosch"),
        ("Since Monday I am at Aldi.", "aldi"),
        ("desde el lunes estoy en Seur", "seur"),
        ("depuis lundi je suis chez Free", "free"),
        ("da lunedì sono alla Ferrari", "ferrari"),
    ],
)
def test_where_somebody_is_since_a_day_they_work(text: str, employer: str) -> None:
    assert [(one.relation, one.object, one.tense) for one in read_claims(text)] == [("works_at", employer, "new")]


@pytest.mark.parametrize(
    "text", ["desde ayer estoy en cama", "Seit Montag bin ich in Bonn.", "seit gestern sind wir bei Anna"]
)
def test_a_bed_a_town_and_a_friend_are_no_employer(text: str) -> None:
    assert not [one for one in read_claims(text) if one.relation == "works_at"]


def test_what_ends_something_known_is_sure_without_capitals() -> None:
    told = read_claims("jodie isnt vegan any more, she had a bacon sarnie", ["my housemate jodie is vegan"])
    assert [(one.subject, one.relation, one.object, one.tense, one.is_sure) for one in told] == [
        ("jodie", "diet", "vegan", "over", True)
    ]


@pytest.mark.parametrize(
    ("text", "drug", "dose"),
    [
        ("ich soll jetzt Candesartan nehmen, 8 mg morgens", "candesartan", "8 mg"),
        ("ich muss Ramipril 5 mg nehmen", "ramipril", "5 mg"),
        ("i'm meant to be on candesartan, taking 8 mg in the morning", "candesartan", "8 mg"),
        ("tengo que tomar candesartán, 8 mg por la mañana", "candesartán", "8 mg"),
        ("je dois prendre du candésartan, 8 mg le matin", "candésartan", "8 mg"),
        ("devo prendere candesartan, 8 mg la mattina", "candesartan", "8 mg"),
        ("tenho de tomar candesartan, 8 mg de manhã", "candesartan", "8 mg"),
        ("candesartan, tomo 8 mg por la mañana", "candesartan", "8 mg"),
        ("Tomo 20 mg de omeprazol.", "omeprazol", "20 mg"),
        ("I take 20 mg of lisinopril every morning", "lisinopril", "20 mg"),
    ],
)
def test_a_dose_and_its_hour_are_of_the_medicine(text: str, drug: str, dose: str) -> None:
    told = {one[:3] for one in read_told(text) if one[1].startswith("takes")}
    assert told == {("you", "takes", drug), (drug, "takes_dose", dose)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I started eating meat again.", ("you", "eats", "meat", True)),
        ("He vuelto a comer carne.", ("you", "eats", "carne", True)),
        ("Ya como pescado otra vez.", ("you", "eats", "pescado", True)),
        ("Seit ein paar Wochen esse ich wieder Fleisch.", ("you", "eats", "fleisch", True)),
        ("j'ai recommencé à manger de la viande", ("you", "eats", "viande", True)),
        ("ho ricominciato a mangiare carne", ("you", "eats", "carne", True)),
        ("voltei a comer carne", ("you", "eats", "carne", True)),
        ("חזרתי לאכול בשר", ("you", "eats", "בשר", True)),
        ("I gave up meat", ("you", "eats", "meat", False)),
        ("i gave up coffee", ("you", "drinks", "coffee", False)),
    ],
)
def test_what_somebody_eats_again_or_gives_up_is_food(text: str, told: Told) -> None:
    assert read_told(text) == {told}


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("I'm 34 weeks pregnant.", "you"),
        ("i'm six months pregnant", "you"),
        ("my sister is 20 weeks pregnant", "sister"),
        ("ich bin im fünften Monat schwanger", "you"),
    ],
)
def test_how_far_a_pregnancy_is_is_no_age(text: str, subject: str) -> None:
    assert [one[:2] for one in read_told(text)] == [(subject, "has_condition")]
