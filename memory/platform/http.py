"""An HTTP client whose deadline covers the whole exchange.

The usual timeouts apply to each read alone: a server that sends one byte a second, in its headers or its body, could
hold the caller for ever. Here every wait on the socket is limited by what is left of the deadline set by ``within``.
"""

import select
import socket
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

import httpcore
import httpx

from memory.platform.deadline import Deadline

MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_CONNECTIONS = 64
KEEPALIVE_S = 30.0

_deadline: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def limit_to_deadline(deadline: Deadline) -> Iterator[None]:
    """Requests inside raise httpx.TimeoutException when they are not complete by the deadline."""
    token = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(token)


def limit_timeout(timeout: float | None, late: type[Exception]) -> float | None:
    deadline = _deadline.get()
    if deadline is None:
        return timeout
    left = deadline.remaining()
    if left <= 0.0:
        raise late("out of time")
    return min(left, timeout) if timeout is not None else (left if left != float("inf") else None)


class DeadlineStream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, limit_timeout(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, limit_timeout(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = limit_timeout(timeout, httpcore.ConnectTimeout)
        return DeadlineStream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 -- the signature of the base class
        return self._inner.get_extra_info(info)


class _SocketStream(httpcore.NetworkStream):
    """A connected socket as the library's streams are, for the one kind of connection that we make ourselves."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._connection.settimeout(timeout)
        try:
            return self._connection.recv(max_bytes)
        except TimeoutError as error:
            raise httpcore.ReadTimeout(str(error)) from error
        except OSError as error:
            raise httpcore.ReadError(str(error)) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # The timeout of sendall is for the whole buffer, not for each part of it.
        self._connection.settimeout(timeout)
        try:
            self._connection.sendall(buffer)
        except TimeoutError as error:
            raise httpcore.WriteTimeout(str(error)) from error
        except OSError as error:
            raise httpcore.WriteError(str(error)) from error

    def close(self) -> None:
        self._connection.close()

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 -- the signature of the base class
        # The pool asks whether an idle connection was closed at the other end: then it can be read from.
        return bool(select.select([self._connection], [], [], 0)[0]) if info == "is_readable" else None


class DeadlineBackend(httpcore.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        left = limit_timeout(timeout, httpcore.ConnectTimeout)
        return DeadlineStream(super().connect_tcp(host, port, left, local_address, socket_options))

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        # Before the socket: where the time is up already, nothing is opened that nobody would close.
        left = limit_timeout(timeout, httpcore.ConnectTimeout)
        # The library leaves the socket open when the connection is refused.
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.settimeout(left)
            connection.connect(path)
        except TimeoutError as error:
            connection.close()
            raise httpcore.ConnectTimeout(str(error)) from error
        except OSError as error:
            connection.close()
            raise httpcore.ConnectError(str(error)) from error
        return DeadlineStream(_SocketStream(connection))


class _SizeLimitedStream(httpx.SyncByteStream):
    def __init__(self, reply: httpcore.Response) -> None:
        self._reply = reply

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        with _translate_errors():
            for chunk in self._reply.iter_stream():
                size += len(chunk)
                if size > MAX_BODY_BYTES:
                    raise httpx.DecodingError("the reply is larger than any this service may give")
                yield chunk

    def close(self) -> None:
        self._reply.close()


# What the connection pool raises, as what callers of the client catch; the first that fits.
TRANSLATIONS: tuple[tuple[type[Exception], type[httpx.TransportError]], ...] = (
    (httpcore.ConnectTimeout, httpx.ConnectTimeout),
    (httpcore.ReadTimeout, httpx.ReadTimeout),
    (httpcore.WriteTimeout, httpx.WriteTimeout),
    (httpcore.TimeoutException, httpx.PoolTimeout),
    (httpcore.ConnectError, httpx.ConnectError),
    (httpcore.ReadError, httpx.ReadError),
    (httpcore.WriteError, httpx.WriteError),
    (httpcore.NetworkError, httpx.NetworkError),
    (httpcore.RemoteProtocolError, httpx.RemoteProtocolError),
    (httpcore.ProtocolError, httpx.ProtocolError),
    (httpcore.UnsupportedProtocol, httpx.UnsupportedProtocol),
)


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except tuple(known for known, _ in TRANSLATIONS) as error:
        translated = next(public for known, public in TRANSLATIONS if isinstance(error, known))
        raise translated(str(error)) from error


@cache
def load_ssl_context() -> ssl.SSLContext:
    """One for all clients of a process: reading the certificates took each 50 ms, within the first search."""
    return httpx.create_ssl_context()


class DeadlineTransport(httpx.BaseTransport):
    """Pooled connections that respect ``limit_to_deadline`` and limit the size of a reply."""

    def __init__(
        self,
        uds: str | None = None,
        most_connections: int = MAX_CONNECTIONS,
        backend: httpcore.NetworkBackend | None = None,
    ) -> None:
        self._connections = httpcore.ConnectionPool(
            # Nobody listens by TLS on a socket of this machine, where the embedded parts are.
            ssl_context=None if uds else load_ssl_context(),
            max_connections=most_connections,
            keepalive_expiry=KEEPALIVE_S,
            uds=uds,
            network_backend=backend or DeadlineBackend(),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)  # noqa: S101 -- tells the type checker
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        with _translate_errors():
            reply = self._connections.handle_request(
                httpcore.Request(
                    method=request.method,
                    url=url,
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx.Response(
            status_code=reply.status,
            headers=reply.headers,
            stream=_SizeLimitedStream(reply),
            extensions=reply.extensions,
        )

    def close(self) -> None:
        self._connections.close()


def open_client(url: str, headers: dict[str, str], most_connections: int = MAX_CONNECTIONS) -> httpx.Client:
    """A client for the service at a ``http(s)://`` or ``unix:///path/of.sock`` address."""
    parts = urlsplit(url)
    uds = unquote(parts.path) if parts.scheme == "unix" else None
    return httpx.Client(
        base_url="http://service" if uds else url,
        headers={"accept-encoding": "identity", **headers},
        transport=DeadlineTransport(uds, most_connections),
        # A model service is named by its address; a proxy meant for browsing must not see what is embedded.
        trust_env=False,
        timeout=None,  # noqa: S113 -- ``within`` bounds every wait
    )
