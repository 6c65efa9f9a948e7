"""What two have in common is each one's own, and so is its end."""

import pytest

from memory.claims import read_claims

Told = set[tuple[str, str, str]]


def read_told(text: str, *previous: str) -> Told:
    claims = read_claims(text, previous)
    return {(one.subject, one.relation, one.object) for one in claims if one.polarity and one.relation != "about"}


@pytest.mark.parametrize(
    ("text", "other", "relation", "value"),
    [
        ("my brother and I work at Bosch", "brother", "works_at", "bosch"),
        ("mi madre y yo trabajamos en Correos", "madre", "works_at", "correos"),
        ("mon frère et moi bossons chez Renault", "frère", "works_at", "renault"),
        ("ich und mein Mann arbeiten bei Bosch", "mann", "works_at", "bosch"),
        ("mio marito ed io lavoriamo alla Fiat", "marito", "works_at", "fiat"),
        ("me and Dave are allergic to peanuts", "dave", "allergic_to", "peanuts"),
        ("io e mia sorella siamo allergiche al lattice", "sorella", "allergic_to", "lattice"),
        ("meine Frau und ich sind allergisch gegen Nüsse", "frau", "allergic_to", "nüsse"),
        ("eu e a minha irmã somos alérgicas a camarão", "irmã", "allergic_to", "camarão"),
        ("אני ואח שלי אלרגיים לאגוזים", "אח", "allergic_to", "אגוזים"),
        ("my husband and I both take metformin", "husband", "takes", "metformin"),
        ("mon père et moi prenons de la metformine", "père", "takes", "metformine"),
        ("mi hermana y yo tomamos sertralina", "hermana", "takes", "sertralina"),
        ("אמא שלי ואני לוקחות מטפורמין", "אמא", "takes", "מטפורמין"),
        ("my husband and I are both diabetic", "husband", "has_condition", "diabetic"),
        ("mi marido y yo somos celíacos", "marido", "has_condition", "celíacos"),
        ("my wife and I are vegetarian", "wife", "diet", "vegetarian"),
        ("אחי ואני צמחונים", "אחי", "diet", "צמחונים"),
        ("moi et ma soeur on habite à Brest", "soeur", "lives_in", "brest"),
        ("אח שלי ואני גרים בחדרה", "אח", "lives_in", "חדרה"),
    ],
)
def test_what_two_share_is_told_of_each(text: str, other: str, relation: str, value: str) -> None:
    assert {("you", relation, value), (other, relation, value)} == read_told(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("my dad works at Bosch and I live in Hull", {("dad", "works_at", "bosch"), ("you", "lives_in", "hull")}),
        ("I live with my mum and I work at Lidl", {("you", "works_at", "lidl")}),
        (
            "my brother and I live in York, but I work in Hull",
            {("you", "lives_in", "york"), ("brother", "lives_in", "york"), ("you", "works_at", "hull")},
        ),
    ],
)
def test_what_one_does_alone_is_theirs(text: str, told: Told) -> None:
    assert told <= read_told(text)
    assert all(relation != "works_at" for subject, relation, _ in read_told(text) - told if subject != "you")


@pytest.mark.parametrize(
    ("before", "text", "whose"),
    [
        ("my husband and I take metformin", "he's come off the metformin", "husband"),
        ("my husband and I take metformin", "I've stopped the metformin", "you"),
        ("mon père et moi prenons de la metformine", "papa va mieux, il ne prend plus de metformine", "père"),
        ("אמא שלי ואני לוקחות מטפורמין", "אמא הפסיקה את המטפורמין", "אמא"),
        ("my brother and I work at Bosch", "he's left Bosch", "brother"),
        ("my brother and I work at Bosch", "I've left Bosch", "you"),
    ],
)
def test_what_is_over_is_over_for_whoever_is_meant(before: str, text: str, whose: str) -> None:
    (claim,) = (one for one in read_claims(text, [before]) if one.tense == "over" and one.relation != "about")
    assert claim.subject == whose


def test_what_somebody_unknown_takes_no_more_is_not_the_persons() -> None:
    assert all(one.relation != "takes" for one in read_claims("he's come off the metformin"))
