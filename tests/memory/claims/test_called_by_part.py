"""A pet or a flatmate that is known by a longer name than the one by which it dies or moves out."""

import pytest

from memory.claims.reader import read_claims
from memory.claims.turns import read_turn

GONE = [
    ("Unser Kater heißt Monsieur Pim.", "Pim ist heute Nacht gestorben.", ("cat", "monsieur pim")),
    ("Notre chat s'appelle Monsieur Pim.", "Pim est mort cette nuit.", ("cat", "monsieur pim")),
    ("Our cat is called Sir Reginald Fluff.", "Reginald died on Friday.", ("cat", "sir reginald fluff")),
    ("Nuestra gata se llama Doña Petra.", "Petra murió anoche.", ("cat", "doña petra")),
    ("Il nostro gatto si chiama Signor Baffo.", "Baffo è morto stanotte.", ("cat", "signor baffo")),
    ("A nossa gata chama-se Dona Mimi.", "A Mimi morreu ontem.", ("cat", "dona mimi")),
    ("My flatmate is called Ottilie Brandt.", "Ottilie moved out on Friday.", ("roommate", "ottilie brandt")),
    (
        "My flatmate is called Ottilie.",
        "Ottilie's moved out to live with her girlfriend in Sheffield.",
        ("roommate", "ottilie"),
    ),
    ("Meine Mitbewohnerin heißt Ottilie.", "Ottilie ist nach Ulm gezogen.", ("roommate", "ottilie")),
    ("Ma coloc s'appelle Ottilie.", "Ottilie a déménagé à Lyon avec sa copine.", ("roommate", "ottilie")),
    ("Mi compañera de piso se llama Otilia.", "Otilia se ha mudado a Cuenca con su novia.", ("roommate", "otilia")),
    ("La mia coinquilina si chiama Ottilia.", "Ottilia si è trasferita a Lucca.", ("roommate", "ottilia")),
    ("A minha colega de casa chama-se Otília.", "A Otília mudou-se para o Porto.", ("roommate", "otília")),
]


@pytest.mark.parametrize(("told", "gone", "slot"), GONE)
def test_who_is_gone_is_known_by_a_part_of_the_name(told: str, gone: str, slot: tuple[str, str]) -> None:
    ended = read_turn(gone, [told]).retracted
    assert [(one.key[1:], one.is_over) for one in ended] == [(slot, True)]
    claimed = [one for one in read_claims(gone, (told,)) if one.relation == slot[0]]
    assert [(one.object, one.polarity, one.tense) for one in claimed] == [(slot[1], False, "over")]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        # Kin stay kin wherever they move, and of two that share a word nobody knows which.
        ("My sister is called Ottilie.", "Ottilie moved out."),
        ("My cats are called Little Pim and Big Pim.", "Pim died on Friday."),
        ("My boss is called Ottilie.", "Ottilie moved to Sheffield."),
    ],
)
def test_nothing_ends_that_may_be_another(told: str, said: str) -> None:
    assert not read_turn(said, [told]).retracted
