"""Rent, pay, mortgage and pension, in whatever words they are told."""

import pytest

from memory.claims.questions import read_question
from memory.claims.reader import read_claims
from memory.claims.relations import is_single_valued

TOLD = [
    ("My rent is 900 euros.", "rent", "900 euros"),
    ("Our rent went up to 980 euros.", "rent", "980 euros"),
    ("The landlord put the rent up to 1,250.", "rent", "1,250"),
    ("I pay 1,250 in rent now.", "rent", "1,250"),
    ("Our rent is £940 a month.", "rent", "£940 a month"),
    ("My rent has been 900 since 2019.", "rent", "900"),
    ("I got a raise, I make 52k now.", "salary", "52k"),
    ("My salary is 48,500.", "salary", "48,500"),
    ("Nos subieron el alquiler a 900 euros.", "rent", "900 euros"),
    ("Mi alquiler es de 900 euros.", "rent", "900 euros"),
    ("Pago 850 euros de alquiler.", "rent", "850 euros"),
    ("por la caldera rota el casero nos deja el alquiler en 2600", "rent", "2600"),
    ("Die Miete wurde auf 1100 Euro erhöht.", "rent", "1100 euro"),
    ("Meine Miete beträgt 900 Euro.", "rent", "900 euro"),
    ("Mon loyer est passé à 950.", "rent", "950"),
    ("mon loyer est à 640 charges comprises, le proprio peut augmenter quand ?", "rent", "640 charges comprises"),
    ("L'affitto è salito a 850 euro.", "rent", "850 euro"),
    ("Il mutuo è di 570 euro.", "mortgage", "570 euro"),
    ("La mia pensione è di 1200 euro.", "pension", "1200 euro"),
    ("A renda subiu para 700 euros.", "rent", "700 euros"),
    ("Pago 430 euros de prestação da casa.", "mortgage", "430 euros"),
    ("העלו לי את שכר הדירה ל-4800.", "rent", "4800"),
    ("המשכנתא שלי 4100 בחודש.", "mortgage", "4100 בחודש"),
]
SILENT = [
    "My brother's rent is 900.",
    "His rent is 900.",
    "Tom pays 900 in rent.",
    "The average rent in Berlin is 1,200.",
    "My rent went up by 50 euros.",
    "How much is a rent of 900 a month for two?",
    "how much is 1200 rent in dollars",
    "They want 1200 rent for a studio in Leeds!",
    "I saw a flat with 900 rent.",
    "My budget for rent is 900.",
    "I'm looking for a flat, rent 1200 at most.",
    "I want to pay 900 rent.",
    "I'd pay 1200 rent for that.",
    "My rent is due on 1 March 2026.",
    "Meine Miete soll maximal 900 sein.",
    "Piden 800 de alquiler por un estudio.",
    "Paga 800 de alquiler.",
    "bin 71 und seit acht jahren in rente",
    "I make 20 cookies.",
]


@pytest.mark.parametrize(("said", "relation", "figure"), TOLD)
def test_a_sum_is_told_once_and_as_a_figure(said: str, relation: str, figure: str) -> None:
    told = [
        (one.object, one.polarity) for one in read_claims(said) if one.subject == "you" and one.relation == relation
    ]
    assert told == [(figure, True)]
    assert not [one for one in read_claims(said) if one.relation == "pays"]


@pytest.mark.parametrize("said", SILENT)
def test_what_is_no_sum_of_the_persons_tells_none(said: str) -> None:
    assert not [one for one in read_claims(said) if one.relation in {"rent", "salary", "mortgage", "pension"}]


def test_what_it_was_is_what_the_new_sum_takes_the_place_of() -> None:
    [claim] = read_claims("My landlord raised our rent from 1,100 to 1,250 a month.")
    assert (claim.relation, claim.object, claim.replaces) == ("rent", "1,250 a month", "1,100")


def test_two_sums_of_one_sentence_are_two_facts() -> None:
    told = {(one.relation, one.object) for one in read_claims("pago 640 de alquiler y cobro 1500, ¿es una locura?")}
    assert told == {("rent", "640"), ("salary", "1500")}


def test_the_gym_takes_the_place_of_no_rent() -> None:
    [gym] = read_claims("I pay 45 a month for the gym.")
    assert not is_single_valued(gym.relation)
    assert is_single_valued("rent")


@pytest.mark.parametrize("asked", ["How much is my rent?", "Was zahle ich an Miete?", "Combien je paie de loyer ?"])
def test_a_question_for_the_rent_asks_for_it(asked: str) -> None:
    assert "rent" in read_question(asked).relations


@pytest.mark.parametrize("said", ["I ran 3,5 km today with my brother.", "My savings goal is 10,000 by June."])
def test_the_comma_of_a_number_ends_no_value(said: str) -> None:
    assert any("," in one.object for one in read_claims(said))
