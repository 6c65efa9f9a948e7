"""Read access to the graphs: concepts with their tiers, entities, paths between them, and a picture."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, Protocol, TypeVar
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router
from pydantic import BaseModel, Field, model_validator

from knowledge_graph.models import Concept, Entity
from knowledge_graph.queries import browsing, graph_view, paths
from knowledge_graph.queries.browsing import ConceptDetail, EntityDetail, GraphQuery, Sort, Span
from knowledge_graph.queries.graph_view import GraphView
from knowledge_graph.queries.paths import EntityPath
from knowledge_graph.queries.statistics import ActionRecord, KnownSolution, TierRecord
from memory.models import EndUser
from memory.tiers import Tier
from memory.web import paging
from memory.web.auth import READ_WHOLE
from memory.web.endpoints import optional_user, require_user
from memory.web.fields import Name, PageSize, QueryParameters, RowModel
from memory.web.idempotency import json_response
from memory.web.items import MemoryOut
from memory.web.openapi import describe_responses
from memory.web.problems import invalid_field, not_found

Row_co = TypeVar("Row_co", Concept, Entity, covariant=True)

router = Router(tags=["Graphs"])


class GraphOptions(QueryParameters):
    sort: Sort = Sort.IMPORTANCE
    time: Span = Field(default=Span.ALL, description="What was last seen then; `session` is what a thread was about.")
    thread_id: Name | None = Field(default=None, description="The thread of `time=session`.")

    @model_validator(mode="after")
    def require_thread(self) -> "GraphOptions":
        if self.time is Span.SESSION and not self.thread_id:
            raise invalid_field("thread_id", "is needed for time=session")
        return self


# Published under this name.
class PageOptions(GraphOptions):
    limit: PageSize = 20
    cursor: str | None = None


class PictureOptions(GraphOptions):
    limit: PageSize = Field(default=20, description="So many concepts and so many entities.")


class NameQuery(QueryParameters):
    name: Name = Field(min_length=1, description="A key, or how somebody writes it.")


class PathQuery(QueryParameters):
    start: Name = Field(alias="from", min_length=1)
    end: Name = Field(alias="to", min_length=1)


class ConceptOut(RowModel):
    key: str
    label: str
    aliases: list[str]
    uses: int
    importance: float
    first_seen: datetime
    last_seen: datetime


class ConceptPage(BaseModel):
    items: list[ConceptOut]
    next_cursor: str | None


class TierOut(BaseModel):
    tier: Tier
    worked: int
    failed: int
    partial: int
    unknown: int
    uses: int
    success_rate: float = Field(description="worked / (worked + failed), 0.5 without either; partial does not count.")
    wilson_score: float
    last_used_at: datetime

    @classmethod
    def of(cls, one: TierRecord) -> "TierOut":
        counts = {
            name: getattr(one, name) for name in ("worked", "failed", "partial", "unknown", "uses", "last_used_at")
        }
        return cls(tier=Tier(one.tier), success_rate=one.success_rate, wilson_score=one.wilson, **counts)


class HintOut(BaseModel):
    context_type: str
    action: str
    tier: Tier | None
    uses: int
    success_rate: float = Field(description="A partial success counts half.")
    wilson_score: float

    @classmethod
    def of(cls, one: ActionRecord) -> "HintOut":
        return cls(
            context_type=one.context_type,
            action=one.action,
            tier=Tier(one.tier) if one.tier else None,
            uses=one.uses,
            success_rate=one.success_rate,
            wilson_score=one.wilson,
        )


class SolutionOut(BaseModel):
    memory_id: UUID
    tier: Tier
    content: str
    query: str
    worked: float
    failed: float

    @classmethod
    def of(cls, one: KnownSolution, content: str) -> "SolutionOut":
        return cls(
            memory_id=one.item_id,
            tier=Tier(one.tier),
            content=content,
            query=one.query,
            worked=round(one.worked, 3),
            failed=round(one.failed, 3),
        )


class ConceptDetailOut(ConceptOut):
    is_entity: bool
    best_tiers: list[Tier]
    tiers: list[TierOut]
    context_type: str
    actions: list[HintOut]
    solutions: list[SolutionOut]


class EntityOut(RowModel):
    key: str
    label: str
    kind: str
    aliases: list[str]
    mentions: int
    avg_quality: float
    first_seen: datetime
    last_seen: datetime


class EntityPage(BaseModel):
    items: list[EntityOut]
    next_cursor: str | None


class NeighbourOut(BaseModel):
    key: str
    label: str
    kind: str
    relation: str
    weight: int


class EntityDetailOut(EntityOut):
    is_concept: bool
    neighbours: list[NeighbourOut]
    memories: list[MemoryOut]

    @classmethod
    def from_detail(cls, found: EntityDetail) -> "EntityDetailOut":
        return cls(
            **EntityOut.of(found.entity).model_dump(),
            is_concept=found.is_concept,
            neighbours=[
                NeighbourOut(key=one.key, label=one.label, kind=one.kind, relation=one.relation, weight=one.weight)
                for one in found.neighbours
            ],
            memories=[MemoryOut.of(item) for item in found.memories],
        )


class StepOut(BaseModel):
    source: str
    target: str
    relation: str
    weight: int


class PathOut(BaseModel):
    connected: bool
    nodes: list[str] = Field(description="Keys in order, from one end to the other; empty when not connected.")
    steps: list[StepOut]
    labels: dict[str, str]

    @classmethod
    def of(cls, path: EntityPath) -> "PathOut":
        steps = path.steps or []
        return cls(
            connected=path.steps is not None,
            nodes=[] if path.steps is None else [path.start, *(step.target for step in steps)],
            steps=[
                StepOut(source=step.source, target=step.target, relation=step.kind, weight=step.weight)
                for step in steps
            ],
            labels=path.labels,
        )


class NodeOut(RowModel):
    id: str
    label: str
    kind: Literal["routing", "content", "both", "action"]
    colour: Literal["blue", "green", "purple", "orange"]
    weight: float
    detail: str


class TieOut(RowModel):
    source: str
    target: str
    kind: str
    weight: int


class PictureOut(BaseModel):
    nodes: list[NodeOut]
    edges: list[TieOut]


@router.get(
    "/users/{user_id}/graph/concepts",
    auth=READ_WHOLE,
    response=describe_responses(200, ConceptPage),
    operation_id="list_concepts",
    summary="What questions were about",
)
@optional_user
def list_concepts(request: HttpRequest, user: EndUser | None, options: Query[PageOptions]) -> HttpResponse:
    """The routing graph's concepts: the most important, the latest or the oldest first."""
    page, cursor = list_page("concepts", browsing.list_concepts, user, options)
    return json_response(200, ConceptPage(items=[ConceptOut.of(row) for row in page], next_cursor=cursor))


@router.get(
    "/users/{user_id}/graph/concept",
    auth=READ_WHOLE,
    response=describe_responses(200, ConceptDetailOut, may_miss=True),
    operation_id="get_concept",
    summary="One concept: which tier answers it, what helps",
)
@require_user
def get_concept(request: HttpRequest, user: EndUser, options: Query[NameQuery]) -> HttpResponse:
    found = browsing.load_concept(user, options.name)
    if found is None:
        raise not_found()
    # A solution's memory may be archived or gone by now; then it is left out.
    texts = {item.pk: item.text for item in browsing.load_solution_items(user, found.solutions).values()}
    return json_response(200, render_concept(found, texts))


def render_concept(found: ConceptDetail, texts: dict[UUID, str]) -> ConceptDetailOut:
    return ConceptDetailOut(
        **ConceptOut.of(found.concept).model_dump(),
        is_entity=found.is_entity,
        # A tier without a verdict has a rate of 0.5 and is no advice.
        best_tiers=[Tier(one.tier) for one in found.routing.tiers if one.worked + one.failed],
        tiers=[TierOut.of(one) for one in found.routing.tiers],
        context_type=found.context_type,
        actions=[HintOut.of(one) for one in found.actions],
        solutions=[SolutionOut.of(one, texts[one.item_id]) for one in found.solutions if one.item_id in texts],
    )


@router.get(
    "/users/{user_id}/graph/entities",
    auth=READ_WHOLE,
    response=describe_responses(200, EntityPage),
    operation_id="list_entities",
    summary="Who and what memories name",
)
@optional_user
def list_entities(request: HttpRequest, user: EndUser | None, options: Query[PageOptions]) -> HttpResponse:
    """The content graph's entities; by importance the best known come first, not the most often named."""
    page, cursor = list_page("entities", browsing.list_entities, user, options)
    return json_response(200, EntityPage(items=[EntityOut.of(row) for row in page], next_cursor=cursor))


@router.get(
    "/users/{user_id}/graph/entity",
    auth=READ_WHOLE,
    response=describe_responses(200, EntityDetailOut, may_miss=True),
    operation_id="get_entity",
    summary="One entity, what stands beside it, and the memories that name it",
)
@require_user
def get_entity(request: HttpRequest, user: EndUser, options: Query[NameQuery]) -> HttpResponse:
    found = browsing.load_entity(user, options.name)
    if found is None:
        raise not_found()
    return json_response(200, EntityDetailOut.from_detail(found))


@router.get(
    "/users/{user_id}/graph/path",
    auth=READ_WHOLE,
    response=describe_responses(200, PathOut, may_miss=True),
    operation_id="graph_path",
    summary="How two entities are connected",
)
@require_user
def get_graph_path(request: HttpRequest, user: EndUser, options: Query[PathQuery]) -> HttpResponse:
    """The shortest way over memories that name both of two neighbours, at most six steps."""
    path = paths.find_entity_path(user, options.start, options.end)
    if path is None:
        raise not_found()
    return json_response(200, PathOut.of(path))


@router.get(
    "/users/{user_id}/graph/picture",
    auth=READ_WHOLE,
    response=describe_responses(200, PictureOut),
    operation_id="graph_picture",
    summary="The foremost of all graphs as nodes and edges",
)
@optional_user
def get_graph_picture(request: HttpRequest, user: EndUser | None, options: Query[PictureOptions]) -> HttpResponse:
    query = GraphQuery(options.sort, options.time, options.thread_id or "", limit=options.limit)
    found = graph_view.build_graph_view(user, query, now=timezone.now()) if user else GraphView([], [])
    nodes, edges = [NodeOut.of(node) for node in found.nodes], [TieOut.of(tie) for tie in found.edges]
    return json_response(200, PictureOut(nodes=nodes, edges=edges))


class RowLister(Protocol[Row_co]):
    """What lists concepts, or entities."""

    def __call__(self, user: EndUser, query: GraphQuery, *, now: datetime) -> Sequence[Row_co]: ...


def list_page(
    name: str, list_rows: RowLister[Row_co], user: EndUser | None, options: PageOptions
) -> tuple[Sequence[Row_co], str | None]:
    """The rows of a page and the cursor of the next, if there is one."""
    listing = [name, user.pk if user else 0, options.sort, options.time, options.thread_id]
    query = read_query(options, listing)
    rows = list_rows(user, query, now=timezone.now()) if user else []
    return paging.cut_page(rows, options.limit, lambda row: sign_row_cursor(listing, row, options.sort))


def read_query(options: PageOptions, listing: list[Any]) -> GraphQuery:
    # Concepts come by importance or by time: the key of a position is a number or a moment.
    after = paging.read_cursor(listing, options.cursor)
    if after is not None and options.sort is not Sort.IMPORTANCE:
        after[0] = datetime.fromisoformat(after[0])
    return GraphQuery(options.sort, options.time, options.thread_id or "", after, options.limit + 1)


def sign_row_cursor(listing: list[Any], row: Concept | Entity, sort: Sort) -> str:
    last = [value.isoformat() if isinstance(value, datetime) else value for value in browsing.build_cursor(row, sort)]
    return paging.sign_cursor(listing, last)
