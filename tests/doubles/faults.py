"""Things that go wrong on purpose: an embedding server that lies and a proxy that breaks what passes through it.

They listen on unix sockets in a directory of the test's own, so nothing else on the machine meets them; what stands in
for a service that is only named by a port listens on one of this machine's own.
"""

import base64
import contextlib
import hashlib
import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

import numpy as np

HANG_S = 120.0
TRICKLE_S = 0.05


def make_vector(text: str, dimensions: int) -> np.ndarray:
    """A unit vector that depends on the text and nothing else."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).normal(size=dimensions)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is what the tests are about."""

    def server_close(self) -> None:
        super().server_close()
        Path(str(self.server_address)).unlink(missing_ok=True)


class PortServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: object, client_address: object) -> None:
        """As above."""


class _Listener:
    """A server in a thread; a context manager that leaves nothing behind."""

    def __init__(self, server: socketserver.BaseServer) -> None:
        self.stopping = threading.Event()
        self._server = server
        self._server.owner = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@dataclass
class Exchange:
    """What the stub was asked."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    texts: list[str] = field(default_factory=list)


class Stub(_Listener):
    """A service that notes what it is asked. ``behave`` names the fault of each following request; the last stays."""

    def __init__(self, server: socketserver.BaseServer) -> None:
        super().__init__(server)
        self.dimensions = 384
        self.asked: list[Exchange] = []
        self.largest_batch = 10_000
        self.delay_s = 0.5
        self._faults = ["none"]

    def behave(self, *faults: str) -> None:
        unknown = set(faults) - self.known()
        assert not unknown, f"unknown faults {unknown}"
        self._faults = list(faults)

    def known(self) -> set[str]:
        return set(FAULTS)

    def next_fault(self) -> str:
        return self._faults.pop(0) if len(self._faults) > 1 else self._faults[0]


class EmbedderStub(Stub):
    """Speaks TEI and OpenAI."""

    def __init__(self, path: Path, dimensions: int = 384, handler: type[BaseHTTPRequestHandler] | None = None) -> None:
        super().__init__(_Server(str(path), handler or _EmbedderHandler))
        self.path = path
        self.dimensions = dimensions

    @property
    def url(self) -> str:
        return f"unix://{self.path}"


class _EmbedderHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = HANG_S
    rbufsize = 0

    @property
    def stub(self) -> Stub:
        return self.server.owner  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        self.answer(200, json.dumps({"model_id": "stub/model", "max_client_batch_size": 32}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = body.get("inputs", body.get("input")) or []
        self.stub.asked.append(Exchange(self.path, body, dict(self.headers), texts))
        if len(texts) > self.stub.largest_batch:
            self.answer(413, b'{"error": "batch size error", "error_type": "Validation"}')
            return
        with contextlib.suppress(OSError):
            FAULTS[self.stub.next_fault()](self, texts)

    def answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def vectors(self, texts: list[str]) -> list[Any]:
        return [make_vector(text, self.stub.dimensions).tolist() for text in texts]

    def give(self, vectors: list[Any], order: list[int] | None = None) -> None:
        self.answer(200, self.encoded(vectors, order))

    def encoded(self, vectors: list[Any], order: list[int] | None = None) -> bytes:
        if not self.path.endswith("/v1/embeddings"):
            return json.dumps(vectors).encode()
        indexes = order if order is not None else list(range(len(vectors)))
        data = [{"object": "embedding", "index": index, "embedding": vectors[index]} for index in indexes]
        return json.dumps({"object": "list", "data": data}).encode()

    def wait(self, seconds: float) -> None:
        self.stub.stopping.wait(seconds)

    def drop(self) -> None:
        """Close without a word; unread or unsent bytes make it a reset."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: object) -> None:
        """Tests print nothing."""

    def address_string(self) -> str:
        return "unix"


Fault = Callable[[_EmbedderHandler, list[str]], None]


def _edited(edit: Callable[[list[Any]], list[Any]]) -> Fault:
    return lambda handler, texts: handler.give(edit(handler.vectors(texts)))


def _status(status: int, body: bytes = b'{"error": "no", "error_type": "Unhealthy"}') -> Fault:
    return lambda handler, texts: handler.answer(status, body)


def _body(body: bytes, kind: str = "application/json") -> Fault:
    return lambda handler, texts: handler.answer(200, body, kind)


def _with_first(value: float) -> Callable[[list[Any]], list[Any]]:
    return lambda vectors: [[value, *vectors[0][1:]], *vectors[1:]]


def _hang(handler: _EmbedderHandler, texts: list[str]) -> None:
    handler.wait(HANG_S)
    handler.drop()


def _slow(handler: _EmbedderHandler, texts: list[str]) -> None:
    handler.wait(handler.stub.delay_s)
    handler.give(handler.vectors(texts))


def _reset(handler: _EmbedderHandler, texts: list[str]) -> None:
    handler.drop()


def _cut_body(handler: _EmbedderHandler, texts: list[str]) -> None:
    body = handler.encoded(handler.vectors(texts))
    handler.send_response(200)
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.drop()


def _trickle(handler: _EmbedderHandler, message: Iterator[bytes]) -> None:
    for byte in message:
        handler.wfile.write(byte)
        handler.wait(TRICKLE_S)
        if handler.stub.stopping.is_set():
            return


def _trickled_headers(handler: _EmbedderHandler, texts: list[str]) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
    _trickle(handler, iter([b"x"] * 1000))


def _trickled_body(handler: _EmbedderHandler, texts: list[str]) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
    _trickle(handler, iter([b"["] * 1000))


def _endless_body(handler: _EmbedderHandler, texts: list[str]) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while not handler.stub.stopping.is_set():
        handler.wfile.write(b"[" * 1_000_000)


def _base64(handler: _EmbedderHandler, texts: list[str]) -> None:
    rows = [np.asarray(vector, dtype="<f4").tobytes() for vector in handler.vectors(texts)]
    handler.give([base64.b64encode(row).decode() for row in rows])


FAULTS: dict[str, Fault] = {
    "none": lambda handler, texts: handler.give(handler.vectors(texts)),
    "base64": _base64,
    "reordered": lambda handler, texts: handler.give(handler.vectors(texts), list(reversed(range(len(texts))))),
    "repeated index": lambda handler, texts: handler.give(handler.vectors(texts), [0] * len(texts)),
    "not normalised": _edited(lambda vectors: [[7 * value for value in vector] for vector in vectors]),
    "hang": _hang,
    "slow": _slow,
    "reset": _reset,
    "cut body": _cut_body,
    "trickled headers": _trickled_headers,
    "trickled body": _trickled_body,
    "endless body": _endless_body,
    "wrong dimensions": _edited(lambda vectors: [vector[:-1] for vector in vectors]),
    "ragged": _edited(lambda vectors: [vectors[0][:-1], *vectors[1:], vectors[0]][: len(vectors)]),
    "one fewer": _edited(lambda vectors: vectors[:-1]),
    "one more": _edited(lambda vectors: [*vectors, vectors[0]]),
    "nan": _edited(_with_first(float("nan"))),
    "infinity": _edited(_with_first(float("inf"))),
    "overflow": _edited(_with_first(1e300)),
    "zero vector": _edited(lambda vectors: [[0.0] * len(vectors[0]), *vectors[1:]]),
    "strings": _edited(lambda vectors: [["x"] * len(vector) for vector in vectors]),
    "nulls": _edited(lambda vectors: [[None] * len(vector) for vector in vectors]),
    "flat": _edited(lambda vectors: vectors[0]),
    "object": _body(b'{"error": "but with status 200"}'),
    "html": _body(b"<!doctype html><title>Sign in</title>", "text/html"),
    "not json": _body(b"[[0.1, 0.2"),
    "deep": _body(b"[" * 100_000 + b"]" * 100_000),
    "empty": _body(b""),
    **{str(status): _status(status) for status in (400, 401, 403, 413, 422, 424, 429, 500, 502, 503)},
    "redirect": _status(302),
}


class FaultProxy(_Listener):
    """Stands before a unix socket and passes bytes on as its ``mode`` says; a change counts from the next byte."""

    def __init__(self, path: Path, upstream: Path | str) -> None:
        super().__init__(_Server(str(path), _ProxyHandler))
        self.path = path
        self.upstream = str(upstream)
        self.mode = "pass"
        self.delay_s = 0.2
        self.connections = 0

    def set(self, mode: str, delay_s: float | None = None) -> None:
        """``pass``, ``hang`` (nothing comes back), ``slow`` (each reply late), ``reset`` or ``trickle``."""
        assert mode in {"pass", "hang", "slow", "reset", "trickle"}
        self.mode = mode
        self.delay_s = delay_s if delay_s is not None else self.delay_s


class _ProxyHandler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        proxy: FaultProxy = self.server.owner  # type: ignore[attr-defined]
        proxy.connections += 1
        with socket.socket(socket.AF_UNIX) as upstream, contextlib.suppress(OSError):
            upstream.connect(proxy.upstream)
            back = threading.Thread(target=self.pump_back, args=(proxy, upstream), daemon=True)
            back.start()
            while chunk := self.request.recv(65536):
                if proxy.mode == "reset":
                    break
                upstream.sendall(chunk)
            for end in (upstream, self.request):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            back.join(timeout=1)

    def pump_back(self, proxy: FaultProxy, upstream: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while chunk := upstream.recv(65536):
                self.pass_on(proxy, chunk)

    def pass_on(self, proxy: FaultProxy, chunk: bytes) -> None:
        if proxy.mode == "hang":
            while proxy.mode == "hang" and not proxy.stopping.wait(0.01):
                pass
        elif proxy.mode == "slow":
            proxy.stopping.wait(proxy.delay_s)
        elif proxy.mode == "trickle":
            for position in range(len(chunk)):
                self.request.sendall(chunk[position : position + 1])
                if proxy.stopping.wait(TRICKLE_S):
                    return
            return
        self.request.sendall(chunk)


@contextlib.contextmanager
def refusing_socket(path: Path) -> Iterator[Path]:
    """A socket file on which nobody listens: every connection is refused at once."""
    with socket.socket(socket.AF_UNIX) as closed:
        closed.bind(str(path))
    yield path
    path.unlink(missing_ok=True)


def socket_path(url: str) -> Path | None:
    """The file behind a ``unix://`` address, None for any other."""
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "unix" else None
