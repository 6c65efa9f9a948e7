"""A memory as every router publishes it."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from memory.guard.redaction.texts import list_marked_kinds_in
from memory.models import MemoryItem
from memory.tiers import Indexing, Status, Tier, Trust
from memory.web.fields import JsonValue, is_empty, is_none

TRUST_GRADES: dict[int, Literal["external", "assistant", "user"]] = {
    Trust.EXTERNAL: "external",
    Trust.ASSISTANT: "assistant",
    Trust.USER: "user",
}


class MemoryOut(BaseModel):
    id: UUID
    tier: Tier
    status: Status
    text: str
    tags: list[str]
    score: float
    importance: float
    confidence: float
    always_inject: bool
    warnings: list[str] = Field(description="Rules the guard suspects its text of breaking.")
    review: bool = Field(
        description="It waits for a person: found by search, told in no context by itself, ``always_inject`` or not."
    )
    thread_id: str
    agent_id: str = Field(description="The agent it belongs to; empty for the person's own.")
    project_id: str = Field(description="The project it belongs to; empty for the person's own.")
    speaker: str
    source: dict[str, JsonValue]
    metadata: dict[str, JsonValue]
    version: int
    mentions: int
    uses: int
    last_outcome: str | None
    trust: Literal["external", "assistant", "user"]
    principal: str = Field(description="Who wrote the wording it has.")
    parents: list[UUID]
    occurred_at: datetime
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    indexing: Indexing
    duplicate_of: UUID | None = Field(default=None, exclude_if=is_none, description="Present only when set.")
    redacted: list[str] = Field(
        default_factory=list,
        exclude_if=is_empty,
        description="Secrets that were not kept, by kind, such as ``github token``. Present when there were any.",
    )

    @classmethod
    def of(cls, item: MemoryItem, duplicate_of: UUID | None = None) -> "MemoryOut":
        return cls(
            id=item.pk,
            tier=Tier(item.tier),
            status=Status(item.status),
            text=item.text,
            tags=item.tags,
            # A float's last digits differ between machines and would make equal answers unequal.
            score=round(item.score, 6),
            importance=item.importance,
            confidence=item.confidence,
            always_inject=item.always_inject,
            warnings=item.warnings,
            review=item.review,
            thread_id=item.thread_id,
            agent_id=item.agent_id,
            project_id=item.project_id,
            speaker=item.speaker,
            source={"type": item.source_type, **item.source},
            metadata=item.metadata,
            version=item.version,
            mentions=item.mentions,
            uses=item.uses,
            last_outcome=item.last_outcome or None,
            trust=TRUST_GRADES[item.trust],
            principal=item.principal,
            parents=item.parents,
            occurred_at=item.occurred_at,
            created_at=item.created_at,
            updated_at=item.updated_at,
            expires_at=item.expires_at,
            indexing=Indexing(item.indexing),
            duplicate_of=duplicate_of,
            redacted=list_marked_kinds_in(
                item.text, item.tags, item.metadata, item.source, item.speaker, item.thread_id
            ),
        )
