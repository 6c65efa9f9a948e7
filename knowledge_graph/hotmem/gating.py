"""Which of what is known a turn is about, and how much: the gate, before anything is ranked. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from knowledge_graph.hotmem.cues import TurnCue, is_name_said, measure_said
from knowledge_graph.hotmem.edges import HotEdge
from memory.claims.claim import SPEAKER
from memory.claims.constraints import find_constraint
from memory.claims.questions import ANIMALS, find_people
from memory.claims.subjects import PERSONS

# Relations whose object is somebody's or something's name, which needs no other sign that it is meant.
NAMING: Final = PERSONS | ANIMALS | {"friend_of", "married_to", "sees", "reports_to", "goes_by", "nickname"}
PLACES: Final = frozenset({"lives_in", "works_at", "born_in", "moved_from", "went_to", "studies", "school"})
# Their objects are numbers and times, which many a turn says without meaning them.
VALUES: Final = frozenset({"age", "time", "duration", "quantity", "birthday", "born_in"})
FAVORITE: Final = "favorite_"
# From here on the turn is about it.
GATE: Final = 0.5
WHOLE, ASKED, ABOUT, TOUCHED, BESIDE = 1.0, 0.9, 0.8, 0.7, 0.3


@dataclass(frozen=True, slots=True)
class GatedEdge:
    """``overlap`` is how far the turn is about it, from ``GATE`` to 1."""

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
    return frozenset(found)


def select_about(edges: Iterable[HotEdge], cue: TurnCue, entities: frozenset[str]) -> list[GatedEdge]:
    """What the turn is about, in no order."""
    gated = [GatedEdge(edge, measure_overlap(edge, cue, entities)) for edge in edges]
    return [one for one in gated if one.overlap >= GATE]


def measure_overlap(edge: HotEdge, cue: TurnCue, entities: frozenset[str]) -> float:
    own = measure_own(edge, cue, entities) if edge.subject_key == SPEAKER else measure_other(edge, cue, entities)
    return max(own, measure_constraint(edge, cue))


def is_asked_for(edge: HotEdge, cue: TurnCue) -> bool:
    relation = edge.relation
    return relation in cue.relations or (
        relation.startswith(FAVORITE) and relation.removeprefix(FAVORITE) in cue.relations
    )


def measure_own(edge: HotEdge, cue: TurnCue, entities: frozenset[str]) -> float:
    """Of what is known of the person themselves."""
    if edge.relation in NAMING and edge.object_key in entities:
        return WHOLE
    if cue.is_asking and cue.is_about_me and is_asked_for(edge, cue):
        # "Where does my brother live" asks nothing of the person's own home.
        return BESIDE if cue.people and edge.relation not in cue.people else ASKED
    if edge.relation in VALUES:
        return 0.0
    said = measure_said(cue, edge.object_key)
    is_name = edge.relation in NAMING | PLACES
    return ABOUT * said if is_name or cue.is_about_me or not cue.is_asking else 0.0


def measure_other(edge: HotEdge, cue: TurnCue, entities: frozenset[str]) -> float:
    """Of what is known of somebody or something else."""
    is_meant = edge.subject_key in entities or not cue.people.isdisjoint(find_people(edge.subject_key))
    if is_meant:
        return WHOLE if cue.is_asking and is_asked_for(edge, cue) else TOUCHED
    if edge.relation not in VALUES and edge.object_key in entities:
        return TOUCHED
    return ASKED * measure_said(cue, edge.subject_key) if cue.is_about_me or cue.is_asking else 0.0


def measure_constraint(edge: HotEdge, cue: TurnCue) -> float:
    """An allergy where food is asked for: no word is shared, and it limits the answer."""
    if not cue.wants_advice or not cue.topics:
        return 0.0
    return TOUCHED if find_constraint(edge.statement, edge.relation) & cue.topics else 0.0
