"""What a question asks for, and which statements limit what it may be answered with, in every language."""

import pytest

from memory.claims import read_claims
from memory.claims.claim import SPEAKER
from memory.claims.constraints import find_constraint
from memory.claims.questions import read_question

ASKED = {
    "where do i work these days": "works_at",
    "Who's my dentist?": "dentist",
    "What did I pay the landlord in rent?": "pays",
    "Wann ist mein Töpferkurs?": "hobby",
    "wo wohnen wir eigentlich": "lives_in",
    "¿Dónde trabajo?": "works_at",
    "¿Cómo se llama mi hermana?": "sister",
    "Quel médicament est-ce que je prends ?": "takes",
    "C'est quand, mon anniversaire ?": "birthday",
    "Di che cosa sono allergico?": "allergic_to",
    "Che lavoro faccio?": "works_as",
    "Qual é o meu número de telefone?": "phone_number",
    "Em que escola anda a minha filha?": "daughter",
    "איפה אני גרה?": "lives_in",
    # German as it is spoken, without the ending.
    "wo wohn ich": "lives_in",
    "was nehm ich dagegen": "takes",
    "Wie hoch ist meine Schilddrüsendosis?": "takes_dose",
    "welches Gemüse find ich eklig": "dislikes",
    "which breathing problem do i have": "has_condition",
    # A language that is learned is one as well, and an instrument is played.
    "what language am i picking up": "learns",
    "Which instrument do I practise?": "plays",
    "מי הרופא שלי?": "doctor",
}


@pytest.mark.parametrize(("question", "relation"), ASKED.items())
def test_a_question_asks_for_a_relation(question: str, relation: str) -> None:
    assert relation in read_question(question).relations


def test_a_plant_based_diet_is_no_place() -> None:
    assert "lives_in" not in read_question("do i still eat plant based").relations
    assert "lives_in" in read_question("where am i based").relations


PAST = [
    "Where did I live before?",
    "What was my old job?",
    "Who used to be my doctor?",
    "Wo habe ich früher gearbeitet?",
    "Wie hieß mein erster Hund?",
    "¿Dónde vivía el año pasado?",
    "Où est-ce que je travaillais avant ?",
    "Dove abitavo prima?",
    "Onde eu trabalhava antes?",
    "איפה עבדתי קודם?",
]
PRESENT = [
    "Where do I live?",
    "How old is my father?",
    "What do I take before breakfast?",
    "Was nehme ich morgens?",
    "When did I start at the bakery?",
    "¿Qué tomo antes de dormir?",
    "Quel âge a ma mère ?",
    "Dove abito?",
    "Onde moro?",
    "איפה אני גר?",
]


@pytest.mark.parametrize("question", PAST)
def test_a_question_about_the_past_is_told_by_its_words(question: str) -> None:
    assert read_question(question).is_past


@pytest.mark.parametrize("question", PRESENT)
def test_a_question_about_now_is_none_about_the_past(question: str) -> None:
    assert not read_question(question).is_past


def test_whom_a_question_is_about() -> None:
    assert read_question("Where do I work?").subjects == {SPEAKER}
    assert "father" in read_question("Where does my father live?").subjects
    assert "paolo" in read_question("Where does Paolo work?").subjects


def test_what_is_had_answers_for_its_own_kind() -> None:
    phone, bike = read_question("What phone do I have?"), read_question("Was für ein Fahrrad habe ich?")
    told = ("has", "pixel 8"), ("has", "xiaomi"), ("has", "yaris"), ("has", "brompton"), ("phone", "yaris")
    assert [phone.may_mean(*one) for one in told] == [True, True, False, False, True]
    assert [bike.may_mean(*one) for one in told] == [True, False, False, True, True]
    assert read_question("What do I own?").may_mean("has", "yaris")


def test_a_request_wants_advice_and_a_question_recalls() -> None:
    assert read_question("Suggest a film for tonight").is_request
    assert not read_question("Who is my vet?").is_request
    assert read_question("Can I eat the mushroom soup?").is_request


# A constraint, and a request of the same language that it limits though they share no word.
LIMITED = {
    "I'm allergic to peanuts.": "Suggest a dinner recipe",
    "My son Ravi carries an epipen for walnuts.": "What should we bake on Sunday?",
    "I've been vegetarian since school.": "sushi place or bistro?",
    "Cats make me wheeze.": "Which pet should we get?",
    "I use a wheelchair.": "A route for our walk on Sunday?",
    "I'm terrified of flying.": "Plan a week in Lisbon with cheap flights",
    "I'm colour-blind.": "Which colours for this chart?",
    "Ich vertrage kein Gluten.": "Was koche ich heute Abend?",
    "Meine Frau ist schwanger.": "Welches Hotel mit Sauna passt für uns?",
    "Soy celíaca.": "¿Qué ceno hoy?",
    "Mi padre va en silla de ruedas.": "Busca un museo para el domingo",
    "Je suis végétarienne.": "Une recette pour ce soir ?",
    "Mon fils est asthmatique.": "Quel tapis pour sa chambre ?",
    "Sono intollerante al lattosio.": "Che dolce preparo?",
    "Ho la fobia dei cani.": "Che animale adottiamo?",
    "Sou alérgico a camarão.": "Que faço para o jantar?",
    "Minha mãe é cadeirante.": "Sugere um passeio para nós",
    "אני אלרגית לבוטנים": "תציע מתכון לארוחת ערב",
    "אני בהיריון": "איזה יין כדאי להזמין?",
}


@pytest.mark.parametrize(("constraint", "request_"), LIMITED.items())
def test_a_constraint_limits_what_a_request_touches(constraint: str, request_: str) -> None:
    assert find_constraint(constraint) & read_question(request_).topics


@pytest.mark.parametrize(
    "statement",
    [
        "No clowns at any party of ours, please.",
        "Nada de payasos en casa.",
        "Pas de clowns chez nous.",
        "Bitte keine Clowns auf unseren Festen.",
        "Niente pagliacci in casa nostra.",
        "Nada de palhaços lá em casa.",
        "בלי ליצנים בבית שלנו",
    ],
)
def test_what_somebody_wants_none_of_limits_whatever_is_asked_for(statement: str) -> None:
    assert find_constraint(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "We have no piano.",
        "I have no idea what it costs.",
        "Ich habe keine Geschwister.",
        "Je n'ai pas de frère.",
        "Non ho fratelli.",
        "I work at the town library.",
        "My sister lives in Genoa.",
        "We sold the old car in March.",
        "Ich spiele Geige.",
        "Me gusta el jazz.",
        "J'habite à Rennes.",
        "Il mio cane si chiama Zorro.",
        "Tenho três filhos.",
        "אני גר בעכו",
    ],
)
def test_most_statements_limit_nothing(statement: str) -> None:
    assert not find_constraint(statement)


@pytest.mark.parametrize(
    ("statement", "relation", "thing"),
    [
        # Two of them in Spanish, a back in French.
        ("Hacemos tarta de manzana para las dos.", "about", ""),
        ("Qué calor hace en Córdoba, y mi depto no tiene aire.", "about", ""),
        ("Los martes no llego más a cerámica.", "about", ""),
        ("Anda tomando muchísima agua.", "takes", "muchísima agua"),
        ("No more Pączek.", "style", ""),
        ("Keine Meisen mehr am Fenster.", "about", ""),
        ("Anzi no, alle 16.30.", "about", ""),
        ("Nada de , decime Pato.", "diet", ""),
        ("Nada de.", "diet", ""),
        ("Che que puedo cocinar rápido, nada con lata.", "about", ""),
    ],
)
def test_a_mere_no_or_no_more_limits_nothing(statement: str, relation: str, thing: str) -> None:
    assert not find_constraint(statement, relation, thing=thing)


@pytest.mark.parametrize(
    ("statement", "relation", "thing"),
    [
        ("Los martes no puedo.", "about", ""),
        ("Los martes no, nunca.", "about", ""),
        ("Montags kann ich nie.", "about", ""),
        ("Me duele la espalda desde hace dos años.", "about", ""),
        ("J'ai mal au dos.", "about", ""),
        ("The heat makes me faint.", "about", ""),
        ("Takes Concerta with breakfast.", "takes", "concerta"),
        ("No more gluten for me.", "about", ""),
        ("Plus de viande pour nous.", "about", ""),
        ("Nada de gluten, por favor.", "about", ""),
    ],
)
def test_with_evidence_it_does(statement: str, relation: str, thing: str) -> None:
    assert find_constraint(statement, relation, thing=thing)


def test_style_is_a_constraint_of_every_answer() -> None:
    for told in (
        "Keep your answers short.",
        "Bitte antworte auf Deutsch.",
        "Usa siempre grados Celsius",
        "תענה לי בקצרה",
    ):
        assert "style" in find_constraint(told)


def test_a_relation_tells_a_constraint_that_the_words_do_not() -> None:
    assert not find_constraint("Brazil ones above all.")
    assert "food" in find_constraint("Brazil ones above all.", relation="allergic_to")


@pytest.mark.parametrize(
    "told", ["Nut allergy", "I can't manage ladders.", "Ich bin farbenblind.", "Soy hipertensa", "אני דיסלקטית"]
)
def test_what_limits_the_person_is_claimed_though_no_phrase_knows_it(told: str) -> None:
    assert any(told.rstrip(".") in claim.statement for claim in read_claims(told))


@pytest.mark.parametrize(
    "told", ["Can people with asthma climb mountains?", "Write a story about a blind man who takes insulin."]
)
def test_what_limits_others_is_not(told: str) -> None:
    assert not read_claims(told)


@pytest.mark.parametrize(
    "said",
    [
        "I've got colitis",
        "Ich hab Gastritis",
        "tengo gastritis",
        "j'ai un ulcère",
        "ho la gastrite",
        "tenho insuficiência renal",
        "יש לי אולקוס",
        "naproxen wrecks my stomach",
        "la aspirina me destroza el estómago",
        "l'aspirine me bousille l'estomac",
        "soy alérgica a la aspirina",
        "I'm allergic to aspirin",
    ],
)
def test_illness_and_what_one_cannot_take_limit_what_is_said_of_health(said: str) -> None:
    limited = [find_constraint(one.statement, one.relation, one.tense, one.object) for one in read_claims(said)]
    assert any("health" in topics for topics in limited), limited
