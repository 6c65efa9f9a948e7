"""Clients that are known by a document they publish: the id is its https address (Client ID Metadata Documents).

The document is fetched when a signed-in operator opens the page of consent and at no other time, so nobody else makes
this process ask anything. Its address is judged as a webhook's is, and never leads inside, whatever the settings say.
"""

import json
from datetime import datetime
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from memory.access.grants import keep_documented_client
from memory.models.grants import CLIENT_ID_CHARS
from memory.oauth.registration import (
    AMBIGUOUS,
    PRINTABLE,
    ClientDetails,
    ClientRefused,
    check_choice,
    is_host_name,
    read_name,
    read_redirects,
)
from memory.platform.deadline import Deadline
from memory.platform.http import DeadlineTransport, limit_to_deadline
from memory.webhooks.connecting import VettedBackend

LARGEST_DOCUMENT: Final = 10 * 1024
FETCHED_WITHIN_S: Final = 5.0
MOST_CONNECTIONS: Final = 4


def is_document_address(client_id: str) -> bool:
    return client_id.startswith("https://")


def refresh_client(client_id: str, *, now: datetime) -> None:
    """Keep what the document says now. Raises ClientRefused; then what was kept before stands."""
    details = read_document(client_id, fetch_document(client_id))
    keep_documented_client(client_id, details.name, details.redirect_uris, details.auth_method, now=now)


def read_document(client_id: str, body: Any) -> ClientDetails:  # noqa: ANN401 -- any JSON
    """Raises ClientRefused."""
    if not isinstance(body, dict):
        raise refuse("is no JSON object")
    if body.get("client_id") != client_id:
        raise refuse("is about another client_id")
    if body.get("token_endpoint_auth_method", "none") != "none" or "client_secret" in body:
        raise refuse("asks for a secret or a signature: token_endpoint_auth_method must be none")
    check_choice(body, "grant_types", "authorization_code")
    check_choice(body, "response_types", "code")
    name = read_name(body.get("client_name")) or str(urlsplit(client_id).hostname)
    return ClientDetails(name, read_redirects(body.get("redirect_uris")), "none")


def fetch_document(client_id: str) -> object:
    """The JSON at the address. Raises ClientRefused."""
    check_address(client_id)
    try:
        with limit_to_deadline(Deadline(FETCHED_WITHIN_S)), open_document_client().stream("GET", client_id) as answer:
            if answer.status_code != 200:
                raise refuse(f"was answered with {answer.status_code}")
            content = b""
            for part in answer.iter_raw():
                content += part
                if len(content) > LARGEST_DOCUMENT:
                    raise refuse(f"is larger than {LARGEST_DOCUMENT:,} bytes")
    except httpx.HTTPError as error:
        raise refuse("cannot be fetched") from error
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise refuse("is no JSON object") from error


def check_address(client_id: str) -> None:
    """Raises ClientRefused for what is no plain address of a document."""
    if len(client_id) > CLIENT_ID_CHARS or not PRINTABLE.fullmatch(client_id) or AMBIGUOUS.search(client_id):
        raise refuse("has an address that cannot be read")
    try:
        parts = urlsplit(client_id)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise refuse("has an address that cannot be read") from error
    steps = parts.path.split("/")[1:]
    if "@" in parts.netloc or "#" in client_id or not is_host_name(host):
        raise refuse("must be at a host with a name, without a user or a fragment")
    if not any(steps) or {".", ".."} & set(steps):
        raise refuse("must have a path, without . and ..")


def refuse(reason: str) -> ClientRefused:
    return ClientRefused("invalid_client", f"The document that the client is known by {reason}.")


@cache
def open_document_client() -> httpx.Client:
    return httpx.Client(
        transport=DeadlineTransport(most_connections=MOST_CONNECTIONS, backend=VettedBackend(never_inside=True)),
        headers={"accept": "application/json", "accept-encoding": "identity", "user-agent": "Commonplace-OAuth/1"},
        # A redirect would make another address the client than the one it is known by.
        follow_redirects=False,
        trust_env=False,
        timeout=None,  # noqa: S113 -- the deadline bounds every wait
    )
