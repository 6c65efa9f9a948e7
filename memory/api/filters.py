"""Filters on memories that a search and a list take alike: tags, thread, time, source and metadata."""

import json
from datetime import datetime
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationInfo, WithJsonSchema, field_validator

from memory.models.conditions import RowConditions, validate_period
from memory.tiers import MAX_METADATA_BYTES, MAX_TAG_CHARS, MAX_TAGS
from memory.web.fields import Metadata, Name, Tags, parse_day_or_moment, validate_json_size


def require_some(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def require_tags(value: list[str]) -> list[str]:
    """A filter that names nothing would let everything through."""
    if not value or not all(tag.strip() for tag in value):
        raise ValueError("must name at least one tag, and no empty one")
    return value


def require_listed_tags(value: str) -> str:
    require_tags(value.split(","))
    return value


def parse_object(value: object) -> object:
    """A JSON object that stands in an address as text."""
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value) if len(value.encode("utf-8", "replace")) <= MAX_METADATA_BYTES else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(
            f'must be a JSON object of at most {MAX_METADATA_BYTES:,} bytes, such as {{"project": "atlas"}}'
        )
    return found


ALL_OF, ONE_OF = "Only memories that have all of these.", "Only memories that have at least one of these."
FilterMoment = Annotated[
    datetime,
    BeforeValidator(parse_day_or_moment),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
SomeTags = Annotated[Tags, AfterValidator(require_tags)]
# As one text, which is read as a list where it is used: no parameter is given twice here.
ListedTags = Annotated[str, Field(max_length=MAX_TAGS * (MAX_TAG_CHARS + 1)), AfterValidator(require_listed_tags)]
Thread = Annotated[Name, AfterValidator(require_some)]
MetadataText = Annotated[
    dict[str, Any],
    BeforeValidator(parse_object, json_schema_input_type=str),
    AfterValidator(validate_json_size),
]


def require_source(value: str | dict[str, Any]) -> str | dict[str, Any]:
    if not value or (isinstance(value, str) and not value.strip()):
        raise ValueError("must name a source, or be an object that it contains")
    return value


def parse_listed_source(value: object) -> object:
    """In an address a name as it is, an object as JSON."""
    return parse_object(value) if isinstance(value, str) and value.lstrip().startswith("{") else value


SOURCE = (
    "Only memories of this source: a kind (user, assistant, tool, document, system), the name a client gave, or an "
    "object that the source contains."
)
Source = Annotated[Name | Metadata, AfterValidator(require_source)]
SourceText = Annotated[Source, BeforeValidator(parse_listed_source, json_schema_input_type=str)]


class Period(BaseModel):
    occurred_after: FilterMoment | None = Field(
        default=None, description="Said at this time or later. A day is its beginning."
    )
    occurred_before: FilterMoment | None = Field(
        default=None, description="Said earlier than this. A day is its beginning."
    )

    expires_before: FilterMoment | None = Field(
        default=None, description="Whose time ends earlier than this. A day is its beginning."
    )

    @field_validator("occurred_before")
    @classmethod
    def follow_the_other(cls, value: datetime | None, info: ValidationInfo) -> datetime | None:
        validate_period(info.data.get("occurred_after"), value)
        return value


class SearchFilters(Period):
    tags: SomeTags | None = Field(default=None, description=ALL_OF)
    tags_any: SomeTags | None = Field(default=None, description=ONE_OF)
    metadata: Metadata | None = Field(
        default=None, description="Only memories whose metadata contains this; objects inside are contained alike."
    )
    in_thread: Thread | None = Field(default=None, description="Only memories of this thread.")
    source: Source | None = Field(default=None, description=SOURCE)


class ListFilters(Period):
    tags: ListedTags | None = Field(default=None, description=f"{ALL_OF} Separated by commas.")
    tags_any: ListedTags | None = Field(default=None, description=f"{ONE_OF} Separated by commas.")
    metadata: MetadataText | None = Field(default=None, description="A JSON object that their metadata contains.")
    thread_id: Thread | None = Field(default=None, description="Only memories of this thread.")
    source: SourceText | None = Field(default=None, description=f"{SOURCE} An object as JSON.")


class Filters(Protocol):
    @property
    def tags(self) -> list[str] | str | None: ...

    @property
    def tags_any(self) -> list[str] | str | None: ...

    @property
    def occurred_after(self) -> datetime | None: ...

    @property
    def occurred_before(self) -> datetime | None: ...

    @property
    def expires_before(self) -> datetime | None: ...

    @property
    def metadata(self) -> dict[str, Any] | None: ...

    @property
    def source(self) -> str | dict[str, Any] | None: ...


def split_tags(tags: list[str] | str | None) -> list[str]:
    return tags.split(",") if isinstance(tags, str) else tags or []


def build_conditions(filters: Filters, thread: str | None) -> RowConditions:
    return RowConditions.of(
        filters.metadata,
        split_tags(filters.tags),
        split_tags(filters.tags_any),
        thread or "",
        filters.occurred_after,
        filters.occurred_before,
        filters.source,
        filters.expires_before,
    )
