"""What a healer finds is told of whoever has it, the person or somebody of theirs."""

import pytest

from memory.claims.reader import read_claims


@pytest.mark.parametrize(
    ("text", "who", "value"),
    [
        ("the doctor says my mum has diabetes", "mum", "diabetes"),
        ("el médico dice que mi madre tiene diabetes", "madre", "diabetes"),
        ("le médecin dit que ma mère a du diabète", "mère", "diabète"),
        ("der Arzt sagt, meine Mutter hat Diabetes", "mutter", "diabetes"),
        ("il medico dice che mia madre ha il diabete", "madre", "diabete"),
        ("o médico diz que a minha mãe tem diabetes", "mãe", "diabetes"),
        ("the vet says our dog has arthritis", "dog", "arthritis"),
        ("the GP told me my son is coeliac", "son", "coeliac"),
        ("the doctor says I have diabetes", "you", "diabetes"),
    ],
)
def test_what_a_healer_finds_is_of_whoever_has_it(text: str, who: str, value: str) -> None:
    assert [(one.subject, one.relation, one.object) for one in read_claims(text)] == [(who, "has_condition", value)]


@pytest.mark.parametrize(
    "text",
    [
        "the doctor says his wife has diabetes",
        "the doctor says my mum might have diabetes",
        "my neighbour says my mum has diabetes",
        "does the doctor say my mum has diabetes?",
    ],
)
def test_what_nobody_found_of_the_persons_is_no_illness(text: str) -> None:
    assert not read_claims(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("der Arzt sagt, dass meine Mutter Diabetes hat", ("mutter", "diabetes", "Meine Mutter hat Diabetes.")),
        ("Die Ärztin sagt, dass mein Vater Asthma hat.", ("vater", "asthma", "Mein Vater hat Asthma.")),
    ],
)
def test_what_stands_behind_that_in_german_is_found_too(text: str, told: tuple[str, str, str]) -> None:
    [claim] = read_claims(text)
    assert (claim.subject, claim.object, claim.statement) == told
    assert claim.relation == "has_condition"
