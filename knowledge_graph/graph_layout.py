"""Where the nodes of a graph stand on paper, and which of their names fit beside them. Pure; templates draw SVG of it.

What is tied is drawn close together and the rest apart, always from the same start, so the same graph is the same
picture. Of names that would cover each other the weightier node has its own below it; the others have theirs above,
beside or aslant, cut short where there is no room for all of it, and on hover where there is none at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from knowledge_graph.queries.graph_view import ACTION, GraphNode, GraphView
from knowledge_graph.queries.wordings import name_edge

# In thirty made-up graphs of 46 nodes 100 crossed fewer edges than 200 (1,824 and 2,102) and 60 more again (2,004); as
# many names found room.
STEPS = 100
# How strongly what is tied to nothing is held on the sheet: less tears groups apart, more crosses their edges.
TO_THE_MIDDLE = 0.3
# About how wide a letter and how high a line of the names is.
LETTER, LINE = 6.1, 13.0
# Radius of the lightest and of the weightiest node.
LEAST, MOST = 5.0, 12.0
LONGEST_NAME = 22
# What of a name is told where there is no room for all of it.
SHORT_NAME = 9
# Free paper between two nodes.
GAP = 6.0
# Of it nobody misses so little; nodes that are pushed come ever closer to the whole.
UNSEEN = 0.05
MOST_MOVES = 120
MARGIN = 26.0

Points = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NodeShape:
    """A node as it is drawn; ``name``, around ``name_x``, is empty where there is no room for it."""

    node: GraphNode
    x: float
    y: float
    radius: float
    name: str
    name_x: float
    name_y: float

    @property
    def left(self) -> float:
        return round(self.x - self.radius, 1)

    @property
    def top(self) -> float:
        return round(self.y - self.radius, 1)

    @property
    def side(self) -> float:
        return round(2 * self.radius, 1)

    @property
    def is_action(self) -> bool:
        return self.node.kind == ACTION


@dataclass(frozen=True, slots=True)
class EdgeShape:
    x1: float
    y1: float
    x2: float
    y2: float
    css: str
    label: str


@dataclass(frozen=True, slots=True)
class GraphDrawing:
    width: int
    height: int
    css: str
    strokes: list[EdgeShape]
    spots: list[NodeShape]


def draw_graph(picture: GraphView) -> list[GraphDrawing]:
    """The same layout on a wide and on a narrow sheet; the page shows the one that fits."""
    points = compute_layout(picture)
    return [draw_at_size(picture, points, 760, 460, "wide"), draw_at_size(picture, points, 350, 460, "narrow")]


def compute_layout(picture: GraphView) -> Points:
    """A place for each node, within -1..1."""
    # Half a second and 24 MB, which no other page or command is to pay for.
    import networkx

    if len(picture.nodes) < 2:
        return np.zeros((len(picture.nodes), 2))
    graph = networkx.Graph()
    graph.add_nodes_from(node.id for node in picture.nodes)
    graph.add_edges_from((tie.source, tie.target) for tie in picture.edges)
    # On made-up graphs of 46 nodes 88 to 93 % of the names find room, in 15 ms; a layout of our own left room for 68 %,
    # a spring layout for 40 %. It needs numpy alone, where networkx's other good layouts need scipy.
    places = networkx.forceatlas2_layout(graph, max_iter=STEPS, strong_gravity=True, gravity=TO_THE_MIDDLE, seed=1)
    points = np.array([places[node.id] for node in picture.nodes])
    # Stretched to the sheet: a graph of two nodes uses as much of it as one of fifty.
    points -= (points.max(axis=0) + points.min(axis=0)) / 2
    within: Points = points / np.maximum(np.abs(points).max(axis=0), 1e-9)
    return within


def draw_at_size(picture: GraphView, points: Points, width: int, height: int, css: str) -> GraphDrawing:
    half = np.array([width / 2, height / 2])
    sheet = push_apart(
        half + points * (half - MARGIN - MOST), [compute_radius(node) for node in picture.nodes], half * 2
    )
    places = {
        node.id: (round(float(x), 1), round(float(y), 1)) for node, (x, y) in zip(picture.nodes, sheet, strict=True)
    }
    strokes = [
        EdgeShape(
            *places[tie.source], *places[tie.target], f"tie-{tie.kind}".lower(), f"{name_edge(tie.kind)} · {tie.weight}"
        )
        for tie in picture.edges
    ]
    return GraphDrawing(width, height, css, strokes, place_nodes(picture.nodes, places, width))


def push_apart(points: Points, radii: Sequence[float], size: Points) -> Points:
    """The points moved as little as lets every node be seen and reached."""
    first, second = np.triu_indices(len(points), 1)
    reach = np.array(radii)
    room = reach[first] + reach[second] + GAP
    for _ in range(MOST_MOVES):
        between = points[first] - points[second]
        distance = np.maximum(np.hypot(between[:, 0], between[:, 1]), 0.1)
        short = room - distance
        near = np.flatnonzero(short > UNSEEN)
        if not near.size:
            break
        push = between[near] * (short[near] / distance[near] * 0.4)[:, None]
        points = points.copy()
        np.add.at(points, first[near], push)
        np.subtract.at(points, second[near], push)
        points = np.clip(points, MOST, size - MOST)
    return points


def place_nodes(nodes: Sequence[GraphNode], places: dict[str, tuple[float, float]], width: int) -> list[NodeShape]:
    # Nodes first: a name over a node hides something that can be clicked.
    taken: list[tuple[float, float, float, float]] = []
    for node in nodes:
        x, y = places[node.id]
        reach = compute_radius(node) - 1
        taken.append((x - reach, y - reach, x + reach, y + reach))
    found = []
    # The weightiest choose first, so it is the small ones whose names appear on hover only.
    for node in sorted(nodes, key=lambda node: (-node.weight, node.id)):
        x, y = places[node.id]
        radius = compute_radius(node)
        for name, name_x, name_y in list_name_places(node.label, x, y, radius):
            half = len(name) * LETTER / 2
            box = (name_x - half, name_y - LINE + 3, name_x + half, name_y + 3)
            if box[0] >= 0 and box[2] <= width and not any(do_overlap(box, other) for other in taken):
                taken.append(box)
                found.append(NodeShape(node, x, y, radius, name, round(name_x, 1), round(name_y, 1)))
                break
        else:
            found.append(NodeShape(node, x, y, radius, "", x, y))
    return found


def list_name_places(label: str, x: float, y: float, radius: float) -> Iterator[tuple[str, float, float]]:
    """Where a name may stand around its node, the best place first: the whole of it, then its beginning."""
    for longest in (LONGEST_NAME, SHORT_NAME):
        name = label if len(label) <= longest else f"{label[: longest - 1]}…"
        aside = radius + 4 + len(name) * LETTER / 2
        aslant = aside - radius / 2
        below, above, level = y + radius + LINE - 2, y - radius - 5, y + 4
        yield from ((name, x, below), (name, x, above), (name, x + aside, level), (name, x - aside, level))
        yield from ((name, x + side * aslant, height) for height in (below, above) for side in (1, -1))


def compute_radius(node: GraphNode) -> float:
    return round(LEAST + (MOST - LEAST) * node.weight, 1)


def do_overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
