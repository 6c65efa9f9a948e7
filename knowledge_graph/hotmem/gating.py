"""Which of what is known a turn is about, and how much: the gate, before anything is ranked. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from knowledge_graph.hotmem.cues import LOVES, TurnCue, is_name_said, measure_said
from knowledge_graph.hotmem.edges import HotEdge
from memory.claims.claim import SPEAKER
from memory.claims.constraints import find_constraint
from memory.claims.questions import PETS, find_people, is_of_kind
from memory.claims.taxonomy import PERSONS
from memory.claims.topics import find_topic_words

# Relations whose object is somebody's or something's name, which needs no other sign that it is meant.
NAMING: Final = PERSONS | PETS | LOVES | {"friend_of", "sees", "reports_to", "goes_by", "nickname"}
PLACES: Final = frozenset({"lives_in", "works_at", "born_in", "moved_from", "went_to", "studies", "school"})
# Their objects are numbers and times, which many a turn says without meaning them.
VALUES: Final = frozenset({"age", "time", "duration", "quantity", "birthday", "born_in"})
FAVORITE: Final = "favorite_"
LIKES: Final = "likes"
HAS: Final = "has"
GIFT: Final = "gift"
TASTES: Final = frozenset({LIKES, "dislikes", "hobby", "age", "allergic_to", "diet", "is"})
# Of which "do I have" and "does it have" say nothing.
POSSESSIONS: Final = frozenset({"has", "owns", "car", "bike", "motorbike", "boat", "phone", "laptop"})
# Told of the value of another fact: how many sons, how long at the bank, how much of the ramipril.
MEASURED: Final = frozenset({"quantity", "duration", "time", "takes_dose"})
# From here on the turn is about it.
GATE: Final = 0.5
HALF: Final = 0.5
WHOLE, ASKED, ABOUT, TOUCHED, EXPANDED, BESIDE = 1.0, 0.9, 0.8, 0.7, 0.6, 0.3


@dataclass(frozen=True, slots=True)
class GatedEdge:
    """A fact that passed the gate. ``overlap`` is how far the turn is about it, from ``GATE`` to 1."""

    edge: HotEdge
    overlap: float


def list_entities(edges: Iterable[HotEdge], cue: TurnCue, mentions: Sequence[str] = ()) -> frozenset[str]:
    """The keys of whom and what the turn is about: named, or told by the noun of a relation ("my brother").

    ``mentions`` are names that a pronoun of the turn may stand for.
    """
    found = set(mentions)
    for edge in edges:
        if edge.subject_key != SPEAKER and is_name_said(cue, edge.subject_key):
            found.add(edge.subject_key)
        if (
            edge.relation in NAMING
            and edge.object_key
            and (is_name_said(cue, edge.object_key) or edge.relation in cue.people)
        ):
            found.add(edge.object_key)
    if cue.is_asking and not cue.relations.isdisjoint(MEASURED):
        found |= {edge.object_key for edge in edges if is_measured(edge, cue)}
    return frozenset(found)


def is_measured(edge: HotEdge, cue: TurnCue) -> bool:
    """ "How long have I worked there": the time is told of the employer."""
    is_own = edge.subject_key == SPEAKER and bool(edge.object_key)
    return is_own and (edge.relation in cue.named or measure_said(cue, edge.object_key) >= HALF)


def select_about(edges: Iterable[HotEdge], cue: TurnCue, entities: frozenset[str]) -> list[GatedEdge]:
    """The facts that the turn is about, in no order.

    What only may hold the answer is left out as soon as something that was asked for is found.
    """
    gated = [GatedEdge(edge, measure_overlap(edge, cue, entities)) for edge in edges]
    is_found = any(one.overlap >= ASKED for one in gated)
    return [one for one in gated if one.overlap >= GATE and not (is_found and one.overlap == EXPANDED)]


def measure_overlap(edge: HotEdge, cue: TurnCue, entities: frozenset[str]) -> float:
    own = measure_own(edge, cue, entities) if edge.subject_key == SPEAKER else measure_other(edge, cue, entities)
    return max(own, measure_constraint(edge, cue))


def is_asked_for(edge: HotEdge, cue: TurnCue) -> bool:
    relation = edge.relation
    of_favorite = {relation.removeprefix(FAVORITE), LIKES} if relation.startswith(FAVORITE) else frozenset[str]()
    return relation in cue.relations or not cue.relations.isdisjoint(of_favorite)


def is_named(edge: HotEdge, cue: TurnCue) -> bool:
    """Whether the turn names this relation, or names none at all."""
    return edge.relation in cue.named or not cue.named


def measure_own(edge: HotEdge, cue: TurnCue, entities: frozenset[str]) -> float:
    """How far the turn is about a fact of the person themselves."""
    if edge.relation in NAMING and edge.object_key in entities:
        return WHOLE
    if edge.object_key in entities and not cue.relations.isdisjoint(MEASURED):
        return ABOUT
    if edge.relation == HAS and not edge.polarity and cue.is_asking:
        # That there are no children tells of no phone.
        is_meant = cue.says_me and not cue.people.isdisjoint(find_people(edge.object_key))
        return ASKED if is_meant else ABOUT * measure_said(cue, edge.object_key)
    if cue.is_asking and cue.is_about_me and is_asked_for(edge, cue):
        # "Where does my brother live" asks nothing of the person's own home.
        if is_of_others(edge, cue, entities):
            return BESIDE
        return measure_asked(edge, cue)
    if edge.relation in VALUES:
        return 0.0
    said = measure_said(cue, edge.object_key)
    if cue.says_me and said >= HALF:
        # "When do I see the dentist": a dentist appointment.
        return max(TOUCHED, ABOUT * said)
    is_name = edge.relation in NAMING | PLACES
    return ABOUT * said if is_name or cue.is_about_me or not cue.is_asking else 0.0


def measure_asked(edge: HotEdge, cue: TurnCue) -> float:
    """ "Che macchina ho?": a Yaris is one by its make, an iPhone is none, and another thing that is had may be."""
    is_meant = is_of_kind(cue.relations, edge.relation, edge.object)
    if is_meant is False:
        return BESIDE
    return ASKED if is_meant or is_named(edge, cue) else EXPANDED


def is_of_others(edge: HotEdge, cue: TurnCue, entities: frozenset[str]) -> bool:
    """Whether the question asks of somebody else what the person has as well, or of nobody: the legs of a spider."""
    if cue.says_me:
        return bool(cue.people) and edge.relation not in cue.people
    return bool(entities) or (edge.relation in POSSESSIONS and edge.relation not in cue.named)


def measure_other(edge: HotEdge, cue: TurnCue, entities: frozenset[str]) -> float:
    """How far the turn is about a fact of somebody or something else."""
    is_meant = edge.subject_key in entities or not cue.people.isdisjoint(find_people(edge.subject_key))
    if is_meant:
        if wants_taste(cue):
            return WHOLE if is_taste(edge) or is_limit(edge, cue) else BESIDE
        if cue.is_asking and is_asked_for(edge, cue):
            return WHOLE if is_named(edge, cue) else ABOUT
        return TOUCHED
    if edge.relation not in VALUES and edge.object_key in entities:
        return TOUCHED
    return ASKED * measure_said(cue, edge.subject_key) if cue.is_about_me or cue.is_asking else 0.0


def measure_constraint(edge: HotEdge, cue: TurnCue) -> float:
    """An allergy where food is asked for: no word is shared, and it limits the answer."""
    return TOUCHED if is_limit(edge, cue) else 0.0


def is_limit(edge: HotEdge, cue: TurnCue) -> bool:
    if not (cue.wants_advice or GIFT in cue.topics) or not cue.topics or edge.relation in NAMING:
        return False
    topics = find_constraint(edge.statement, edge.relation)
    tastes = find_topic_words(edge.object_key).topics if is_taste(edge) else frozenset[str]()
    return bool((topics | tastes) & cue.topics)


def wants_taste(cue: TurnCue) -> bool:
    """A present, a dinner for somebody: what they like and how old they are helps, where they live does not."""
    return GIFT in cue.topics or (cue.wants_advice and bool(cue.topics))


def is_taste(edge: HotEdge) -> bool:
    return edge.relation in TASTES or edge.relation.startswith(FAVORITE)
