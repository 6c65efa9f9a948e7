"""Search: the memories nearest to a query, each with the numbers that placed it."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import BaseModel, Field, field_validator

from books.schemas import BookId
from memory.api.acting import open_facade
from memory.api.filters import SearchFilters, build_conditions
from memory.models import EndUser
from memory.retrieval.book_places import find_book_place, name_document
from memory.retrieval.results import SearchHit, SearchRequest, SearchResult, Superseded
from memory.tiers import Outcome, Tier
from memory.web.auth import READ
from memory.web.endpoints import answer_once
from memory.web.fields import Flag, JsonValue, Name, QueryText, RequestBody, SpaceSlugs, UuidText, choose_slugs, is_none
from memory.web.idempotency import json_response, store_after
from memory.web.openapi import describe_responses
from memory.web.persons import PersonName, require_person
from memory.web.problems import not_found
from memory.web.scoping import ScopedFields

router = Router(tags=["Search"])

Rank = Literal["relevance", "recency", "score"]


class SearchIn(SearchFilters, ScopedFields, RequestBody):
    query: QueryText
    collections: Literal["all"] | list[Tier] = Field(default="all", description='"all" or a list of tiers.')
    limit: int = Field(default=5, strict=True, ge=1, le=50)
    sort_by: Rank | None = None
    thread_id: Name | None = Field(default=None, description="The thread of the turn; `in_thread` searches one.")
    turn_id: UuidText | None = Field(default=None, description="Search again for a turn that has begun.")
    explain: Flag = False
    book_id: UuidText | None = Field(default=None, description="Only passages of this book.")
    content_types: list[Literal["text", "rows", "code"]] | None = Field(
        default=None, min_length=1, max_length=3, description="Only passages of books that are one of these."
    )
    spaces: SpaceSlugs | None = None

    @field_validator("collections")
    @classmethod
    def name_some(cls, value: Literal["all"] | list[Tier]) -> Literal["all"] | list[Tier]:
        if not value:
            raise ValueError('name at least one tier, or "all"')
        return value

    def as_request(self) -> SearchRequest:
        return SearchRequest(
            query=self.query,
            # None, not all five: only a search that leaves the choice open may be advised on tiers.
            tiers=None if self.collections == "all" else frozenset(Tier(tier) for tier in self.collections),
            limit=self.limit,
            sort_by=self.sort_by or "relevance",
            rows=replace(
                build_conditions(self, self.in_thread),
                book_id=UUID(self.book_id) if self.book_id else None,
                content_types=frozenset(self.content_types or ()),
            ),
            spaces=choose_slugs(self.spaces),
            thread_id=self.thread_id or "",
            turn_id=UUID(self.turn_id) if self.turn_id else None,
        )


class ScoreSummary(BaseModel):
    final_score: float
    wilson_score: float
    uses: int
    last_outcome: Outcome | None
    age_s: int


class Citation(BaseModel):
    tier: Tier
    memory_id: UUID
    doc_id: str | None
    chunk_id: str | None


class SupersededOut(BaseModel):
    """Something that the memory told has ended: until when it held, and what holds instead."""

    fact_id: UUID
    memory_id: UUID | None = Field(description="A memory that tells what holds now.")
    statement: str = Field(description="What holds now; empty where only the end is known.")
    until: datetime | None

    @classmethod
    def of(cls, ended: Superseded) -> "SupersededOut":
        return cls(fact_id=ended.fact_id, memory_id=ended.memory_id, statement=ended.statement, until=ended.until)


class SpaceRef(BaseModel):
    slug: str
    name: str


class BookRef(BaseModel):
    book_id: str
    title: str
    author: str
    section: str
    page: int | None
    last_page: int | None = Field(description="Where its last sentence begins; mostly the same page.")
    position: int = Field(description="The passage's place in the book, from 0.")


class HitOut(BaseModel):
    position: int
    memory_id: UUID
    tier: Tier
    status: Literal["active", "dormant"] = Field(description="Dormant: past its time in its tier.")
    content: str
    preview: str
    occurred_at: datetime
    tags: list[str]
    agent_id: str = Field(description="The agent it belongs to; empty for the person's own.")
    project_id: str = Field(description="The project it belongs to; empty for the person's own.")
    space: SpaceRef | None = Field(
        default=None, exclude_if=is_none, description="The space it is shared in; absent for the person's own."
    )
    book: BookRef | None = Field(
        default=None, exclude_if=is_none, description="The book it is a passage of; absent for anything else."
    )
    review: bool = Field(description="It waits for a person: evidence to weigh with care.")
    score_summary: ScoreSummary
    citations: list[Citation]
    superseded_by: SupersededOut | None = Field(default=None, exclude_if=is_none)
    duplicates: list[UUID] | None = Field(
        default=None, exclude_if=is_none, description="Memories that say the same and take no place of their own."
    )
    explain: dict[str, JsonValue] | None = Field(
        default=None, exclude_if=is_none, description="Every number that placed the hit; when asked for."
    )

    @classmethod
    def of(cls, hit: SearchHit, now: datetime, *, explain: bool) -> "HitOut":
        item = hit.item
        # Only books have documents and chunks; the shape is the same for every tier.
        citation = Citation(tier=Tier(item.tier), memory_id=item.pk, **name_document(item))
        place = find_book_place(item)
        return cls(
            position=hit.position,
            memory_id=item.pk,
            tier=Tier(item.tier),
            status="dormant" if hit.is_dormant else "active",
            content=item.text,
            preview=hit.preview,
            occurred_at=item.occurred_at,
            tags=item.tags,
            agent_id=item.agent_id,
            project_id=item.project_id,
            space=SpaceRef(slug=hit.space.slug, name=hit.space.name) if hit.space else None,
            book=BookRef(**place.describe()) if place else None,
            review=item.review,
            score_summary=ScoreSummary(**hit.summary(now)),
            citations=[citation],
            superseded_by=SupersededOut.of(hit.superseded_by) if hit.superseded_by else None,
            duplicates=list(hit.duplicates) or None,
            explain=hit.explain if explain else None,
        )


class StageError(BaseModel):
    stage: str
    message: str
    code: str | None


class DebugOut(BaseModel):
    retrieval_confidence: Literal["high", "medium", "low"]
    normalized_query: str
    tiers_considered: list[Tier]
    tiers_used: list[Tier]
    fallbacks_used: list[str]
    stage_timings_ms: dict[str, float]
    errors: list[StageError]
    vector_stage_status: str
    confidence: float | None = Field(
        default=None,
        exclude_if=is_none,
        description="The probability behind retrieval_confidence: that anything found is about the query.",
    )


class SearchOut(BaseModel):
    turn_id: UUID
    results: list[HitOut]
    debug: DebugOut

    @classmethod
    def of(cls, found: SearchResult, now: datetime, *, explain: bool) -> "SearchOut":
        debug: dict[str, Any] = found.debug.as_dict()
        errors = [StageError(**error) for error in debug.pop("errors")]
        return cls(
            turn_id=found.turn_id,
            results=[HitOut.of(hit, now, explain=explain) for hit in found.hits],
            debug=DebugOut(**debug, errors=errors, confidence=found.debug.confidence if explain else None),
        )


@router.post(
    "/users/{user_id}/search",
    auth=READ,
    response=describe_responses(200, SearchOut, reads_body=True, writes=True),
    operation_id="search",
    summary="Search memories",
)
@answer_once
def search_memories(request: HttpRequest, user: EndUser, body: SearchIn) -> HttpResponse:
    """Meaning and words together. A stage that fails is left out and named in ``debug``; the answer still comes."""
    now = timezone.now()
    found = open_facade(request).search(user, body.as_request(), now=now)
    return json_response(200, SearchOut.of(found, now, explain=body.explain))


class BookSearchIn(RequestBody):
    query: QueryText
    limit: int = Field(default=5, strict=True, ge=1, le=50)
    content_types: list[Literal["text", "rows", "code"]] | None = Field(
        default=None, min_length=1, max_length=3, description="Only passages that are one of these."
    )
    explain: Flag = False


@router.post(
    "/books/{book_id}/search",
    auth=READ,
    response=describe_responses(200, SearchOut, reads_body=True, writes=True, may_miss=True),
    operation_id="search_book",
    summary="Search within one book",
)
def search_book(request: HttpRequest, book_id: BookId, body: BookSearchIn, person: PersonName = None) -> HttpResponse:
    """As a search, among the passages of this book alone."""
    user, memory, now = require_person(request, person), open_facade(request), timezone.now()
    if memory.find_book(user, UUID(book_id)) is None:
        raise not_found()

    def find() -> HttpResponse:
        found = memory.retrieve_from_books(
            user,
            body.query,
            now=now,
            book_id=UUID(book_id),
            content_types=body.content_types or (),
            limit=body.limit,
        )
        return json_response(200, SearchOut.of(found, now, explain=body.explain))

    return store_after(request, user, find)
