"""What lies near a question by its meaning, where no word of it names what is known: "which bread shop do I work at".

Words and relations alone answered 75 of 141 questions to ten people whose talk no rule was written for and 37 of 237 to
four more, with what lies near 104 and 111; of ten people whom nobody looked into 47 and then 79 of 127.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from knowledge_graph.hotmem.asking import may_ask
from knowledge_graph.hotmem.cues import TurnCue
from knowledge_graph.hotmem.edges import HotEdge
from knowledge_graph.hotmem.gating import ASKED, GatedEdge
from knowledge_graph.hotmem.ranking import RankedEdge
from memory.access.cursors import open_bounded_cursor
from memory.conf import memory_conf
from memory.facts.nearest import find_nearest
from memory.indexes.answering import build_question_embedder
from memory.language.analysis import extract_terms
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.platform.threads import start_in_thread

EMBEDDER: Final = "embedder"
DATABASE: Final = "database"
# It takes some 20 ms of 5,000 facts; a turn is not held up longer by an embedder or a database that is busy.
FIND_S: Final = 0.15
# Several facts may be of one sentence, which is said once.
MOST_NEAR: Final = 12
# Of sentences beside what words and relations found.
MOST_ADDED: Final = 2
# What is added to a cosine for all words of a question, and for the very relation. Of 378 questions the nearest
# sentence answers 152 by its meaning, 186 with these; one of two answers 176, and 210.
OF_WORDS: Final = 0.3
OF_RELATION: Final = 0.05
# From here on a sentence is said again, and beside what tells the very relation that is asked for. Without one there 97
# of the 141 are answered, from 0.6 on 99, from here on 104 with one line in ten less than from 0.45 on, which answers
# 105.
VERY_NEAR: Final = 0.5
# What was told a moment ago may have no vector yet.
EMBEDDED_AFTER: Final = timedelta(minutes=1)

TakeNear = Callable[[], "FactsByMeaning | None"]
RankEdges = Callable[[Iterable[GatedEdge]], list[RankedEdge]]


@dataclass(frozen=True, slots=True)
class FactsByMeaning:
    """The facts nearest to a question by their cosines; from ``least`` on a cosine is near enough to be told."""

    cosines: Mapping[UUID, float]
    least: float


def start_finding_near(user: EndUser, text: str) -> TakeNear:
    """Look for what lies near a turn that may ask, while it is read; the result gives it, or none, and raises nothing.

    Called outside any scope, for it asks the embedder: where no thread is free it is done before this returns. Beside
    the reading it takes 8 ms of a turn less.
    """
    if not may_ask(text):
        return take_none
    deadline = Deadline(FIND_S)
    waiting = start_in_thread(EMBEDDER, lambda: find_near(user, text, deadline), deadline)
    if waiting is None:
        found = find_near(user, text, deadline)
        return lambda: found

    def take_near() -> FactsByMeaning | None:
        with suppress(Unavailable):
            return waiting()
        return None

    return take_near


def take_none() -> None:
    """Stands in for the search by meaning where a turn asks nothing."""


def find_near(user: EndUser, text: str, deadline: Deadline) -> FactsByMeaning | None:
    with suppress(Unavailable):
        embedder = build_question_embedder(deadline)
        vector = embedder.embed_query(text, deadline)
        with open_bounded_cursor(DATABASE, user.pk, deadline, {}):
            cosines = find_nearest(user, vector, embedder.model, asked=True, limit=MOST_NEAR)
        return FactsByMeaning(cosines, memory_conf().hot.similarity)
    return None


def measure_near(edge: HotEdge, cosine: float, cue: TurnCue) -> float:
    """How near the sentence of a fact is to a question: by its meaning, by the words they share in any language, and
    by whether it tells what is asked for."""
    stems = set(extract_terms(edge.statement))
    shared = sum(not stems.isdisjoint(group) for group in cue.groups) / max(1, len(cue.groups))
    return min(1.0, cosine + OF_WORDS * shared + OF_RELATION * (edge.relation in cue.relations))


def rank_near(
    edges: Iterable[HotEdge], near: FactsByMeaning, cue: TurnCue, rank: RankEdges, resting: Collection[object]
) -> list[RankedEdge]:
    """The facts that are near to the question, the nearest first, each sentence once.

    What was told a moment ago rests, unless it is very near.
    """
    measured = (GatedEdge(edge, measure_near(edge, near.cosines[edge.fact_id], cue)) for edge in edges)
    by_sentence: dict[str, GatedEdge] = {}
    for one in sorted(measured, key=lambda one: -one.overlap):
        if one.overlap >= (VERY_NEAR if one.edge.fact_id in resting else near.least):
            by_sentence.setdefault(one.edge.statement, one)
    ranked = {one.edge.fact_id: one for one in rank(by_sentence.values())}
    return [replace(ranked[one.edge.fact_id], as_sentence=True, is_near=True) for one in by_sentence.values()]


def drop_far(chosen: Sequence[RankedEdge], near: FactsByMeaning, now: datetime) -> list[RankedEdge]:
    """Of a question that speaks of nobody what was chosen by a word, and lies near it.

    "How does a heat pump work" names where one works. Of 156 questions about the world 18 had a bullet, and 5 have.
    """
    return [
        one
        for one in chosen
        if near.cosines.get(one.edge.fact_id, 0.0) >= near.least or now - one.edge.said_at < EMBEDDED_AFTER
    ]


def add_near(chosen: Sequence[RankedEdge], near: Sequence[RankedEdge], cue: TurnCue, most: int) -> list[RankedEdge]:
    """What words and relations chose, and beside it the sentences that lie near the question.

    What tells the relation that is asked for comes first, as it is. Of anything else that was chosen its sentence
    stands in its place, where that is near: "which subject does Svenja study" names her, and the sentence tells it.
    """
    found = [one for one in chosen if one.overlap >= ASKED and one.edge.relation in cue.relations]
    enough = VERY_NEAR if found else 0.0
    added = [one for one in near if one.overlap >= enough and one.edge.statement not in list_statements(found)]
    named = {one.edge.statement: replace(one, as_sentence=True) for one in chosen}
    added = [named.get(one.edge.statement, one) for one in added[:MOST_ADDED]]
    kept = [one for one in chosen if one not in found and one.edge.statement not in list_statements(added)]
    return [*found, *added, *kept][:most]


def list_statements(edges: Iterable[RankedEdge]) -> frozenset[str]:
    return frozenset(one.edge.statement for one in edges)
