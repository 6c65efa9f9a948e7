"""Read access to the graphs: concepts, entities and the paths between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from knowledge_graph import browsing, paths, picture, reading
from knowledge_graph.browsing import ConceptDetail, EntityDetail, Wanted
from knowledge_graph.models import Concept, Entity
from knowledge_graph.paths import Step
from knowledge_graph.picture import Picture
from knowledge_graph.reading import ConceptRouting
from memory.access.scope import user_scope
from memory.facade.actor import Door
from memory.models import EndUser


@dataclass(frozen=True, slots=True)
class Way:
    """A path between two entities; ``steps`` is None when they are not connected. ``labels`` are the names on it."""

    start: str
    end: str
    steps: list[Step] | None
    labels: dict[str, str]


class Graphs(Door):
    def concepts(self, user: EndUser, wanted: Wanted, *, now: datetime) -> list[Concept]:
        return browsing.concepts(user, wanted, now=now)

    def concept(self, user: EndUser, name: str) -> ConceptDetail | None:
        return browsing.concept(user, name)

    def routings(self, user: EndUser, keys: Sequence[str]) -> dict[str, ConceptRouting]:
        """Where the answers to several concepts were, by key; what is not known is left out."""
        return reading.routing_of(user, keys)

    def entities(self, user: EndUser, wanted: Wanted, *, now: datetime) -> list[Entity]:
        return browsing.entities(user, wanted, now=now)

    def entity(self, user: EndUser, name: str) -> EntityDetail | None:
        return browsing.entity(user, name)

    def way(self, user: EndUser, start: str, end: str) -> Way | None:
        """None when either entity is unknown."""
        with user_scope(user):
            first, last = browsing.find_entity(user, start), browsing.find_entity(user, end)
            if first is None or last is None:
                return None
            steps = paths.shortest(user, first.key, last.key)
            keys = {first.key, last.key, *(step.target for step in steps or ())}
            return Way(first.key, last.key, steps, browsing.labels_of(user, keys))

    def picture(self, user: EndUser, wanted: Wanted, *, now: datetime) -> Picture:
        return picture.picture(user, wanted, now=now)

    def graph_sizes(self, user: EndUser) -> dict[str, int]:
        return browsing.sizes(user)
