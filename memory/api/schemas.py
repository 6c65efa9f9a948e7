"""Request and response schemas of the memory endpoints."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from memory.api.filters import ListFilters
from memory.models import MemoryVersion
from memory.models.sources import split_source
from memory.store.admission import NewMemory
from memory.store.lineage import MOST_PARENTS
from memory.tiers import MAX_BATCH, SourceType, Status, Tier
from memory.web.fields import (
    Flag,
    Fraction,
    FutureMoment,
    JsonValue,
    Metadata,
    Moment,
    Name,
    PageSize,
    QueryParameters,
    RequestBody,
    RowModel,
    Tags,
    Text,
    TextOrContent,
    UuidText,
    is_empty,
    is_none,
)
from memory.web.items import TRUST_GRADES, MemoryOut
from memory.web.scoping import ScopedFields

Parents = Annotated[list[UuidText], Field(max_length=MOST_PARENTS)]


class MemoryIn(TextOrContent, ScopedFields, RequestBody):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"text": "Ann's train leaves at 07:40 from platform 3.", "tags": ["context"]}]},
    )

    text: Text = Field(description="May be called `content`.")
    tier: Tier = Tier.WORKING
    tags: Tags | None = None
    importance: Fraction | None = None
    confidence: Fraction | None = None
    always_inject: Flag | None = None
    thread_id: Name | None = None
    speaker: Name | None = None
    source: Name | Metadata | None = Field(
        default=None,
        description="Where it comes from: user, assistant, tool, document, system, another name, or an object "
        "whose ``type`` is one of these.",
    )
    occurred_at: Moment | None = None
    expires_at: FutureMoment | None = Field(
        default=None, description="When it leaves every answer, in the place of the time that its tier gives."
    )
    metadata: Metadata | None = None
    strict: Flag | None = Field(
        default=None,
        description="Refuse with 422 what the memory bank would take with ``warnings`` and put under review.",
    )
    parents: Parents | None = Field(
        default=None,
        description="Ids of the memories this one was derived from: it is trusted no more than the least of them, and "
        "goes when one of them is purged.",
    )

    def as_new(self) -> NewMemory:
        source_type, source = read_source(self.source)
        given = {
            name: value
            for name in (
                "importance",
                "confidence",
                "always_inject",
                "thread_id",
                "speaker",
                "occurred_at",
                "expires_at",
            )
            if (value := getattr(self, name)) is not None
        }
        return NewMemory(
            text=self.text,
            tier=self.tier,
            tags=self.tags or [],
            source_type=source_type,
            source=source,
            metadata=self.metadata or {},
            parents=[UUID(parent) for parent in self.parents or ()],
            is_strict=bool(self.strict),
            agent_id=self.agent_id or "",
            project_id=self.project_id or "",
            **given,
        )


def read_source(source: str | dict[str, JsonValue] | None) -> tuple[SourceType, dict[str, Any]]:
    kind, described = split_source(source) if source else (None, {})
    # Only kinds of ours decide on trust.
    return kind or SourceType.USER, described


class BatchIn(RequestBody):
    items: list[MemoryIn] = Field(min_length=1, max_length=MAX_BATCH)


class MemoryPatch(TextOrContent, RequestBody):
    """Any of these, at least one; a new text makes a new version."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"minProperties": 1})

    # Defaults that are never read: what was sent is told by model_fields_set, and null is refused by the types.
    text: Text = Field(default_factory=str)
    tags: Tags = Field(default_factory=list)
    importance: Fraction = Field(default_factory=float)
    confidence: Fraction = Field(default_factory=float)
    always_inject: Flag = Field(default_factory=bool)
    metadata: Metadata = Field(default_factory=dict)
    expires_at: FutureMoment | None = Field(
        default=None, description="When it leaves every answer; null gives it the time of its tier again."
    )
    strict: Flag = Field(
        default_factory=bool, description="Refuse with 422 a text that the memory bank would put under review."
    )

    def changes(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.model_fields_set - {"strict"}}


class StoreOptions(QueryParameters):
    wait: Literal["index"] | None = Field(default=None, description="Wait up to 10 s until the memory is indexed.")


class ListOptions(ListFilters, QueryParameters):
    tier: Tier | None = None
    status: Status = Field(default=Status.ACTIVE, description="Which memories: active unless asked otherwise.")
    tag: str | None = Field(default=None, max_length=64, description="One tag; `tags` and `tags_any` take several.")
    review: bool | None = Field(default=None, description="Only what waits for a person, or only what does not.")
    q: str | None = Field(default=None, max_length=1000, description="Words the memory holds, in any order.")
    sort: Literal["recent", "score"] = "recent"
    cursor: str | None = Field(default=None, max_length=1000)
    limit: PageSize = 50


class BatchedMemoryOut(RowModel):
    """What became of one of a batch: the same as a single write says, without what was sent."""

    id: UUID
    tier: Tier
    warnings: list[str] = Field(description="Rules the guard suspects its text of breaking.")
    review: bool = Field(description="It waits for a person.")
    duplicate_of: UUID | None = Field(
        default=None, exclude_if=is_none, description="Present only when it was merged into an item that was there."
    )
    redacted: list[str] = Field(
        default_factory=list, exclude_if=is_empty, description="Secrets that were not kept, by kind."
    )


class BatchOut(BaseModel):
    ids: list[UUID]
    items: list[BatchedMemoryOut] = Field(description="One for each of the request's, in order.")


class MemoryPage(BaseModel):
    items: list[MemoryOut]
    next_cursor: str | None


class VersionOut(BaseModel):
    version: int
    text: str
    tags: list[str]
    importance: float
    confidence: float
    trust: Literal["external", "assistant", "user"]
    principal: str
    reason: str
    archived_at: datetime

    @classmethod
    def of(cls, row: MemoryVersion) -> "VersionOut":
        fields = {name: getattr(row, name) for name in cls.model_fields}
        return cls(**{**fields, "trust": TRUST_GRADES[row.trust]})


class VersionPage(BaseModel):
    items: list[VersionOut]
    next_cursor: str | None


class EventOut(RowModel):
    id: int
    kind: str
    reason: str
    before: dict[str, JsonValue]
    after: dict[str, JsonValue]
    actor: str
    at: datetime


class EventPage(BaseModel):
    items: list[EventOut]
    next_cursor: str | None


class IndexStatusOut(BaseModel):
    pending: int
    ready: int
    failed: int


class ErasureOut(BaseModel):
    job_id: UUID
