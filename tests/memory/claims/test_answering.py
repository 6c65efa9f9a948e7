"""What a person answers to the assistant's question is kept with what was asked, in every language of the product."""

import pytest

from memory.access.scope import user_scope
from memory.claims import read_claims
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

ANSWERS = [
    ("Any allergies?", "sesame, quite badly. and my wife's coeliac", "allergic_to", "sesame"),
    ("Gibt es etwas, das du nicht verträgst?", "Sellerie. Da schwillt mir die Zunge an", "allergic_to", "sellerie"),
    ("Haben Sie Allergien?", "Penicillin und Wespen.", "allergic_to", "wespen"),
    ("Des allergies à signaler ?", "moi les crustacés, une fois j'ai fini aux urgences", "allergic_to", "crustacés"),
    ("¿Alguna otra alergia?", "penicilina, pero eso no se come jaja", "allergic_to", "penicilina"),
    ("Allergie o intolleranze?", "frutta secca, tutta", "allergic_to", "frutta secca"),
    ("Alguma alergia?", "amendoim, desde pequena", "allergic_to", "amendoim"),
    ("יש לך אלרגיות?", "שומשום ובוטנים", "allergic_to", "בוטנים"),
    ("What's your name, by the way?", "Ottoline, but everyone says Otti", "name", "ottoline"),
    ("Quel âge avez-vous ?", "41 ans", "age", "41"),
    ("Wo wohnst du?", "Neukölln", "lives_in", "neukölln"),
    ("What do you do for work?", "nurse, nights mostly", "works_as", "nurse"),
    ("Who do you work for?", "Bosch, since May", "works_at", "bosch"),
    ("Do you take any medication?", "metformin, 500 twice a day", "takes", "metformin"),
]
NO_ANSWERS = [
    ("Any allergies?", "none that I know of"),
    ("Any allergies?", "I'm not sure, my mum says nuts"),
    ("Isst du Fisch?", "nee, nie"),
    ("Does your daughter have any allergies?", "peanuts"),
    ("Viola è allergica o è un'intolleranza?", "allergica, e pure forte"),
    ("Where are you going?", "Lisbon"),
    ("Would you like a recipe?", "yes please"),
    ("What's the name of your project?", "Apollo"),
    ("What should I call the file?", "notes"),
    ("How old is he?", "41"),
    ("Does she have any allergies?", "peanuts"),
    ("Hat sie Allergien?", "Nüsse"),
    ("Where would you like to go?", "Lisbon"),
    ("Which city are you travelling to?", "Lisbon"),
    ("When is the wedding?", "12 June"),
    ("Do you take sugar?", "two"),
    ("Any allergies I should know about?", "pizza is fine for them, I just want something quick"),
    ("Any allergies?", "good question, I'll ask my mother-in-law"),
    ("¿Alguna alergia?", "pollo y arroz estaría bien"),
    ("Are you allergic to anything?", "Yes, mornings lol. no, seriously nothing"),
    ("Tem alguma alergia ou toma algum remédio?", "remédio só o da pressão"),
    ("What do you do and where do you live?", "nurse, Dundee"),
    ("Are you on any streaming service?", "Netflix"),
]


@pytest.mark.parametrize(("asked", "answer", "relation", "value"), ANSWERS, ids=[one[1] for one in ANSWERS])
def test_a_bare_answer_fills_what_was_asked(asked: str, answer: str, relation: str, value: str) -> None:
    told = [one for one in read_claims(answer, asked=asked) if one.subject == "you"]
    assert (relation, value) in {(one.relation, one.object) for one in told}


@pytest.mark.parametrize(("asked", "answer"), NO_ANSWERS, ids=[one[1] for one in NO_ANSWERS])
def test_what_is_no_value_of_the_persons_fills_nothing(asked: str, answer: str) -> None:
    own = {"allergic_to", "name", "age", "lives_in", "works_at", "works_as", "takes", "diet"}
    assert not [one for one in read_claims(answer, asked=asked) if one.relation in own and one.subject == "you"]


@pytest.mark.parametrize(
    ("before", "asked", "answer", "told"),
    [
        ("my dad needs a meal plan", "Is he on any medication?", "warfarin", ("dad", "takes", "warfarin")),
        ("for my son's lunch", "Does he have any allergies?", "peanuts", ("son", "allergic_to", "peanuts")),
        ("Ein Plan für meine Mutter", "Nimmt sie Medikamente?", "Ramipril", ("mutter", "takes", "ramipril")),
        ("un régime pour ma mère", "Prend-elle des médicaments ?", "bisoprolol", ("mère", "takes", "bisoprolol")),
        ("אמא שלי צריכה דיאטה", "היא לוקחת תרופות?", "אומפרזול", ("אמא", "takes", "אומפרזול")),
        ("mi madre necesita una dieta", "¿Toma algún medicamento?", "omeprazol", ("madre", "takes", "omeprazol")),
        ("mia madre vuole una dieta", "Ha allergie?", "noci", ("madre", "allergic_to", "noci")),
        ("", "Does your husband take any medication?", "warfarin", ("husband", "takes", "warfarin")),
    ],
)
def test_an_answer_about_somebody_else_is_theirs(
    before: str, asked: str, answer: str, told: tuple[str, str, str]
) -> None:
    claims = read_claims(answer, [before], asked=asked)
    assert {(one.subject, one.relation, one.object) for one in claims} == {told}
    assert told[0] in claims[0].statement.casefold()


@pytest.mark.parametrize(
    ("before", "asked", "answer"),
    [
        ("mi madre necesita una dieta", "¿Alguna alergia?", "nueces"),
        ("mia madre vuole una dieta", "Allergie o farmaci?", "noci e Coumadin"),
        ("a plan for my dad", "Any allergies?", "nuts"),
    ],
)
def test_an_answer_of_no_sure_owner_says_whom_it_was_for(before: str, asked: str, answer: str) -> None:
    (claim,) = read_claims(answer, [before], asked=asked)
    assert claim.subject != "you"
    assert claim.relation == "about"
    assert claim.statement.startswith(before)


def test_what_the_children_have_not_takes_nothing_back() -> None:
    said = "frutta secca, tutta. Io però, i bimbi no"
    told = read_claims(said, ["Mi serve una torta per domani"], asked="Allergie o intolleranze in famiglia?")
    assert ("you", "allergic_to", "frutta secca") in {(one.subject, one.relation, one.object) for one in told}


def test_whose_allergies_were_asked_for_is_not_guessed() -> None:
    told = read_claims("peanuts", ["a birthday cake for my son, please"], asked="Any allergies?")
    assert "allergic_to" not in {one.relation for one in told}
    told = read_claims("peanuts", ["a birthday cake for my son, please"], asked="Do you have any allergies yourself?")
    assert "allergic_to" in {one.relation for one in told}


@pytest.mark.django_db
def test_an_answer_in_a_conversation_is_a_constraint_that_says_of_what(user: EndUser, clock: Clock) -> None:
    memory = MemoryFacade("key:test")
    turns = [("Plan a dinner for six, please", "Happily! Any allergies?"), ("sesame, quite badly", "Noted.")]
    for said, reply in turns:
        memory.store_exchange(user, NewExchange("t", said, reply), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(minutes=1)
    with user_scope(user):
        fact = Fact.objects.for_user(user).get(relation="allergic_to")
    assert (fact.object, fact.category, fact.statement) == ("sesame", "constraint", "Allergy: sesame, quite badly.")
