"""Whose limits are none of the person's own: "mi amiga Petra está embarazada", "my cousin Priya had her baby"."""

from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.taxonomy import KIN
from memory.facts.pairs import PairStatement
from memory.facts.pairs.reading import read_pair_statement
from memory.models import Fact

# As the judge of pairs names them.
DISTANT: Final = frozenset({"friend", "cousin", "uncle", "aunt", "nephew", "niece", "neighbor", "colleague"})
RELATIONS: Final = KIN | {"friend_of", "neighbor", "colleague"}


def is_of_distant(fact: Fact) -> bool:
    """Whether a fact is of a friend or of distant kin, and of nobody nearer."""
    if fact.subject_key == SPEAKER and fact.relation not in RELATIONS:
        return False
    kin = read_pair_statement(PairStatement(fact.statement)).kin
    return bool(kin) and kin <= DISTANT
