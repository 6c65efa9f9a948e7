"""The language model's server: one request, and its answer whole or as it comes, within two limits of time."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from memory.gateway.conf import ChatConf, chat_conf
from memory.gateway.errors import GatewayError, UpstreamRefusal, late_upstream, unreachable_upstream
from memory.platform import http
from memory.platform.deadline import Deadline
from memory.platform.per_process import PerProcess
from memory.platform.tracing import open_span

# Of an error, which is quoted to the client, and of a whole answer.
MAX_ERROR_BYTES = 64 * 1024
MAX_REPLY_BYTES = 32 * 1024 * 1024
# What a client needs of the upstream's own headers to wait as long as it should.
KEPT_HEADERS = ("Retry-After",)
DROPPED_WITHIN_S = 1.0
EVENT_STREAM = "text/event-stream"


class UpstreamAnswer:
    """An answer that has begun: its status was good. Whoever opened it closes it."""

    def __init__(self, response: httpx.Response, deadline: Deadline) -> None:
        self._response = response
        self._deadline = deadline
        self.is_stream = response.headers.get("content-type", "").startswith(EVENT_STREAM)

    def read_json(self) -> dict[str, Any]:
        content = read_limited(self.iterate_bytes(), MAX_REPLY_BYTES)
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise GatewayError(502, "The language model's server answered something that is no JSON object.")
        return found

    def iterate_bytes(self) -> Iterator[bytes]:
        """Raises GatewayError when the server falls silent or breaks off."""
        chunks = self._response.iter_raw()
        while True:
            # Around each read alone: what runs between two reads is the caller's.
            with translate_failures(), http.limit_to_deadline(self._deadline):
                chunk = next(chunks, None)
            if chunk is None:
                return
            yield chunk

    def close(self) -> None:
        self._response.close()


class Upstream:
    """The configured server. ``open`` may be called from many threads."""

    def __init__(self, conf: ChatConf) -> None:
        self._conf = conf
        headers = {"authorization": f"Bearer {conf.api_key}"} if conf.api_key else {}
        # As many as there are streams: one that waited for a connection would wait without a limit.
        self._client = http.open_client(conf.url.rstrip("/"), headers, conf.streams + 1)

    def open(self, method: str, path: str, body: dict[str, Any] | None, deadline: Deadline) -> UpstreamAnswer:
        """Raises UpstreamRefusal for any status but 200, and GatewayError where no answer begins."""
        silence = httpx.Timeout(self._conf.silence_s, connect=self._conf.connect_s)
        if body is not None and not body.get("stream"):
            # A whole answer is silent until it is complete.
            silence = httpx.Timeout(self._conf.timeout_s, connect=self._conf.connect_s)
        request = self._client.build_request(method, path, json=body, timeout=silence)
        with open_span("gateway.upstream"), translate_failures(), http.limit_to_deadline(deadline):
            response = self._send(request)
        answer = UpstreamAnswer(response, deadline)
        if response.status_code == 200:
            return answer
        try:
            raise self._build_refusal(response, read_limited(answer.iterate_bytes(), MAX_ERROR_BYTES, cut=True))
        finally:
            answer.close()

    def close(self) -> None:
        self._client.close()

    def _send(self, request: httpx.Request) -> httpx.Response:
        begun = time.monotonic()
        try:
            return self._client.send(request, stream=True)
        except (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError):
            # A kept-alive connection that the server has dropped looks like this, at once. An answer that broke off
            # later was paid for, and asking again would be paid for again.
            if time.monotonic() - begun > DROPPED_WITHIN_S:
                raise
            return self._client.send(request, stream=True)

    def _build_refusal(self, response: httpx.Response, content: bytes) -> UpstreamRefusal:
        status = response.status_code if response.status_code >= 400 else 502
        if self._conf.api_key:
            # Servers quote the key they were sent.
            content = content.replace(self._conf.api_key.encode(), b"[key]")
        kept = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
        return UpstreamRefusal(status, content, kept)


@PerProcess
def configured_upstream() -> Upstream | None:
    """The server that the settings name, or None when they name none."""
    conf = chat_conf()
    return Upstream(conf) if conf.url else None


def require_upstream() -> Upstream:
    found = configured_upstream()
    if found is None:
        raise GatewayError(
            501,
            "No language model is configured here: set CHAT_BASE_URL (and CHAT_API_KEY, CHAT_MODEL) to an "
            "OpenAI-compatible server, such as http://127.0.0.1:11434/v1.",
            code="no_upstream",
        )
    return found


def forget_upstream() -> None:
    """As after a change of settings."""
    for upstream in configured_upstream.made:
        if upstream is not None:
            upstream.close()
    configured_upstream.forget()


def read_limited(chunks: Iterator[bytes], limit: int, *, cut: bool = False) -> bytes:
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > limit:
            if cut:
                break
            raise GatewayError(502, "The language model's server answered more than is read of an answer.")
    return bytes(content[:limit])


@contextmanager
def translate_failures() -> Iterator[None]:
    try:
        yield
    except httpx.TimeoutException as error:
        raise late_upstream() from error
    except httpx.HTTPError as error:
        raise unreachable_upstream(type(error).__name__) from error
