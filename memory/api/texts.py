"""Texts made on demand: what is worth keeping of one, and one of what the memory finds and what tools gave."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import BaseModel, Field

from memory.api.acting import open_facade
from memory.context.blending import BlendSource
from memory.models import EndUser
from memory.web.auth import READ
from memory.web.endpoints import answer_once
from memory.web.fields import Name, QueryText, RequestBody, Text
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses

router = Router(tags=["A turn"])

MOST_INPUTS = 12


class SourceIn(RequestBody):
    label: Name = Field(description="What it is, such as the name of a tool.")
    text: Text


class BlendIn(RequestBody):
    query: QueryText
    inputs: list[SourceIn] = Field(default_factory=list, max_length=MOST_INPUTS)
    limit: int = Field(default=5, strict=True, ge=0, le=MOST_INPUTS, description="Memories that are put beside them.")


class SourceOut(BaseModel):
    number: int
    label: str
    text: str


class BlendOut(BaseModel):
    text: str = Field(description="Statements with the numbers of their sources: [1][3].")
    by_model: bool = Field(description="False: no model answered, and the sources stand one under the other.")
    cited: list[int]
    sources: list[SourceOut]


class ExtractIn(RequestBody):
    text: Text


class ExtractOut(BaseModel):
    quotes: list[str] = Field(description="Word for word as in the text.")
    concepts: list[str]
    insights: list[str]
    technical_terms: list[str]
    by_model: bool = Field(description="False: no model answered, and rules found the names.")


@router.post(
    "/users/{user_id}/texts/blend",
    auth=READ,
    response=describe_responses(200, BlendOut, reads_body=True, writes=True),
    operation_id="blend",
    summary="One text of memories and results of tools",
)
@answer_once
def blend(request: HttpRequest, user: EndUser, body: BlendIn) -> HttpResponse:
    """A language model makes one text of them that answers the query; without one they are listed. Nothing is kept."""
    given = [BlendSource(one.label, one.text) for one in body.inputs]
    sources, made = open_facade(request).blend_sources(user, body.query, given, now=timezone.now(), limit=body.limit)
    listed = [SourceOut(number=number, label=one.label, text=one.text) for number, one in enumerate(sources, start=1)]
    return json_response(200, BlendOut(text=made.text, by_model=made.by_model, cited=list(made.cited), sources=listed))


@router.post(
    "/users/{user_id}/texts/extract",
    auth=READ,
    response=describe_responses(200, ExtractOut, reads_body=True, writes=True),
    operation_id="extract",
    summary="What is worth keeping of a text",
)
@answer_once
def extract(request: HttpRequest, user: EndUser, body: ExtractIn) -> HttpResponse:
    """Quotes, concepts, insights and technical terms that stand in the text. Nothing is kept."""
    found = open_facade(request).extract_content(user, body.text)
    return json_response(
        200,
        ExtractOut(
            quotes=list(found.quotes),
            concepts=list(found.concepts),
            insights=list(found.insights),
            technical_terms=list(found.technical_terms),
            by_model=found.by_model,
        ),
    )
