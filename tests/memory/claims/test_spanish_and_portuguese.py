"""What people tell in Spanish and Portuguese, as they write to one another, and the same in their sister languages."""

import pytest

from memory.claims import read_claims

Slot = tuple[str, str, str]


def read_slots(text: str, *previous: str) -> set[Slot]:
    return {(claim.subject, claim.relation, claim.object) for claim in read_claims(text, previous) if claim.polarity}


@pytest.mark.parametrize(
    ("text", "who", "place"),
    [
        ("Lourdes se viene a vivir a Málaga", "lourdes", "málaga"),
        ("Mi hija Lourdes deja Bruselas: se viene a vivir a Málaga con su novio", "lourdes", "málaga"),
        ("A Bia vem morar em Olinda com o namorado", "bia", "olinda"),
        ("um amigo se mudou para Recife", "amigo", "recife"),
        ("Mio fratello viene a vivere a Torino", "fratello", "torino"),
        ("Marion vient vivre à Brest", "marion", "brest"),
        ("Nos venimos a vivir a Málaga", "you", "málaga"),
    ],
)
def test_who_comes_to_live_somewhere_is_who_the_clause_is_about(text: str, who: str, place: str) -> None:
    homes = {slot for slot in read_slots(text) if slot[1] == "lives_in"}
    assert homes == {(who, "lives_in", place)}


@pytest.mark.parametrize(
    "text",
    [
        "Me llama todos los domingos",
        "Me llama mi hermana todos los lunes",
        "Mi hermana me llama los domingos",
        "Me llama mi madre todos los días",
        "mia madre mi chiama tutti i giorni",
        "ma mère m'appelle tous les dimanches",
        "meine Mutter ruft mich jeden Sonntag an",
    ],
)
def test_who_rings_on_which_day_is_neither_a_name_nor_an_appointment(text: str) -> None:
    assert not {slot[1] for slot in read_slots(text)} & {"name", "nickname", "time"}


@pytest.mark.parametrize(("text", "name"), [("me llaman Pepe", "pepe"), ("mi abuela me llama Pipo", "pipo")])
def test_how_others_call_the_person_is_their_name(text: str, name: str) -> None:
    assert ("you", "name", name) in read_slots(text)


@pytest.mark.parametrize(
    ("text", "event", "time"),
    [
        ("ensayamos los miercoles", "ensayo", "miercoles"),
        ("los ensayos ahora son los viernes", "ensayo", "viernes"),
        ("ci alleniamo il lunedì", "allenamento", "lunedì"),
        ("mi fisio es los miércoles", "fisio", "miércoles"),
    ],
)
def test_what_is_done_on_a_day_is_the_event_that_the_noun_names(text: str, event: str, time: str) -> None:
    assert (event, "time", time) in read_slots(text)


def test_what_is_no_longer_on_a_day_and_was_moved_is_one_appointment() -> None:
    moved = "Ya no hay acuarela los martes, nos la han cambiado a los jueves"
    assert not {slot for slot in read_slots(moved) if slot[1] == "time"}
    told = {slot for slot in read_slots(moved, "Tengo acuarela los martes") if slot[1] == "time"}
    assert told == {("acuarela", "time", "jueves")}


@pytest.mark.parametrize(
    ("text", "religion"),
    [
        ("sou adventista", "adventista"),
        ("sou testemunha de jeová", "testemunha de jeová"),
        ("sou umbandista", "umbandista"),
        ("soy evangélica", "evangélica"),
        ("soy testigo de Jehová", "testigo de jehová"),
        ("sono avventista", "avventista"),
        ("je suis adventiste", "adventiste"),
        ("ich bin Adventistin", "adventistin"),
        ("Ich bin Zeuge Jehovas", "zeuge jehovas"),
        ("I'm a practising Muslim", "muslim"),
        ("אני אדוונטיסט", "אדוונטיסט"),
    ],
)
def test_a_religion_is_neither_a_trade_nor_a_name(text: str, religion: str) -> None:
    assert read_slots(text) == {("you", "religion", religion)}


@pytest.mark.parametrize(
    ("text", "food"),
    [
        ("No como carne de cerdo", "carne de cerdo"),
        ("Não como carne de porco", "carne de porco"),
        ("Non mangio carne di maiale", "carne di maiale"),
        ("je ne mange pas de viande de porc", "viande de porc"),
        ("no como carne de ningún tipo", "carne"),
        ("não como carne de jeito nenhum", "carne"),
    ],
)
def test_of_which_animal_no_meat_is_eaten_is_part_of_what_is_not_eaten(text: str, food: str) -> None:
    assert {(claim.relation, claim.object, claim.polarity) for claim in read_claims(text)} == {("eats", food, False)}


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("Mi hija me ha regalado una tableta Samsung", "tableta samsung"),
        ("Mi tía me regaló una bici", "bici"),
        ("Mia zia mi ha regalato una bici", "bici"),
        ("Ma tante m'a offert un vélo", "vélo"),
        ("minha tia me deu de presente uma bicicleta", "bicicleta"),
    ],
)
def test_what_the_person_was_given_is_theirs(text: str, thing: str) -> None:
    assert ("you", "owns", thing) in read_slots(text)


@pytest.mark.parametrize("text", ["He regalado mi bici", "ho regalato la bici a mia sorella"])
def test_what_the_person_gave_away_is_theirs_no_more(text: str) -> None:
    assert [(claim.relation, claim.object, claim.polarity) for claim in read_claims(text)] == [("owns", "bici", False)]


@pytest.mark.parametrize(
    "text",
    [
        "como dividimos la luz",
        "como ajusto los frenos",
        "que hago con la ansiedad",
        "que hago primero",
        "donde entreno cuando llueve",
        "como se limpia mi cafetera",
        "como faço pra economizar",
        "como divido a conta de luz",
        "o que eu faço com a ansiedade",
        "cosa faccio con l'ansia",
        "che faccio prima",
    ],
)
def test_a_question_without_its_mark_tells_nothing_of_what_it_asks(text: str) -> None:
    assert not {slot[1] for slot in read_slots(text)} & {"eats", "hobby", "works_as", "works_at", "about"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("soy celiaca, que hago de comer para 6", {("you", "has_condition", "celiaca")}),
        ("moro em Olinda, como divido a conta de luz", {("you", "lives_in", "olinda")}),
        ("que tengo un perro", {("you", "has", "perro")}),
        ("como pan todos los días", {("you", "eats", "pan")}),
    ],
)
def test_what_stands_beside_such_a_question_is_told(text: str, told: set[Slot]) -> None:
    assert read_slots(text) == told


def test_because_is_nothing_that_is_eaten() -> None:
    assert "eats" not in {slot[1] for slot in read_slots("como soy celíaca no puedo comer pan")}


@pytest.mark.parametrize(
    ("text", "relation", "name"),
    [
        ("Renuncié en Iberia y ya estoy en Renfe", "works_at", "renfe"),
        ("Pedi demissão e agora estou na Renault", "works_at", "renault"),
        ("I quit and I'm at Tesco now", "works_at", "tesco"),
        ("Mudei de casa, agora estou em Faro", "lives_in", "faro"),
        ("me cambie de depa, ahora estoy en zapopan", "lives_in", "zapopan"),
        ("Moved house, we're in Hull now", "lives_in", "hull"),
        ("Ho cambiato casa, adesso sono a Prato", "lives_in", "prato"),
        ("j'ai déménagé, je suis à Brest maintenant", "lives_in", "brest"),
        ("entré de mesero en un restaurante", "works_as", "mesero"),
    ],
)
def test_where_somebody_is_behind_what_they_left_takes_its_place(text: str, relation: str, name: str) -> None:
    assert ("you", relation, name) in read_slots(text)


@pytest.mark.parametrize(
    "text", ["me jubilé y estoy en Benidorm", "me he mudado y estoy en el hospital", "me he mudado y estoy en obras"]
)
def test_where_somebody_only_is_is_neither_their_home_nor_their_work(text: str) -> None:
    assert not {slot[1] for slot in read_slots(text)} & {"works_at", "lives_in"}


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Vou ao ginásio às segundas", "doctor"),
        ("Passei no concurso da prefeitura de Olinda", "went_to"),
        ("Voy al gimnasio los lunes", "gym"),
        ("Vado in palestra il lunedì e il giovedì", "gym"),
    ],
)
def test_what_is_gone_to_or_passed_is_not_taken_for_something_else(text: str, relation: str) -> None:
    assert relation not in {slot[1] for slot in read_slots(text)}


@pytest.mark.parametrize(
    ("text", "who", "tongues"),
    [
        ("Hablo inglés y un poco de alemán", "you", {"inglés", "alemán"}),
        ("Falo inglês e um pouco de alemão", "you", {"inglês", "alemão"}),
        ("Parlo inglese e francese", "you", {"inglese", "francese"}),
        ("I speak English, French and Italian", "you", {"english", "french", "italian"}),
        ("Je parle anglais et un peu allemand", "you", {"anglais", "allemand"}),
        ("Ich spreche Englisch und ein bisschen Spanisch", "you", {"englisch", "spanisch"}),
        ("mi hermana habla inglés y alemán", "hermana", {"inglés", "alemán"}),
        ("hablo inglés y estudio alemán", "you", {"inglés"}),
        ("hablo inglés, no alemán", "you", {"inglés"}),
    ],
)
def test_every_language_of_a_list_is_spoken(text: str, who: str, tongues: set[str]) -> None:
    assert {slot[2] for slot in read_slots(text) if slot[:2] == (who, "speaks")} == tongues


def test_an_article_stands_for_nobody_of_an_earlier_turn() -> None:
    before = ("Estoy estudiando gastronomia en linea.",)
    told = read_claims("El beto ya se fue del depa y llego una chava", before)
    assert told
    assert all("gastronomia" not in one.statement and one.subject != "it" for one in told)
