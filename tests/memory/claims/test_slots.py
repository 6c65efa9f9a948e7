"""Slots: which relation a clause fills, of whom and with what; what it replaces, ends or puts right."""

import pytest

from memory.claims import Claim, read_claims


def find(relation: str, text: str, *previous: str) -> Claim:
    claims = read_claims(text, previous)
    return next((claim for claim in claims if claim.relation == relation), claims[0])


@pytest.mark.parametrize(
    ("text", "relation", "told"),
    [
        ("I live in Thurso with my aunt.", "lives_in", "thurso"),
        ("Ich wohne in Husum am Hafen.", "lives_in", "husum"),
        ("Vivimos en Teruel desde marzo.", "lives_in", "teruel"),
        ("J'habite à Vannes depuis deux ans.", "lives_in", "vannes"),
        ("Abitiamo a Cuneo, vicino al mercato.", "lives_in", "cuneo"),
        ("Moro em Aveiro desde janeiro.", "lives_in", "aveiro"),
        ("אני גר בנהריה כבר שנה", "lives_in", "נהריה"),
        ("I work for Dunmore Tyres.", "works_at", "dunmore tyres"),
        ("Ich arbeite bei Kolbe Druck.", "works_at", "kolbe druck"),
        ("Trabajo en Cerámicas Arroyo.", "works_at", "cerámicas arroyo"),
        ("Je travaille chez Brunel.", "works_at", "brunel"),
        ("Lavoro alla Montefiore.", "works_at", "montefiore"),
        ("Trabalho na Oliva Verde.", "works_at", "oliva verde"),
        ("My boss is Petra.", "boss", "petra"),
        ("Mein Chef heißt Ruben.", "boss", "ruben"),
        ("Mi jefa es Amparo.", "boss", "amparo"),
        ("Il mio capo è Tullio.", "boss", "tullio"),
        ("A minha chefe é a Graça.", "boss", "graça"),
        ("I'm allergic to sesame.", "allergic_to", "sesame"),
        ("Ich bin allergisch gegen Sesam.", "allergic_to", "sesam"),
        ("Soy alérgico al sésamo.", "allergic_to", "sésamo"),
        ("Je suis allergique au sésame.", "allergic_to", "sésame"),
        ("Sono allergica al sesamo.", "allergic_to", "sesamo"),
        ("Sou alérgica ao sésamo.", "allergic_to", "sésamo"),
        ("אני אלרגית לשומשום", "allergic_to", "שומשום"),
        ("My favourite film is Quiet Harbour.", "favorite_movie", "quiet harbour"),
        ("Meine Lieblingsfarbe ist Ocker.", "favorite_color", "ocker"),
        ("Ma couleur préférée est le bleu.", "favorite_color", "bleu"),
        ("My sister Orla is a baker.", "sister", "orla"),
        ("Unser Hund Fiete bellt jeden Morgen.", "dog", "fiete"),
        ("Mia sorella Nives vive a Trento.", "sister", "nives"),
        ("My number is 07700 900155.", "phone_number", "07700 900155"),
        ("Il mio numero è 333 0101 202.", "phone_number", "333 0101 202"),
        ("My dentist is Dr. Quill.", "dentist", "dr. quill"),
        ("Mein Konto ist bei der Deichbank.", "bank", "deichbank"),
    ],
)
def test_a_clause_fills_its_slot(text: str, relation: str, told: str) -> None:
    claim = find(relation, text)
    assert (claim.subject, claim.relation, claim.object) == ("you", relation, told)


@pytest.mark.parametrize(
    ("text", "subject", "relation", "told"),
    [
        ("My brother works at Rowan Mill.", "brother", "works_at", "rowan mill"),
        ("Meine Tochter Imke ist neun Jahre alt.", "imke", "age", "9"),
        ("Our cleaner comes on Tuesdays.", "cleaner", "time", "tuesdays"),
        ("Unsere Putzfrau kommt jetzt dienstags.", "putzfrau", "time", "dienstags"),
        ("Ich nehme 5 mg Ramipril.", "ramipril", "takes_dose", "5 mg"),
        ("I take 20 mg of lisinopril.", "lisinopril", "takes_dose", "20 mg"),
    ],
)
def test_what_is_told_of_others_and_things_is_theirs(text: str, subject: str, relation: str, told: str) -> None:
    claim = find(relation, text)
    assert (claim.subject, claim.relation, claim.object) == (subject, relation, told)


@pytest.mark.parametrize(
    ("text", "relation", "new", "old"),
    [
        ("I report to Nils now instead of Agata.", "boss", "nils", "agata"),
        ("Ich berichte jetzt an Nils statt an Agata.", "boss", "nils", "agata"),
        ("Ahora dependo de Nils en lugar de Agata.", "boss", "nils", "agata"),
        ("My boss is Nils, not Agata.", "boss", "nils", "agata"),
        ("Ho cambiato da Lumo a Vela.", "provider", "vela", "lumo"),
    ],
)
def test_a_new_value_names_the_old_one(text: str, relation: str, new: str, old: str) -> None:
    claim = find(relation, text)
    assert (claim.relation, claim.object, claim.replaces, claim.tense) == (relation, new, old, "new")


def test_what_is_put_right_is_a_correction() -> None:
    assert find("boss", "My boss is Nils, not Agata.").is_correction
    assert not find("boss", "I report to Nils now instead of Agata.").is_correction


@pytest.mark.parametrize(
    ("text", "previous", "relation", "told"),
    [
        ("I'm no longer vegetarian.", "", "diet", "vegetarian"),
        ("Ya no tomo ramipril.", "", "takes", "ramipril"),
        ("Ich bin nicht mehr Vegetarier.", "", "diet", "vegetarier"),
        ("We sold the Corsa.", "", "owns", "corsa"),
        ("Brogan has left the company.", "My boss is Brogan.", "boss", "brogan"),
        ("Argo non c'è più.", "Il mio cane Argo ha dieci anni.", "dog", "argo"),
    ],
)
def test_an_ending_names_what_ended(text: str, previous: str, relation: str, told: str) -> None:
    claim = find(relation, text, *([previous] if previous else []))
    assert (claim.relation, claim.object, claim.tense, claim.polarity) == (relation, told, "over", False)


@pytest.mark.parametrize(
    ("text", "previous", "subject", "relation", "told"),
    [
        ("He's called Bruno.", "We adopted a puppy.", "you", "dog", "bruno"),
        ("Hang on, it's 40 mg.", "I take 20 mg of lisinopril.", "lisinopril", "takes_dose", "40 mg"),
        ("Sorry, it's on Thursdays now.", "My choir is on Mondays.", "choir", "time", "thursdays"),
        ("She lives in Thurso.", "My sister Orla is a nurse.", "orla", "lives_in", "thurso"),
        ("His chair went to Ines Vogt.", "My boss is Brogan.", "you", "boss", "ines vogt"),
    ],
)
def test_what_goes_on_about_the_last_turns_fills_their_slot(
    text: str, previous: str, subject: str, relation: str, told: str
) -> None:
    claim = find(relation, text, previous)
    assert (claim.subject, claim.relation, claim.object) == (subject, relation, told)


def test_each_claim_has_the_smallest_clause_of_its_own() -> None:
    claims = {claim.relation: claim.statement for claim in read_claims("My name is Noa and I live in Leeds")}
    assert claims == {"name": "My name is Noa.", "lives_in": "I live in Leeds."}


@pytest.mark.parametrize(
    "text",
    [
        "Fence posts and hedges are my whole summer.",
        "Zwei Gänse und ein Esel gehören zu uns dazu.",
        "Con mi abuela aprendí a remendar redes.",
        "Chez nous le poêle tourne de novembre à avril.",
        "Di notte non chiudo mai le persiane.",
        "Cresci entre barcos e redes de pesca.",
        "בבית שלנו כולם מנגנים בכינור",
    ],
)
def test_whatever_is_told_of_a_life_is_a_claim(text: str) -> None:
    assert [claim for claim in read_claims(text) if not claim.is_remark]


@pytest.mark.parametrize(
    "text",
    [
        "The customer writes: I live in Hull and my router is broken.",
        "Der Kunde schreibt: ich wohne in Ulm und mein Router ist kaputt.",
        "I saw a fox in the street.",
        "I love that answer.",
        "Nous regardons un film là.",
        "Mio zio sostiene che la terra è piatta.",
        "Acabei de chegar a casa.",
        "אני מחכה לאוטובוס",
        "why does bread go stale so soon",
    ],
)
def test_what_passes_or_is_said_by_others_claims_nothing(text: str) -> None:
    assert read_claims(text) == []


def test_remarks_are_told_only_where_they_are_asked_for() -> None:
    assert read_claims("Böhme hört auf, schade") == [] or not read_claims("Böhme hört auf, schade")[0].is_remark
    [remark] = read_claims("The old one fell apart.", with_remarks=True)
    assert remark.is_remark
    assert read_claims("The old one fell apart.") == []
    assert read_claims("Could you shorten this?", with_remarks=True) == []


@pytest.mark.parametrize("piece", ["my dog is ", "I live in Leeds and ", "instead of Tom, ", "20 mg ", "heißt ", "mi "])
def test_slots_of_a_long_text_are_read_in_bounds(piece: str) -> None:
    assert len(read_claims(piece * (4_000 // len(piece)))) <= 12


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("My mother-in-law moved in. She has diabetes.", ("mother-in-law", "has_condition", "diabetes")),
        ("Mi suegra está con nosotros. Tiene diabetes.", ("suegra", "has_condition", "diabetes")),
        ("Mi prima se llama Elsa y vive en Lugo.", ("elsa", "lives_in", "lugo")),
        ("We work at Aldi, my aunt Jo lives in Perth.", ("jo", "lives_in", "perth")),
        ("Mein Opa ist Bäcker. Er arbeitet bei Bosch.", ("opa", "works_at", "bosch")),
    ],
)
def test_what_frames_of_verbs_read_is_claimed_of_whom_the_turn_is_about(text: str, told: tuple[str, str, str]) -> None:
    claims = [claim for claim in read_claims(text) if (claim.subject, claim.relation, claim.object) == told]
    assert claims
    # Alone in the memory bank a statement has to say of whom it is.
    assert told[0] in claims[0].statement.casefold()


def test_where_somebody_begins_is_their_work_and_where_they_go_no_taste() -> None:
    assert find("works_at", "i start at the Harbour Clinic on monday").object == "harbour clinic"
    assert all(claim.relation != "likes" for claim in read_claims("Va al colegio Galdós."))


@pytest.mark.parametrize(
    ("text", "relation"),
    [("Uso Movistar en casa.", "uses"), ("Uso Iliad da un anno.", "uses"), ("Ich benutze Signal.", "uses")],
)
def test_what_somebody_uses_is_no_medicine(text: str, relation: str) -> None:
    assert find(relation, text).relation == relation


def test_a_letter_to_be_written_tells_no_address_and_a_meeting_has_no_home() -> None:
    assert read_claims("Can you write my farewell email to the office?") == []
    assert all(claim.relation != "lives_in" for claim in read_claims("standup moved to ten"))
    [moved] = read_claims("standup moved to ten", ["Our standup is at 9:30"])
    assert (moved.subject, moved.relation, moved.object) == ("standup", "time", "ten")
    assert all(claim.relation != "lives_in" for claim in read_claims("I'm in the choir on Tuesdays"))


def test_what_is_told_beside_an_order_for_a_text_is_told() -> None:
    assert find("dentist", "My new dentist is Clara Voss. Write me a note to her").object == "clara voss"
    assert read_claims("Translate this to French. My name is Clara and I live in Hull.") == []


@pytest.mark.parametrize(
    ("before", "text", "told"),
    [
        ("I live in Leeds.", "I live in York now.", ("lives_in", "york")),
        ("I work at Siemens.", "I work at Bosch now.", ("works_at", "bosch")),
        ("Vivo en Soria.", "Ahora vivo en Lugo.", ("lives_in", "lugo")),
        ("Mein Chef heißt Uwe.", "Mein Chef ist jetzt Karla.", ("boss", "karla")),
    ],
)
def test_the_new_value_is_claimed_and_not_the_one_it_takes_the_place_of(
    before: str, text: str, told: tuple[str, str]
) -> None:
    [claim] = read_claims(text, [before])
    assert (claim.relation, claim.object, claim.tense) == (*told, "new")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("my locker is number 88", "number 88"),
        ("mein Spind ist die 44", "44"),
        ("mi taquilla es la 12", "12"),
        ("mon casier c'est le 52", "52"),
        ("il mio armadietto è il 9", "9"),
        ("o meu cacifo é o 21", "21"),
    ],
)
def test_a_locker_is_a_slot_of_its_own(text: str, told: str) -> None:
    assert find("locker", text).object == told
    assert find("locker", text).relation == "locker"
