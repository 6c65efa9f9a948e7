"""Endpoints of an organisation: made, changed, and given another secret."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from memory.access.audit import record_change
from memory.access.users import EXTERNAL_ID_PATTERN
from memory.models import WebhookEndpoint
from memory.models.administration import AuditAction
from memory.store.admission import WriteRefused
from memory.webhooks.addresses import validate_url
from memory.webhooks.dispatch import disable_endpoint
from memory.webhooks.events import EVENTS
from memory.webhooks.recording import notice_endpoints
from memory.webhooks.secrets import generate_secret, seal_secret

MOST_ENDPOINTS: Final = 50
# For so long the secret before signs too, until the receiver has the new one.
ROTATION: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class NewEndpoint:
    """``person`` is the external id of the one it hears of; empty for everybody."""

    url: str
    events: Sequence[str]
    person: str = ""
    includes_content: bool = False


def create_endpoint(
    organization_id: int, new: NewEndpoint, *, now: datetime, actor: str = ""
) -> tuple[WebhookEndpoint, str]:
    """The endpoint and its secret, which is shown to nobody again. Raises WriteRefused."""
    if WebhookEndpoint.objects.filter(organization_id=organization_id).count() >= MOST_ENDPOINTS:
        raise WriteRefused("url", f"an organisation may have {MOST_ENDPOINTS} endpoints; delete one first")
    secret = generate_secret()
    row = WebhookEndpoint.objects.create(
        organization_id=organization_id,
        url=validate_url(new.url),
        events=validate_events(new.events),
        person=validate_person(new.person),
        includes_content=new.includes_content,
        sealed_secret=seal_secret(secret),
        actor=actor,
        created_at=now,
    )
    notice_endpoints()
    record_change(organization_id, AuditAction.WEBHOOK_CREATED, actor=actor, now=now, subject=str(row.pk))
    return row, secret


def validate_events(events: Sequence[str]) -> list[str]:
    unknown = sorted(set(events) - set(EVENTS))
    if unknown or not events:
        raise WriteRefused("events", f"must be some of {', '.join(EVENTS)}")
    return [name for name in EVENTS if name in events]


def validate_person(person: str) -> str:
    if person and not EXTERNAL_ID_PATTERN.fullmatch(person):
        raise WriteRefused("user_id", "must be 1-128 of A-Z a-z 0-9 _ . @ : + | -")
    return person


def find_endpoint(organization_id: int, endpoint_id: UUID | str) -> WebhookEndpoint | None:
    return WebhookEndpoint.objects.filter(organization_id=organization_id, pk=endpoint_id).first()


def list_endpoints(organization_id: int) -> list[WebhookEndpoint]:
    return list(WebhookEndpoint.objects.filter(organization_id=organization_id).order_by("created_at", "pk"))


def update_endpoint(
    row: WebhookEndpoint, changes: Mapping[str, Any], *, now: datetime, actor: str = ""
) -> WebhookEndpoint:
    """Change ``url``, ``events``, ``person``, ``includes_content`` or ``is_enabled``. Raises WriteRefused."""
    checks = {"url": validate_url, "events": validate_events, "person": validate_person}
    for name in ("url", "events", "person", "includes_content"):
        if name in changes:
            setattr(row, name, checks[name](changes[name]) if name in checks else changes[name])
    row.save()
    is_enabled = changes.get("is_enabled", row.disabled_at is None)
    if is_enabled and row.disabled_at is not None:
        enable_endpoint(row)
    elif not is_enabled and row.disabled_at is None:
        disable_endpoint(row, "", now)
    notice_endpoints()
    record_change(
        row.organization_id,
        AuditAction.WEBHOOK_CHANGED,
        actor=actor,
        now=now,
        subject=str(row.pk),
        changed=sorted(changes),
    )
    return row


def enable_endpoint(row: WebhookEndpoint) -> None:
    """As if it had never failed; what was given up meanwhile waits to be sent again by hand."""
    row.disabled_at, row.note = None, ""
    row.failures, row.failing_since, row.paused_until = 0, None, None
    row.save()


def rotate_secret(row: WebhookEndpoint, *, now: datetime, actor: str = "") -> str:
    """A new secret, shown once. The one before signs beside it for a day."""
    secret = generate_secret()
    row.sealed_previous, row.previous_until = row.sealed_secret, now + ROTATION
    row.sealed_secret = seal_secret(secret)
    row.save(update_fields=["sealed_previous", "previous_until", "sealed_secret"])
    record_change(row.organization_id, AuditAction.WEBHOOK_ROTATED, actor=actor, now=now, subject=str(row.pk))
    return secret


def delete_endpoint(row: WebhookEndpoint, *, now: datetime, actor: str = "") -> None:
    """With what waited for it and the log of what it was sent."""
    endpoint_id = str(row.pk)
    row.delete()
    notice_endpoints()
    record_change(row.organization_id, AuditAction.WEBHOOK_DELETED, actor=actor, now=now, subject=endpoint_id)
