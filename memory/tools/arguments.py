"""The arguments of each tool. Lenient about form (names, lists and numbers sent as text), strict about meaning.

Every refusal names the field and the rule, so that the model can correct its call.
"""

import json
import re
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from memory.access.spaces import MOST_SPACES
from memory.language.text import CONTROL, validate_text
from memory.models.conditions import validate_period
from memory.records.choosing import DEFAULT_TOP_K, RecallBias
from memory.records.texts import Kind
from memory.tiers import MAX_QUERY_CHARS, MAX_TEXT_CHARS, Outcome, Tier

NAME_LIMIT = 200
MOST_RESULTS = 20
MOST_RELATED = 50
BANK_TAGS = "identity, preference, goal, project, system_mastery, agent_growth, workflow, context"


def fit_query(value: str) -> str:
    return validate_text(value, MAX_QUERY_CHARS).strip()


def fit_whole_text(value: str) -> str:
    return validate_text(value, MAX_TEXT_CHARS)


def validate_name(value: str) -> str:
    if CONTROL.search(value) or "\n" in value or len(value) > NAME_LIMIT:
        raise ValueError(f"must be one line of at most {NAME_LIMIT} characters")
    return value


def parse_list(value: object) -> object:
    """A list that was sent as a single value, as "a, b", or as JSON in a string."""
    if isinstance(value, str):
        text = value.strip()
        # Models also send a list as JSON in a string.
        if text.startswith("["):
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                return value
        return [part.strip() for part in text.split(",") if part.strip()]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else value


def expand_all(value: object) -> object:
    """Named collections as a list; "all", alone or among others, means every one."""
    listed = parse_list(value)
    if isinstance(listed, list) and "all" in listed:
        return [tier.value for tier in Tier]
    return listed


def parse_source(value: object) -> object:
    """An object that was sent as JSON in a string, as one."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def parse_memory_id(value: object) -> object:
    if isinstance(value, UUID):
        return value
    try:
        return UUID(str(value).strip().removeprefix("id "))
    except ValueError as error:
        raise ValueError("must be the id of a memory, a UUID; it stands in the search results") from error


def parse_day_or_moment(value: object) -> datetime:
    """ISO 8601; a day alone is its beginning, and without an offset it is UTC."""
    try:
        moment = datetime.fromisoformat(str(value).strip().upper())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError("must be an ISO 8601 date or time, such as 2026-03-02 or 2026-03-02T09:30:00Z") from error


Query = Annotated[str, Field(min_length=1), AfterValidator(fit_query)]
Text = Annotated[str, Field(min_length=1), AfterValidator(fit_whole_text)]
Name = Annotated[str, AfterValidator(validate_name)]
Share = Annotated[
    float, Field(ge=0, le=1, allow_inf_nan=False), WithJsonSchema({"type": "number", "description": "0-1"})
]
Id = Annotated[UUID, BeforeValidator(parse_memory_id, json_schema_input_type=str)]
Tags = Annotated[list[Name], BeforeValidator(parse_list), Field(min_length=1, max_length=20)]
SomeTags = Annotated[list[Name], BeforeValidator(parse_list), Field(max_length=20)]
Collections = Annotated[list[Tier], BeforeValidator(expand_all), Field(min_length=1)]
Slugs = Annotated[list[str], BeforeValidator(parse_list), Field(max_length=MOST_SPACES)]
Source = Annotated[Name | dict[str, Any], BeforeValidator(parse_source)]
Moment = Annotated[datetime, BeforeValidator(parse_day_or_moment, json_schema_input_type=str)]
Reference = int | Annotated[str, Field(max_length=64)]
Related = Annotated[list[Reference], BeforeValidator(parse_list), Field(max_length=MOST_RELATED)]


class Arguments(BaseModel):
    """Nothing is ignored; null is the same as leaving a field out; ``other_names`` are taken for the field's own."""

    model_config = ConfigDict(extra="forbid")
    other_names: ClassVar[dict[str, tuple[str, ...]]] = {}
    # Arguments that are published as one object, by its name: every property costs tokens in every conversation.
    published_as: ClassVar[dict[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def with_own_names(cls, given: Any) -> Any:  # noqa: ANN401 -- whatever a model sent
        if not isinstance(given, dict):
            return given
        fields = {name: value for name, value in given.items() if value is not None}
        for name in cls.published_as:
            if isinstance(fields.get(name), dict):
                fields = {**{key: value for key, value in fields.pop(name).items() if value is not None}, **fields}
        for field, others in cls.other_names.items():
            for other in others:
                if other in fields and other not in cls.model_fields:
                    value = fields.pop(other)
                    # Two different queries under two names: guessing would search for the wrong one.
                    if fields.setdefault(field, value) != value:
                        raise ValueError(f"{field} and {other} are the same argument; give one of them")
        return fields


class InsightsArguments(Arguments):
    other_names = {"query": ("q", "search", "text")}

    query: Query = Field(description="The user's message")
    thread_id: Name = ""


class SearchArguments(Arguments):
    other_names = {"query": ("q", "search", "text"), "collections": ("collection", "tiers"), "limit": ("top_k",)}
    published_as = {"filters": "metadata, tags, tags_any, in_thread, source, occurred_after, occurred_before, spaces"}

    query: Query
    collections: Collections | None = None
    limit: int | None = Field(default=None, ge=1, le=MOST_RESULTS, description="Default: by question, 5-20")
    sort_by: Literal["relevance", "recency", "score"] | None = None
    metadata: dict[str, Any] | None = None
    tags: Tags | None = None
    tags_any: Tags | None = None
    in_thread: Name = ""
    source: Source | None = None
    occurred_after: Moment | None = None
    occurred_before: Moment | None = None
    spaces: Slugs | None = None
    turn_id: Id | None = Field(default=None, description="Search further in this turn")
    thread_id: Name = ""
    more: bool = Field(default=False, description="The user asked to search again")

    @field_validator("occurred_before")
    @classmethod
    def follow_the_other(cls, value: datetime | None, info: ValidationInfo) -> datetime | None:
        validate_period(info.data.get("occurred_after"), value)
        return value

    @model_validator(mode="after")
    def hold_small_objects(self) -> "SearchArguments":
        for name, value in (("metadata", self.metadata), ("source", self.source)):
            text = json.dumps(value, ensure_ascii=False) if value else ""
            if len(text) > MAX_QUERY_CHARS or re.search(r"\\u00[01]|\\ud[89a-f]", json.dumps(value or {}), re.I):
                raise ValueError(f"{name} must be at most {MAX_QUERY_CHARS} characters of plain text")
        return self


class ResponseArguments(Arguments):
    other_names = {"key_takeaway": ("takeaway", "summary"), "related": ("related_positions", "related_ids")}

    key_takeaway: Text = Field(description="1-2 sentences: what was learned")
    outcome: Outcome = Field(default=Outcome.UNKNOWN, description="By the user's reaction")
    related: Related | None = Field(default=None, description="Positions or ids of results used; default all")
    turn_id: Id | None = Field(default=None, description="Default: the last turn")
    thread_id: Name = ""


class BankArguments(Arguments):
    other_names = {"content": ("text", "memory")}

    content: Text = Field(description="One lasting statement, about the user or the work")
    tags: SomeTags = Field(default=[], description=f"{BANK_TAGS}; default: by what it tells")
    importance: Share = 0.7
    confidence: Share = 0.7
    always_inject: bool = Field(default=False, description="Into every context; core identity only")


class BankTarget(Arguments):
    other_names = {"memory_id": ("id",), "match_query": ("query", "old_content")}

    memory_id: Id | None = Field(default=None, description="Preferred")
    match_query: Query | None = Field(default=None, description="Or words only this memory matches")

    @model_validator(mode="after")
    def name_one(self) -> "BankTarget":
        if (self.memory_id is None) == (self.match_query is None):
            raise ValueError("give either memory_id or match_query")
        return self


class UpdateArguments(BankTarget):
    other_names = {**BankTarget.other_names, "new_content": ("content", "text")}

    new_content: Text
    tags: Tags | None = None
    importance: Share | None = None
    confidence: Share | None = None


class ArchiveArguments(BankTarget):
    other_names = {**BankTarget.other_names, "match_query": ("query", "old_content", "content", "text")}


class RecallFilters(Arguments):
    kinds: Annotated[list[Kind], BeforeValidator(parse_list), Field(min_length=1)] | None = None


class RecallArguments(Arguments):
    other_names = {"query": ("q", "search", "text"), "top_k": ("limit",)}

    query: Query
    filters: RecallFilters = Field(default_factory=RecallFilters)
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MOST_RESULTS)
    # Accepted and not published: their 60 tokens would be paid in every conversation.
    bias: SkipJsonSchema[RecallBias | None] = None
    max_per_kind: SkipJsonSchema[int | None] = Field(default=None, ge=1, le=MOST_RESULTS)
