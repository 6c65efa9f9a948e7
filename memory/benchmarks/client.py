"""The product as a chat client sees it: REST calls, each timed from the request to the whole answer."""

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

import httpx

from memory.evaluation.timing import Pace, Stopwatch

# A status is asked for this often while the index catches up; asking costs the server a little as well.
POLL_S = 0.25
# Indexing that does not move at all for so long will not end.
STALLED_S = 300.0


class CallFailedError(Exception):
    """The server refused a call or does not answer; the message holds its own words."""


@dataclass(frozen=True, slots=True)
class IndexProgress:
    pending: int
    ready: int
    failed: int


@dataclass(slots=True)
class BenchmarkClient:
    """One API key. Calls may be made from several threads; `watch` collects what they took."""

    url: str
    key: str
    watch: Stopwatch = field(default_factory=Stopwatch)
    pace: Pace | None = None
    transport: httpx.BaseTransport | None = None
    fallbacks: Counter[str] = field(default_factory=Counter)
    _http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self._http = httpx.Client(
            base_url=self.url,
            headers={"authorization": f"Bearer {self.key}"},
            timeout=60.0,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=None),
            # The server is ours; a proxy for browsing would be measured with it.
            trust_env=False,
            transport=self.transport,
        )

    def __enter__(self) -> "BenchmarkClient":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.close()

    @contextmanager
    def pause_counting(self) -> Iterator[None]:
        """Calls made inside leave no figures."""
        watch, fallbacks = self.watch, self.fallbacks
        self.watch, self.fallbacks = Stopwatch(), Counter()
        try:
            yield
        finally:
            self.watch, self.fallbacks = watch, fallbacks

    def store(self, user: str, memory: dict[str, Any]) -> str:
        """The id it got."""
        return str(self._post("store one memory", f"/api/v1/users/{user}/memories", memory)["id"])

    def store_exchange(self, user: str, thread: str, message: str, said_at: datetime) -> None:
        body = {"user_message": message, "assistant_message": "Noted.", "occurred_at": said_at.isoformat()}
        self._post("store an exchange", f"/api/v1/users/{user}/threads/{thread}/exchanges", body)

    def take_turn(self, stage: str, user: str, thread: str, text: str, *, key: str = "") -> dict[str, Any]:
        """The answer; the server's own stages are indented below the whole call in the table."""
        answer = self._post(stage, f"/api/v1/users/{user}/hot/turn", {"thread_id": thread, "text": text}, key)
        self.watch.add_all("  ", answer["timings_ms"])
        return answer

    def import_triples(self, stage: str, user: str, triples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return self._post(stage, f"/api/v1/users/{user}/hot/triples", {"triples": list(triples)})

    def is_reminded(self, user: str, thread: str) -> bool:
        """Whether what the thread's next turn is reminded of has been chosen."""
        asked = urlencode({"thread_id": thread})
        return bool(self._send("GET", f"/api/v1/users/{user}/facts/stream?{asked}", None)["made_at"])

    def remove(self, user: str, item: str) -> None:
        self._send("DELETE", f"/api/v1/users/{user}/memories/{item}", None)

    def list_ids(self, user: str) -> set[str]:
        """Of all its memories, page by page."""
        found: set[str] = set()
        cursor = ""
        while True:
            page = self._send("GET", f"/api/v1/users/{user}/memories?limit=200{cursor}", None)
            found |= {item["id"] for item in page["items"]}
            if not page["next_cursor"]:
                return found
            cursor = f"&cursor={page['next_cursor']}"

    def store_batch(self, user: str, memories: Sequence[dict[str, Any]]) -> None:
        self._post("store a batch", f"/api/v1/users/{user}/memories/batch", {"items": list(memories)})

    def search(self, user: str, query: str, limit: int) -> list[str]:
        """The ids found, best first."""
        answer = self._post("search", f"/api/v1/users/{user}/search", {"query": query, "limit": limit})
        # The server's own stages, indented below the whole call in the table.
        debug = answer["debug"]
        self.watch.add_all("  ", debug["stage_timings_ms"])
        self.fallbacks.update(debug["fallbacks_used"])
        return [hit["memory_id"] for hit in answer["results"]]

    def compose_context(self, user: str, query: str) -> None:
        self._post("context", f"/api/v1/users/{user}/context", {"query": query, "thread_id": "benchmark"})

    def wait_for_first_token(self, user: str, question: str, find_thought_ms: Callable[[str], float | None]) -> float:
        """Milliseconds to the first token of a stream of the gateway, without those that the model thought."""
        body = {"model": "slow", "stream": True, "messages": [{"role": "user", "content": question}]}
        headers = {"x-user-id": user, "x-thread-id": f"first-{uuid.uuid4().hex[:12]}", "x-memory-mode": "read"}
        started = time.perf_counter()
        with self._http.stream("POST", "/v1/chat/completions", json=body, headers=headers) as answer:
            for line in answer.iter_lines():
                thought_ms = find_thought_ms(line[6:]) if line.startswith("data: {") else None
                if thought_ms is not None:
                    return (time.perf_counter() - started) * 1000 - thought_ms
        raise CallFailedError("a stream ended before its first token")

    def gather_insights(self, user: str, query: str) -> None:
        with self.watch.measure("insights"):
            self._send("GET", f"/api/v1/users/{user}/insights?{urlencode({'query': query})}", None)

    def index_progress(self, user: str) -> IndexProgress:
        answer = self._send("GET", f"/api/v1/users/{user}/index-status", None)
        return IndexProgress(answer["pending"], answer["ready"], answer["failed"])

    def wait_until_indexed(self, user: str) -> IndexProgress:
        """Return when nothing waits any more. Raise CallFailedError when the number stops falling."""
        last, moved_at = self.index_progress(user), time.monotonic()
        while last.pending:
            time.sleep(POLL_S)
            now = self.index_progress(user)
            if now != last:
                last, moved_at = now, time.monotonic()
            elif time.monotonic() - moved_at > STALLED_S:
                raise CallFailedError(f"{now.pending} memories still wait for the index; does a worker run?")
        return last

    def erase(self, user: str) -> None:
        self._send("DELETE", f"/api/v1/users/{user}", None)

    def _post(self, stage: str, path: str, body: dict[str, Any], key: str = "") -> dict[str, Any]:
        if self.pace:
            self.pace.wait()
        with self.watch.measure(stage):
            return self._send("POST", path, body, key)

    def _send(self, method: str, path: str, body: dict[str, Any] | None, key: str = "") -> dict[str, Any]:
        headers = {"idempotency-key": key} if key else None
        try:
            answer = self._http.request(method, path, json=body, headers=headers)
        except httpx.HTTPError as error:
            raise CallFailedError(f"{method} {path}: {error or type(error).__name__}") from error
        if answer.is_error:
            raise CallFailedError(f"{method} {path}: {answer.status_code} {answer.text[:500]}")
        content: dict[str, Any] = answer.json() if answer.content else {}
        return content
