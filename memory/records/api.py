"""Personal records: journals, to-dos, gratitude notes, preferences; and the recall of these and of messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query as InQuery
from ninja import Router
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from memory.models import EndUser
from memory.records import records
from memory.records.models import RecordBase
from memory.records.texts import Kind
from memory.web import paging
from memory.web.auth import READ, WRITE
from memory.web.endpoints import create_user, optional_user, require_user, write_once
from memory.web.fields import (
    Flag,
    ItemId,
    JsonValue,
    Metadata,
    Moment,
    RecordPageOptions,
    RequestBody,
    Text,
    validate_one_line,
    validate_readable,
)
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.problems import invalid_field, not_found

router = Router(tags=["Personal records"])

Title = Annotated[str, Field(strict=True, max_length=300), AfterValidator(validate_one_line)]
Task = Annotated[
    str,
    Field(strict=True, min_length=1, max_length=500),
    AfterValidator(validate_one_line),
    AfterValidator(validate_readable),
]
Writing = Annotated[str, Field(strict=True, max_length=32_768)]
Language = Annotated[str, Field(strict=True, min_length=1, max_length=35, pattern=r"^[A-Za-z0-9-]+$")]
ReligionName = Annotated[str, Field(strict=True, min_length=1, max_length=100), AfterValidator(validate_one_line)]


class NewRecord(RequestBody):
    created_at: Moment | None = Field(default=None, description="When it was written; now, when left out.")

    def fields(self) -> dict[str, Any]:
        given = self.model_dump(exclude_none=True)
        # Clocks that are a little ahead are set back.
        return {**given, **({"created_at": min(self.created_at, timezone.now())} if self.created_at else {})}


class RecordPatch(RequestBody):
    """Any of these, at least one."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"minProperties": 1})

    def fields(self) -> dict[str, Any]:
        if not self.model_fields_set:
            raise invalid_field("", "name at least one field to change")
        return {name: getattr(self, name) for name in self.model_fields_set}


class RecordOut(BaseModel):
    id: UUID
    created_at: datetime
    updated_at: datetime


class RecordList(BaseModel):
    items: list[Any]
    next_cursor: str | None


class NewJournal(NewRecord):
    title: Title = ""
    body: Writing = ""
    is_draft: Flag = True

    @model_validator(mode="after")
    def say_something(self) -> "NewJournal":
        # An empty draft is the beginning of one; an empty finished journal is a mistake.
        if not self.is_draft and not (self.title + self.body).strip():
            raise ValueError("a finished journal has a title or a body")
        return self


class JournalPatch(RecordPatch):
    title: Title = ""
    body: Writing = ""
    is_draft: Flag = True


class JournalOut(RecordOut):
    title: str
    body: str
    is_draft: bool = Field(description="Drafts are found by nobody.")


class NewTodo(NewRecord):
    title: Task
    done: Flag = False


class TodoPatch(RecordPatch):
    title: Task = Field(default_factory=str)
    done: Flag = False


class TodoOut(RecordOut):
    title: str
    done: bool


class NewGratitude(NewRecord):
    text: Text


class GratitudePatch(RecordPatch):
    text: Text = Field(default_factory=str)


class GratitudeOut(RecordOut):
    text: str


class JournalPage(RecordList):
    items: list[JournalOut]


class TodoPage(RecordList):
    items: list[TodoOut]


class GratitudePage(RecordList):
    items: list[GratitudeOut]


def render_record(out: type[RecordOut], row: RecordBase | None) -> RecordOut:
    if row is None:
        raise not_found()
    return out.model_validate(row, from_attributes=True)


@dataclass(frozen=True, slots=True)
class RecordRoutes:
    """One kind of record, as the API words it."""

    path: str
    kind: Kind
    word: str
    new: type[NewRecord]
    patch: type[RecordPatch]
    out: type[RecordOut]
    pages: type[RecordList]


def add_record_routes(routes: RecordRoutes) -> None:
    """The calls on a kind as a whole."""
    path, kind, new, out = f"/users/{{user_id}}/kinds/{routes.path}", routes.kind, routes.new, routes.out
    name = routes.word.replace("_", " ")
    added = describe_responses(201, out, reads_body=True, writes=True)
    listed = describe_responses(200, routes.pages)

    @router.post(path, auth=WRITE, response=added, operation_id=f"add_{routes.word}", summary=f"Add a {name}")
    @write_once(creates_user=True)
    def add_record(request: HttpRequest, user: EndUser, body: new) -> HttpResponse:  # type: ignore[valid-type]
        fields = body.fields()  # type: ignore[attr-defined]
        return json_response(201, render_record(out, records.add_record(user, kind, fields, now=timezone.now())))

    @router.get(path, auth=READ, response=listed, operation_id=f"list_{routes.path}", summary=f"List {routes.path}")
    @optional_user
    def list_records(request: HttpRequest, user: EndUser | None, options: InQuery[RecordPageOptions]) -> HttpResponse:
        page, cursor = list_page(user, kind, options)
        items = [render_record(out, row) for row in page]
        return json_response(200, routes.pages(items=items, next_cursor=cursor))

    # Each kind has the same calls, so that a client of one can speak to all.
    add_single_record_routes(routes, f"{path}/{{item_id}}", name)


def add_single_record_routes(routes: RecordRoutes, path: str, name: str) -> None:
    """The calls on one record."""
    kind, word, patch, out = routes.kind, routes.word, routes.patch, routes.out
    found = describe_responses(200, out, may_miss=True)
    changed = describe_responses(200, out, reads_body=True, writes=True, may_miss=True)
    gone = describe_responses(204, None, writes=True, may_miss=True)

    @router.get(path, auth=READ, response=found, operation_id=f"get_{word}", summary=f"Read a {name}")
    @require_user
    def get_record(request: HttpRequest, user: EndUser, item_id: ItemId) -> HttpResponse:
        return json_response(200, render_record(out, records.get_record(user, kind, UUID(item_id))))

    @router.patch(path, auth=WRITE, response=changed, operation_id=f"change_{word}", summary=f"Change a {name}")
    @require_user
    def change_record(
        request: HttpRequest,
        user: EndUser,
        item_id: ItemId,
        body: patch,  # type: ignore[valid-type]
    ) -> HttpResponse:
        fields = body.fields()  # type: ignore[attr-defined]
        row = records.change_record(user, kind, UUID(item_id), fields, now=timezone.now())
        return json_response(200, render_record(out, row))

    @router.delete(path, auth=WRITE, response=gone, operation_id=f"delete_{word}", summary=f"Delete a {name} for good")
    @require_user
    def delete_record(request: HttpRequest, user: EndUser, item_id: ItemId) -> HttpResponse:
        if not records.remove_record(user, kind, UUID(item_id)):
            raise not_found()
        return HttpResponse(status=204)


def list_page(user: EndUser | None, kind: Kind, options: RecordPageOptions) -> tuple[Sequence[RecordBase], str | None]:
    """Newest first."""
    listing = ["kind", kind, user.pk if user else 0]
    before = paging.read_moment_cursor(listing, options.cursor)
    rows = records.list_records(user, kind, before=before, limit=options.limit + 1) if user else []
    return paging.cut_page(rows, options.limit, lambda row: paging.sign_moment_cursor(listing, row.created_at, row.pk))


add_record_routes(RecordRoutes("journals", Kind.JOURNAL, "journal", NewJournal, JournalPatch, JournalOut, JournalPage))
add_record_routes(RecordRoutes("todos", Kind.TODO, "todo", NewTodo, TodoPatch, TodoOut, TodoPage))
add_record_routes(
    RecordRoutes(
        "gratitude", Kind.GRATITUDE, "gratitude_note", NewGratitude, GratitudePatch, GratitudeOut, GratitudePage
    )
)


# --- preferences: one of each user -------------------------------------------------------------------------------
class PreferencesIn(RequestBody):
    language: Language = "en"
    religion: ReligionName | None = None
    flags: Metadata = Field(default_factory=dict)


class PreferencesOut(BaseModel):
    language: str
    religion: str | None
    flags: dict[str, JsonValue]
    updated_at: datetime | None = Field(description="Null while nobody has set any.")


@router.get(
    "/users/{user_id}/kinds/preferences",
    auth=READ,
    response=describe_responses(200, PreferencesOut),
    operation_id="get_preferences",
    summary="Read the preferences",
)
@optional_user
def get_preferences(request: HttpRequest, user: EndUser | None) -> HttpResponse:
    return json_response(200, render_preferences(records.get_preferences(user) if user else None))


@router.put(
    "/users/{user_id}/kinds/preferences",
    auth=WRITE,
    response=describe_responses(200, PreferencesOut, reads_body=True, writes=True),
    operation_id="put_preferences",
    summary="Set the preferences",
)
@create_user
def put_preferences(request: HttpRequest, user: EndUser, body: PreferencesIn) -> HttpResponse:
    """What is left out has its default."""
    row = records.replace_preferences(user, body.model_dump(), now=timezone.now())
    return json_response(200, render_preferences(row))


@router.delete(
    "/users/{user_id}/kinds/preferences",
    auth=WRITE,
    response=describe_responses(204, None, writes=True, may_miss=True),
    operation_id="delete_preferences",
    summary="Delete the preferences",
)
@require_user
def delete_preferences(request: HttpRequest, user: EndUser) -> HttpResponse:
    row = records.get_preferences(user)
    if row is None or not records.remove_record(user, Kind.PREFERENCE, row.pk):
        raise not_found()
    return HttpResponse(status=204)


# A person has one row at most, and before the first write its defaults.
def render_preferences(row: Any) -> PreferencesOut:  # noqa: ANN401 -- a row or nothing
    if row is None:
        return PreferencesOut(language="en", religion=None, flags={}, updated_at=None)
    return PreferencesOut(language=row.language, religion=row.religion, flags=row.flags, updated_at=row.updated_at)
