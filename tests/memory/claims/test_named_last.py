"""The name of an animal at the end of the sentence that tells of it."""

import pytest

from memory.claims.reader import read_claims

NAMED = [
    ("We adopted a kitten last week, Pickle.", "cat", "pickle"),
    ("We got a puppy, Bruno!", "dog", "bruno"),
    ("J'ai adopté une chatte, Nori.", "cat", "nori"),
    ("Ich habe mir einen neuen Hund geholt, Bruno.", "dog", "bruno"),
    ("seit gestern haben wir einen Welpen, Pelle", "dog", "pelle"),
    ("Adoptamos un perro la semana pasada, Toby.", "dog", "toby"),
    ("Abbiamo adottato un gatto, Nuvola.", "cat", "nuvola"),
    ("Adotámos um cão, o Faísca.", "dog", "faísca"),
]
UNNAMED = [
    "We got a dog, yay.",
    "I have a dog, finally.",
    "We have a dog, Labrador.",
    "Wir haben einen Hund, Labrador.",
    "We got a dog in Leeds, England.",
]


@pytest.mark.parametrize(("said", "animal", "name"), NAMED)
def test_it_is_called_so(said: str, animal: str, name: str) -> None:
    [claim] = [one for one in read_claims(said) if one.relation == animal]
    assert (claim.subject, claim.object) == ("you", name)
    assert name in claim.statement.casefold()


@pytest.mark.parametrize("said", UNNAMED)
def test_what_is_no_name_names_none(said: str) -> None:
    claims = read_claims(said)
    assert claims
    assert not [one for one in claims if one.relation in {"dog", "cat"}]
