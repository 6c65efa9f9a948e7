"""The people a key may act for."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from pydantic import BaseModel, Field

from memory.access.users import list_users_after
from memory.models import EndUser
from memory.web import paging
from memory.web.auth import READ_WHOLE, get_principal
from memory.web.fields import RecordPageOptions
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses

router = Router(tags=["Users"])


class UserOut(BaseModel):
    user_id: str = Field(description="Your own id, which is `{user_id}` in addresses.")
    created_at: datetime
    last_active_at: datetime | None = Field(description="Of the last exchange; null before the first.")

    @classmethod
    def of(cls, row: EndUser) -> "UserOut":
        return cls(user_id=row.external_id, created_at=row.created_at, last_active_at=row.last_active_at)


class UserPage(BaseModel):
    items: list[UserOut]
    next_cursor: str | None


@router.get(
    "/users",
    auth=READ_WHOLE,
    response=describe_responses(200, UserPage),
    operation_id="list_users",
    summary="List users",
)
def list_users(request: HttpRequest, options: Query[RecordPageOptions]) -> HttpResponse:
    """Of whom something was written, the first known first: everybody of the organisation, or those among them that the
    key acts for. Whoever is being erased is in it no more."""
    principal = get_principal(request)
    listing = ["users", principal.organization_id]
    after = paging.read_number_cursor(listing, options.cursor) or 0
    rows = list_users_after(principal.organization_id, principal.user_ids, after=after, limit=options.limit + 1)
    page, cursor = paging.cut_page(rows, options.limit, lambda row: paging.sign_cursor(listing, [row.pk]))
    return json_response(200, UserPage(items=[UserOut.of(row) for row in page], next_cursor=cursor))
