"""A language model's server as the gateway meets it: it says what its script holds, whole or in events."""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.doubles.faults import Exchange, PortServer, _Listener

Body = dict[str, Any]
MODEL = "scripted-1"
WAIT_S = 30.0


@dataclass
class Whole:
    """A whole answer."""

    body: Body | bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Streamed:
    """Events; bytes are sent as they are.

    ``ends``: "done", as it should; "break", by closing; "hang", so that it closes when somebody lets it; "pause", so
    that it goes on to its end then.
    """

    events: Sequence[Body | bytes]
    ends: str = "done"


class _ChatPort(PortServer):
    # The next test listens where an installation has been told to look.
    allow_reuse_address = True


class ChatServer(_Listener):
    """Answers one step of its script a request; the last step stays."""

    def __init__(self, port: int = 0) -> None:
        server = _ChatPort(("127.0.0.1", port), _ChatHandler)
        self.url = f"http://127.0.0.1:{server.socket.getsockname()[1]}/v1"
        super().__init__(server)
        self.asked: list[Exchange] = []
        self.steps: list[Whole | Streamed] = [Whole(completion("Noted."))]
        self.go_on = threading.Event()

    def answers(self, *steps: Whole | Streamed) -> None:
        self.steps = list(steps)
        self.asked.clear()
        self.go_on.clear()

    def next_step(self) -> Whole | Streamed:
        return self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]


class _ChatHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = WAIT_S

    def log_message(self, *words: Any) -> None:
        """Quiet."""

    @property
    def stub(self) -> ChatServer:
        return self.server.owner  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        self.answer(
            Whole({"object": "list", "data": [{"id": MODEL, "object": "model", "created": 1, "owned_by": "x"}]})
        )

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.stub.asked.append(Exchange(self.path, body, dict(self.headers)))
        step = self.stub.next_step()
        if isinstance(step, Whole):
            self.answer(step)
        else:
            self.stream(step)

    def answer(self, step: Whole) -> None:
        content = step.body if isinstance(step.body, bytes) else json.dumps(step.body).encode()
        self.send_response(step.status)
        for name, value in {"content-type": "application/json", **step.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def stream(self, step: Streamed) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in step.events:
            self.send_chunk(event if isinstance(event, bytes) else encode(event))
        if step.ends in {"hang", "pause"}:
            self.stub.go_on.wait(WAIT_S)
        if step.ends == "pause":
            for event in (chunk({"content": "three"}), chunk({}, "stop")):
                self.send_chunk(encode(event))
        if step.ends in {"done", "pause"}:
            self.send_chunk(b"data: [DONE]\n\n")
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def send_chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        self.wfile.flush()


def encode(event: Body) -> bytes:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n".encode()


def completion(text: str | None, *, reason: str = "stop", **message: Any) -> Body:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [
            {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text, **message}}
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    }


def chunk(delta: Body, reason: str | None = None, **more: Any) -> Body:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        **more,
    }


def said(*words: str, reason: str = "stop") -> list[Body | bytes]:
    """The chunks of an answer of these pieces."""
    return [
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"content": word}) for word in words),
        chunk({}, reason),
    ]


def call(name: str, arguments: Body, call_id: str = "call_1") -> Body:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def call_chunks(name: str, arguments: Body, *, index: int = 0, call_id: str = "call_1") -> list[Body | bytes]:
    """A call as it is streamed: its name first, then its arguments in two pieces."""
    text = json.dumps(arguments)
    first = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
    rest = [{"index": index, "function": {"arguments": part}} for part in (text[:4], text[4:])]
    return [chunk({"tool_calls": [part]}) for part in (first, *rest)]


def response_body(*output: Body, response_id: str = "resp_1") -> Body:
    """A whole answer of the other API."""
    return {
        "id": response_id,
        "object": "response",
        "created_at": 1,
        "model": MODEL,
        "status": "completed",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12},
    }


def message_item(text: str) -> Body:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def call_item(name: str, arguments: Body, call_id: str = "call_1") -> Body:
    return {
        "id": f"fc_{call_id}",
        "type": "function_call",
        "status": "completed",
        "call_id": call_id,
        "name": name,
        "arguments": json.dumps(arguments),
    }


def response_events(*items: Body, response_id: str = "resp_1") -> list[Body | bytes]:
    """The events of an answer: each item added, its text or arguments in two pieces, done; then the whole."""
    whole = response_body(*items, response_id=response_id)
    events: list[Body] = [{"type": "response.created", "response": {**whole, "output": [], "status": "in_progress"}}]
    for place, item in enumerate(items):
        at = {"output_index": place, "item_id": item["id"]}
        events.append({"type": "response.output_item.added", **at, "item": {**item, "content": [], "arguments": ""}})
        is_text = item["type"] == "message"
        text = item["content"][0]["text"] if is_text else item["arguments"]
        kind = "response.output_text.delta" if is_text else "response.function_call_arguments.delta"
        events += [{"type": kind, **at, "content_index": 0, "delta": part} for part in (text[:3], text[3:])]
        events.append({"type": "response.output_item.done", **at, "item": item})
    events.append({"type": "response.completed", "response": whole})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]
