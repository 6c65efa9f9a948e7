"""The graph page: the picture with its colours, the foremost concepts, one in detail, the way between two names."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from knowledge_graph import console as graph_page
from knowledge_graph import tasks
from knowledge_graph.content.analysis import Relation
from knowledge_graph.content.updates import HAS_DATASET, TOGETHER
from knowledge_graph.graph_layout import draw_graph
from knowledge_graph.models import Concept, RoutingStat
from knowledge_graph.queries.browsing import GraphQuery, list_concepts
from knowledge_graph.queries.graph_view import PART_OF, USED_IN, GraphEdge, GraphNode, GraphView, build_graph_view
from knowledge_graph.queries.wordings import EDGE_NAMES
from knowledge_graph.rebuilding import rebuild_graphs
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Tier
from tests.conftest import Clock
from tests.factories import MemoryItemFactory
from tests.knowledge_graph.conftest import record_turn
from tests.memory.console.conftest import Console
from tests.memory.console.hostile_texts import PAYLOADS

memory = MemoryFacade("key:test")


@pytest.fixture
def graph(user: EndUser, clock: Clock, place: str) -> str:
    """The address of a graph that has something of everything."""
    for text in (
        "My sister Dana lives in Berlin and works at Siemens",
        "Tom Becker visited Berlin and prefers PostgreSQL",
    ):
        memory.store(user, NewMemory(text, tier=Tier.MEMORY_BANK, tags=["context"]), now=clock())
    item = MemoryItemFactory.create(user=user, tier=Tier.PATTERNS, text="Add an index to the table")
    turn_id = record_turn(user, "postgres query is slow", [item])
    memory.record_outcome(user, Outcome.WORKED, now=clock(), turn_id=turn_id)
    tasks.learn_everything(user, now=timezone.now())
    return f"{place}/graph"


def test_the_picture_and_the_list_show_what_is_known(console: Console, graph: str) -> None:
    page = console.get(graph).content.decode()
    assert page.count('<svg class="graph ') == 2
    for css in ("node-blue", "node-green", "node-purple"):
        assert re.search(rf'<a class="node {css}"', page), css
    assert "query" in page
    assert "100%" in page


def test_a_list_asks_the_database_no_oftener_than_a_name(console: Console, user: EndUser, graph: str) -> None:
    console.get(graph)
    with CaptureQueriesContext(connection) as few:
        console.get(graph)
    with user_scope(user):
        for number in range(15):
            name, seen = f"word{number}", {"first_seen": timezone.now(), "last_seen": timezone.now()}
            Concept.objects.create(user=user, key=name, label=name, uses=number, importance=number, **seen)
    with CaptureQueriesContext(connection) as many:
        page = console.get(graph)
    assert len(page.context["concepts"]) > 15
    assert len(many) == len(few)


def test_orders_and_parts_of_names_of_code_are_learned_and_are_no_nodes(
    console: Console, user: EndUser, clock: Clock, place: str
) -> None:
    def learn(question: str, text: str) -> None:
        item = MemoryItemFactory.create(user=user, tier=Tier.PATTERNS, text=text)
        turn_id = record_turn(user, question, [item])
        memory.record_outcome(user, Outcome.WORKED, now=clock(), turn_id=turn_id)
        tasks.learn_everything(user, now=timezone.now())

    def show() -> tuple[set[str], str]:
        page = console.get(f"{place}/graph")
        return {row.key for row, *_ in page.context["concepts"]}, page.content.decode()

    learn("What finally fixed ERR_4521 in the export?", "That is the fix then: per-partition CREATE INDEX")
    listed, page = show()
    assert {"err_4521", "export", "partit", "index"} <= listed
    assert not {"fix", "create", "err", "perpartit"} & listed
    assert not re.search(r'aria-label="(?:fix|fixed|create|err|perpartition),', page)
    with user_scope(user):
        learned = RoutingStat.objects.filter(user=user, key__in=["fix", "create", "err", "perpartit"])
        assert learned.count() == 4
    # Once somebody writes it as a word it is one, and a name of code that holds it counts no longer against it.
    learn("Where does the err of the pump come from?", "ERR_7107 and ERR_4521")
    learn("When is the book due?", "The book of the library is green")
    assert {"err", "book"} <= show()[0]
    # The neighbourhood of a pair draws its words, and orders among them no more than elsewhere.
    learn("Who wrote the export fix?", "Alma did, with a CREATE INDEX")
    around = console.get(f"{place}/graph?name=export fix").content.decode()
    assert 'aria-label="export fix,' in around
    assert 'aria-label="export,' in around
    assert 'aria-label="fixed,' not in around
    assert "create" not in show()[0]


def test_a_name_opens_its_details(console: Console, graph: str) -> None:
    concept = console.part(f"{graph}?name=postgresql").content.decode()
    assert "Where the answers were" in concept
    assert "Named together with it" in concept
    assert "Tom Becker visited Berlin" in concept
    assert "<html" not in concept
    assert "Nothing by this name" in console.part(f"{graph}?name=atlantis").content.decode()


def test_a_concept_shows_its_neighbourhood_and_what_was_tried(console: Console, graph: str) -> None:
    whole, around = console.get(graph).content.decode(), console.get(f"{graph}?name=berlin").content.decode()
    assert re.search(r'<a class="node [^>]*aria-label="docker|aria-label="query', whole)
    assert "Around Berlin" in around
    assert 'aria-label="Siemens' in around
    assert 'aria-label="query' not in around
    tried = console.get(f"{graph}?name=query").content.decode()
    assert "Add an index to the table" in tried
    assert "worked 1" in tried


def test_a_name_and_a_fuller_one_are_one_person_by_evidence_unless_somebody_says_two(
    console: Console, outsider: Console, user: EndUser, place: str, clock: Clock
) -> None:
    for text in (
        "My sister Dana lives in Berlin",
        "My colleague Dana Levi visited Berlin",
        "My friend Pedro lives in Madrid",
        "My neighbour Pedro Ruiz plays chess in Bilbao",
    ):
        memory.store(user, NewMemory(text, tier=Tier.MEMORY_BANK, tags=["context"]), now=clock())
    tasks.learn_everything(user, now=timezone.now())
    names = {"first": "dana", "second": "dana levi"}
    page = console.get(f"{place}/graph").content.decode()
    assert 'aria-label="Dana Levi' in page
    assert 'aria-label="Dana,' not in page
    assert 'aria-label="Pedro,' in page
    assert "named together with berlin" in console.get(f"{place}/graph?name=dana levi").content.decode()
    assert outsider.post(f"{place}/graph/names", {**names, "answer": "two"}).status_code == 404
    console.post(f"{place}/graph/names", {**names, "answer": "two"})
    tasks.learn_everything(user, now=timezone.now())
    assert 'aria-label="Dana,' in console.get(f"{place}/graph").content.decode()
    rebuild_graphs(user, now=timezone.now())
    assert "somebody said so" in console.get(f"{place}/graph?name=dana levi").content.decode()
    console.post(f"{place}/graph/names", {**names, "answer": "unsaid"})
    assert 'aria-label="Dana,' not in console.get(f"{place}/graph").content.decode()
    wrong = console.post(f"{place}/graph/names", {"first": "dana", "second": "berlin", "answer": "same"}, follow=True)
    assert "not two names" in wrong.content.decode()


def test_the_slider_goes_back_to_what_had_been_met_by_then(
    console: Console, user: EndUser, graph: str, clock: Clock
) -> None:
    early = clock() - timedelta(days=40)
    memory.store(user, NewMemory("My uncle Otto lives in Vienna", tier=Tier.MEMORY_BANK, tags=["context"]), now=early)
    tasks.learn_everything(user, now=timezone.now())
    assert 'type="range"' in console.get(graph).content.decode()
    days = (timezone.now() - early).days - 1
    then = console.get(f"{graph}?back={days}").content.decode()
    assert 'aria-label="Vienna' in then
    assert 'aria-label="Berlin' not in then
    assert "node-orange" not in then.partition("</svg>")[0].partition('<svg class="graph')[2]
    assert "as of" in then
    # What is told is what had been met by then, and the slider says which day it stands at.
    shown = " ".join(re.sub(r"<[^>]*>", " ", then.split('id="concepts-title"')[1]).split())
    assert re.match(r"[^;]*?2 names, 1 connection between them", shown.split(">", 1)[1])
    day = (timezone.now() - timedelta(days=days)).astimezone(UTC)
    assert re.search(rf'<output for="id_back"[^>]*>{day.day} {day:%B %Y}</output>', then)
    assert console.get(f"{graph}?back=-1").status_code == 422


def test_the_way_between_two_names(console: Console, graph: str) -> None:
    way = console.part(f"{graph}?start=Siemens&end=PostgreSQL").content.decode()
    assert re.search(r"Siemens.*Berlin.*PostgreSQL", way, re.DOTALL)
    assert "not in the graph" in console.part(f"{graph}?start=Siemens&end=Atlantis").content.decode()


def test_nodes_and_edges_are_told_in_the_language_of_the_page(console: Console, graph: str) -> None:
    english = console.get(graph).content.decode()
    assert 'aria-label="Berlin, place, named 2 times"' in english
    assert "<title>named together · 1</title>" in english
    console.cookies["commonplace_language"] = "de"
    german = console.get(graph).content.decode()
    assert 'aria-label="Berlin, Ort, 2 Mal genannt"' in german
    assert "<title>zusammen genannt · 1</title>" in german
    told = " ".join(re.findall(r'<title>[^<]*</title>|aria-label="[^"]*"', german))
    assert not re.search(r"\b(?:times?|named|asked|also|helped|together)\b", told)
    way = console.part(f"{graph}?start=Siemens&end=PostgreSQL").content.decode()
    assert "zusammen genannt" in way
    assert {kind.value.lower() for kind in Relation} | {TOGETHER, PART_OF, USED_IN, HAS_DATASET.lower()} == set(
        EDGE_NAMES
    )


def test_a_wrong_choice_is_refused_and_an_empty_graph_says_so(console: Console, place: str) -> None:
    assert console.get(f"{place}/graph?time=never").status_code == 422
    page = console.get(f"{place}/graph").content.decode()
    assert "Nothing to draw yet" in page


def test_the_picture_can_be_switched_off(console: Console, graph: str, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "kg_viz": False}}
    page = console.get(graph).content.decode()
    assert '<svg class="graph ' not in page
    assert "What is asked about" in page


def test_only_who_may_see_the_person_sees_their_graph(outsider: Console, nobody: Console, graph: str) -> None:
    assert outsider.get(graph).status_code == 404
    assert nobody.get(graph).status_code == 302


@pytest.mark.parametrize("payload", [payload for payload in PAYLOADS if "<" in payload][:4])
def test_hostile_names_stay_text(console: Console, user: EndUser, clock: Clock, place: str, payload: str) -> None:
    text = f"My sister Dana works at Siemens, {payload}"
    item = MemoryItemFactory.create(user=user, tier=Tier.PATTERNS, text=text)
    turn_id = record_turn(user, f"postgres {payload}", [item])
    memory.record_outcome(user, Outcome.WORKED, now=clock(), turn_id=turn_id)
    tasks.learn_everything(user, now=timezone.now())
    for asked in ({}, {"name": payload}, {"start": payload, "end": "Dana"}):
        page = console.get(f"{place}/graph", asked)
        assert page.status_code == 200
        assert payload not in page.content.decode()


def test_sizes_are_those_of_now_and_of_a_large_graph_those_of_the_minute(
    user: EndUser, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = datetime(2026, 3, 1, 12, tzinfo=UTC)
    concepts = graph_page.count_sizes(user, begun)["concepts"]
    monkeypatch.setattr(graph_page, "LARGE", concepts)
    graph_page.count_large.cache_clear()
    sizes = []
    for number, after_s in enumerate((0.0, 59.9, 60.0)):
        sizes.append(graph_page.count_sizes(user, begun + timedelta(seconds=after_s))["concepts"])
        with user_scope(user):
            seen = {"first_seen": begun, "last_seen": begun}
            Concept.objects.create(user=user, key=f"matter {number}", label="matter", **seen)
    assert sizes == [concepts, concepts, concepts + 2]
    monkeypatch.undo()
    assert graph_page.count_sizes(user, begun)["concepts"] == concepts + 3, "of a small graph each one counts at once"


def test_a_picture_of_known_concepts_is_that_of_the_same_question(user: EndUser, graph: str) -> None:
    query, now = GraphQuery(), timezone.now()
    concepts = list_concepts(user, query, now=now)
    assert build_graph_view(user, query, now=now, concepts=concepts) == build_graph_view(user, query, now=now)


# --- the drawing -------------------------------------------------------------------------------------------------
def picture(count: int) -> GraphView:
    nodes = [GraphNode(f"n{number}", f"name {number}", "content", number / count, "") for number in range(count)]
    return GraphView(
        nodes, [GraphEdge(f"n{number}", f"n{number * 7 % count}", "together", 1) for number in range(count)]
    )


@pytest.mark.parametrize("count", [1, 2, 12, 45])
def test_every_node_is_on_the_sheet_and_no_name_covers_another(count: int) -> None:
    for drawing in draw_graph(picture(count)):
        assert len(drawing.spots) == count
        for spot in drawing.spots:
            assert spot.radius <= spot.x <= drawing.width - spot.radius
            assert spot.radius <= spot.y <= drawing.height - spot.radius
        names = [spot for spot in drawing.spots if spot.name]
        assert names
        for one in names:
            for other in names:
                if one is not other and abs(one.name_y - other.name_y) < 9:
                    assert abs(one.name_x - other.name_x) > 3 * (len(one.name) + len(other.name)) - 1


def test_in_a_picture_of_usual_size_every_node_has_its_name() -> None:
    wide, narrow = draw_graph(picture(30))
    assert all(spot.name for spot in wide.spots)
    assert sum(not spot.name for spot in narrow.spots) <= 1


def test_the_same_graph_is_the_same_picture() -> None:
    assert draw_graph(picture(30)) == draw_graph(picture(30))
