"""A model service over HTTP: replies as parsed JSON, failures as the errors of `memory.platform.faults`."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import httpx

from memory.platform import http
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, LateAnswer, RequestRejected, Unavailable
from memory.platform.tracing import open_span

# Statuses of a request that was sound: the server was busy, or failed while it computed.
TRANSIENT_STATUSES = frozenset({408, 424, 425, 429})
TOO_LARGE = 413
# A server that is late with so few is down.
FEWEST_AT_ONCE = 4

Answer = TypeVar("Answer")


class BatchTooLarge(RequestRejected):
    """The batch was refused for its size, not for its content."""


class BatchSizer:
    """How many texts a service is sent at once: ``most``, and fewer while it cannot take or answer so many.

    After a late answer a quarter, more again one by one: a machine that takes ten seconds for 20 passages of a book
    never answers when it is asked for 32, however often.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._at_once = most

    def collect(self, count: int, ask: Callable[[int, int], list[Answer]]) -> list[Answer]:
        """What ``ask(first, end)`` gives for all of ``count`` texts, in order. Raises what it raises for the fewest."""
        answers: list[Answer] = []
        while (first := len(answers)) < count:
            end = min(count, first + self._at_once)
            try:
                answers += ask(first, end)
            except LateAnswer:
                if end - first <= FEWEST_AT_ONCE:
                    raise
                self._at_once = max(FEWEST_AT_ONCE, (end - first) // 4)
            except BatchTooLarge:
                if end - first == 1:
                    raise
                self._at_once = (end - first) // 2
            else:
                self._at_once = min(self._most, self._at_once + 1)
        return answers


class JsonService:
    """A JSON service. ``name`` is how failures, breakers and logs call it."""

    def __init__(self, name: str, url: str, api_key: str = "", largest_reply: int = http.MAX_BODY_BYTES) -> None:
        self.name = name
        self._largest = largest_reply
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = http.open_client(url, headers)

    def exchange(self, method: str, path: str, body: dict[str, Any] | None, deadline: Deadline) -> object:
        """What the service answers. Raises Unavailable, BadReply or Rejected, and nothing else."""
        with open_span(f"ask {self.name}"):
            return self._exchange(method, path, body, deadline)

    def _exchange(self, method: str, path: str, body: dict[str, Any] | None, deadline: Deadline) -> object:
        try:
            try:
                status, kind, content = self._send(method, path, body, deadline)
            except (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError):
                # A kept-alive connection the server has dropped looks like this; asking again changes nothing there.
                deadline.require(self.name)
                status, kind, content = self._send(method, path, body, deadline)
        except httpx.TimeoutException as error:
            raise LateAnswer(self.name, "did not answer in time") from error
        except httpx.HTTPError as error:
            raise Unavailable(self.name, str(error) or type(error).__name__) from error
        return self._parse_reply(status, kind, content)

    def close(self) -> None:
        self._client.close()

    def _send(self, method: str, path: str, body: dict[str, Any] | None, deadline: Deadline) -> tuple[int, str, bytes]:
        content = bytearray()
        with http.limit_to_deadline(deadline), self._client.stream(method, path, json=body) as response:
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > self._largest:
                    raise BadReply(self.name, "the reply is larger than any this service may give")
            return response.status_code, response.headers.get("content-type", "no content type"), bytes(content)

    def _parse_reply(self, status: int, kind: str, content: bytes) -> object:
        if status == TOO_LARGE:
            raise BatchTooLarge(self.name, "refused the request as too large (413)")
        if 400 <= status < 500 and status not in TRANSIENT_STATUSES:
            raise RequestRejected(self.name, f"refused the request ({status}): {extract_error(content)}")
        if status != 200:
            raise Unavailable(self.name, f"answered {status}")
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise BadReply(self.name, f"the reply is not JSON ({kind})") from error


def extract_error(content: bytes) -> str:
    """The error message of the service; never its whole reply, which may repeat the text sent."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return "no reason given"
    reason = body.get("error_type") or body.get("type") if isinstance(body, dict) else None
    return str(reason)[:80] if reason else "no reason given"


def prepare_text(text: str, most_chars: int) -> str:
    """Cut by characters so that no request is absurd; the server cuts by tokens. A lone surrogate has no UTF-8."""
    return text[:most_chars].encode("utf-8", "replace").decode()
