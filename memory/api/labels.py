"""What a person's messages are labelled with, and those with a topic or something they mention."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from pydantic import BaseModel, Field

from memory.enrichment.labels import ENTITY_CHARS, fold_entity
from memory.enrichment.recording import ENTITY, TOPIC, find_labelled
from memory.models import EndUser, MemoryItem, MessageLabel
from memory.models.vocabulary import TERM_CHARS
from memory.vocabulary.editions import read_vocabulary
from memory.vocabulary.terms import TermKind
from memory.web import paging
from memory.web.auth import READ
from memory.web.endpoints import optional_user
from memory.web.fields import PageSize, QueryParameters
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.problems import FieldError, invalid_fields

router = Router(tags=["Vocabulary"])


class LabelledMessage(BaseModel):
    memory_id: UUID
    text: str
    thread_id: str
    occurred_at: datetime
    topics: list[str]
    category: str
    message_type: str
    importance: str
    entities: list[dict[str, str]]
    confidence: str
    reader: str = Field(description='"rules", or the language model that read it.')
    version: int = Field(description="Of the vocabulary it was labelled by.")

    @classmethod
    def of(cls, item: MemoryItem, row: MessageLabel) -> "LabelledMessage":
        names = ("topics", "category", "message_type", "importance", "entities", "confidence", "reader", "version")
        given: dict[str, Any] = {name: getattr(row, name) for name in names}
        return cls(memory_id=item.pk, text=item.text, thread_id=item.thread_id, occurred_at=item.occurred_at, **given)


class LabelledPage(BaseModel):
    items: list[LabelledMessage]
    next_cursor: str | None


class LabelledOptions(QueryParameters):
    topic: str = Field(default="", max_length=TERM_CHARS, description="A topic of the vocabulary.")
    entity: str = Field(default="", max_length=ENTITY_CHARS, description='What is mentioned, such as "88-41207".')
    cursor: str | None = Field(default=None, max_length=1_000)
    limit: PageSize = 50


@router.get(
    "/users/{user_id}/labels",
    auth=READ,
    response=describe_responses(200, LabelledPage),
    operation_id="list_labelled_messages",
    summary="Messages with a topic, or that mention something, the latest first",
)
@optional_user
def list_labelled_messages(request: HttpRequest, user: EndUser | None, options: Query[LabelledOptions]) -> HttpResponse:
    """Name `topic` or `entity`, and not both. A topic also finds what was labelled with those that it took the place
    of."""
    if bool(options.topic) == bool(options.entity):
        raise invalid_fields([FieldError("topic", "name a topic or an entity, and not both")])
    if user is None:
        return json_response(200, LabelledPage(items=[], next_cursor=None))
    listing = ["labels", user.pk, options.topic, options.entity]
    place = paging.read_moment_cursor(listing, options.cursor)
    kind, terms = choose_terms(user, options)
    rows = find_labelled(user, terms=terms, kind=kind, place=place, limit=options.limit + 1)
    page, cursor = paging.cut_page(
        rows, options.limit, lambda row: paging.sign_moment_cursor(listing, row[0].occurred_at, row[0].pk)
    )
    return json_response(
        200, LabelledPage(items=[LabelledMessage.of(item, row) for item, row in page], next_cursor=cursor)
    )


def choose_terms(user: EndUser, options: LabelledOptions) -> tuple[str, list[str]]:
    if options.entity:
        return ENTITY, [fold_entity(options.entity)]
    vocabulary = read_vocabulary(user.organization_id)
    if vocabulary.find_term(TermKind.TOPIC, options.topic) is None:
        raise invalid_fields([FieldError("topic", "must be a topic of the vocabulary")])
    return TOPIC, sorted(vocabulary.widen(TermKind.TOPIC, [options.topic]))
