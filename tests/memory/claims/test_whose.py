"""Whose a predicate is, what is no predicate at all, and what of a turn is not so."""

import pytest

from memory.claims import Claim, read_claims
from memory.claims.turns import read_turn


def read_slots(text: str, *previous: str) -> set[tuple[str, str, str]]:
    return {(claim.subject, claim.relation, claim.object) for claim in read_claims(text, previous)}


def find(text: str, relation: str, *previous: str) -> Claim:
    return next(claim for claim in read_claims(text, previous) if claim.relation == relation)


@pytest.mark.parametrize(
    ("text", "whose", "to"),
    [
        ("my neighbour Ruth is diabetic and allergic to wasps, can she eat jam?", "ruth", "wasps"),
        ("My manager is vegan and allergic to soy", "manager", "soy"),
        ("Meine Kollegin ist Vegetarierin und allergisch gegen Soja", "kollegin", "soja"),
        ("Mon voisin est diabétique et allergique au pollen", "voisin", "pollen"),
        ("Mi cuñada Elsa vive en Avilés y es alérgica al marisco", "elsa", "marisco"),
        ("A minha irmã é alérgica a camarão.", "irmã", "camarão"),
        ("One of my tenants, Mr Bright, is over eighty and allergic to latex.", "bright", "latex"),
    ],
)
def test_what_is_joined_to_what_somebody_else_is_is_theirs(text: str, whose: str, to: str) -> None:
    assert {who for who, relation, what in read_slots(text) if (relation, what) == ("allergic_to", to)} == {whose}


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("I'm vegetarian and allergic to walnuts", "walnuts"),
        ("Bin Veganerin und allergisch gegen Soja", "soja"),
        ("Soy vegetariana y alérgica al marisco", "marisco"),
        ("My sister is a chef and I'm allergic to eggs", "eggs"),
    ],
)
def test_what_is_joined_to_what_the_person_is_is_their_own(text: str, to: str) -> None:
    assert ("you", "allergic_to", to) in read_slots(text)


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("I can't stand coriander.", "dislikes"),
        ("Ich vertrage keine Laktose.", "allergic_to"),
        ("I can't tolerate lactose.", "allergic_to"),
        ("Non sopporto il coriandolo.", "dislikes"),
    ],
)
def test_words_of_a_relation_that_hold_a_denial_deny_nothing(text: str, relation: str) -> None:
    assert find(text, relation).polarity


@pytest.mark.parametrize(
    ("text", "relation"), [("I'm not allergic to nuts.", "allergic_to"), ("I don't dislike coriander.", "dislikes")]
)
def test_what_is_denied_is_denied(text: str, relation: str) -> None:
    assert not find(text, relation).polarity


@pytest.mark.parametrize(
    "text",
    [
        "I take the 14 bus to work",
        "I take two sugars in my tea",
        "Half the time I'm on my own.",
        "Ich nehme immer die S-Bahn um acht",
        "Prendo il treno ogni mattina",
        "From now on I take the tram.",
    ],
)
def test_what_is_taken_is_no_medicine_by_that(text: str) -> None:
    assert not {"takes", "style"} & {relation for _, relation, _ in read_slots(text)}


@pytest.mark.parametrize(
    ("text", "medicine"),
    [
        ("I'm on sertraline", "sertraline"),
        ("I take Eliquis twice a day", "eliquis"),
        ("Seit der OP nehme ich Blutverdünner.", "blutverdünner"),
        ("Le docteur m'a prescrit du bisoprolol, 2,5 mg le matin.", "bisoprolol"),
        ("The GP's put me on naproxen", "naproxen"),
        ("Ich nehm seit dem Winter Sertralin, 50 mg", "sertralin"),
        ("Prendo la pillola per la pressione.", "pillola"),
    ],
)
def test_a_medicine_is_known_by_its_name_its_dose_or_its_words(text: str, medicine: str) -> None:
    assert ("you", "takes", medicine) in read_slots(text)


@pytest.mark.parametrize(
    ("before", "text", "drug", "dose"),
    [
        ("I'm on metformin 500 mg twice a day", "the doctor upped it to 850", "metformin", "850 mg"),
        ("Ich nehme Ramipril 5 mg", "der Arzt hat auf 10 erhöht", "ramipril", "10 mg"),
        ("Ich nehm Sertralin, 50 mg", "Die Ärztin meint wir gehen auf 75", "sertralin", "75 mg"),
        ("Je prends du Levothyrox 75 µg", "elle est montée à 100", "levothyrox", "100 μg"),
        ("אני לוקח אלטרוקסין 50 מג", "הרופא העלה לי ל-75", "אלטרוקסין", "75 מג"),
    ],
)
def test_a_dose_without_its_medicine_is_of_the_one_told_last(before: str, text: str, drug: str, dose: str) -> None:
    claim = find(text, "takes_dose", before)
    assert (claim.subject, claim.object, claim.tense) == (drug, dose, "new")


@pytest.mark.parametrize(
    ("text", "medicines"),
    [
        ("tomo enalapril de diez y omeprazol por la mañana", {"enalapril", "omeprazol"}),
        ("I'm on ramipril, five in the morning, and metformin twice a day", {"ramipril", "metformin"}),
        ("אני לוקחת אומפרזול ואספירין בבוקר", {"אומפרזול", "אספירין"}),
        ("I take ramipril but no aspirin", {"ramipril"}),
        ("ich nehme Ramipril, Torasemid und Bisoprolol", {"ramipril", "torasemid", "bisoprolol"}),
        ("je prends du bisoprolol, du Plavix et du Levothyrox", {"bisoprolol", "plavix", "levothyrox"}),
        ("prendo l'eutirox e la vitamina D", {"eutirox", "vitamina d"}),
        ("I take eutirox and vitamin D", {"eutirox", "vitamin d"}),
        ("I take ramipril, daily, and aspirin", {"ramipril", "aspirin"}),
        ("I take ramipril since I stopped aspirin", {"ramipril"}),
    ],
)
def test_each_medicine_of_a_list_is_taken(text: str, medicines: set[str]) -> None:
    told = [claim for claim in read_claims(text) if claim.relation == "takes" and claim.subject == "you"]
    assert {claim.object for claim in told if claim.polarity} == medicines


@pytest.mark.parametrize(
    ("text", "other", "home"),
    [
        ("mein Bruder und ich wohnen in Kiel", "bruder", "kiel"),
        ("my sister and I live in Hull", "sister", "hull"),
        ("io e mia sorella abitiamo a Bari", "sorella", "bari"),
    ],
)
def test_a_home_that_two_share_is_each_ones(text: str, other: str, home: str) -> None:
    told = {(claim.subject, claim.relation, claim.object, claim.statement) for claim in read_claims(text)}
    statement = f"{text[:1].upper()}{text[1:]}."
    assert told == {("you", "lives_in", home, statement), (other, "lives_in", home, statement)}


def test_a_medicine_that_was_changed_for_another_is_named() -> None:
    claim = find("naproxen upset my stomach so she's switched me to celecoxib", "takes", "They put me on naproxen")
    assert (claim.object, claim.replaces) == ("celecoxib", "naproxen")


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("My husband is out of work.", "husband"),
        ("Mon mari est au chômage depuis mai.", "husband"),
        ("Mia madre è malata.", "mother"),
        ("Mein Vater ist krank.", "father"),
    ],
)
def test_how_somebody_is_is_not_how_they_are_called(text: str, person: str) -> None:
    assert {(who, relation) for who, relation, _ in read_slots(text)} == {(person, "about")}


@pytest.mark.parametrize(("text", "name"), [("my wife is ann", "ann"), ("My husband's called Dan", "dan")])
def test_a_name_stays_a_name(text: str, name: str) -> None:
    assert name in {what for _, relation, what in read_slots(text) if relation in {"wife", "husband"}}


@pytest.mark.parametrize(
    "text",
    [
        "explain like I'm five: cation exchange",
        "Erklär's mir so, als ob ich fünf wäre",
        "explique-moi ça comme si j'avais cinq ans",
        "Forget about Bramble please, it makes me sad.",
        "Vergiss das mit Uppsala, ist abgesagt",
    ],
)
def test_what_is_pretended_said_by_others_or_to_be_forgotten_tells_nothing(text: str) -> None:
    assert read_slots(text) == set()


def test_what_a_friend_reckons_tells_of_the_friend_alone() -> None:
    assert read_slots("my mate Dave reckons I'm lactose intolerant but I'm not") == {("you", "friend_of", "dave")}


def test_what_stands_before_the_pretending_is_so() -> None:
    assert read_slots("I am 34 years old and I feel like I'm 80") == {("you", "age", "34")}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ich bin übrigens 22, werd am 4. Januar 23", {("you", "age", "22")}),
        ("Meine Tochter wird am 3. März 5", set[tuple[str, str, str]]()),
    ],
)
def test_the_day_of_a_date_is_no_age(text: str, told: set[tuple[str, str, str]]) -> None:
    assert {one for one in read_slots(text) if one[1] == "age"} == told
    assert {one.key for one in read_turn(text).triples if one.relation == "age"} == told


@pytest.mark.parametrize(
    "text",
    [
        "we're moving to Stroud in January",
        "I'm moving to Leeds next month",
        "Im Februar zieh ich nach Graz",
        "on déménage à Rennes en mars",
    ],
)
def test_a_home_to_come_is_no_home(text: str) -> None:
    assert "lives_in" not in {relation for _, relation, _ in read_slots(text)}
    assert "lives_in" not in {one.relation for one in read_turn(text).triples}


def test_a_home_that_somebody_moved_to_is_one() -> None:
    assert ("you", "lives_in", "stroud") in read_slots("we moved to Stroud in January")


def test_an_aside_about_something_else_ends_nothing() -> None:
    bought = find("Hab mir ein Rad gekauft, 450 Euro, endlich keine Linie 3 mehr", "owns")
    assert (bought.polarity, bought.tense) == (True, "new")
    reading = read_turn("Ich wohne in Ulm, nicht mehr in Graz")
    assert [one.key for one in reading.triples] == [("you", "lives_in", "ulm")]
    assert [one.key for one in reading.retracted] == [("you", "lives_in", "graz")]


@pytest.mark.parametrize(
    ("text", "relation", "name"),
    [
        ("Mog, my old tabby, has taken to sleeping in the sink.", "cat", "mog"),
        ("Theo, my husband, works at Bosch", "husband", "theo"),
    ],
)
def test_a_name_before_its_noun_stands_in_the_statement(text: str, relation: str, name: str) -> None:
    claim = find(text, relation)
    assert (claim.subject, claim.object) == ("you", name)
    assert name in claim.statement.casefold()


@pytest.mark.parametrize(
    ("text", "work"),
    [
        ("First week as a lock keeper done. Hands are ruined.", "lock keeper"),
        ("Erste Woche als Schleusenwärter rum", "schleusenwärter"),
        ("Première semaine comme aide-soignante, je suis morte", "aide-soignante"),
    ],
)
def test_a_first_week_tells_the_work(text: str, work: str) -> None:
    assert ("you", "works_as", work) in read_slots(text)


def test_what_somebody_becomes_from_a_day_on_is_no_name() -> None:
    assert "name" not in {relation for _, relation, _ in read_slots("Ab November bin ich HiWi am Institut")}
    assert ("you", "name", "jule") in read_slots("Hallo, ich bin Jule")


def test_pronouns_name_nothing_that_somebody_is_allergic_to() -> None:
    told = read_slots("I can't have dairy, it gives me migraines.")
    assert "it" not in {value for _, relation, value in told if relation == "allergic_to"}


def test_somebody_named_in_the_turn_is_meant_before_somebody_of_an_earlier_one() -> None:
    reading = read_turn("we've got a whippet, Doris, she's terrified of lorries", ["my mum's in a home in Paisley"])
    assert {one.subject for one in reading.triples if one.relation == "dislikes"} == {"doris"}


def test_a_number_of_things_corrects_no_age() -> None:
    earlier = ["my pal Stevie's getting divorced", "he's 44", "I take my coffee black, no sugar"]
    reading = read_turn("actually make that one sugar", earlier)
    assert (reading.triples, reading.retracted) == ((), ())


@pytest.mark.parametrize(
    ("before", "text", "whose"),
    [
        ("My brother Callum is a joiner", "Callum rang, his wife Eilidh is expecting in May.", {"callum"}),
        ("", "Her sister Eilidh is a nurse", set[str]()),
        ("", "Oban's his ex.", set[str]()),
    ],
)
def test_people_of_somebody_else_are_theirs(before: str, text: str, whose: set[str]) -> None:
    told = read_slots(text, *([before] if before else []))
    assert {who for who, relation, _ in told if relation in {"wife", "sister", "ex"}} == whose


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Our Isla's started school. She's coeliac so I do her lunches.", "Isla"),
        ("Meine Schwester Annika hat sich verlobt. Sie lebt in Graz und ist Hebamme.", "Annika"),
    ],
)
def test_a_statement_about_her_says_who_she_is(text: str, named: str) -> None:
    statements = [claim.statement for claim in read_claims(text)]
    assert statements
    assert all(named in statement for statement in statements), statements


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a mi prima Sole la han fichado en Amazon", ("sole", "works_at", "amazon")),
        ("a mi madre le han diagnosticado diabetes", ("madre", "has_condition", "diabetes")),
        ("mi hermano ha entrado en Ikea", ("hermano", "works_at", "ikea")),
        ("a minha irmã foi contratada no Lidl", ("irmã", "works_at", "lidl")),
        ("mio fratello è stato assunto alla Fiat", ("fratello", "works_at", "fiat")),
        ("mi hermano vive en Vigo y trabajo en Aldi", ("you", "works_at", "aldi")),
        ("mi jefe me ha contratado en Ikea", ("you", "works_at", "ikea")),
    ],
)
def test_a_participle_is_of_whom_its_verb_tells(text: str, told: tuple[str, str, str]) -> None:
    slots = read_slots(text)
    assert told in slots
    assert {one[0] for one in slots if one[1:] == told[1:]} == {told[0]}
