"""Connections to endpoints: the name is looked up, its addresses are judged, and one that was judged is connected to.

A check before the connection alone would be no check: the name could lead somewhere else a moment later.
"""

from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from threading import Lock
from typing import Final

import httpcore
import httpx

from memory.platform.http import DeadlineBackend, DeadlineTransport, limit_timeout
from memory.webhooks.addresses import HostRefused, resolve_host

MOST_CONNECTIONS: Final = 32
# Of the 10 s of an attempt: a host that is not there is noticed sooner than one that is slow to answer.
CONNECTED_WITHIN_S: Final = 5.0


class VettedBackend(DeadlineBackend):
    """Connects to nothing that `addresses` refuses. TLS still names the host, as its certificate does.

    ``never_inside`` where the settings of webhooks may not admit private addresses.
    """

    def __init__(self, *, never_inside: bool = False) -> None:
        super().__init__()
        self.never_inside = never_inside

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        left = limit_timeout(CONNECTED_WITHIN_S, httpcore.ConnectTimeout) or CONNECTED_WITHIN_S
        try:
            addresses = resolve_host(host, port, left, never_inside=self.never_inside)
        except HostRefused as error:
            raise httpcore.ConnectError(f"refused: {error}") from error
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(str(error)) from error
        for address in addresses[:-1]:
            # The first may be one of a protocol that this network does not have.
            with suppress(httpcore.ConnectError):
                return super().connect_tcp(address, port, left, local_address, socket_options)
        return super().connect_tcp(addresses[-1], port, left, local_address, socket_options)


# Threads that begin together would each make one.
_opening = Lock()


def get_vetted_client() -> httpx.Client:
    with _opening:
        return open_vetted_client()


@cache
def open_vetted_client() -> httpx.Client:
    return httpx.Client(
        transport=DeadlineTransport(most_connections=MOST_CONNECTIONS, backend=VettedBackend()),
        headers={"user-agent": "Commonplace-Webhooks/1", "accept-encoding": "identity"},
        # A redirect could lead where the address itself may not.
        follow_redirects=False,
        # A proxy would look the name up itself, and connect to whatever it stands for.
        trust_env=False,
        timeout=None,  # noqa: S113 -- the deadline of an attempt bounds every wait
    )
