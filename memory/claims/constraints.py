"""Which statements are standing constraints, and what of life each of them limits.

A constraint is what an answer must never break although nobody mentions it: an allergy, a diet, a medicine, pregnancy,
a disability, a fear, the safety of somebody close, the style of the answers.
"""

from functools import lru_cache, partial
from typing import Final

from memory.claims.lexicon import MARK, load_claim_words
from memory.claims.relations import ABOUT
from memory.claims.slots.matching import find_drug
from memory.claims.slots.nouns import find_known_noun
from memory.claims.taxonomy import PEOPLE
from memory.claims.topics import CONSUMED, KIND, TopicWords, find_topic_words, read_words
from memory.guard.annotation import Span, annotate_text
from memory.language import intents
from memory.language.folding import fold_text
from memory.language.loader import list_codes

# The category of a fact that is one.
CONSTRAINT: Final = "constraint"
STYLE: Final = "style"
DISLIKES: Final = "dislikes"
# Relations that name nothing.
OPEN: Final = frozenset({"", ABOUT})
# Tenses of facts.
ENDED, BEGUN = "over", "new"

TIME, MEDICATION, MIND = "time", "medication", "mind"
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
# Of what friends and distant kin are: their pregnancies and children limit nothing of the person's own.
OF_VISITORS: Final = frozenset({"diet", "allergy", "faith", "sober", "diabetes"})
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
def find_constraint(
    statement: str, relation: str = "", tense: str = "", thing: str = "", *, is_apart: bool = False
) -> frozenset[str]:
    """The topics that a statement limits; empty where it limits nothing. ``relation``, ``tense`` and ``thing``, its
    object, are its fact's, where known.

    What is over, and what is said of others without a relation that names them, limits an answer by what is eaten
    alone: guests have allergies. So is what friends and distant kin are (``is_apart``). "Ravi has asthma" is of a
    relation, and a family's constraints count like one's own.
    """
    if relation == DISLIKES and names_somebody(thing):
        return frozenset()
    read = find_topic_words(statement)
    is_others = is_apart or tense == ENDED or (relation in OPEN and tells_of_others(statement))
    kinds = drop_unmeant(list_kinds(read, relation), statement, read, thing)
    if is_others:
        kinds &= OF_VISITORS if is_apart else OF_GUESTS
    found = {topic for kind in kinds for topic in LIMITS.get(kind, ())}
    if STYLE in kinds:
        found.add(STYLE)
    if ALLERGY in kinds:
        found |= list_reacted_to(read, thing, is_medicine="medication" in kinds)
    if "phobia" in kinds:
        found |= read.topics
    if relation == DISLIKES:
        found |= read.topics & {"food", "drink"}
    if is_forbidden(read) and not is_others and relation != DISLIKES:
        found |= read.topics or OUT | {"exercise"}
    elif lacks_food(read):
        found |= read.topics
    elif not found and is_refused(read) and not (is_others or tense == BEGUN or opens_asking(statement)):
        found |= read.topics | {ANYTHING}
    return frozenset(found)


def names_somebody(thing: str) -> bool:
    """ "Mein Chef", whom somebody cannot stand, limits no dinner."""
    known = (find_known_noun(thing.split(), code) for code in list_codes())
    return any(noun is not None and noun[1] in PEOPLE for noun in known)


def list_kinds(read: TopicWords, relation: str) -> set[str]:
    """The kinds of constraint that the words tell, or else the relation."""
    kinds = {kind.removeprefix(KIND) for kind in read.spans if kind.startswith(KIND)}
    if relation == DISLIKES:
        # "No tolero a mi jefe": whom somebody cannot stand is no allergy of theirs.
        kinds.discard(ALLERGY)
    # Not diet: "I drink two coffees" is told under it too.
    return kinds or ({KIND_OF_RELATION[relation]} if relation in KIND_OF_RELATION else set())


def list_reacted_to(read: TopicWords, thing: str, *, is_medicine: bool) -> set[str]:
    """What an allergy limits: what it names, else what its sentence touches. A word of allergies is one of health, so
    that of a sentence this says nothing; of "aspirin" it does."""
    named = set(find_topic_words(thing).topics & (REACTED_TO | {"health"})) if thing else set()
    if find_drug(thing):
        # "Naproxen wrecks my stomach": no list has every medicine, their endings tell most.
        named.add("health")
    touched = read.topics & (REACTED_TO | ({"health"} if is_medicine else set()))
    return named or set(touched) or {"food"}


def drop_unmeant(kinds: set[str], statement: str, read: TopicWords, thing: str) -> set[str]:
    """Without those whose words tell something else here: a timetable, what is drunk, the weather."""
    unmeant = set()
    if not any(map(partial(tells_unavailable, read), read.spans.get(KIND + TIME, ()))):
        unmeant.add(TIME)
    if KIND + MEDICATION not in read.spans and is_consumed(statement, read, thing):
        unmeant.add(MEDICATION)
    if MIND in kinds and tells_of_weather(statement, read):
        unmeant.add(MIND)
    return kinds - unmeant


def is_consumed(statement: str, read: TopicWords, thing: str) -> bool:
    """ "Anda tomando muchísima agua": what is eaten or drunk is taken as well, and is no medicine."""
    words = read_words(statement)
    places = (at for kind in CONSUMED for start, end in read.spans.get(kind, ()) for at in range(start, end))
    return not {words[at] for at in places}.isdisjoint(read_words(thing))


def tells_unavailable(read: TopicWords, span: Span) -> bool:
    """ "Los martes no", "los martes no puedo"; not "los martes no llego más a cerámica", a mere timetable."""
    start, end = span
    if all(last != end for _, last in (*read.spans.get("cannot", ()), *read.spans.get("without", ()))):
        return True
    return read.ends_clause(end) or any(start <= at < end and last > end for at, last in read.spans.get("cannot", ()))


def tells_of_weather(statement: str, read: TopicWords) -> bool:
    """Whether all that would trouble somebody's mind is the weather: "qué calor hace hoy"."""
    sentences = annotate_text(statement, load_claim_words()).sentences
    weather = {word for one in sentences for start, end in one.spans("weather") for word in one.words[start:end]}
    if not weather:
        return False
    words = read_words(statement)
    return all(weather.issuperset(words[start:end]) for start, end in read.spans.get(KIND + MIND, ()))


@lru_cache(maxsize=8192)
def tells_of_others(statement: str) -> bool:
    """Whether nobody but others is spoken of: "the vet says kidneys", "Claire is expecting"; not "type 1, a pump"."""
    kinds = {kind for one in annotate_text(statement, load_claim_words()).sentences for kind in one.spans_by_kind}
    return kinds.isdisjoint(OF_SELF) and not kinds.isdisjoint(OF_OTHERS)


def name_category(statement: str, relation: str, category: str, tense: str = "", thing: str = "") -> str:
    """The category of a fact: CONSTRAINT where it is one, else the one given."""
    if find_constraint(statement, relation, tense, thing):
        return CONSTRAINT
    return "" if category == CONSTRAINT else category


def is_forbidden(read: TopicWords) -> bool:
    """Somebody cannot or may not do something."""
    return is_followed(read, "cannot", "doing")


def opens_asking(statement: str) -> bool:
    """ "Was koche ich heute, bloß kein Fisch" is an errand of the day."""
    return intents.OPENS_ASKING.search(fold_text(statement)) is not None


def is_refused(read: TopicWords) -> bool:
    """Somebody wants none of something: "no horror films", "pas de cuir chez moi", not "we have no car".

    A "no" that no thing follows refuses none ("anzi no, alle 16.30"), and "no more" tells as often that it is over.
    """
    spared = {start for start, _ in read.spans.get("no ban", ())}
    lacking = {end for _, end in read.spans.get("lack", ())}
    ended = [start for start, _ in read.spans.get("more", ())]
    return any(
        start not in spared
        and not lacking & {start, start - 1}
        and not read.ends_clause(end)
        and not any(start < at <= end + REACH and not read.breaks_between(end, at) for at in ended)
        for start, end in read.spans.get("ban", ())
    )


def lacks_food(read: TopicWords) -> bool:
    return any(is_followed(read, "without", kind, within_clause=True) for kind in CONSUMED)


def is_followed(read: TopicWords, first: str, second: str, *, within_clause: bool = False) -> bool:
    ends = [end for _, end in read.spans.get(first, ())]
    return any(
        0 <= start - end <= REACH and not (within_clause and read.breaks_between(end, start))
        for end in ends
        for start, _ in read.spans.get(second, ())
    )
