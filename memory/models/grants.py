"""Clients that registered themselves, what an operator allowed them, and the tokens they hold for it.

None of it is a person's data: like a key it says who may knock. A grant is a key of the organisation with tokens in
place of its plain text; whoever revokes or deletes the key ends them with it.
"""

from enum import StrEnum
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memory.models.people import ApiKey

CLIENT_NAME_CHARS = 80
# An address, of a client that is known by a document it publishes.
CLIENT_ID_CHARS = 500
REDIRECT_CHARS = 1000


class TokenKind(StrEnum):
    CODE = "code"
    ACCESS = "access"
    REFRESH = "refresh"


class OAuthClient(models.Model):
    """What a client said of itself, which nobody has checked. Public ones have no secret."""

    client_id = models.CharField(max_length=CLIENT_ID_CHARS, unique=True)
    name = models.CharField(max_length=CLIENT_NAME_CHARS)
    auth_method = models.CharField(max_length=24)
    secret_digest = models.CharField(max_length=64, blank=True, default="")
    redirect_uris = ArrayField(models.CharField(max_length=REDIRECT_CHARS))
    registered_at = models.DateTimeField(default=timezone.now)
    last_seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "oauth_client"
        indexes: ClassVar = [models.Index(fields=["last_seen_at"], name="oauth_client_seen")]

    def __str__(self) -> str:
        return self.name


class OAuthGrant(models.Model):
    """What an operator allowed a client: all tokens that follow from it are one family, and end together."""

    client = models.ForeignKey(OAuthClient, on_delete=models.CASCADE, related_name="grants")
    key = models.OneToOneField(ApiKey, on_delete=models.CASCADE, related_name="grant")
    # The address its tokens open; at any other they are nothing.
    resource = models.CharField(max_length=REDIRECT_CHARS)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "oauth_grant"

    def __str__(self) -> str:
        return f"{self.client} by {self.key}"


class OAuthToken(models.Model):
    """The SHA-256 of a code or token. A spent one stays until it expires: whoever shows it again has a copy."""

    grant = models.ForeignKey(OAuthGrant, on_delete=models.CASCADE, related_name="tokens")
    kind = models.CharField(max_length=8, choices=[(kind.value, kind.value) for kind in TokenKind])
    digest = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=16))
    # Of codes: the address and the challenge of the request they answer.
    redirect_uri = models.CharField(max_length=REDIRECT_CHARS, blank=True, default="")
    challenge = models.CharField(max_length=128, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    spent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "oauth_token"
        indexes: ClassVar = [models.Index(fields=["expires_at"], name="oauth_token_expiry")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.grant}"
