"""The authorisation server: the library's, with our clients and tokens behind it and with OAuth 2.1's narrower rules.

A transaction goes around every request for a token: codes and refresh tokens are locked while they are spent.
"""

import logging
from datetime import timedelta
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

from authlib.integrations.django_oauth2 import AuthorizationServer
from authlib.integrations.django_oauth2.requests import DjangoOAuth2Payload
from authlib.oauth2.rfc6749 import (
    AccessDeniedError,
    InvalidClientError,
    InvalidGrantError,
    InvalidRequestError,
    OAuth2Error,
    OAuth2Request,
)
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from memory.access.grants import (
    ACCESS_LIFE,
    CODE_LIFE,
    REFRESH_LIFE,
    ClientApproval,
    approve_client,
    claim_token,
    end_grant,
    find_token,
    issue_token,
    spend_token,
)
from memory.access.keys import digest_key
from memory.models import OAuthClient, OAuthGrant, OAuthToken
from memory.models.grants import TokenKind
from memory.oauth.metadata import AUTH_METHODS, SCOPES
from memory.oauth.registration import is_same_redirect
from memory.web.addresses import build_resource_url

# At DEBUG the library writes the tokens it issues into the log.
logging.getLogger("authlib").setLevel(logging.INFO)


class InvalidTargetError(OAuth2Error):  # type: ignore[misc]
    """RFC 8707."""

    error = "invalid_target"
    description = "This server gives tokens for its own MCP address alone."


class KnownClient:
    """A registered client as the library asks it."""

    def __init__(self, row: OAuthClient) -> None:
        self.row = row
        self.client_id = row.client_id

    def get_client_id(self) -> str:
        return self.row.client_id

    def get_default_redirect_uri(self) -> str | None:
        return self.row.redirect_uris[0] if len(self.row.redirect_uris) == 1 else None

    def get_allowed_scope(self, scope: str | None) -> str | None:
        """What is asked for and exists: clients ask for what other servers have, such as ``offline_access``."""
        asked = set((scope or " ".join(SCOPES)).split())
        return " ".join(one for one in SCOPES if one in asked) or None

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return any(is_same_redirect(known, redirect_uri) for known in self.row.redirect_uris)

    def check_client_secret(self, secret: str) -> bool:
        return bool(self.row.secret_digest) and constant_time_compare(digest_key(secret), self.row.secret_digest)

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        # Libraries differ in where they put a secret; none may leave it out.
        return (method == "none") == (self.row.auth_method == "none")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in {"authorization_code", "refresh_token"}


class ShownToken:
    """A code or token that a client showed, as the library asks it."""

    code_challenge_method = "S256"

    def __init__(self, row: OAuthToken) -> None:
        self.row = row
        self.code_challenge = row.challenge

    def get_redirect_uri(self) -> str:
        return self.row.redirect_uri

    def get_scope(self) -> str:
        return " ".join(self.row.scopes)

    def check_client(self, client: KnownClient) -> bool:
        return self.row.grant.client_id == client.row.pk


class FramedRequest(OAuth2Request):  # type: ignore[misc]
    """A request of Django's. The library wants https; whether plain http may come in is the site's own setting."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(str(request.method), f"https://{urlsplit(build_resource_url(request)).netloc}{request.path}")
        self.headers = request.headers
        self.payload = DjangoOAuth2Payload(request)
        self.resource = build_resource_url(request)
        self.django_request = request

    @property
    def args(self) -> Any:  # noqa: ANN401 -- the framework's
        return self.django_request.GET

    @property
    def form(self) -> Any:  # noqa: ANN401
        return self.django_request.POST

    def check_resource(self) -> None:
        """Raises InvalidTargetError for any other resource than this server's own."""
        for named in self.payload.datalist.get("resource", []):
            if named.rstrip("/") != self.resource:
                raise InvalidTargetError


class StrictChallenge(CodeChallenge):  # type: ignore[misc]
    """PKCE that no client may leave out, with S256 alone."""

    SUPPORTED_CODE_CHALLENGE_METHOD: Final = ["S256"]

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:  # noqa: ANN401
        data = grant.request.payload.data
        if not data.get("code_challenge") or data.get("code_challenge_method") != "S256":
            raise InvalidRequestError("Send 'code_challenge' and 'code_challenge_method=S256'.")
        super().validate_code_challenge(grant, redirect_uri)


class ConsentedCodeGrant(AuthorizationCodeGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS: Final = list(AUTH_METHODS)

    def validate_authorization_request(self) -> str:
        redirect_uri: str = super().validate_authorization_request()
        self.request.check_resource()
        return redirect_uri

    def generate_authorization_code(self) -> str:
        """Made with its row, and so that none exists without one."""
        approval: ClientApproval = self.request.user
        now = timezone.now()
        payload = self.request.payload
        return issue_token(
            approve_client(self.request.client.row, approval, now=now),
            TokenKind.CODE,
            CODE_LIFE,
            scopes=approval.scopes,
            now=now,
            redirect_uri=payload.redirect_uri or "",
            challenge=payload.data["code_challenge"],
        )

    def save_authorization_code(self, code: str, request: FramedRequest) -> None:
        """Stored when it was made."""

    def query_authorization_code(self, code: str, client: KnownClient) -> ShownToken | None:
        row = claim_token(code, TokenKind.CODE, client.row, now=timezone.now())
        return ShownToken(row) if row else None

    def validate_token_request(self) -> None:
        super().validate_token_request()
        check_grant_resource(self.request, self.request.authorization_code)

    def authenticate_user(self, authorization_code: ShownToken) -> OAuthGrant:
        return authorization_code.row.grant

    def delete_authorization_code(self, authorization_code: ShownToken) -> None:
        spend_token(authorization_code.row, now=timezone.now())


class RotatingRefreshGrant(RefreshTokenGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS: Final = list(AUTH_METHODS)
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token: str) -> ShownToken | None:
        row = claim_token(refresh_token, TokenKind.REFRESH, self.request.client.row, now=timezone.now())
        return ShownToken(row) if row else None

    def validate_token_request(self) -> None:
        super().validate_token_request()
        check_grant_resource(self.request, self.request.refresh_token)

    def authenticate_user(self, refresh_token: ShownToken) -> OAuthGrant:
        return refresh_token.row.grant

    def revoke_old_credential(self, refresh_token: ShownToken) -> None:
        spend_token(refresh_token.row, now=timezone.now())


def check_grant_resource(request: FramedRequest, shown: ShownToken) -> None:
    request.check_resource()
    if shown.row.grant.resource != request.resource:
        raise InvalidGrantError("It was given for another address of this site.")


class FamilyRevocation(RevocationEndpoint):  # type: ignore[misc]
    """Either token ends the whole grant: a client that signs out means all of it."""

    CLIENT_AUTH_METHODS: Final = list(AUTH_METHODS)

    def query_token(self, token_string: str, token_type_hint: str | None) -> ShownToken | None:
        row = find_token(token_string, TokenKind.ACCESS, TokenKind.REFRESH)
        return ShownToken(row) if row else None

    def revoke_token(self, token: ShownToken, request: FramedRequest) -> None:
        end_grant(token.row.grant, now=timezone.now(), actor=f"client:{token.row.grant.client.client_id}")


class ConsentServer(AuthorizationServer):  # type: ignore[misc]
    def query_client(self, client_id: str) -> KnownClient | None:
        # A byte that no text of the database may hold is no client's.
        row = OAuthClient.objects.filter(client_id=client_id).first() if "\0" not in client_id else None
        return KnownClient(row) if row else None

    def create_oauth2_request(self, request: HttpRequest) -> FramedRequest:
        return FramedRequest(request)

    def generate_token(
        self, grant_type: str, client: KnownClient, user: OAuthGrant, scope: str = "", **options: Any
    ) -> dict[str, Any]:
        """Both tokens with their rows."""
        now, granted = timezone.now(), (scope or "").split()

        def issue(kind: TokenKind, life: timedelta, scopes: list[str]) -> str:
            return issue_token(user, kind, life, scopes=scopes, now=now)

        return {
            "token_type": "Bearer",
            "access_token": issue(TokenKind.ACCESS, ACCESS_LIFE, granted),
            "expires_in": int(ACCESS_LIFE.total_seconds()),
            # A narrower access token leaves the next one as wide as what was consented to.
            "refresh_token": issue(TokenKind.REFRESH, REFRESH_LIFE, user.key.scopes),
            "scope": " ".join(granted),
        }

    def save_token(self, token: dict[str, Any], request: FramedRequest) -> None:
        """Stored when it was made."""


@cache
def load_server() -> ConsentServer:
    server = ConsentServer(OAuthClient, OAuthToken)
    server.register_grant(ConsentedCodeGrant, [StrictChallenge(required=True)])
    server.register_grant(RotatingRefreshGrant)
    server.register_endpoint(FamilyRevocation)
    return server


def answer_consent(request: HttpRequest, grant: ConsentedCodeGrant, approval: ClientApproval | None) -> HttpResponse:
    """Back to the client with a code, or without one where nothing is allowed."""
    response: HttpResponse = load_server().create_authorization_response(
        grant.request, grant_user=approval, grant=grant
    )
    return response


__all__ = [
    "AccessDeniedError",
    "ConsentedCodeGrant",
    "InvalidClientError",
    "OAuth2Error",
    "answer_consent",
    "load_server",
]
