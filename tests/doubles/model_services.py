"""A reranker and a language model that do as they are told, and go wrong on purpose, on sockets of the test's own."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typing_extensions import override

from tests.doubles.faults import FAULTS, EmbedderStub, Exchange, _EmbedderHandler

Entries = list[dict[str, Any]]


def overlap(query: str, text: str) -> float:
    """The share of the query's words that are in the text."""
    asked = set(query.casefold().split())
    return len(asked & set(text.casefold().split())) / len(asked) if asked else 0.0


class RerankerStub(EmbedderStub):
    """Speaks TEI's ``/rerank``; scores by ``scorer``, best first as the real one answers."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, handler=_RerankerHandler)
        self.scorer: Callable[[str, str], float] = overlap

    def known(self) -> set[str]:
        return set(FAULTS) | set(RERANK_FAULTS)


class _RerankerHandler(_EmbedderHandler):
    @property
    def stub(self) -> RerankerStub:
        return self.server.owner  # type: ignore[attr-defined]

    @override
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.query, texts = body["query"], body["texts"]
        self.stub.asked.append(Exchange(self.path, body, dict(self.headers), texts))
        if len(texts) > self.stub.largest_batch:
            self.answer(413, b'{"error": "batch size error", "error_type": "Validation"}')
            return
        fault = self.stub.next_fault()
        with contextlib.suppress(OSError):
            if fault in RERANK_FAULTS:
                self.give(RERANK_FAULTS[fault](self.vectors(texts)))
            else:
                FAULTS[fault](self, texts)

    def vectors(self, texts: list[str]) -> list[Any]:
        entries = [{"index": index, "score": self.stub.scorer(self.query, text)} for index, text in enumerate(texts)]
        return sorted(entries, key=lambda entry: -entry["score"])

    def encoded(self, vectors: list[Any], order: list[int] | None = None) -> bytes:
        return json.dumps(vectors).encode()


def score_first(value: object) -> Callable[[Entries], Entries]:
    return lambda entries: [{**entries[0], "score": value}, *entries[1:]]


def index_first(index: object) -> Callable[[Entries], Entries]:
    return lambda entries: [{**entries[0], "index": index}, *entries[1:]]


RERANK_FAULTS: dict[str, Callable[[Entries], Any]] = {
    "score nan": score_first(float("nan")),
    "score infinite": score_first(float("inf")),
    "score too large": score_first(10**400),
    "score missing": lambda entries: [{"index": entries[0]["index"]}, *entries[1:]],
    "score text": score_first("0.9"),
    "score truth value": score_first(True),
    "index repeated": lambda entries: [{**entry, "index": entries[0]["index"]} for entry in entries],
    "index outside": index_first(99),
    "index negative": index_first(-1),
    "index fraction": index_first(0.5),
    "bare numbers": lambda entries: [entry["score"] for entry in entries],
    "another dialect": lambda entries: {"results": entries},
    "raw scores": lambda entries: [{**entry, "score": 12 * entry["score"] - 6} for entry in entries],
    "huge raw scores": lambda entries: [{**entry, "score": 1e9 * (entry["score"] - 0.5)} for entry in entries],
}


class LanguageModelStub(EmbedderStub):
    """Speaks ``/chat/completions`` and says what its script holds, one line a request; the last one stays.

    A line that names a fault of the wire is played as that fault.
    """

    def __init__(self, path: Path, *script: str) -> None:
        super().__init__(path, handler=_LanguageModelHandler)
        self.script = list(script) or ["{}"]
        # Whether it answers a forced tool by calling it; else as a server that overlooks tools does, in words.
        self.calls_tools = False

    def says(self, *script: str) -> None:
        self.script = list(script)

    def next_line(self) -> str:
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


class _LanguageModelHandler(_EmbedderHandler):
    @property
    def stub(self) -> LanguageModelStub:
        return self.server.owner  # type: ignore[attr-defined]

    @override
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.stub.asked.append(Exchange(self.path, body, dict(self.headers)))
        line = self.stub.next_line()
        with contextlib.suppress(OSError):
            if line in FAULTS:
                FAULTS[line](self, ["text"])
            else:
                forced = body.get("tool_choice") if self.stub.calls_tools else None
                self.answer(200, call_body(forced["function"]["name"], line) if forced else completion_body(line))


def call_body(tool: str, arguments: str) -> bytes:
    call = {"id": "c1", "type": "function", "function": {"name": tool, "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}).encode()


def completion_body(content: object) -> bytes:
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return json.dumps({"id": "x", "choices": [choice], "usage": usage}).encode()
