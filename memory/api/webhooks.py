"""Webhooks of the organisation: whom to tell of changes, and what became of each message."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Path, Query, Router
from pydantic import BaseModel, Field

from memory.models import WebhookDelivery, WebhookEndpoint
from memory.models.webhooks import URL_CHARS, DeliveryState
from memory.web.auth import BearerKey, get_principal
from memory.web.fields import Flag, QueryParameters, RecordPageOptions, RequestBody
from memory.web.idempotency import json_response
from memory.web.openapi import UNREPEATED, describe_responses
from memory.web.paging import cut_page, read_number_cursor, sign_cursor
from memory.web.patterns import UUID_PATTERN
from memory.web.problems import Problem, not_found
from memory.webhooks import endpoints, listing
from memory.webhooks.endpoints import NewEndpoint
from memory.webhooks.messages import name_message

router = Router(tags=["Webhooks"])

EndpointId = Annotated[str, Path(..., pattern=UUID_PATTERN, description="The endpoint's id.")]
DeliveryId = Annotated[int, Path(..., ge=1, le=2**63 - 1, description="The delivery's id.")]
EventName = Literal[
    "memory.stored",
    "memory.revised",
    "memory.promoted",
    "memory.dormant",
    "memory.archived",
    "memory.restored",
    "memory.deleted",
    "memory.superseded",
    "secret.redacted",
    "review.due",
]
Events = Annotated[list[EventName], Field(min_length=1, max_length=20)]
Url = Annotated[str, Field(strict=True, min_length=1, max_length=URL_CHARS, examples=["https://example.com/hooks"])]
Person = Annotated[str, Field(strict=True, max_length=128, description="Of this user alone; empty for everybody.")]
# Another organisation's endpoint and one that never was are answered alike.
EXTRA = {UNREPEATED: True}


# An endpoint hears of people whom a narrower key may not read.
WHOLE_ORGANIZATION = BearerKey("admin", is_whole=True, is_everybodys=True)


class EndpointIn(RequestBody):
    url: Url
    events: Events
    user_id: Person = ""
    include_content: Flag = Field(default=False, description="Send the words too, and not their ids alone.")


class EndpointChanges(RequestBody):
    url: Url | None = None
    events: Events | None = None
    user_id: Person | None = None
    include_content: Flag | None = None
    enabled: Flag | None = None


class EndpointOut(BaseModel):
    id: UUID
    url: str
    events: list[str]
    user_id: str
    include_content: bool
    enabled: bool
    note: str = Field(description="Why it was disabled, where nobody asked for it.")
    failures: int = Field(description="In a row, since the last delivery.")
    delivered_at: datetime | None
    created_at: datetime

    @classmethod
    def of(cls, row: WebhookEndpoint) -> dict[str, Any]:
        names = ("id", "url", "events", "note", "failures", "delivered_at", "created_at")
        return {name: getattr(row, name) for name in names} | {
            "user_id": row.person,
            "include_content": row.includes_content,
            "enabled": row.disabled_at is None,
        }


class EndpointMade(EndpointOut):
    secret: str = Field(description="Signs each message. Shown this once.")


class SecretOut(BaseModel):
    secret: str = Field(description="Shown this once. The one before signs beside it for 24 hours.")


class EndpointList(BaseModel):
    items: list[EndpointOut]
    next_cursor: str | None


class DeliveryOut(BaseModel):
    id: int
    message_id: str = Field(description="The `webhook-id` of every attempt.")
    event: str
    user_id: str | None
    state: DeliveryState
    attempts: int
    status: int | None = Field(description="Of the last answer.")
    error: str
    excerpt: str = Field(description="The beginning of a refusal.")
    created_at: datetime
    attempted_at: datetime | None
    next_attempt_at: datetime | None

    @classmethod
    def of(cls, row: WebhookDelivery) -> "DeliveryOut":
        return cls(
            id=row.pk,
            message_id=name_message(row.event_id),
            event=row.kind,
            user_id=row.end_user.external_id if row.end_user else None,
            state=DeliveryState(row.state),
            attempts=row.attempts,
            status=row.status,
            error=row.error,
            excerpt=row.excerpt,
            created_at=row.created_at,
            attempted_at=row.attempted_at,
            next_attempt_at=row.due_at if row.state == DeliveryState.PENDING else None,
        )


class DeliveryList(BaseModel):
    items: list[DeliveryOut]
    next_cursor: str | None


class DeliveryPageOptions(RecordPageOptions):
    state: DeliveryState | None = None


class SentAgain(BaseModel):
    queued: int


def answer_refusals(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @wraps(view)
    def endpoint(*args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(*args, **kwargs)
        except listing.NotSentAgain as error:
            raise Problem(409, "conflict", str(error)) from None

    return endpoint


def require_endpoint(request: HttpRequest, endpoint_id: str) -> WebhookEndpoint:
    found = endpoints.find_endpoint(get_principal(request).organization_id, endpoint_id)
    if found is None:
        raise not_found()
    return found


@router.post(
    "/webhooks",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(201, EndpointMade, reads_body=True),
    operation_id="create_webhook",
    summary="Tell an address of changes",
    openapi_extra=EXTRA,
)
def create_webhook(request: HttpRequest, body: EndpointIn) -> HttpResponse:
    """The answer holds the secret that signs each message (`whsec_...`), and no later answer does."""
    principal = get_principal(request)
    new = NewEndpoint(body.url, body.events, body.user_id, body.include_content)
    row, secret = endpoints.create_endpoint(principal.organization_id, new, now=timezone.now(), actor=principal.actor)
    return json_response(201, EndpointMade(**EndpointOut.of(row), secret=secret))


@router.get(
    "/webhooks",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(200, EndpointList),
    operation_id="list_webhooks",
    summary="Addresses that are told of changes",
)
def list_webhooks(request: HttpRequest, options: Query[QueryParameters]) -> HttpResponse:
    """All of them: an organisation has 50 at most."""
    rows = endpoints.list_endpoints(get_principal(request).organization_id)
    return json_response(
        200, EndpointList(items=[EndpointOut(**EndpointOut.of(row)) for row in rows], next_cursor=None)
    )


@router.get(
    "/webhooks/{endpoint_id}",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(200, EndpointOut, may_miss=True),
    operation_id="get_webhook",
    summary="One address that is told of changes",
)
def get_webhook(request: HttpRequest, endpoint_id: EndpointId) -> HttpResponse:
    return json_response(200, EndpointOut(**EndpointOut.of(require_endpoint(request, endpoint_id))))


@router.patch(
    "/webhooks/{endpoint_id}",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(200, EndpointOut, reads_body=True, may_miss=True),
    operation_id="update_webhook",
    summary="Change what an address is told, or disable it",
)
def update_webhook(request: HttpRequest, endpoint_id: EndpointId, body: EndpointChanges) -> HttpResponse:
    """What waits for an address that is disabled is given up, and can be sent again once it is enabled."""
    row, given = require_endpoint(request, endpoint_id), body.model_dump(exclude_none=True)
    names = {"user_id": "person", "include_content": "includes_content", "enabled": "is_enabled"}
    changes = {names.get(name, name): value for name, value in given.items()}
    row = endpoints.update_endpoint(row, changes, now=timezone.now(), actor=get_principal(request).audit_actor)
    return json_response(200, EndpointOut(**EndpointOut.of(row)))


@router.delete(
    "/webhooks/{endpoint_id}",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(204, None, may_miss=True),
    operation_id="delete_webhook",
    summary="Tell an address nothing more",
)
def delete_webhook(request: HttpRequest, endpoint_id: EndpointId) -> HttpResponse:
    """What waits for it and the log of what it was sent go too."""
    endpoints.delete_endpoint(
        require_endpoint(request, endpoint_id), now=timezone.now(), actor=get_principal(request).audit_actor
    )
    return HttpResponse(status=204)


@router.post(
    "/webhooks/{endpoint_id}/rotate",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(200, SecretOut, may_miss=True),
    operation_id="rotate_webhook_secret",
    summary="Make a new secret",
    openapi_extra=EXTRA,
)
def rotate_webhook_secret(request: HttpRequest, endpoint_id: EndpointId) -> HttpResponse:
    row, actor = require_endpoint(request, endpoint_id), get_principal(request).actor
    return json_response(200, SecretOut(secret=endpoints.rotate_secret(row, now=timezone.now(), actor=actor)))


@router.post(
    "/webhooks/{endpoint_id}/test",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(202, DeliveryOut, may_miss=True, writes=True),
    operation_id="test_webhook",
    summary="Send a message that tells of nothing",
    openapi_extra=EXTRA,
)
@answer_refusals
def test_webhook(request: HttpRequest, endpoint_id: EndpointId) -> HttpResponse:
    row = listing.send_test(require_endpoint(request, endpoint_id), now=timezone.now())
    return json_response(202, DeliveryOut.of(row))


@router.get(
    "/webhooks/{endpoint_id}/deliveries",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(200, DeliveryList, may_miss=True),
    operation_id="list_webhook_deliveries",
    summary="What an address was told, the newest first",
)
def list_webhook_deliveries(
    request: HttpRequest, endpoint_id: EndpointId, options: Query[DeliveryPageOptions]
) -> HttpResponse:
    row = require_endpoint(request, endpoint_id)
    lists = ["webhook", str(row.pk), options.state]
    before = read_number_cursor(lists, options.cursor)
    found = listing.list_deliveries(row, state=options.state, before=before, limit=options.limit + 1)
    page, cursor = cut_page(found, options.limit, lambda last: sign_cursor(lists, [last.pk]))
    return json_response(200, DeliveryList(items=[DeliveryOut.of(one) for one in page], next_cursor=cursor))


@router.post(
    "/webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(202, DeliveryOut, may_miss=True, writes=True),
    operation_id="redeliver_webhook",
    summary="Send a message again",
    openapi_extra=EXTRA,
)
@answer_refusals
def redeliver_webhook(request: HttpRequest, endpoint_id: EndpointId, delivery_id: DeliveryId) -> HttpResponse:
    """Under the same `webhook-id`, with all attempts anew."""
    endpoint = require_endpoint(request, endpoint_id)
    row = listing.find_delivery(endpoint, delivery_id)
    if row is None:
        raise not_found()
    return json_response(202, DeliveryOut.of(listing.send_again(endpoint, row, now=timezone.now())))


@router.post(
    "/webhooks/{endpoint_id}/redeliver",
    auth=WHOLE_ORGANIZATION,
    response=describe_responses(202, SentAgain, may_miss=True, writes=True),
    operation_id="redeliver_dead_webhooks",
    summary="Send all messages again that were given up",
    openapi_extra=EXTRA,
)
@answer_refusals
def redeliver_dead_webhooks(request: HttpRequest, endpoint_id: EndpointId) -> HttpResponse:
    queued = listing.send_dead_again(require_endpoint(request, endpoint_id), now=timezone.now())
    return json_response(202, SentAgain(queued=queued))
