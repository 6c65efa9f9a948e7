"""Whether two statements are of matters that have nothing to do with each other, so that neither speaks of the other.

What was learned from changes knows words and not lives: of hundreds of things that are known one is always the nearest,
and "I've bought an iPad" cast doubt on a job, "Peso 82 kilos" on a birthday.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from memory.claims.claim import SPEAKER
from memory.claims.slots.framed import GENERIC
from memory.claims.slots.matching import find_drug
from memory.claims.slots.nouns import load_nouns
from memory.claims.subjects import PRONOUN
from memory.claims.taxonomy import HAVING, HELPERS, PARTNERS, PEOPLE, THINGS
from memory.facts.drafts import FactDraft
from memory.facts.keys import OPEN_RELATIONS, fold_key
from memory.facts.pairs import PairStatement
from memory.facts.pairs.reading import read_pair_statement
from memory.language.kinds import MEDICINE, list_kinds, list_purposes
from memory.language.loader import list_codes
from memory.models import Fact

HOME: Final = "lives_in"
WORK: Final = frozenset({"works_at", "works_as", "studies", "school", "company"})
# Of the person, or of what was spoken of before.
OWN: Final = frozenset({SPEAKER, PRONOUN, ""})
TAKES: Final = "takes"
MEDICINES: Final = frozenset({TAKES, "takes_dose"})
THING: Final = "thing"
# Of several words for one matter, in which one may tell of the other.
MATTERS: Final[Mapping[str, frozenset[str]]] = {
    "work": WORK | {"reports_to", "boss", "colleague", "salary", "project", "goal", "goes_to", "learning", "learns"},
    "home": frozenset({HOME, "address", "moved_from", "rent", "mortgage", "landlord", "roommate"})
    | {"door", "house", "home"},
    "food": frozenset({"diet", "eats", "drinks", "allergic_to", "intolerant_to"}),
    MEDICINE: MEDICINES,
    "partner": PARTNERS | {"friend_of", "ex"},
    "health": HELPERS - {"boss", "hairdresser", "babysitter"} | {"sees"},
    "free time": frozenset({"hobby", "gym", "plays", "plays_for", "team", "goes_to", "band", "choir", "course"}),
    # A "Moto" is a phone or a motorbike.
    THING: THINGS | {"phone", "laptop", "computer", "device", "vehicle", "system"},
}
# What is called by its make is had, whatever is told of it.
MADE: Final = frozenset({"car", "bicycle", "motorcycle", "phone", "computer"})
# What nothing that somebody comes to have tells anything of.
FIRM: Final = frozenset({"birthday", "born_in", "age", "name", "surname", "size", "style", "blood_type", "shoe_size"})
# What goes on whatever thing somebody has no longer.
SETTLED: Final = WORK | PEOPLE | FIRM | {"married_to", "dating", "diet", "takes", "takes_dose", "allergic_to"}
HOME_SLOT: Final = "home"
MARITAL, DIVORCED = "marital", "divorced"


class Point(NamedTuple):
    """What a statement tells, its subject and value folded."""

    subject: str
    relation: str
    object: str
    statement: str

    @property
    def matters(self) -> frozenset[str]:
        """What it is of: by its relation, else by the makes and medicines that it names; empty if unknown."""
        if self.relation not in OPEN_RELATIONS | GENERIC:
            named = frozenset(name for name, among in MATTERS.items() if self.relation in among)
            return named or frozenset({self.relation})
        if not MADE.isdisjoint(list_kinds(fold_key(self.statement))):
            return frozenset({THING})
        if self.relation in HAVING and self.object in list_persons():
            # "לי אח, עומר".
            return frozenset({"kin"})
        return frozenset({MEDICINE}) if find_drug(self.statement.casefold()) else frozenset()


@cache
def list_persons() -> frozenset[str]:
    """The nouns of people whom somebody has, in all languages: "brother", "אח"."""
    nouns = (load_nouns(code) for code in list_codes())
    return frozenset(fold_key(noun) for found in nouns for noun, relation in found.items() if relation in PEOPLE)


def fills_another_slot(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """Of two slots one ends the other only if both are where somebody works, or whom they are with."""
    return tell_apart(fact, draft, keys) and not any({fact.relation, draft.relation} <= one for one in (WORK, PARTNERS))


def tell_apart(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """Whether they fill two slots of two names: "my sister moved to Lyon" repeats not when her birthday is."""
    relations = {fact.relation, draft.relation}
    # A new home tells nothing of what somebody has, in whatever words.
    is_home = draft.relation == HOME and fact.relation in GENERIC - {"is"}
    is_named = relations.isdisjoint(OPEN_RELATIONS | GENERIC) or is_home
    return is_named and len(relations) > 1 and set(fact.object_key.split()).isdisjoint(keys[2].split())


def are_apart(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """Whether one is of somebody whom the other does not name: "my doctor retires" repeats no "I am retired"."""
    return are_of_others(take_point(fact), draft_point(draft, keys))


def are_unrelated(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """Whether it is known of both what they tell, and the one says nothing of the other."""
    return are_of_other_matters(take_point(fact), draft_point(draft, keys))


def is_another_medicine(fact: Fact, draft: FactDraft) -> bool:
    """Whether it tells of one medicine and the fact of another, for something else: whoever is switched to metoprolol
    goes on with sertraline. What is named, or was read as replaced, is no other."""
    if fact.relation not in MEDICINES or draft.relation not in MEDICINES | OPEN_RELATIONS:
        return False
    said = " ".join((draft.statement, draft.turn, draft.replaces)).casefold()
    spoken = fold_key(said).split()
    told = {name for word in spoken if (name := find_drug(word))}
    told |= (
        {fold_key(draft.object if draft.relation == TAKES else draft.subject)} if draft.relation in MEDICINES else set()
    )
    known = fact.object_key if fact.relation == TAKES else fact.subject_key
    if not told or not known or not set(known.split()).isdisjoint({*spoken, *told}):
        return False
    purposes = frozenset().union(*map(list_purposes, told))
    return purposes.isdisjoint(list_purposes(known))


def ends_another_matter(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """Whether it ends something and names what, and the fact tells nothing of that: who sells a car and goes by bike in
    Milan lives there, whose brother divorces has a brother with asthma."""
    if keys[2] and not set(keys[2].split()).isdisjoint(fold_key(fact.statement).split()):
        return False
    if parts_couple(draft):
        return not is_of_couple(fact)
    if draft.tense != "over" or draft.relation not in HAVING or not keys[2]:
        return False
    is_home = HOME_SLOT in read_pair_statement(PairStatement(draft.object)).slots
    return fact.relation in (SETTLED if is_home else SETTLED | {HOME})


def parts_couple(draft: FactDraft) -> bool:
    """ "O Caio se separou da Júlia", or of nobody named "עומר התגרש"."""
    if draft.relation not in OPEN_RELATIONS:
        return draft.relation in PARTNERS and draft.tense == "over"
    return DIVORCED in read_pair_statement(PairStatement(draft.statement)).axes.get(MARITAL, ())


def is_of_couple(fact: Fact) -> bool:
    if fact.relation in PARTNERS | {"friend_of"}:
        return True
    known = read_pair_statement(PairStatement(fact.statement))
    return MARITAL in known.axes or "partner" in known.slots | known.kin


def take_point(fact: Fact) -> Point:
    return Point(fact.subject_key, fact.relation, fact.object_key, fact.statement)


def draft_point(draft: FactDraft, keys: tuple[str, str, str]) -> Point:
    return Point(keys[0], draft.relation, keys[2], draft.statement)


def are_of_other_matters(known: Point, told: Point) -> bool:
    """A birthday and a size, a home and a laptop, a job and what is eaten. Of what no relation names nobody knows."""
    if not set(known.object.split()).isdisjoint(told.object.split()):
        return False
    of_known, of_told = known.matters, told.matters
    if of_known and of_told:
        is_of_another = told.relation not in OPEN_RELATIONS and are_of_others(known, told)
        return is_of_another or of_known.isdisjoint(of_told)
    is_had = not {known.relation, told.relation}.isdisjoint(HAVING)
    return is_had and not FIRM.isdisjoint(of_known | of_told)


def are_of_others(known: Point, told: Point) -> bool:
    if known.subject == told.subject:
        return False
    named = ((known.subject, told.statement), (told.subject, known.statement))
    return any(one not in OWN and one not in fold_key(statement) for one, statement in named)
