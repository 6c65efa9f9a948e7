"""Takes back what stands against a statement for a newer one of its tags that says nothing of it."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from memory.facts.apart import Point, are_of_other_matters
from memory.facts.keys import OPEN_RELATIONS
from memory.facts.pairs.reading import read_pair_statement
from memory.facts.pairs.statement import PairStatement
from memory.facts.pairs.voice import READ
from memory.facts.pairs.words import find_shared_words
from memory.retrieval.pool import CandidateMemory
from memory.retrieval.ranking import DIGITS, RankedCandidate, squash_score
from memory.retrieval.signals import recency
from memory.retrieval.told_facts import ToldFact

SUPERSEDED: Final = recency.SUPERSEDED.name


def restore_unrelated(best: Sequence[RankedCandidate], told: Mapping[UUID, Sequence[ToldFact]]) -> None:
    """Take back what stands against a statement for a newer one of its tags, where none of them speaks of it.

    Both are of the person's health: "I'm coeliac" holds whatever dose was raised since.
    """
    lowered = [one for one in best if one.boosts.get(SUPERSEDED)]
    memories = [one.candidate.memory for one in best if one.candidate.memory.is_statement] if lowered else []
    points = {memory.id: list_points(memory, told) for memory in memories}
    for one in lowered:
        memory = one.candidate.memory
        newer = (
            rival
            for rival in memories
            if rival.occurred_at > memory.occurred_at and not set(rival.tags).isdisjoint(memory.tags)
        )
        if points[memory.id] and not any(may_speak_of(memory, rival, points) for rival in newer):
            one.total = round(one.total - one.boosts.pop(SUPERSEDED), DIGITS)
            one.final = squash_score(one.total)


def list_points(memory: CandidateMemory, told: Mapping[UUID, Sequence[ToldFact]]) -> list[Point]:
    """What it tells by a relation and what still holds; empty where any of it is not known so well."""
    facts = told.get(memory.id, ())
    if any(fact.is_closed or fact.relation in OPEN_RELATIONS for fact in facts):
        return []
    return [Point(fact.subject, fact.relation, fact.object, memory.text) for fact in facts]


def may_speak_of(memory: CandidateMemory, rival: CandidateMemory, points: Mapping[UUID, Sequence[Point]]) -> bool:
    """Whether a newer statement may tell what has become of what another tells: of its matter, else in its words."""
    if newer := points[rival.id]:
        return not all(are_of_other_matters(known, point) for known in points[memory.id] for point in newer)
    words = [read_pair_statement(PairStatement(one.text[:READ])).words for one in (memory, rival)]
    return bool(find_shared_words(*words))
