"""Deleting several memories at once: those that are named, those that match, all."""

from dataclasses import replace
from typing import Annotated
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import AliasChoices, BaseModel, Field

from memory.api.acting import open_facade
from memory.api.filters import ALL_OF, ONE_OF, SOURCE, Period, SomeTags, Source, Thread, build_conditions
from memory.facade.removal import EVERYTHING, MOST_AT_ONCE, Removal
from memory.models import EndUser
from memory.store.listing import ItemFilter
from memory.tiers import MAX_BATCH, Status, Tier
from memory.web.auth import WRITE
from memory.web.endpoints import write_once
from memory.web.fields import Flag, Metadata, RequestBody, UuidText
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.problems import invalid_field

router = Router(tags=["Memories"])

NOTHING_NARROWED = ItemFilter(status=Status.ACTIVE, has_passages=False)


class DeletionFilters(Period, RequestBody):
    """What a list of memories takes, all of which must hold."""

    tier: Tier | None = Field(default=None, description="What is in `books` is deleted for it alone.")
    status: Status = Field(default=Status.ACTIVE, description="Which memories: active unless asked otherwise.")
    tags: SomeTags | None = Field(default=None, description=ALL_OF)
    tags_any: SomeTags | None = Field(default=None, description=ONE_OF)
    metadata: Metadata | None = Field(default=None, description="An object that their metadata contains.")
    thread_id: Thread | None = Field(
        default=None,
        validation_alias=AliasChoices("thread_id", "in_thread"),
        description="Only memories of this thread. May be called `in_thread`.",
    )
    source: Source | None = Field(default=None, description=SOURCE)
    review: Flag | None = Field(default=None, description="Only what waits for a person, or only what does not.")
    q: str | None = Field(
        default=None, strict=True, max_length=1000, description="Words the memory holds, in any order."
    )

    def as_filter(self) -> ItemFilter:
        """Raises Problem where it would let every memory through."""
        wanted = ItemFilter(
            self.status,
            self.tier,
            words=self.q,
            rows=build_conditions(self, self.thread_id),
            review=self.review,
            has_passages=self.tier is Tier.BOOKS,
        )
        # Next to nothing waits for a person, so that what does not is as good as everything.
        if replace(wanted, review=wanted.review or None) == NOTHING_NARROWED:
            raise invalid_field("filters", 'would match every memory: narrow them, or send "all": true instead')
        return wanted


class BulkDeletionIn(RequestBody):
    """Exactly one of `ids`, `filters` and `all`."""

    ids: Annotated[list[UuidText], Field(min_length=1, max_length=MAX_BATCH)] | None = None
    filters: DeletionFilters | None = None
    all: Flag | None = Field(
        default=None,
        description="`true`: every memory of the person, of any tier and status, but for passages of books.",
    )
    dry_run: Flag = Field(default=False, description="Only say what would be deleted.")

    def choose(self) -> list[UUID] | ItemFilter:
        """Raises Problem where it is not said what is to go."""
        given = [name for name in ("ids", "filters", "all") if getattr(self, name)]
        if len(given) != 1:
            raise invalid_field(given[1] if given else "", 'give one of "ids", "filters" and "all": true, and no other')
        if self.ids:
            return [UUID(item_id) for item_id in self.ids]
        return self.filters.as_filter() if self.filters else EVERYTHING


class BulkDeletionOut(BaseModel):
    dry_run: bool
    matched: int = Field(description="Memories that were meant when the call came.")
    deleted: int = Field(description="How many of them are gone now: none in a dry run.")
    remaining: int = Field(
        description=f"How many are still there. A call deletes at most {MOST_AT_ONCE:,}: repeat it until none is left."
    )
    passages: int = Field(
        description="Passages of books and of threads' documents that match as well. They stay: a book goes as a whole."
    )
    memory_ids: list[UUID] = Field(description="What was deleted, or would be by this call.")
    unknown_ids: list[UUID] = Field(description="Those of `ids` that name no memory of the person.")

    @classmethod
    def of(cls, done: Removal, *, dry_run: bool) -> "BulkDeletionOut":
        deleted = 0 if dry_run else len(done.ids)
        return cls(
            dry_run=dry_run,
            matched=done.matched,
            deleted=deleted,
            remaining=done.matched - deleted,
            passages=done.passages,
            memory_ids=list(done.ids),
            unknown_ids=list(done.unknown),
        )


@router.post(
    "/users/{user_id}/memories/delete",
    auth=WRITE,
    response=describe_responses(200, BulkDeletionOut, reads_body=True, writes=True, may_miss=True),
    operation_id="delete_memories",
    summary="Delete several memories for good",
)
@write_once()
def delete_memories(request: HttpRequest, user: EndUser, body: BulkDeletionIn) -> HttpResponse:
    """Each as if deleted alone, all that a call names or none. With ``filters`` or ``all`` the newest go first."""
    done = open_facade(request).remove_chosen(user, body.choose(), now=timezone.now(), dry_run=body.dry_run)
    return json_response(200, BulkDeletionOut.of(done, dry_run=body.dry_run))
