"""Dynamic registration (RFC 7591): what a client may say of itself, and what of it is kept.

Anybody may register, so nothing is taken on trust: the name is a few printable characters, a logo is not even stored,
and an address to return to is https or this reader's own machine, compared letter by letter ever after, but for the
port of a program on that machine, which takes whichever is free (RFC 8252).
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from memory.models.grants import CLIENT_NAME_CHARS, REDIRECT_CHARS
from memory.oauth.metadata import AUTH_METHODS

MOST_REDIRECTS: Final = 10
# Of a host as browsers show it: an address in another script could pass for one that the operator knows.
LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE)
OWN_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})
PRINTABLE = re.compile(r"[!-~]+")
# Quotes, brackets and backslashes mean different things to different readers of an address; `;` and `,` end the
# directive of the content policy that names its origin.
AMBIGUOUS = re.compile(r"[\"'<>\\^`{|}]")


class ClientRefused(Exception):
    """A registration that cannot be taken. ``code`` is the word of RFC 7591 for it."""

    def __init__(self, code: str, description: str) -> None:
        super().__init__(description)
        self.code = code


@dataclass(frozen=True, slots=True)
class ClientDetails:
    name: str
    redirect_uris: tuple[str, ...]
    auth_method: str

    @property
    def is_public(self) -> bool:
        return self.auth_method == "none"


def read_client(body: Any) -> ClientDetails:  # noqa: ANN401 -- any JSON
    """Raises ClientRefused. What is not understood is passed over, as the RFC has it."""
    if not isinstance(body, dict):
        raise ClientRefused("invalid_client_metadata", "the body must be a JSON object")
    redirect_uris = read_redirects(body.get("redirect_uris"))
    check_choice(body, "grant_types", "authorization_code")
    check_choice(body, "response_types", "code")
    method = body.get("token_endpoint_auth_method") or "client_secret_basic"
    if method not in AUTH_METHODS:
        raise ClientRefused(
            "invalid_client_metadata", f"token_endpoint_auth_method: is one of {', '.join(AUTH_METHODS)}"
        )
    return ClientDetails(
        read_name(body.get("client_name")) or str(urlsplit(redirect_uris[0]).hostname), redirect_uris, method
    )


def read_redirects(given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_REDIRECTS:
        raise ClientRefused("invalid_redirect_uri", f"redirect_uris: must be a list of 1 to {MOST_REDIRECTS}")
    for uri in given:
        if fault := find_redirect_fault(uri):
            raise ClientRefused("invalid_redirect_uri", f"redirect_uris: {fault}")
    return tuple(given)


def find_redirect_fault(uri: object) -> str:
    """What is wrong with an address to return to; nothing for one that may be."""
    if not isinstance(uri, str) or not PRINTABLE.fullmatch(uri) or len(uri) > REDIRECT_CHARS or AMBIGUOUS.search(uri):
        return f"each must be an address of at most {REDIRECT_CHARS} plain characters"
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "one is no address"
    if "@" in parts.netloc or "#" in uri:
        return "none may have a name, a password or a fragment in it"
    # Whatever stands behind a bracket is left out of the host by the parser, and perhaps not by a browser.
    if parts.netloc.lower().removesuffix(f":{port}") not in {host, f"[{host}]"}:
        return "one is no address"
    if host in OWN_HOSTS and parts.scheme in {"http", "https"}:
        return ""
    if parts.scheme != "https" or not is_host_name(host):
        return "each must be https, or http on localhost, 127.0.0.1 or [::1]"
    return ""


def is_same_redirect(registered: str, given: str) -> bool:
    """Whether an address is one that was registered: the same, or but for the port on this reader's own machine."""
    if given == registered:
        return True
    if find_redirect_fault(given):
        return False
    known, asked = urlsplit(registered), urlsplit(given)
    # Of https it is the certificate that says who listens at a port; http on this machine is told by the machine alone.
    if known.scheme != "http" or known.hostname not in OWN_HOSTS:
        return False
    return known._replace(netloc=str(known.hostname)) == asked._replace(netloc=str(asked.hostname))


def is_host_name(host: str) -> bool:
    labels = host.split(".")
    return len(labels) > 1 and len(labels[-1]) > 1 and all(LABEL.fullmatch(label) for label in labels)


def read_name(given: object) -> str:
    """The name as it can be shown on one line: no control, no mark that turns the direction of what follows."""
    if given is None:
        return ""
    if not isinstance(given, str):
        raise ClientRefused("invalid_client_metadata", "client_name: must be a text")
    shown = "".join(" " if unicodedata.category(one)[0] in "CZ" else one for one in given[: 4 * CLIENT_NAME_CHARS])
    return " ".join(shown.split())[:CLIENT_NAME_CHARS]


def check_choice(body: dict[str, Any], field: str, needed: str) -> None:
    given = body.get(field)
    if given is not None and (not isinstance(given, list) or needed not in given):
        raise ClientRefused("invalid_client_metadata", f"{field}: must be a list with {needed}")
