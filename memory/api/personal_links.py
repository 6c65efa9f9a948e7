"""Links by which a person opens their own page."""

from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import BaseModel, Field

from memory.access.personal_links import DEFAULT_LIFE, LONGEST_LIFE, SHORTEST_LIFE
from memory.api.acting import open_facade
from memory.models import EndUser
from memory.web.addresses import read_base_url
from memory.web.auth import ADMIN_WHOLE
from memory.web.endpoints import require_user
from memory.web.fields import RequestBody
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses

router = Router(tags=["Leaving and arriving"])

HOUR = timedelta(hours=1)


class LinkIn(RequestBody):
    hours: int = Field(
        default=DEFAULT_LIFE // HOUR,
        strict=True,
        ge=SHORTEST_LIFE // HOUR,
        le=LONGEST_LIFE // HOUR,
        description="How long the link opens the page.",
    )


class LinkOut(BaseModel):
    url: str = Field(description="Told once: only a digest of it is kept. Whoever has it has the person's page.")
    expires_at: datetime


class LinksRevoked(BaseModel):
    revoked: int


@router.post(
    "/users/{user_id}/link",
    auth=ADMIN_WHOLE,
    response=describe_responses(201, LinkOut, reads_body=True, may_miss=True),
    operation_id="make_personal_link",
    summary="A link to the person's own page",
)
@require_user
def make_personal_link(request: HttpRequest, user: EndUser, body: LinkIn = LinkIn()) -> HttpResponse:  # noqa: B008
    """There the person sees what is remembered about them, corrects, sets aside, takes away and deletes it, and nothing
    else. As it can do what `export` and `DELETE /users/{user_id}` do, it takes the key that these take. Sent twice it
    makes two links: an answer with a secret in it is not kept for a repeat."""
    row, token = open_facade(request).make_personal_link(user, body.hours * HOUR, now=timezone.now())
    return json_response(201, LinkOut(url=f"{read_base_url(request)}/me/{token}", expires_at=row.expires_at))


@router.delete(
    "/users/{user_id}/link",
    auth=ADMIN_WHOLE,
    response=describe_responses(200, LinksRevoked, may_miss=True),
    operation_id="revoke_personal_links",
    summary="End all links to the person's own page",
)
@require_user
def revoke_personal_links(request: HttpRequest, user: EndUser) -> HttpResponse:
    """Pages that are open end with their next request."""
    revoked = open_facade(request).revoke_personal_links(user, now=timezone.now())
    return json_response(200, LinksRevoked(revoked=revoked))
