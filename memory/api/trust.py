"""Decisions that need a person: vouching for a memory, undoing a move, purging a source."""

from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Router
from pydantic import BaseModel, Field

from memory.access.users import is_stranger
from memory.api.acting import open_facade
from memory.api.memories import find_duplicate_of, render_item, render_merged
from memory.lifecycle.purging import PurgeFilter, PurgeResult
from memory.models import EndUser
from memory.web.auth import ADMIN, WRITE
from memory.web.endpoints import answer_once, write_once
from memory.web.fields import Flag, ItemId, Metadata, Name, RequestBody, UuidText
from memory.web.idempotency import json_response
from memory.web.items import MemoryOut
from memory.web.openapi import describe_responses
from memory.web.problems import not_found

router = Router(tags=["Trust"])

EventId = Annotated[int, Path(..., ge=1, le=2**63 - 1, description="The number of an event of the memory.")]
# A purge may match a whole import; the counts are of all of it.
LISTED = 1_000


@router.post(
    "/users/{user_id}/memories/{memory_id}/vouch",
    auth=ADMIN,
    response=describe_responses(200, MemoryOut, writes=True, may_miss=True),
    operation_id="vouch_for_memory",
    summary="Answer for a memory as for one's own words",
)
@write_once()
def vouch_for_memory(request: HttpRequest, user: EndUser, memory_id: ItemId) -> HttpResponse:
    """Raises its trust to ``user``, so that it may be promoted and always injected, and ends its review. Nothing else
    does either."""
    return render_item(open_facade(request).vouch(user, UUID(memory_id), now=timezone.now()))


@router.post(
    "/users/{user_id}/memories/{memory_id}/events/{event_id}/undo",
    auth=WRITE,
    response=describe_responses(200, MemoryOut, writes=True, may_miss=True),
    operation_id="undo_event",
    summary="Take a promotion, an archiving or a verdict back",
)
@write_once(duplicate_id=find_duplicate_of)
def undo_event(
    request: HttpRequest, user: EndUser, memory_id: ItemId, event_id: EventId, duplicate_id: UUID | None
) -> HttpResponse:
    """A move only while it is the last thing that happened to the memory; the outcomes that led to it do not lead to it
    again, the next one decides. A verdict when it was recorded by memory ids, without a turn or an exchange: where it
    names one, a new verdict on the same answer takes its place."""
    memory, key = open_facade(request), UUID(memory_id)
    return render_merged(memory.undo(user, key, event_id, now=timezone.now(), similar_to=duplicate_id), key)


class PurgeIn(RequestBody):
    """All given conditions must hold; at least one is required."""

    source: Name | Metadata | None = Field(
        default=None,
        description="A kind of source (user, assistant, tool, document, system), the name a client gave, or an object "
        "that the source contains.",
    )
    principal: Name | None = Field(default=None, description="Who wrote it, as memories and events name them.")
    thread_id: Name | None = None
    memory_id: UuidText | None = None
    dry_run: Flag = False

    def as_filter(self) -> PurgeFilter:
        source: str | dict[str, Any] = self.source or ""
        return PurgeFilter(
            source=source,
            principal=self.principal or "",
            thread_id=self.thread_id or "",
            memory_id=UUID(self.memory_id) if self.memory_id else None,
        )


class PurgeOut(BaseModel):
    matched: int = Field(description="Memories that hold words of the source.")
    derived: int = Field(description="Memories that came of those, in any number of steps.")
    removed: int
    reverted: int = Field(description="Memories that have an earlier wording again, in which the source had no part.")
    versions: int = Field(description="Wordings taken off memories that stay.")
    exchanges: int
    shared: int = Field(default=0, description="Copies taken out of spaces.")
    memory_ids: list[UUID] = Field(description=f"Of what was removed; at most {LISTED:,}.")

    @classmethod
    def of(cls, done: PurgeResult, exchanges: int) -> "PurgeOut":
        return cls(
            matched=done.matched,
            derived=done.derived,
            removed=done.removed,
            reverted=done.reverted,
            versions=done.versions,
            exchanges=exchanges,
            shared=done.shared,
            memory_ids=done.memory_ids[:LISTED],
        )


@router.post(
    "/users/{user_id}/memories/purge",
    auth=ADMIN,
    response=describe_responses(200, PurgeOut, reads_body=True, writes=True, may_miss=True),
    operation_id="purge_source",
    summary="Remove a source with everything that came of it",
)
@answer_once
def purge_source(request: HttpRequest, user: EndUser, body: PurgeIn) -> HttpResponse:
    """For good: texts, versions, exchanges and vectors. ``dry_run`` only counts; exchanges are counted as they go."""
    if is_stranger(user):
        raise not_found()
    # In many short transactions: one that is sent again finds what is left.
    done, exchanges = open_facade(request).purge(user, body.as_filter(), now=timezone.now(), dry_run=body.dry_run)
    return json_response(200, PurgeOut.of(done, exchanges))
