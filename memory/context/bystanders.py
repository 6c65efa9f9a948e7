"""Whose limits are none of the person's own: "mi amiga Petra está embarazada", "Bob: I'm vegan"."""

from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.taxonomy import KIN
from memory.facts.keys import fold_key
from memory.facts.pairs import PairStatement
from memory.facts.pairs.reading import read_pair_statement
from memory.models import Fact

# As the judge of pairs names them.
DISTANT: Final = frozenset({"friend", "cousin", "uncle", "aunt", "nephew", "niece", "neighbor", "colleague"})
RELATIONS: Final = KIN | {"friend_of", "neighbor", "colleague"}


def is_of_bystander(fact: Fact) -> bool:
    """Whether a fact is of somebody else who speaks, of a friend or of distant kin, and of nobody nearer."""
    if is_said_by_another(fact):
        return True
    if fact.subject_key == SPEAKER and fact.relation not in RELATIONS:
        return False
    kin = read_pair_statement(PairStatement(fact.statement)).kin
    return bool(kin) and kin <= DISTANT


def is_said_by_another(fact: Fact) -> bool:
    """ "Bob: I live in Rome.", as what others say of themselves is kept."""
    name, colon, _ = fact.statement.partition(": ")
    return bool(colon) and fact.subject_key != SPEAKER and fold_key(name) == fact.subject_key
