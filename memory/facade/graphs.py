"""Read access to the graphs: concepts, entities and the paths between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from knowledge_graph.models import Concept, Entity
from knowledge_graph.queries import browsing, graph_view, paths, statistics
from knowledge_graph.queries.browsing import ConceptDetail, EntityDetail, GraphQuery
from knowledge_graph.queries.graph_view import GraphView
from knowledge_graph.queries.paths import PathStep
from knowledge_graph.queries.statistics import ConceptRouting
from memory.access.scope import user_scope
from memory.facade.actor import FacadePart
from memory.models import EndUser


@dataclass(frozen=True, slots=True)
class EntityPath:
    """A path between two entities; ``steps`` is None when they are not connected. ``labels`` are the names on it."""

    start: str
    end: str
    steps: list[PathStep] | None
    labels: dict[str, str]


class GraphVerbs(FacadePart):
    def concepts(self, user: EndUser, wanted: GraphQuery, *, now: datetime) -> list[Concept]:
        return browsing.list_concepts(user, wanted, now=now)

    def concept(self, user: EndUser, name: str) -> ConceptDetail | None:
        return browsing.load_concept(user, name)

    def routings(self, user: EndUser, keys: Sequence[str]) -> dict[str, ConceptRouting]:
        """Where the answers to several concepts were, by key; what is not known is left out."""
        return statistics.load_routing(user, keys)

    def entities(self, user: EndUser, wanted: GraphQuery, *, now: datetime) -> list[Entity]:
        return browsing.list_entities(user, wanted, now=now)

    def entity(self, user: EndUser, name: str) -> EntityDetail | None:
        return browsing.load_entity(user, name)

    def way(self, user: EndUser, start: str, end: str) -> EntityPath | None:
        """None when either entity is unknown."""
        with user_scope(user):
            first, last = browsing.find_entity(user, start), browsing.find_entity(user, end)
            if first is None or last is None:
                return None
            steps = paths.find_shortest_path(user, first.key, last.key)
            keys = {first.key, last.key, *(step.target for step in steps or ())}
            return EntityPath(first.key, last.key, steps, browsing.load_labels(user, keys))

    def picture(self, user: EndUser, wanted: GraphQuery, *, now: datetime) -> GraphView:
        return graph_view.build_graph_view(user, wanted, now=now)

    def graph_sizes(self, user: EndUser) -> dict[str, int]:
        return browsing.count_graph_rows(user)
