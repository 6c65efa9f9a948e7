"""Which statements are standing constraints, and what of life each of them limits.

A constraint is what an answer must never break although nobody mentions it: an allergy, a diet, a medicine, pregnancy,
a disability, a fear, the safety of somebody close, the style of the answers.
"""

from functools import lru_cache
from typing import Final

from memory.claims.lexicon import MARK, load_claim_words
from memory.claims.relations import ABOUT
from memory.claims.topics import KIND, TopicWords, find_topic_words
from memory.guard.annotation import annotate_text

# The category of a fact that is one.
CONSTRAINT: Final = "constraint"
STYLE: Final = "style"
DISLIKES: Final = "dislikes"
# Relations that name nothing.
OPEN: Final = frozenset({"", ABOUT})
# Tenses of facts.
ENDED, BEGUN = "over", "new"

BODY: Final = frozenset({"food", "drink", "health", "exercise"})
OUT: Final = frozenset({"outing", "travel"})
# What each kind of constraint limits. An allergy limits what it names, and food where it names nothing known.
LIMITS: Final[dict[str, frozenset[str]]] = {
    "diet": frozenset({"food", "drink"}),
    "faith": frozenset({"food", "drink", "schedule", "clothes"}),
    "sober": frozenset({"drink", "food", "outing", "gift"}),
    "diabetes": BODY,
    "medication": frozenset({"health", "food", "drink"}),
    "pregnancy": BODY | OUT | {"beauty", "home"},
    "breath": OUT | {"home", "exercise", "animals", "health", "beauty"},
    "heart": BODY | OUT,
    "mobility": OUT | {"exercise", "home", "clothes"},
    "sight": OUT | {"seeing", "reading", "clothes"},
    "literacy": frozenset({"reading", "seeing", "sharing"}),
    "hearing": OUT | {"hearing"},
    "mind": OUT | {"health", "hearing", "seeing", "exercise"},
    "phobia": OUT | {"health"},
    "child": OUT | {"home", "food", "animals", "exercise", "gift"},
    "frail": OUT | {"home", "exercise", "schedule"},
    "secret": frozenset({"sharing", "outing", "gift"}),
    "money": OUT | {"gift", "food", "clothes", "home", "exercise"},
    "time": OUT | {"schedule", "food", "exercise", "sharing"},
}
# Of what others are, what a host has to know.
OF_GUESTS: Final = frozenset({"diet", "allergy", "faith", "sober", "child"})
# Words of the person, and of anybody else.
OF_SELF: Final = frozenset({"me", MARK + "i", MARK + "my", MARK + "self"})
OF_OTHERS: Final = frozenset({MARK + "link", MARK + "third", "someone says", MARK + "opines"})
# What somebody wants none of, and no list knows what it touches: told where anything new is asked for.
ANYTHING: Final = "anything"
ALLERGY: Final = "allergy"
# Of what an allergy names. "Nuts at a picnic" are food: what else the sentence touches does not limit it.
REACTED_TO: Final = frozenset({"food", "drink", "animals", "home", "clothes", "beauty"})
# Relations of facts that are constraints whatever their words, with the kind of each. Not style: it has few words, and
# what is read as style without them is mostly something else.
KIND_OF_RELATION: Final = {
    "allergic_to": ALLERGY,
    "intolerant_to": ALLERGY,
    "has_condition": "heart",
    "takes": "medication",
    "medication": "medication",
    "takes_dose": "medication",
}
# Words between "can't" and what cannot be done, and between "no" and what is not eaten.
REACH: Final = 3


@lru_cache(maxsize=8192)
def find_constraint(statement: str, relation: str = "", tense: str = "") -> frozenset[str]:
    """The topics that a statement limits; empty where it limits nothing. ``relation`` and ``tense`` are its fact's,
    where known.

    What is over, and what is said of others without a relation that names them, limits an answer by what is eaten
    alone: guests have allergies. "Ravi has asthma" is of a relation, and a family's constraints count like one's own.
    """
    read = find_topic_words(statement)
    is_others = tense == ENDED or (relation in OPEN and tells_of_others(statement))
    kinds = list_kinds(read, relation)
    if is_others:
        kinds &= OF_GUESTS
    found = {topic for kind in kinds for topic in LIMITS.get(kind, ())}
    if STYLE in kinds:
        found.add(STYLE)
    if ALLERGY in kinds:
        found |= (read.topics & (REACTED_TO | ({"health"} if "medication" in kinds else set()))) or {"food"}
    if "phobia" in kinds:
        found |= read.topics
    if relation == DISLIKES:
        found |= read.topics & {"food", "drink"}
    if is_forbidden(read) and not is_others:
        found |= read.topics or OUT | {"exercise"}
    elif lacks_food(read):
        found |= read.topics
    elif not found and is_refused(read) and not (is_others or tense == BEGUN):
        found |= read.topics | {ANYTHING}
    return frozenset(found)


def list_kinds(read: TopicWords, relation: str) -> set[str]:
    """The kinds of constraint that the words tell, or else the relation."""
    kinds = {kind.removeprefix(KIND) for kind in read.spans if kind.startswith(KIND)}
    # Not diet: "I drink two coffees" is told under it too.
    return kinds or ({KIND_OF_RELATION[relation]} if relation in KIND_OF_RELATION else set())


@lru_cache(maxsize=8192)
def tells_of_others(statement: str) -> bool:
    """Whether nobody but others is spoken of: "the vet says kidneys", "Claire is expecting"; not "type 1, a pump"."""
    kinds = {kind for one in annotate_text(statement, load_claim_words()).sentences for kind in one.spans_by_kind}
    return kinds.isdisjoint(OF_SELF) and not kinds.isdisjoint(OF_OTHERS)


def name_category(statement: str, relation: str, category: str, tense: str = "") -> str:
    """The category of a fact: CONSTRAINT where it is one, else the one given."""
    if find_constraint(statement, relation, tense):
        return CONSTRAINT
    return "" if category == CONSTRAINT else category


def is_forbidden(read: TopicWords) -> bool:
    """Somebody cannot or may not do something."""
    return is_followed(read, "cannot", "doing")


def is_refused(read: TopicWords) -> bool:
    """Somebody wants none of something: "no horror films", "pas de cuir chez moi", not "we have no car"."""
    spared = {start for start, _ in read.spans.get("no ban", ())}
    lacking = {end for _, end in read.spans.get("lack", ())}
    return any(start not in spared and not lacking & {start, start - 1} for start, _ in read.spans.get("ban", ()))


def lacks_food(read: TopicWords) -> bool:
    return is_followed(read, "without", "food") or is_followed(read, "without", "drink")


def is_followed(read: TopicWords, first: str, second: str) -> bool:
    ends = [end for _, end in read.spans.get(first, ())]
    return any(0 <= start - end <= REACH for end in ends for start, _ in read.spans.get(second, ()))
