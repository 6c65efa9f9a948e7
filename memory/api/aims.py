"""Goals and values: statements of the memory bank that are asked for by what they are."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router

from memory.api.acting import open_facade
from memory.api.memories import render_item, write_memory
from memory.api.schemas import MemoryIn, MemoryPage
from memory.facts.profile.facts import DEFAULT_IMPORTANCE, IMPORTANCE, TAGS, ProfileField
from memory.models import EndUser
from memory.store.listing import RECENT, ItemFilter
from memory.tiers import Tier
from memory.web import paging
from memory.web.auth import READ, WRITE
from memory.web.endpoints import optional_user, require_user
from memory.web.fields import Flag, Fraction, ItemId, RecordPageOptions, RequestBody, Text, UserId
from memory.web.idempotency import json_response
from memory.web.items import MemoryOut
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
    path, plural = f"/users/{{user_id}}/{aim.field}", aim.field
    added = describe_responses(201, MemoryOut, reads_body=True, writes=True)
    gone = describe_responses(200, MemoryOut, writes=True, may_miss=True)

    @router.get(
        path,
        auth=READ,
        response=describe_responses(200, MemoryPage),
        operation_id=f"list_{plural}",
        summary=plural.title(),
    )
    @optional_user
    def list_aims(request: HttpRequest, user: EndUser | None, options: Query[RecordPageOptions]) -> HttpResponse:
        """The active ones, the latest first."""
        listing = [plural, user.pk if user else 0]
        after = paging.read_item_cursor(RECENT, listing, options.cursor)
        item_filter = ItemFilter(tier=Tier.MEMORY_BANK, tag=aim.tag)
        rows = open_facade(request).list_items(user, item_filter, after=after, limit=options.limit + 1)
        page, cursor = paging.cut_item_page(rows, options.limit, RECENT, listing)
        return json_response(200, MemoryPage(items=[MemoryOut.of(row) for row in page], next_cursor=cursor))

    @router.post(path, auth=WRITE, response=added, operation_id=f"add_{aim.word}", summary=f"Add a {aim.word}")
    def add_aim(request: HttpRequest, user_id: UserId, body: AimIn) -> HttpResponse:
        """A memory bank item, with all that holds for one: the guard, merging, versions, room."""
        # What the profile detector gives a goal or value that it hears, so that both rank alike.
        given = {"importance": IMPORTANCE.get(aim.field, DEFAULT_IMPORTANCE), **body.model_dump(exclude_none=True)}
        item = MemoryIn(tier=Tier.MEMORY_BANK, tags=list(TAGS[aim.field]), **given)
        return write_memory(request, user_id, item.as_new())

    @router.delete(
        f"{path}/{{item_id}}", auth=WRITE, response=gone, operation_id=f"remove_{aim.word}",
        summary=f"Archive a {aim.word}",
    )  # fmt: skip
    @require_user
    def archive_aim(request: HttpRequest, user: EndUser, item_id: ItemId) -> HttpResponse:
        """Out of every answer; ``POST /memories/{id}/restore`` brings it back."""
        return render_item(open_facade(request).archive_aim(user, aim.tag, UUID(item_id), now=timezone.now()))


# The word of the address, of a sentence, and of the tag need not be the same.
for aim in (Aim("goals", "goal", "goal"), Aim("values", "value", "value")):
    add_aim_routes(aim)
