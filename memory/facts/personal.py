"""What a person says of themselves wherever they say it, as against what holds of the work at hand. Pure.

By the relation that is claimed and by whom it is claimed of, and by nothing else: a statement that is read as neither
stays where it was said. There it is missed elsewhere, which costs a question; told elsewhere, what holds of one project
would be believed in another.
"""

from typing import Final

from memory.claims import Claim
from memory.claims.clauses.cutting import cut_clauses
from memory.claims.lexicon import load_claim_words
from memory.claims.taxonomy import ANIMALS, GROUPS, KIN
from memory.facts.profile import ProfileFact
from memory.facts.subjects import SubjectKind, classify_subject
from memory.guard.annotation import annotate_text

IDENTITY: Final = frozenset(
    {"name", "surname", "goes_by", "nickname", "age", "birthday", "born_in", "nationality", "native_language"}
    | {"religion", "star_sign"}
)
HOME: Final = frozenset({"lives_in", "moved_from"})
HEALTH: Final = frozenset(
    {"allergic_to", "intolerant_to", "diet", "has_condition", "takes", "takes_dose", "medication", "blood_type"}
)
# "The parent of this process", "its child": the nouns that name a group of kin are words of the trade as well.
RELATIVES: Final = (KIN - GROUPS) | {"married_to", "twins"}
PERSONAL: Final = IDENTITY | HOME | HEALTH | RELATIVES | ANIMALS | {"pet", "favorite_food", "favorite_drink", "hobby"}
OWN: Final = frozenset({SubjectKind.SPEAKER, SubjectKind.PERSON, SubjectKind.ANIMAL})


def is_personal(fact: ProfileFact) -> bool:
    """Whether a statement is about the person, those close to them and their animals, and about nothing else."""
    if fact.is_turn or not fact.claims or not all(claim.relation in PERSONAL for claim in fact.claims):
        return False
    # "I'm vegan but the linter is ruff" is kept as one statement, and one half of it is the project's.
    return count_clauses(fact.statement) <= len(fact.claims) and all(is_of_person(one, fact) for one in fact.claims)


def count_clauses(statement: str) -> int:
    """Those that tell something: "by the way" tells nothing."""
    told = 0
    for sentence in annotate_text(statement, load_claim_words()).sentences:
        asides = sentence.spans("lead", "greeting", "adverb")
        places = [place for segment in cut_clauses(sentence).segments for place in segment]
        told += sum(last - first > 1 and (first, last) not in asides for first, last in places)
    return told


def is_of_person(claim: Claim, fact: ProfileFact) -> bool:
    if claim.is_remark:
        return False
    # "Metformin 500 mg": of a medicine that the same statement says the person takes.
    if any(claim.subject.casefold() == other.object.casefold() for other in fact.claims):
        return True
    return classify_subject(claim.subject.casefold(), fact.statement) in OWN
