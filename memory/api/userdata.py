"""A client's own data of a person, by key."""

from datetime import datetime
from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Router
from pydantic import AfterValidator, BaseModel, Field

from memory.api.acting import facade
from memory.models import EndUser, UserData
from memory.models.userdata import KEY_CHARS
from memory.web import paging
from memory.web.auth import READ, WRITE, for_writing, known_user, required_user
from memory.web.fields import Body, JsonValue, PageSize, QueryParameters, UserId, small_json
from memory.web.idempotency import reply
from memory.web.openapi import answers
from memory.web.problems import not_found

router = Router(tags=["Own data"])

CHARACTERS = r"[A-Za-z0-9_.@:-]"
Key = Annotated[
    str,
    Path(
        ...,
        pattern=rf"^{CHARACTERS}{{1,{KEY_CHARS}}}$",
        description="Your own name of the value.",
        examples=["ui.theme"],
    ),
]


class ValueIn(Body):
    value: Annotated[JsonValue, AfterValidator(small_json)] = Field(
        description="Any JSON.", examples=[{"theme": "dark"}]
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
    prefix: str = Field(default="", pattern=rf"^{CHARACTERS}{{0,{KEY_CHARS}}}$")
    cursor: str | None = Field(default=None, max_length=1_000)
    limit: PageSize = 50


@router.get(
    "/users/{u}/data", auth=READ, response=answers(200, ValuePage), operation_id="list_data", summary="List own data"
)
def list_data(request: HttpRequest, u: UserId, options: Query[ValueListOptions]) -> HttpResponse:
    """In the order of the keys."""
    user = known_user(request, u)
    mark = ["data", user.pk if user else 0, options.prefix]
    place = paging.place_in(mark, options.cursor)
    found = facade(request).list_data(
        user, prefix=options.prefix, after=str(place[0]) if place else "", limit=options.limit + 1
    ) if user else []  # fmt: skip
    page = found[: options.limit]
    following = paging.cursor(mark, [page[-1].key]) if len(found) > options.limit else None
    return reply(200, ValuePage(items=[ValueOut.of(row) for row in page], next_cursor=following))


@router.get(
    "/users/{u}/data/{key}",
    auth=READ,
    response=answers(200, ValueOut, may_miss=True),
    operation_id="get_data",
    summary="Read a value",
)
def get_data(request: HttpRequest, u: UserId, key: Key) -> HttpResponse:
    row = facade(request).data(required_user(request, u), key)
    if row is None:
        raise not_found()
    return reply(200, ValueOut.of(row))


@router.put(
    "/users/{u}/data/{key}",
    auth=WRITE,
    response=answers(200, ValueOut, reads_body=True, writes=True),
    operation_id="put_data",
    summary="Keep a value",
)
def put_data(request: HttpRequest, u: UserId, key: Key, body: ValueIn) -> HttpResponse:
    """Any JSON in the place of what the key held: never searched, learned from or shown to a model."""

    def kept(user: EndUser) -> HttpResponse:
        return reply(200, ValueOut.of(facade(request).put_data(user, key, body.value, now=timezone.now())))

    return for_writing(request, u, known_user(request, u), kept)


@router.delete(
    "/users/{u}/data/{key}",
    auth=WRITE,
    response=answers(204, None, writes=True, may_miss=True),
    operation_id="delete_data",
    summary="Delete a value for good",
)
def delete_data(request: HttpRequest, u: UserId, key: Key) -> HttpResponse:
    if not facade(request).remove_data(required_user(request, u), key):
        raise not_found()
    return HttpResponse(status=204)
