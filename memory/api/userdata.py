"""A client's own data of a person, by key."""

from datetime import datetime
from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Router
from pydantic import AfterValidator, AwareDatetime, BaseModel, Field

from memory.api.acting import open_facade
from memory.models import EndUser, UserData
from memory.models.userdata import MAX_KEY_CHARS
from memory.store.userdata import ValueChanged
from memory.web import paging
from memory.web.auth import READ, WRITE
from memory.web.endpoints import create_user, optional_user, require_user
from memory.web.fields import JsonValue, PageSize, QueryParameters, RequestBody, validate_json_size
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.problems import Problem, not_found

router = Router(tags=["Own data"])

CHARACTERS = r"[A-Za-z0-9_.@:-]"
Key = Annotated[
    str,
    Path(
        ...,
        pattern=rf"^{CHARACTERS}{{1,{MAX_KEY_CHARS}}}$",
        description="Your own name of the value.",
        examples=["ui.theme"],
    ),
]


class ValueIn(RequestBody):
    value: Annotated[JsonValue, AfterValidator(validate_json_size)] = Field(
        description="Any JSON.", examples=[{"theme": "dark"}]
    )
    replaces: AwareDatetime | None = Field(
        default=None,
        description="The `updated_at` of the value whose place it takes, `null` where there is none yet: if another "
        "was written meanwhile, nothing changes and the answer is 409. Left out, it takes the place of any.",
    )


class ValueOut(BaseModel):
    key: str
    value: JsonValue
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, row: UserData) -> "ValueOut":
        return cls(key=row.key, value=row.value, created_at=row.created_at, updated_at=row.updated_at)


class ValuePage(BaseModel):
    items: list[ValueOut]
    next_cursor: str | None


class ValueListOptions(QueryParameters):
    # Keys are a client's own; dots in them make a tree without our knowing.
    prefix: str = Field(default="", pattern=rf"^{CHARACTERS}{{0,{MAX_KEY_CHARS}}}$")
    cursor: str | None = Field(default=None, max_length=1_000)
    limit: PageSize = 50


@router.get(
    "/users/{user_id}/data",
    auth=READ,
    response=describe_responses(200, ValuePage),
    operation_id="list_data",
    summary="List own data",
)
@optional_user
def list_data(request: HttpRequest, user: EndUser | None, options: Query[ValueListOptions]) -> HttpResponse:
    """In the order of the keys."""
    listing = ["data", user.pk if user else 0, options.prefix]
    last = paging.read_cursor(listing, options.cursor)
    after = str(last[0]) if last else ""
    memory, limit = open_facade(request), options.limit + 1
    rows = memory.list_data(user, prefix=options.prefix, after=after, limit=limit) if user else []
    page, cursor = paging.cut_page(rows, options.limit, lambda row: paging.sign_cursor(listing, [row.key]))
    return json_response(200, ValuePage(items=[ValueOut.of(row) for row in page], next_cursor=cursor))


@router.get(
    "/users/{user_id}/data/{key}",
    auth=READ,
    response=describe_responses(200, ValueOut, may_miss=True),
    operation_id="get_data",
    summary="Read a value",
)
@require_user
def get_data(request: HttpRequest, user: EndUser, key: Key) -> HttpResponse:
    row = open_facade(request).get_data(user, key)
    if row is None:
        raise not_found()
    return json_response(200, ValueOut.of(row))


@router.put(
    "/users/{user_id}/data/{key}",
    auth=WRITE,
    response=describe_responses(200, ValueOut, reads_body=True, writes=True),
    operation_id="put_data",
    summary="Keep a value",
)
@create_user
def put_data(request: HttpRequest, user: EndUser, key: Key, body: ValueIn) -> HttpResponse:
    """Any JSON in the place of what the key held: never searched, learned from or shown to a model."""
    replaces = body.replaces if "replaces" in body.model_fields_set else ...
    try:
        row = open_facade(request).put_data(user, key, body.value, now=timezone.now(), replaces=replaces)
    except ValueChanged:
        raise Problem(409, "conflict", "Another value was written there meanwhile; read it first.") from None
    return json_response(200, ValueOut.of(row))


@router.delete(
    "/users/{user_id}/data/{key}",
    auth=WRITE,
    response=describe_responses(204, None, writes=True, may_miss=True),
    operation_id="delete_data",
    summary="Delete a value for good",
)
@require_user
def delete_data(request: HttpRequest, user: EndUser, key: Key) -> HttpResponse:
    if not open_facade(request).delete_data(user, key):
        raise not_found()
    return HttpResponse(status=204)
