"""The organisation's vocabulary, its versions, and what fitted no term of it."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Router
from pydantic import BaseModel, Field

from memory.models import TermSuggestion, VocabularyChange
from memory.models.vocabulary import MEANS_CHARS, TERM_CHARS
from memory.vocabulary import suggestions
from memory.vocabulary.editions import (
    MOST_ALIASES,
    NewTerm,
    TermChanges,
    add_term,
    change_term,
    choose_preset,
    list_changes,
    read_vocabulary,
)
from memory.vocabulary.terms import ControlledVocabulary, Term, TermKind, TermState
from memory.web.auth import BearerKey, get_principal
from memory.web.fields import QueryParameters, RequestBody
from memory.web.idempotency import json_response
from memory.web.openapi import UNREPEATED, describe_responses
from memory.web.problems import Problem, not_found

router = Router(tags=["Vocabulary"])

READ = BearerKey("read", is_whole=True, is_everybodys=True)
WHOLE_ORGANIZATION = BearerKey("admin", is_whole=True, is_everybodys=True)
EXTRA = {UNREPEATED: True}
SuggestionId = Annotated[int, Path(..., ge=1, le=2**63 - 1, description="The suggestion's id.")]
Name = Annotated[str, Field(strict=True, min_length=1, max_length=TERM_CHARS, examples=["insurance"])]
Means = Annotated[str, Field(strict=True, max_length=MEANS_CHARS, description="Told to a language model.")]
Aliases = Annotated[
    list[Annotated[str, Field(strict=True, max_length=TERM_CHARS)]],
    Field(
        max_length=MOST_ALIASES,
        description="Words or phrases of any language; one may end in a star.",
        examples=[["insur*"]],
    ),
]


class TermOut(BaseModel):
    kind: TermKind
    name: str
    means: str
    aliases: list[str] = Field(description="The organisation's own; those of the preset count beside them.")
    state: TermState
    replaced_by: str

    @classmethod
    def of(cls, term: Term) -> "TermOut":
        return cls(
            kind=term.kind,
            name=term.name,
            means=term.means,
            aliases=list(term.aliases.get("", ())),
            state=term.state,
            replaced_by=term.replaced_by,
        )


class VocabularyOut(BaseModel):
    preset: str
    version: int = Field(description="0: the preset as it is shipped.")
    terms: list[TermOut]

    @classmethod
    def of(cls, vocabulary: ControlledVocabulary) -> "VocabularyOut":
        terms = [TermOut.of(term) for term in vocabulary.terms]
        return cls(preset=vocabulary.preset, version=vocabulary.version, terms=terms)


class VocabularyIn(RequestBody):
    preset: Literal["personal", "support"]


class TermIn(RequestBody):
    kind: TermKind
    name: Name
    means: Means = ""
    aliases: Aliases = Field(default_factory=list)


class TermPatch(RequestBody):
    means: Means | None = None
    aliases: Aliases | None = None
    state: TermState | None = None
    replaced_by: Annotated[str, Field(strict=True, max_length=TERM_CHARS)] | None = None


class VocabularyVersionOut(BaseModel):
    version: int
    change: str
    actor: str
    at: datetime

    @classmethod
    def of(cls, row: VocabularyChange) -> "VocabularyVersionOut":
        return cls(version=row.version, change=row.change, actor=row.actor, at=row.at)


class VersionList(BaseModel):
    items: list[VocabularyVersionOut]


class VersionOptions(QueryParameters):
    before: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class SuggestionOut(BaseModel):
    id: int
    name: str
    messages: int = Field(description="Of all people of the organisation, counted each night.")
    state: Literal["pending", "approved", "rejected", "mapped"]
    topic: str
    last_at: datetime

    @classmethod
    def of(cls, row: TermSuggestion) -> "SuggestionOut":
        return cls.model_validate(
            {"id": row.pk, "name": row.name, "messages": row.messages, "state": row.state, "topic": row.term}
            | {"last_at": row.last_at}
        )


class SuggestionList(BaseModel):
    items: list[SuggestionOut]


class SuggestionOptions(QueryParameters):
    min_frequency: Annotated[int, Field(ge=1, le=1_000_000)] = 5
    limit: Annotated[int, Field(ge=1, le=200)] = 20
    state: Literal["pending", "approved", "rejected", "mapped"] = "pending"


class MappingIn(RequestBody):
    topic: Name


def answer_decided(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @wraps(view)
    def endpoint(*args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(*args, **kwargs)
        except suggestions.AlreadyDecided as error:
            raise Problem(409, "conflict", str(error)) from None

    return endpoint


@router.get(
    "/vocabulary",
    auth=READ,
    response=describe_responses(200, VocabularyOut),
    operation_id="get_vocabulary",
    summary="The terms that messages are labelled with",
)
def get_vocabulary(request: HttpRequest) -> HttpResponse:
    return json_response(200, VocabularyOut.of(read_vocabulary(get_principal(request).organization_id)))


@router.put(
    "/vocabulary",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(200, VocabularyOut, reads_body=True),
    operation_id="choose_vocabulary",
    summary="Build on another preset",
    openapi_extra=EXTRA,
)
def choose_vocabulary(request: HttpRequest, body: VocabularyIn) -> HttpResponse:
    """The organisation's own terms stay. Messages are labelled anew in the background."""
    principal = get_principal(request)
    found = choose_preset(principal.organization_id, body.preset, now=timezone.now(), actor=principal.actor)
    return json_response(200, VocabularyOut.of(found))


@router.get(
    "/vocabulary/versions",
    auth=READ,
    response=describe_responses(200, VersionList),
    operation_id="list_vocabulary_versions",
    summary="What was changed, the latest first",
)
def list_versions(request: HttpRequest, options: Query[VersionOptions]) -> HttpResponse:
    rows = list_changes(get_principal(request).organization_id, before=options.before, limit=options.limit)
    return json_response(200, VersionList(items=[VocabularyVersionOut.of(row) for row in rows]))


@router.post(
    "/vocabulary/terms",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(201, TermOut, reads_body=True),
    operation_id="add_term",
    summary="Add a term",
    openapi_extra=EXTRA,
)
def create_term(request: HttpRequest, body: TermIn) -> HttpResponse:
    principal = get_principal(request)
    new = NewTerm(body.kind, body.name, body.means, body.aliases)
    term = add_term(principal.organization_id, new, now=timezone.now(), actor=principal.actor)
    return json_response(201, TermOut.of(term))


@router.patch(
    "/vocabulary/terms/{kind}/{name}",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(200, TermOut, reads_body=True, may_miss=True),
    operation_id="change_term",
    summary="Change, retire or bring back a term",
    openapi_extra=EXTRA,
)
def patch_term(request: HttpRequest, kind: Path[TermKind], name: Path[str], body: TermPatch) -> HttpResponse:
    """A retired term is given to nothing any more; with `replaced_by` what it labelled is found by the other one."""
    principal = get_principal(request)
    changes = TermChanges(
        body.means,
        body.aliases,
        None if body.state is None else body.state is TermState.RETIRED,
        body.replaced_by,
    )
    term = change_term(principal.organization_id, kind, name, changes, now=timezone.now(), actor=principal.actor)
    if term is None:
        raise not_found()
    return json_response(200, TermOut.of(term))


@router.get(
    "/vocabulary/suggestions",
    auth=READ,
    response=describe_responses(200, SuggestionList),
    operation_id="list_suggestions",
    summary="What messages were about that no topic fits, the most frequent first",
)
def get_suggestions(request: HttpRequest, options: Query[SuggestionOptions]) -> HttpResponse:
    rows = suggestions.list_suggestions(
        get_principal(request).organization_id,
        min_frequency=options.min_frequency,
        limit=options.limit,
        state=options.state,
    )
    return json_response(200, SuggestionList(items=[SuggestionOut.of(row) for row in rows]))


def require_suggestion(request: HttpRequest, suggestion_id: int) -> TermSuggestion:
    own = TermSuggestion.objects.filter(organization_id=get_principal(request).organization_id)
    found = own.filter(pk=suggestion_id).first()
    if found is None:
        raise not_found()
    return found


@router.post(
    "/vocabulary/suggestions/{suggestion_id}/approve",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(200, SuggestionOut, may_miss=True, writes=True),
    operation_id="approve_suggestion",
    summary="Make it a topic",
    openapi_extra=EXTRA,
)
@answer_decided
def approve(request: HttpRequest, suggestion_id: SuggestionId) -> HttpResponse:
    row = require_suggestion(request, suggestion_id)
    suggestions.approve_suggestion(row, now=timezone.now(), actor=get_principal(request).actor)
    return json_response(200, SuggestionOut.of(row))


@router.post(
    "/vocabulary/suggestions/{suggestion_id}/reject",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(200, SuggestionOut, may_miss=True, writes=True),
    operation_id="reject_suggestion",
    summary="Do not ask about it again",
    openapi_extra=EXTRA,
)
@answer_decided
def reject(request: HttpRequest, suggestion_id: SuggestionId) -> HttpResponse:
    row = require_suggestion(request, suggestion_id)
    suggestions.reject_suggestion(row, now=timezone.now(), actor=get_principal(request).actor)
    return json_response(200, SuggestionOut.of(row))


@router.post(
    "/vocabulary/suggestions/{suggestion_id}/map",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(200, SuggestionOut, reads_body=True, may_miss=True, writes=True),
    operation_id="map_suggestion",
    summary="Make it an alias of a topic",
    openapi_extra=EXTRA,
)
@answer_decided
def map_to_topic(request: HttpRequest, suggestion_id: SuggestionId, body: MappingIn) -> HttpResponse:
    row = require_suggestion(request, suggestion_id)
    suggestions.map_suggestion(row, body.topic, now=timezone.now(), actor=get_principal(request).actor)
    return json_response(200, SuggestionOut.of(row))
