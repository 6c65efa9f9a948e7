"""A program that is told of changes: a small HTTP server on this machine."""

import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.doubles.faults import PortServer, _Listener


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    status: int = 204
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    # Silence before the answer; ends early with the server.
    after_s: float = 0.0


class WebhookReceiver(_Listener):
    """Answers one of its ``replies`` a request; the last stays."""

    def __init__(self) -> None:
        server = PortServer(("127.0.0.1", 0), _ReceiverHandler)
        self.port = server.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/hooks"
        self.received: list[Received] = []
        self.replies = [Reply()]
        self.lock = threading.Lock()
        super().__init__(server)

    def next_reply(self) -> Reply:
        with self.lock:
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


class _ReceiverHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *words: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        owner: WebhookReceiver = self.server.owner  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        owner.received.append(Received(self.path, headers, body))
        reply = owner.next_reply()
        ends_at = time.monotonic() + reply.after_s
        while time.monotonic() < ends_at and not owner.stopping.wait(0.02):
            pass
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)
