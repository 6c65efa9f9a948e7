"""What operators, keys and commands did to organisations: written in the transaction of the deed, listed, let go of."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import structlog

from memory.models import AuditEvent
from memory.models.administration import ACTOR_CHARS, AuditAction

logger = structlog.get_logger(__name__)

# A year, and a month to look back at it in.
KEPT: Final = timedelta(days=400)
UNNAMED: Final = "command"


def record_change(
    organization_id: int | None,
    action: AuditAction,
    *,
    actor: str,
    now: datetime,
    subject: str = "",
    **details: Any,
) -> None:
    """``organization_id`` None for what is about the whole installation."""
    AuditEvent.objects.create(
        organization_id=organization_id,
        action=action.value,
        actor=name_actor(actor)[:ACTOR_CHARS],
        subject=subject[:200],
        details=details,
        at=now,
    )
    logger.info("audit", action=action.value, subject=subject, organization=organization_id, actor=actor, **details)


def name_actor(actor: str) -> str:
    """A key by its number alone: its name may be that of a person who is erased one day."""
    kind, colon, name = actor.partition(":")
    return kind if colon and kind == "key" and not name.isdecimal() else actor or UNNAMED


def list_changes(
    organization_ids: Sequence[int],
    *,
    limit: int,
    start: int = 0,
    actions: Sequence[AuditAction] = (),
    actor: str = "",
    of_installation: bool = False,
) -> list[AuditEvent]:
    """Of these organisations, the latest first; with ``of_installation`` also what is about all of them.

    ``actor`` is a part of who did it: "vera" finds "operator:vera".
    """
    rows = AuditEvent.objects.filter(organization_id__in=organization_ids)
    if of_installation:
        rows = rows | AuditEvent.objects.filter(organization__isnull=True)
    if actions:
        rows = rows.filter(action__in=[action.value for action in actions])
    if actor:
        rows = rows.filter(actor__icontains=actor)
    return list(rows.select_related("organization").order_by("-at", "-pk")[start : start + limit])


def list_key_numbers(organization_id: int, action: AuditAction, *, actor: str) -> list[int]:
    """The keys that somebody did this to."""
    rows = AuditEvent.objects.filter(organization_id=organization_id, action=action.value, actor=actor)
    return [number for number in rows.values_list("details__key", flat=True) if isinstance(number, int)]


def delete_old_changes(*, now: datetime) -> int:
    return AuditEvent.objects.filter(at__lt=now - KEPT).delete()[0]
