"""Goals and values: statements of the memory bank that are asked for by what they are."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router

from memory.api.acting import open_facade
from memory.api.memories import render_item, store_memory
from memory.api.schemas import MemoryIn, MemoryOut, MemoryPage, StoreOptions
from memory.facts.profile.facts import DEFAULT_IMPORTANCE, IMPORTANCE, TAGS, ProfileField
from memory.store import listing
from memory.tiers import Tier
from memory.web import paging
from memory.web.auth import READ, WRITE, get_user_or_404, lookup_user
from memory.web.fields import Flag, Fraction, ItemId, PageOptions, RequestBody, Text, UserId
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses

router = Router(tags=["Memories"])


class AimIn(RequestBody):
    text: Text
    importance: Fraction | None = None
    confidence: Fraction | None = None
    always_inject: Flag | None = None


@dataclass(frozen=True, slots=True)
class Aim:
    """``tag`` is what makes a bank item one of these."""

    field: ProfileField
    word: str
    tag: str


def add_aim_routes(aim: Aim) -> None:
    where, plural = f"/users/{{u}}/{aim.field}", aim.field
    added = describe_responses(201, MemoryOut, reads_body=True, writes=True)
    gone = describe_responses(200, MemoryOut, writes=True, may_miss=True)

    @router.get(
        where,
        auth=READ,
        response=describe_responses(200, MemoryPage),
        operation_id=f"list_{plural}",
        summary=plural.title(),
    )
    def listed(request: HttpRequest, u: UserId, options: Query[PageOptions]) -> HttpResponse:
        """The active ones, the latest first."""
        user = lookup_user(request, u)
        mark = [plural, user.pk if user else 0]
        after = paging.read_item_cursor(listing.RECENT, mark, options.cursor)
        rows = open_facade(request).aims(user, aim.tag, after=after, limit=options.limit + 1) if user else []
        page, following = rows[: options.limit], None
        if len(rows) > options.limit:
            following = paging.sign_item_cursor(
                listing.RECENT, mark, listing.build_item_cursor(page[-1], listing.RECENT)
            )
        return json_response(200, MemoryPage(items=[MemoryOut.of(row) for row in page], next_cursor=following))

    @router.post(where, auth=WRITE, response=added, operation_id=f"add_{aim.word}", summary=f"Add a {aim.word}")
    def add(request: HttpRequest, u: UserId, body: AimIn) -> HttpResponse:
        """A memory bank item, with all that holds for one: the guard, merging, versions, room."""
        given = {"importance": IMPORTANCE.get(aim.field, DEFAULT_IMPORTANCE), **body.model_dump(exclude_none=True)}
        new = MemoryIn(tier=Tier.MEMORY_BANK, tags=list(TAGS[aim.field]), **given)
        return store_memory(request, u, new, StoreOptions())

    @router.delete(
        f"{where}/{{item_id}}", auth=WRITE, response=gone, operation_id=f"remove_{aim.word}",
        summary=f"Archive a {aim.word}",
    )  # fmt: skip
    def remove(request: HttpRequest, u: UserId, item_id: ItemId) -> HttpResponse:
        """Out of every answer; ``POST /memories/{id}/restore`` brings it back."""
        user = get_user_or_404(request, u)
        return render_item(open_facade(request).archive_aim(user, aim.tag, UUID(item_id), now=timezone.now()))


for one in (Aim("goals", "goal", "goal"), Aim("values", "value", "value")):
    add_aim_routes(one)
