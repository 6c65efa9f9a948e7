"""Requests to remember that come after what is to be remembered, and point back at it."""

import pytest

from memory.claims import read_claims


@pytest.mark.parametrize(
    ("text", "relation", "statement"),
    [
        ("I'm allergic to kiwi. Remember that please.", "allergic_to", "I'm allergic to kiwi."),
        ("Soy alérgica al kiwi. Recuérdalo.", "allergic_to", "Soy alérgica al kiwi."),
        ("Je suis allergique au kiwi. Retiens-le.", "allergic_to", "Je suis allergique au kiwi."),
        ("Ich habe eine Nussallergie. Merk dir das bitte.", "allergic_to", "Ich habe eine Nussallergie."),
        ("Sono allergica al kiwi. Ricordatelo.", "allergic_to", "Sono allergica al kiwi."),
        ("Sou alérgica ao kiwi. Não te esqueças disso.", "allergic_to", "Sou alérgica ao kiwi."),
    ],
)
def test_what_stands_before_a_request_is_what_is_asked_for(text: str, relation: str, statement: str) -> None:
    (claim,) = read_claims(text)
    assert (claim.relation, claim.statement, claim.is_request) == (relation, statement, True)


def test_what_no_rule_reads_is_kept_in_its_own_words_when_it_is_asked_for() -> None:
    (claim,) = read_claims("Nussallergie, richtig schlimm. Merk dir das bitte.")
    assert claim.statement == "Nussallergie, richtig schlimm."
    assert claim.is_request


def test_a_request_with_a_statement_of_its_own_points_nowhere() -> None:
    claims = read_claims("I work at Lidl. Remember that I'm allergic to nuts.")
    assert {claim.relation: claim.is_request for claim in claims} == {"works_at": False, "allergic_to": True}


def test_a_question_before_a_request_is_not_what_it_asks_for() -> None:
    assert not any(claim.is_request for claim in read_claims("What is the capital of Peru? Remember that."))


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("Keep this in mind: no gluten", "No gluten."),
        ("Bear that in mind: I'm left-handed", "I'm left-handed."),
        ("Ten esto en cuenta: no como cerdo", "No como cerdo."),
        ("Behalte das im Kopf: kein Gluten", "Kein Gluten."),
        ("Garde ça en tête : pas de gluten", "Pas de gluten."),
        ("Tem isto em mente: sem glúten", "Sem glúten."),
    ],
)
def test_the_words_of_the_request_are_no_part_of_the_statement(text: str, statement: str) -> None:
    assert [claim.statement for claim in read_claims(text)] == [statement]
