"""Bearer keys: issued, listed, revoked, and looked up with every request.

Nothing is cached: the row of a key is one indexed read, and a revoked key is refused by the next request of
any process.
"""

import hashlib
import re
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from memory.access.audit import list_key_numbers, record_change
from memory.access.confinement import EVERYTHING, RowScope
from memory.access.users import fetch_row
from memory.models import ApiKey, Organization
from memory.models.administration import AuditAction
from memory.models.people import SecretHandling

SCOPES = ("read", "write", "admin")
KEY_PATTERN = re.compile(r"cpl_[A-Za-z0-9_-]{43}_[0-9a-f]{8}")
# What of a key is kept and shown: ``cpl_`` and six of its 43 random characters.
HINT_CHARS = 10
LAST_USED_PRECISION = timedelta(minutes=1)
LONGEST_ACTOR = 100


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a request speaks for. ``user_ids`` None means every user of the organisation."""

    organization_id: int
    key_id: int
    name: str
    scopes: frozenset[str]
    user_ids: frozenset[str] | None
    requests_per_second: int | None
    refuses_secrets: bool = False
    """Whether a write that holds a secret is refused; else the secret alone is taken out."""
    scope: RowScope = EVERYTHING
    """The agent and project the key is bound to."""
    is_connector: bool = False
    """Whether a client speaks by a token of its grant, and not by the key itself."""

    def may_act_for(self, external_id: str) -> bool:
        return self.user_ids is None or external_id in self.user_ids

    @property
    def actor(self) -> str:
        """What the events of its changes name."""
        return f"key:{self.name}"[:LONGEST_ACTOR]

    @property
    def audit_actor(self) -> str:
        """Who the audit names: by number, as a key's name may be that of a person who is erased one day."""
        return f"key:{self.key_id}"


def generate_key() -> str:
    """``cpl_`` + 256 random bits + a checksum, so that a typing mistake is refused without a query."""
    body = f"cpl_{secrets.token_urlsafe(32)}"
    return f"{body}_{zlib.crc32(body.encode()):08x}"


def digest_key(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def issue_key(
    organization: Organization,
    name: str,
    scopes: Sequence[str],
    *,
    now: datetime,
    user_ids: Sequence[str] | None = None,
    lifetime: timedelta | None = None,
    requests_per_second: int | None = None,
    secret_handling: SecretHandling = SecretHandling.REDACT,
    scope: RowScope = EVERYTHING,
    key: str | None = None,
    actor: str = "",
) -> tuple[ApiKey, str]:
    """A new key and its plain text, which is not stored anywhere."""
    unknown = set(scopes) - set(SCOPES)
    if unknown or not scopes:
        raise ValueError(f"scopes must be some of {', '.join(SCOPES)}")
    plain = key or generate_key()
    with transaction.atomic():
        row = ApiKey.objects.create(
            organization=organization,
            name=name,
            hint=plain[:HINT_CHARS],
            digest=digest_key(plain),
            scopes=sorted(set(scopes)),
            user_ids=list(user_ids) if user_ids is not None else None,
            requests_per_second=requests_per_second,
            secrets=secret_handling,
            agent_id=scope.agent_id,
            project_id=scope.project_id,
            created_at=now,
            expires_at=now + lifetime if lifetime else None,
        )
        record_key_change(row, AuditAction.KEY_ISSUED, now=now, actor=actor, scopes=row.scopes)
    return row, plain


def record_key_change(row: ApiKey, action: AuditAction, *, now: datetime, actor: str, **details: Any) -> None:
    # By how it begins: its name and its list of people may name somebody who is erased one day.
    record_change(row.organization_id, action, actor=actor, now=now, subject=f"{row.hint}…", key=row.pk, **details)


def limit_key(row: ApiKey, requests_per_second: int | None, *, now: datetime, actor: str) -> int | None:
    """Change how often a key may ask; None is the installation's limit. Returns the limit before."""
    before = row.requests_per_second
    if before == requests_per_second:
        return before
    with transaction.atomic():
        ApiKey.objects.filter(pk=row.pk).update(requests_per_second=requests_per_second)
        limits = {"requests_per_second": requests_per_second, "before": before}
        record_key_change(row, AuditAction.KEY_LIMITED, now=now, actor=actor, **limits)
    row.requests_per_second = requests_per_second
    return before


def rename_key(row: ApiKey, name: str, *, now: datetime, actor: str) -> bool:
    """False where it has that name. What it did before stays told under the name it had."""
    if row.name == name:
        return False
    with transaction.atomic():
        ApiKey.objects.filter(pk=row.pk).update(name=name)
        record_key_change(row, AuditAction.KEY_RENAMED, now=now, actor=actor)
    row.name = name
    return True


def change_key_end(row: ApiKey, expires_at: datetime | None, *, now: datetime, actor: str) -> bool:
    """Let a key end sooner or later than it was made to; None is never. False where that is so already."""
    if row.expires_at == expires_at:
        return False
    with transaction.atomic():
        ApiKey.objects.filter(pk=row.pk).update(expires_at=expires_at)
        ends = expires_at.isoformat() if expires_at else None
        record_key_change(row, AuditAction.KEY_END_CHANGED, now=now, actor=actor, ends=ends)
    row.expires_at = expires_at
    return True


def rotate_key(row: ApiKey, *, old_for: timedelta | None, now: datetime, actor: str) -> tuple[ApiKey, str]:
    """Another key that may what this one may, until when it may, and its plain text.

    The old one works for ``old_for`` more and never longer than it would have; with None until somebody revokes it.
    """
    with transaction.atomic():
        lifetime = row.expires_at - now if row.expires_at else None
        made, plain = issue_key(
            row.organization,
            row.name,
            row.scopes,
            now=now,
            user_ids=row.user_ids,
            lifetime=lifetime,
            requests_per_second=row.requests_per_second,
            secret_handling=SecretHandling(row.secrets),
            scope=RowScope.of(row),
            actor=actor,
        )
        record_key_change(row, AuditAction.KEY_ROTATED, now=now, actor=actor, made=made.pk)
        if old_for is not None and not old_for:
            revoke_key(row, now=now, actor=actor)
        elif old_for is not None and (row.expires_at is None or row.expires_at > now + old_for):
            change_key_end(row, now + old_for, now=now, actor=actor)
    return made, plain


def find_keys(selector: str, organization: Organization | None = None) -> list[ApiKey]:
    """Keys by their exact name, by the beginning that listings show, or by the key itself; the newest first."""
    rows = ApiKey.objects.select_related("organization").order_by("-created_at", "-pk")
    if organization is not None:
        rows = rows.filter(organization=organization)
    if is_well_formed(selector):
        return list(rows.filter(digest=digest_key(selector)))
    named = Q(name=selector)
    # Shorter ones would match keys nobody meant: all begin with cpl_.
    return list(rows.filter(named | Q(hint__startswith=selector) if len(selector) >= HINT_CHARS else named))


def revoke_key(row: ApiKey, *, now: datetime, actor: str) -> bool:
    """Refuse the key from the next request on, in every process: each request reads its key's row. False when it was
    revoked before. The row stays, so that listings say when it ended and when it was last used."""
    with transaction.atomic():
        if not ApiKey.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=now):
            return False
        record_key_change(row, AuditAction.KEY_REVOKED, now=now, actor=actor)
    return True


def list_keys_made_by(actor: str, organization_id: int, *, now: datetime) -> list[ApiKey]:
    """Those that this operator ("operator:vera") made and that still open something, as far as the audit goes back."""
    made = list_key_numbers(organization_id, AuditAction.KEY_ISSUED, actor=actor)
    rows = ApiKey.objects.filter(organization_id=organization_id, pk__in=made, revoked_at=None)
    return list(rows.exclude(expires_at__lte=now).order_by("-created_at", "-pk"))


def is_well_formed(key: str) -> bool:
    """Whether the checksum is right; says nothing of whether the key exists. Asks no database."""
    return bool(KEY_PATTERN.fullmatch(key)) and secrets.compare_digest(f"{zlib.crc32(key[:-9].encode()):08x}", key[-8:])


def authenticate(key: str, *, now: datetime) -> Principal | None:
    """The principal of a key, or None when it is malformed, unknown, revoked or expired."""
    if not is_well_formed(key):
        return None
    row = fetch_row(ApiKey, "digest = %s", digest_key(key))
    return None if row is None else admit_key_row(row, now=now)


def admit_key_row(row: ApiKey, *, now: datetime) -> Principal | None:
    """The principal of a key that is neither revoked nor expired; notes that it was used."""
    if row.revoked_at is not None or (row.expires_at is not None and row.expires_at <= now):
        return None
    if row.last_used_at is None or now - row.last_used_at > LAST_USED_PRECISION:
        ApiKey.objects.filter(pk=row.pk).update(last_used_at=now)
    return Principal(
        organization_id=row.organization_id,
        key_id=row.pk,
        name=row.name,
        scopes=frozenset(row.scopes),
        user_ids=frozenset(row.user_ids) if row.user_ids is not None else None,
        requests_per_second=row.requests_per_second,
        refuses_secrets=row.secrets == SecretHandling.REFUSE,
        scope=RowScope.of(row),
    )
