"""What takes the place of a car or a phone by name, and of what nobody has."""

import pytest

from memory.claims import read_claims


def list_owned(text: str) -> set[tuple[str, str]]:
    return {(one.relation, one.object) for one in read_claims(text) if one.relation != "about"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I traded my Golf for a Tesla", ("car", "tesla")),
        ("I traded the Audi in for a Mini", ("car", "mini")),
        ("J'ai échangé l'Audi contre une Mini", ("car", "mini")),
        ("I swapped my phone for an iPhone 15", ("phone", "iphone 15")),
        ("J'ai échangé ma Clio contre une Zoé", ("car", "zoé")),
        ("Ich habe den Golf gegen einen Tesla getauscht", ("car", "tesla")),
        ("Troquei o Onix por um Corolla", ("car", "corolla")),
        ("He cambiado el Ibiza por un Toyota Yaris", ("car", "toyota yaris")),
        ("Ho cambiato la Panda con una Yaris", ("car", "yaris")),
    ],
)
def test_what_was_swapped_for_is_had(text: str, told: tuple[str, str]) -> None:
    assert list_owned(text) == {told}


@pytest.mark.parametrize(
    "text",
    ["I swapped my shift for Monday", "Troquei o turno por um dia de folga", "I replaced the milk with oat milk"],
)
def test_what_is_no_thing_of_a_known_kind_is_not(text: str) -> None:
    assert list_owned(text) == set()
