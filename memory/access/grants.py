"""Clients that register themselves, the grants an operator gives them, and their tokens.

A token is looked up by its digest with every request, as a key is, and is worth what the key of its grant is worth: a
revoked key ends them in every process with the next request.
"""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog
from django.db.models import Exists, OuterRef

from memory.access.confinement import RowScope
from memory.access.keys import Principal, admit_key_row, digest_key, issue_key, revoke_key
from memory.models import ApiKey, EndUser, OAuthClient, OAuthGrant, OAuthToken, Organization
from memory.models.grants import TokenKind

logger = structlog.get_logger(__name__)

ACCESS_LIFE = timedelta(hours=1)
# Renewed with each use, so that this is how long a client may stay away.
REFRESH_LIFE = timedelta(days=30)
CODE_LIFE = timedelta(minutes=1)
# Clients that wait for somebody's consent. More displace the oldest: at the rate one address may register it takes
# longer to push a client out than anybody takes to press a button.
MOST_WAITING = 1_000
WAITING_LIFE = timedelta(days=30)
SPARE = timedelta(hours=1)
PREFIXES = {TokenKind.CODE: "cpc_", TokenKind.ACCESS: "cpa_", TokenKind.REFRESH: "cpr_"}
TOKEN_PATTERN = re.compile(r"cp[acr]_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class ClientApproval:
    """What an operator allows a client: one person's memory, or a part of it."""

    organization: Organization
    external_id: str
    scopes: Sequence[str]
    scope: RowScope
    resource: str
    actor: str


def register_client(
    name: str, redirect_uris: Sequence[str], auth_method: str, *, is_public: bool, now: datetime
) -> tuple[OAuthClient, str]:
    """A new client and its secret, which is stored nowhere; a public one has none."""
    drop_displaced_clients()
    secret = "" if is_public else secrets.token_urlsafe(32)
    row = OAuthClient.objects.create(
        client_id=secrets.token_urlsafe(24),
        name=name,
        auth_method=auth_method,
        secret_digest=digest_key(secret) if secret else "",
        redirect_uris=list(redirect_uris),
        registered_at=now,
        last_seen_at=now,
    )
    logger.info("client registered", client=row.client_id, name=name)
    return row, secret


def keep_documented_client(
    client_id: str, name: str, redirect_uris: Sequence[str], auth_method: str, *, now: datetime
) -> None:
    """A client as its document has it now. It has no secret: the address is where it is known from."""
    said = {"name": name, "redirect_uris": list(redirect_uris), "auth_method": auth_method, "last_seen_at": now}
    if not OAuthClient.objects.filter(client_id=client_id).exists():
        drop_displaced_clients()
    OAuthClient.objects.update_or_create(client_id=client_id, defaults=said)


def drop_displaced_clients() -> None:
    waiting = OAuthClient.objects.filter(grants=None).order_by("-last_seen_at", "-pk")
    surplus = list(waiting.values_list("pk", flat=True)[MOST_WAITING - 1 :])
    if surplus:
        OAuthClient.objects.filter(pk__in=surplus, grants=None).delete()


def approve_client(client: OAuthClient, approval: ClientApproval, *, now: datetime) -> OAuthGrant:
    """A grant with a key of its own, whose plain text nobody ever learns."""
    key, _ = issue_key(
        approval.organization,
        f"{client.name} of {approval.external_id}"[:200],
        approval.scopes,
        now=now,
        user_ids=[approval.external_id],
        scope=approval.scope,
        actor=approval.actor,
    )
    OAuthClient.objects.filter(pk=client.pk).update(last_seen_at=now)
    return OAuthGrant.objects.create(client=client, key=key, resource=approval.resource, created_at=now)


def issue_token(
    grant: OAuthGrant,
    kind: TokenKind,
    life: timedelta,
    *,
    scopes: Sequence[str],
    now: datetime,
    redirect_uri: str = "",
    challenge: str = "",
) -> str:
    """The plain text, which is stored nowhere."""
    plain = PREFIXES[kind] + secrets.token_urlsafe(32)
    OAuthToken.objects.create(
        grant=grant,
        kind=kind,
        digest=digest_key(plain),
        scopes=list(scopes),
        redirect_uri=redirect_uri,
        challenge=challenge,
        created_at=now,
        expires_at=now + life,
    )
    return plain


def find_token(plain: str, *kinds: TokenKind) -> OAuthToken | None:
    if not TOKEN_PATTERN.fullmatch(plain):
        return None
    rows = OAuthToken.objects.select_related("grant__key__organization", "grant__client")
    return rows.filter(digest=digest_key(plain), kind__in=kinds).first()


def claim_token(plain: str, kind: TokenKind, client: OAuthClient, *, now: datetime) -> OAuthToken | None:
    """A code or refresh token that this client may spend now; the row stays locked until the transaction ends.

    One that was spent before has been copied. Nobody can say which of the two holders is the client, so its whole
    family ends.
    """
    found = find_token(plain, kind)
    if found is None or found.grant.client_id != client.pk:
        return None
    # Of two requests at once the second waits here, and then sees that the token is spent.
    row = OAuthToken.objects.select_for_update().filter(pk=found.pk).first()
    if row is None:
        return None
    row.grant = found.grant
    if row.spent_at is not None:
        logger.warning("token used twice", kind=kind, client=client.client_id, key=found.grant.key.hint)
        end_grant(found.grant, now=now, actor="a token used twice")
        return None
    return row if row.expires_at > now and is_key_valid(found.grant.key, now) else None


def is_key_valid(key: ApiKey, now: datetime) -> bool:
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)


def spend_token(row: OAuthToken, *, now: datetime) -> None:
    OAuthToken.objects.filter(pk=row.pk).update(spent_at=now)


def authenticate_access_token(plain: str, *, resource: str, now: datetime) -> Principal | None:
    """The principal of a token at the resource it was issued for; None for any other."""
    row = find_token(plain, TokenKind.ACCESS)
    if row is None or row.expires_at <= now or row.grant.resource != resource:
        return None
    principal = admit_key_row(row.grant.key, now=now)
    if principal is None:
        return None
    return replace(principal, scopes=principal.scopes & frozenset(row.scopes), is_connector=True)


def end_grant(grant: OAuthGrant, *, now: datetime, actor: str) -> None:
    """Revoke the key and forget the tokens. The key stays in the lists, which say when it ended."""
    revoke_key(grant.key, now=now, actor=actor)
    grant.delete()


def erase_grants(user: EndUser) -> None:
    """Delete the keys of grants for this person alone, and their tokens; keys that were given out are left alone."""
    keys = ApiKey.objects.filter(organization_id=user.organization_id, user_ids=[user.external_id])
    keys.filter(grant__isnull=False).delete()


def purge_grants(*, now: datetime) -> int:
    """Delete expired tokens, grants that have none left, and clients nobody gave one. Returns how many grants."""
    OAuthToken.objects.filter(expires_at__lt=now - SPARE).delete()
    alive = OAuthToken.objects.filter(grant=OuterRef("pk"), spent_at=None)
    over = list(OAuthGrant.objects.filter(~Exists(alive)).select_related("key__organization"))
    over += OAuthGrant.objects.filter(key__revoked_at__isnull=False).select_related("key__organization")
    for grant in {grant.pk: grant for grant in over}.values():
        end_grant(grant, now=now, actor="the purge")
    OAuthClient.objects.filter(grants=None, last_seen_at__lt=now - WAITING_LIFE).delete()
    return len({grant.pk for grant in over})
