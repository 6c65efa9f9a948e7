"""A few words that answer the assistant are kept with the question, as theirs whom it is about."""

import pytest

from memory.claims import Claim, read_claims

# What the person said before, what the assistant asked, what is answered, and whose it is.
PAIRS = [
    ("my daughter's birthday is coming up", "How old is she?", "six", "daughter"),
    ("cake for theo", "And how old is Theo?", "nine", "theo"),
    ("need ideas for my niece", "What's her name and how old is she?", "poppy, 3", "niece"),
    ("plan my week", "Which days do you work?", "mon and thurs", "you"),
    ("what's a good car", "What do you drive at the moment?", "a knackered fiesta", "you"),
    ("mi hija se llama Vega", "¿Cuántos años tiene?", "seis", "hija"),
    ("cuido de mis padres", "¿Dónde viven?", "en Soria", "padres"),
    ("mein Vater zieht zu uns", "Wie alt ist er?", "76", "vater"),
    ("mein Sohn heißt Emil", "In welche Kita geht er?", "Haus Kunterbunt", "sohn"),
    ("cadeau pour ma mère", "Quel âge a-t-elle ?", "70 ans", "mère"),
    ("minha filha faz anos", "Quantos anos faz?", "seis", "filha"),
]
# Of somebody else: none of it is the person's, though the words alone would tell it of them.
OF_OTHERS = [
    ("my mum's poorly. What does she take? metformin", "What dose?", "500 twice a day"),
    ("tomo levotiroxina 75. mi madre va regular. ¿Toma algo? losartán", "¿Qué dosis?", "50"),
    ("mon mari est malade. Que prend-il ? du doliprane", "Quelle dose ?", "1000"),
    ("ma chienne a des boutons", "Qu'a-t-elle ?", "allergique au poulet, la pauvre"),
    ("Essen für heute?", "Gibt es Allergien?", "Steffi gegen Nüsse, sonst keiner"),
    ("dinner for six", "Anyone with allergies?", "tom can't do shellfish"),
    ("mon fils est où ce soir", "Gabin sera là ?", "non, chez son père"),
    ("où est ma fille", "Chez qui ?", "chez sa mamie"),
]
# Asked whether something is still so, and answered that it is not.
ENDED = [
    ("Are you still at Bosch?", "nah, left in june", "works_at", "bosch"),
    ("Are you still working at Tesco?", "nope, quit", "works_at", "tesco"),
    ("Still at Lidl?", "no, finished last week", "works_at", "lidl"),
    ("Still vegetarian?", "nah, gave it up", "diet", "vegetarian"),
    ("Still got the Golf?", "sold it", "has", "golf"),
    ("Are you still on cetirizine?", "nah, switched to fexofenadine", "takes", "cetirizine"),
    ("Arbeitest du noch bei Siemens?", "nee, im Juni gegangen", "works_at", "siemens"),
    ("¿Sigues en Bosch?", "no, me fui en junio", "works_at", "bosch"),
    ("Tu es toujours chez Bosch ?", "non, partie en juin", "works_at", "bosch"),
    ("את עדיין עובדת באלביט?", "לא, עזבתי לפני שבוע", "works_at", "אלביט"),
]
# Answered with what holds now.
NOW = [
    ("Is Helen still your boss?", "nah it's priya now", "boss", "priya"),
    ("Ist Herr Lindner noch Ihr Chef?", "nö, jetzt Frau Aydin", "boss", "frau aydin"),
    ("¿Sigue Maite de jefa?", "no, ahora es Pilar", "boss", "pilar"),
    ("Are you still in Hull?", "nah, leeds since may", "lives_in", "leeds"),
    ("Arbeitest du noch bei Siemens?", "nee, seit März bei Schaeffler", "works_at", "schaeffler"),
]
# Whoever is asked about is who the pronoun stands for.
OF_OWNERS = [
    (
        "my mum lives in Leeds",
        "Does your mum still live in Leeds?",
        "no she moved to york",
        ("mum", "lives_in", "york"),
    ),
    ("i've a cat called biscuit", "How is Biscuit?", "oh she died last week :(", ("you", "cat", "biscuit")),
]
# Where somebody is now, behind a question whether they are still there.
MOVED_ON = [
    ("do my cv. Are you still at Bosch? nah, left in june.", "Where are you now?", "lidl", "lidl"),
    ("x. את עדיין עובדת באלביט? לא, עזבתי לפני שבוע.", "לאן עברת?", "לוויקס", "לוויקס"),
]
# To move is no home yet.
PLANNED = [
    ("we're moving in december", "Where are you moving to?", "nailsworth"),
    ("on déménage", "Où ?", "à Betton"),
    ("mi trasferisco", "Dove?", "a Prato"),
]
# Of the moment: no one's life.
PASSING = [
    ("plan a dinner", "Shall I make it vegetarian?", "yes"),
    ("the pan is burnt", "Would you like a recipe?", "a quick one"),
    ("two questions about tax", "What's the first?", "the rate"),
]


def answer(lead: str, asked: str, said: str) -> list[Claim]:
    return read_claims(said, [lead], asked=asked, lead=lead)


@pytest.mark.parametrize(("lead", "asked", "said", "owner"), PAIRS)
def test_a_few_words_are_told_with_their_question(lead: str, asked: str, said: str, owner: str) -> None:
    (claim,) = answer(lead, asked, said)
    assert claim.statement.endswith(f"{asked} {said}.")
    assert claim.subject == owner


@pytest.mark.parametrize(("lead", "asked", "said"), OF_OTHERS)
def test_what_is_answered_of_somebody_else_is_not_the_persons(lead: str, asked: str, said: str) -> None:
    assert [one for one in answer(lead, asked, said) if one.subject == "you" and one.relation != "about"] == []


@pytest.mark.parametrize(("asked", "said", "relation", "value"), ENDED)
def test_what_is_no_longer_so_ends_and_no_verb_takes_its_place(
    asked: str, said: str, relation: str, value: str
) -> None:
    found = [(one.relation, one.object, one.tense) for one in answer("", asked, said)]
    assert found == [(relation, value, "over")]


@pytest.mark.parametrize(("asked", "said", "relation", "value"), NOW)
def test_what_holds_now_takes_the_place_of_what_was_asked(asked: str, said: str, relation: str, value: str) -> None:
    found = {(one.subject, one.relation, one.object) for one in answer("", asked, said)}
    assert found == {("you", relation, value)}


@pytest.mark.parametrize(("lead", "asked", "said", "told"), OF_OWNERS)
def test_a_pronoun_stands_for_whom_was_asked_about(
    lead: str, asked: str, said: str, told: tuple[str, str, str]
) -> None:
    assert told in {(one.subject, one.relation, one.object) for one in answer(lead, asked, said)}


@pytest.mark.parametrize(("lead", "asked", "said", "value"), MOVED_ON)
def test_where_somebody_is_now_is_what_was_asked_about(lead: str, asked: str, said: str, value: str) -> None:
    assert ("works_at", value) in {(one.relation, one.object) for one in answer(lead, asked, said)}


@pytest.mark.parametrize(("lead", "asked", "said"), PLANNED)
def test_where_somebody_will_move_is_no_home_yet(lead: str, asked: str, said: str) -> None:
    assert "lives_in" not in {one.relation for one in answer(lead, asked, said)}


@pytest.mark.parametrize(("lead", "asked", "said"), PASSING)
def test_an_answer_of_the_moment_is_kept_for_nothing(lead: str, asked: str, said: str) -> None:
    assert answer(lead, asked, said) == []


def test_what_leads_to_a_value_is_no_part_of_it() -> None:
    (claim,) = answer("ich muss zum Arzt", "Nimmst du Medikamente?", "ja, Ramipril")
    assert claim.statement == "Medikament: Ramipril."
