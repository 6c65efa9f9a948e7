"""Where a message may go: the rules of an address, and which hosts are nobody's business but this network's."""

import re
import socket
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import urlsplit

from memory.models.webhooks import URL_CHARS
from memory.store.admission import WriteRefused
from memory.webhooks.conf import webhook_conf

Address = IPv4Address | IPv6Address

# One ASCII line: what else a parser would drop or read differently than the one that connects.
PRINTABLE: Final = re.compile(r"[!-~]+")
HOST: Final = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252})|[0-9A-Fa-f:.]+")
MARK: Final = "[redacted"
# Addresses that stand for another one: what they lead to is decided by a translator on the way.
TRANSLATED: Final = tuple(map(IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96")))
RESOLVED_WITHIN_S: Final = 3.0
# The resolver of the system cannot be interrupted: a name server that is away holds a thread and not the caller.
_resolvers = ThreadPoolExecutor(max_workers=8, thread_name_prefix="resolver")


class HostRefused(Exception):
    """A host that must not be asked; says why, without the address it has."""


def validate_url(url: str) -> str:
    """Raises WriteRefused. What the name stands for is looked up again with every connection."""
    host, _ = split_url(url)
    try:
        resolve_host(host, 0)
    except HostRefused as error:
        raise WriteRefused("url", str(error)) from error
    except TimeoutError:
        # The name server's fault and not the address's: the connection decides.
        return url
    return url


def split_url(url: str) -> tuple[str, int]:
    """Host and port. Raises WriteRefused."""
    if MARK in url:
        raise WriteRefused("url", "holds a secret, which is taken out of every request; the signature tells who sends")
    if len(url) > URL_CHARS or not PRINTABLE.fullmatch(url) or "\\" in url:
        raise WriteRefused("url", f"must be an address of at most {URL_CHARS:,} printable ASCII characters")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise WriteRefused("url", "is no address") from error
    if parts.scheme not in {"http", "https"}:
        raise WriteRefused("url", "must begin with https:// or http://")
    if parts.username is not None or parts.password is not None:
        raise WriteRefused("url", "must not hold a name or password")
    if parts.fragment or not HOST.fullmatch(host) or port == 0:
        raise WriteRefused("url", "must be a host, an optional port and a path")
    return host, port or (443 if parts.scheme == "https" else 80)


def resolve_host(host: str, port: int, within_s: float = RESOLVED_WITHIN_S, *, never_inside: bool = False) -> list[str]:
    """The addresses of a host, all of which may be asked. Raises HostRefused and TimeoutError.

    One that may not be asked refuses the whole answer: it is how a name would be made to lead inside.
    """
    found = look_up(host, port, within_s)
    allows_private = webhook_conf().allows_private and not never_inside
    if not all(is_allowed(ip_address(address), allows_private=allows_private) for address in found):
        raise HostRefused("leads to a private address of this machine or network")
    return found


def look_up(host: str, port: int, within_s: float) -> list[str]:
    asked = _resolvers.submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        answers = asked.result(timeout=within_s)
    except socket.gaierror as error:
        if error.errno == socket.EAI_AGAIN:
            raise TimeoutError("the name server does not answer") from error
        raise HostRefused("names a host that is not known") from error
    except TookTooLong as error:
        raise TimeoutError("the name server takes too long") from error
    except (OSError, UnicodeError) as error:
        raise HostRefused("names a host that cannot be looked up") from error
    # Without the zone of a link: such addresses are refused anyway.
    return list(dict.fromkeys(str(answer[4][0]).partition("%")[0] for answer in answers))


def is_allowed(address: Address, *, allows_private: bool) -> bool:
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_allowed(address.ipv4_mapped, allows_private=allows_private)
        if address.is_loopback:
            return allows_private
        if any(address in network for network in TRANSLATED):
            return False
    if address.is_link_local or address.is_multicast or address.is_unspecified:
        # Never: the addresses of a cloud's own services are among them, which hand out its keys.
        return False
    if allows_private and (address.is_private or address.is_loopback or is_shared(address)):
        return not address.is_reserved
    return address.is_global and not address.is_reserved


def is_shared(address: Address) -> bool:
    """Of a carrier's own network, which is neither private nor global."""
    return isinstance(address, IPv4Address) and not address.is_private and not address.is_global
