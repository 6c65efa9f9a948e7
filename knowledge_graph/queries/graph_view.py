"""The graphs as nodes and edges: concepts blue, entities green, what is both purple, actions orange."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q

from knowledge_graph.extraction.context_types import GENERAL
from knowledge_graph.models import ActionStat, Concept, Edge, Entity
from knowledge_graph.queries import browsing, names
from knowledge_graph.queries.browsing import GraphQuery
from knowledge_graph.queries.wordings import add_name, describe_action, describe_asking, describe_naming
from memory.access.scope import user_scope
from memory.models import EndUser

# More than these few crowd the drawing: each is linked to every concept of its kind of work.
MOST_ACTIONS = 6
ROUTING, CONTENT, BOTH, ACTION = "routing", "content", "both", "action"
COLOURS = {ROUTING: "blue", CONTENT: "green", BOTH: "purple", ACTION: "orange"}
PART_OF, USED_IN = "part_of", "used_in"


@dataclass(frozen=True, slots=True)
class GraphNode:
    """``weight`` 0..1 relative to the others of its kind; ``detail`` is a line about it."""

    id: str
    label: str
    kind: str
    weight: float
    detail: str

    @property
    def colour(self) -> str:
        return COLOURS[self.kind]


@dataclass(frozen=True, slots=True)
class GraphEdge:
    source: str
    target: str
    kind: str
    weight: int


@dataclass(frozen=True, slots=True)
class GraphView:
    nodes: list[GraphNode]
    edges: list[GraphEdge]


def build_graph_view(
    user: EndUser, query: GraphQuery, *, now: datetime, concepts: Sequence[Concept] | None = None
) -> GraphView:
    """The most important concepts, entities and actions, and their edges. ``concepts`` are those that the query lists,
    where they are known already."""
    with user_scope(user):
        concepts = browsing.list_concepts(user, query, now=now) if concepts is None else concepts
        entities = browsing.list_entities(user, query, now=now)
        keys = {row.key for row in concepts} | {row.key for row in entities}
        # Actions are not known by day.
        return draw_keys(user, keys, query, has_actions=query.as_of is None)


def build_neighbourhood(user: EndUser, key: str, query: GraphQuery) -> GraphView:
    """One concept or entity, what is named together with it, and the pairs of words it is in or made of."""
    with user_scope(user):
        beside = {one.key for one in browsing.list_neighbours(user, key)}
        pairs = Concept.objects.filter(Q(key__startswith=f"{key} ") | Q(key__endswith=f" {key}"), user=user)
        beside |= set(pairs.filter(browsing.filter_matters()).values_list("key", flat=True)[: browsing.NEIGHBOURS])
        words = Concept.objects.filter(browsing.filter_matters(), user=user, key__in=key.split(" "))
        return draw_keys(user, {key, *words.values_list("key", flat=True), *beside}, query, has_actions=False)


def draw_keys(user: EndUser, keys: set[str], query: GraphQuery, *, has_actions: bool) -> GraphView:
    # A concept and an entity of one key are one node, also where only one of them is among the most important.
    known = Q(first_seen__lte=query.as_of) if query.as_of else Q()
    concepts = {row.key: row for row in Concept.objects.filter(known, user=user, key__in=keys)}
    entities = {row.key: row for row in Entity.objects.filter(known, user=user, key__in=keys)}
    keys = concepts.keys() | entities.keys()
    top = pick_heaviest(list(concepts.values()), list(entities.values()))
    nodes = [build_node(key, concepts.get(key), entities.get(key), top) for key in sorted(keys)]
    actions = build_action_nodes(user, nodes) if has_actions else []
    edges = Edge.objects.filter(Q(source__in=keys) & Q(target__in=keys), user=user)
    found_edges = [
        GraphEdge(edge.source, edge.target, edge.kind, edge.weight) for edge in edges.order_by("source", "target")
    ]
    view = GraphView(
        [*nodes, *(node for node, _ in actions)], [*found_edges, *link_pairs(set(keys)), *link_actions(actions)]
    )
    return join_names(view, names.find_full_names(user, entities.keys()))


def join_names(view: GraphView, full_names: Mapping[str, str]) -> GraphView:
    """A picture in which each person is one node, under their full name where that is drawn too."""
    drawn = {node.id for node in view.nodes}
    full = {short: name for short, name in full_names.items() if short in drawn and name in drawn}
    weights: dict[tuple[str, str, str], int] = {}
    for edge in view.edges:
        source, target = full.get(edge.source, edge.source), full.get(edge.target, edge.target)
        if source != target:
            weights[source, target, edge.kind] = weights.get((source, target, edge.kind), 0) + edge.weight
    called = {name: short for short, name in full.items()}
    nodes = [
        replace(node, detail=add_name(node.detail, called[node.id])) if node.id in called else node
        for node in view.nodes
        if node.id not in full
    ]
    return GraphView(nodes, [GraphEdge(*ends, weight) for ends, weight in weights.items()])


def pick_heaviest(concepts: list[Concept], entities: list[Entity]) -> tuple[float, float]:
    return (
        max((row.importance for row in concepts), default=0.0),
        max((row.avg_quality for row in entities), default=0.0),
    )


def build_node(key: str, concept: Concept | None, entity: Entity | None, top: tuple[float, float]) -> GraphNode:
    kind = BOTH if concept and entity else ROUTING if concept else CONTENT
    shares = [concept.importance / top[0] if concept and top[0] else 0.0]
    shares.append(entity.avg_quality / top[1] if entity and top[1] else 0.0)
    details = []
    if concept:
        details.append(describe_asking(concept.uses))
    if entity:
        details.append(describe_naming(entity.kind, entity.mentions))
    label = entity.label if entity else concept.label if concept else key
    return GraphNode(key, label, kind, round(min(1.0, max(shares)), 3), "; ".join(details))


def build_action_nodes(user: EndUser, nodes: list[GraphNode]) -> list[tuple[GraphNode, list[str]]]:
    """The most used actions with the concepts of their kind of work."""
    found: dict[tuple[str, str], list[ActionStat]] = {}
    for row in ActionStat.objects.filter(user=user):
        found.setdefault((row.context_type, row.action), []).append(row)
    most = sorted(found.items(), key=lambda pair: (-sum(row.uses for row in pair[1]), pair[0]))[:MOST_ACTIONS]
    top = max((sum(row.uses for row in rows) for _, rows in most), default=1)
    kinds = browsing.find_context_types(user, {node.id: node.label for node in nodes if node.kind in {ROUTING, BOTH}})
    actions = []
    for (context_type, action), rows in most:
        uses = sum(row.uses for row in rows)
        rate = sum(row.success_rate * row.uses for row in rows) / uses if uses else 0.5
        detail = describe_action(action, context_type, uses, rate)
        node = GraphNode(f"action:{context_type}:{action}", action, ACTION, round(uses / max(1, top), 3), detail)
        concepts = [key for key, kind in kinds.items() if kind == context_type and kind != GENERAL]
        actions.append((node, concepts))
    return actions


def link_pairs(keys: set[str]) -> list[GraphEdge]:
    """A pair of words is linked to each of its words."""
    pairs = [(key, word) for key in sorted(keys) if " " in key for word in key.split(" ") if word in keys]
    return [GraphEdge(pair, word, PART_OF, 1) for pair, word in pairs]


def link_actions(actions: list[tuple[GraphNode, list[str]]]) -> list[GraphEdge]:
    return [GraphEdge(node.id, key, USED_IN, 1) for node, keys in actions for key in keys]
