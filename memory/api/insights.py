"""Insights: what was learned about a query, before any search."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router
from pydantic import BaseModel, Field

from knowledge_graph.extraction.context_types import CONTEXT_TYPES
from knowledge_graph.insights import Insights
from memory.api.acting import open_facade
from memory.context.compose import UnscoredExchange
from memory.models import EndUser
from memory.tiers import Outcome, Status, Tier
from memory.web.auth import READ
from memory.web.endpoints import optional_user
from memory.web.fields import Name, QueryParameters, QueryText, is_none
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses

router = Router(tags=["A turn"])


class InsightsQuery(QueryParameters):
    query: QueryText
    thread_id: Name | None = None


class ActiveConceptOut(BaseModel):
    concept: str
    best_collection: Tier | None
    success_rate: float | None
    usage_count: int | None


class TierAdviceOut(BaseModel):
    tier: Tier
    concept: str
    success_rate: float
    wilson_score: float
    uses: int


class ApproachOut(BaseModel):
    memory_id: UUID
    tier: Tier
    status: Status
    content: str
    uses: int
    worked: int
    failed: int
    partial: int
    success_rate: float
    wilson_score: float
    last_outcome: Outcome | None
    last_used_at: datetime | None
    occurred_at: datetime
    source: str = Field(description='"from a document" and the like for words from outside; else empty.')


class FailureOut(ApproachOut):
    reason: str = Field(description="The lesson noted with its last failure, or what was tried.")


class FactOut(BaseModel):
    memory_id: UUID
    tier: Literal["memory_bank"]
    content: str
    tags: list[str]
    source: str


class TopicOut(BaseModel):
    topic: str
    related: list[str]
    times: int
    last_at: datetime | None


class RepetitionOut(BaseModel):
    query: str
    asked_at: datetime
    times: int
    in_thread: bool = Field(description="Asked in this thread within the last half hour.")
    minutes_ago: int


class ToolAdviceOut(BaseModel):
    action: str
    tier: Tier | None
    success_rate: float
    wilson_score: float
    uses: int


class InsightsOut(BaseModel):
    context_type: str = Field(description=f"One of {', '.join(CONTEXT_TYPES)}.")
    matched_concepts: list[str]
    active_concepts: list[ActiveConceptOut]
    tier_recommendations: list[TierAdviceOut]
    relevant_patterns: list[ApproachOut]
    past_failures: list[FailureOut]
    you_already_know: list[FactOut]
    topic_continuity: list[TopicOut]
    repetition: RepetitionOut | None
    tool_statistics: list[ToolAdviceOut]
    directives: list[str]
    required_scoring: bool = Field(
        default=False, description="Whether the thread's last exchange waits for its outcome."
    )
    blocking: bool = Field(default=False, description="Have it scored before going on; a setting asks for it.")
    unscored_exchange_id: UUID | None = Field(default=None, exclude_if=is_none, description="Present only when set.")

    @classmethod
    def of(cls, found: Insights, unscored: UnscoredExchange | None) -> "InsightsOut":
        fields: dict[str, Any] = found.as_json() | (unscored.as_json() if unscored else {})
        return cls(**fields)


@router.get(
    "/users/{user_id}/insights",
    auth=READ,
    response=describe_responses(200, InsightsOut),
    operation_id="insights",
    summary="What experience says about a question",
)
@optional_user
def get_insights(request: HttpRequest, user: EndUser | None, question: InQuery[InsightsQuery]) -> HttpResponse:
    """Looked up by words and in the graphs. Embeds, searches and changes nothing."""
    # Two questions, to the graphs and to the outcomes: an unscored exchange must be seen before a search begins another
    # turn.
    memory, thread_id = open_facade(request), question.thread_id or ""
    found = memory.get_insights(user, question.query, now=timezone.now(), thread_id=thread_id)
    return json_response(200, InsightsOut.of(found, memory.find_unscored_exchange(user, thread_id) if user else None))
