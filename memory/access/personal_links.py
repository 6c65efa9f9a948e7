"""Links by which a person opens their own page: made, opened, revoked.

The token names the person by number, so that the row is looked up in their own scope: without it no policy would show
the row, and with somebody else's number the secret fits nothing.
"""

import re
import secrets
import uuid
from datetime import datetime, timedelta

import structlog
from django.db.models import Q, QuerySet

from memory.access.keys import digest_key
from memory.access.scope import user_scope
from memory.models import EndUser, PersonalLink
from memory.models.spaces import is_space

logger = structlog.get_logger(__name__)

SHORTEST_LIFE, LONGEST_LIFE = timedelta(hours=1), timedelta(days=30)
DEFAULT_LIFE = timedelta(days=7)
# How long a page stays open after its link was used; the link opens it again.
OPEN_FOR = timedelta(hours=12)
# Of one person at a time. More revoke the oldest.
MOST_LINKS = 20
TOKEN = re.compile(r"([1-9][0-9]{0,17})-([A-Za-z0-9_-]{43})")


class LinkRefused(Exception):
    """A lifetime outside the limits."""


def make_link(user: EndUser, life: timedelta, *, now: datetime, actor: str) -> tuple[PersonalLink, str]:
    """A link and its token, which is stored nowhere. Raises LinkRefused."""
    if not SHORTEST_LIFE <= life <= LONGEST_LIFE:
        raise LinkRefused("must be between 1 hour and 30 days")
    secret = secrets.token_urlsafe(32)
    with user_scope(user):
        drop_ended_links(user, now)
        kept = where_open(user, now).order_by("-created_at").values_list("pk", flat=True)[: MOST_LINKS - 1]
        PersonalLink.objects.filter(user=user).exclude(pk__in=list(kept)).delete()
        row = PersonalLink.objects.create(
            user=user, digest=digest_key(secret), actor=actor, created_at=now, expires_at=now + life
        )
    logger.info("personal link made", user=user.pk, link=str(row.pk), actor=actor)
    return row, f"{user.pk}-{secret}"


def open_link(token: str, *, now: datetime) -> PersonalLink | None:
    """None alike for a link that never was, has expired, was revoked, or whose person was erased."""
    match = TOKEN.fullmatch(token)
    user = find_named_person(int(match[1])) if match else None
    if match is None or user is None:
        return None
    with user_scope(user):
        row = where_open(user, now).filter(digest=digest_key(match[2])).first()
        if row is not None:
            row.last_used_at = now
            row.save(update_fields=["last_used_at"])
            row.user = user
    return row


def resume_link(user_id: int, link_id: uuid.UUID, opened_at: datetime, *, now: datetime) -> PersonalLink | None:
    """The link by which a page was opened, while the page may stay open."""
    user = find_named_person(user_id)
    if user is None or not opened_at <= now < opened_at + OPEN_FOR:
        return None
    with user_scope(user):
        row = where_open(user, now).filter(Q(signed_out_at=None) | Q(signed_out_at__lt=opened_at), pk=link_id).first()
    if row is not None:
        row.user = user
    return row


def close_pages(link: PersonalLink, *, now: datetime) -> None:
    """End all pages that this link opened. The link itself stays."""
    with user_scope(link.user):
        PersonalLink.objects.filter(user=link.user, pk=link.pk).update(signed_out_at=now)


def list_links(user: EndUser, *, now: datetime) -> list[PersonalLink]:
    """Those that open the page, the latest first."""
    with user_scope(user):
        return list(where_open(user, now).order_by("-created_at"))


def revoke_links(user: EndUser, *, now: datetime, actor: str, link_id: uuid.UUID | None = None) -> int:
    """End one link, or all of a person, with the pages they opened. How many that were."""
    with user_scope(user):
        rows = where_open(user, now)
        revoked = (rows.filter(pk=link_id) if link_id else rows).update(revoked_at=now)
    logger.info("personal links revoked", user=user.pk, links=revoked, actor=actor)
    return revoked


def drop_ended_links(user: EndUser, now: datetime) -> None:
    """Forget what opens nothing any more."""
    with user_scope(user):
        PersonalLink.objects.filter(Q(expires_at__lte=now) | Q(revoked_at__isnull=False), user=user).delete()


def where_open(user: EndUser, now: datetime) -> QuerySet[PersonalLink]:
    return PersonalLink.objects.filter(user=user, revoked_at=None, expires_at__gt=now)


def find_named_person(user_id: int) -> EndUser | None:
    """Without spaces, and without those whose rows are being erased: both have names that no client can give."""
    found = None if is_space(user_id) else EndUser.objects.filter(pk=user_id).first()
    return None if found is None or found.external_id.startswith("#") else found
