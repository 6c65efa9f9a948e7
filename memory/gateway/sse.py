"""Server-sent events, read as they come and written."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memory.gateway.errors import GatewayError

# Of one event: a picture fits, an endless line does not.
MAX_EVENT_BYTES = 4 * 1024 * 1024
DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """``data`` empty: a comment, which keeps a connection alive. ``raw`` is what was sent, for passing it on."""

    raw: bytes
    name: str = ""
    data: str = ""

    @property
    def is_end(self) -> bool:
        return self.data == DONE

    def read(self) -> dict[str, Any] | None:
        """The JSON object of the event, or None where it is none."""
        try:
            found = json.loads(self.data)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None


def iterate_events(chunks: Iterator[bytes]) -> Iterator[ServerEvent]:
    """What is left when the chunks end is no event: it may be half of one."""
    buffer = b""
    for chunk in chunks:
        buffer += chunk.replace(b"\r", b"")
        *complete, buffer = buffer.split(b"\n\n")
        for block in complete:
            if block.strip():
                yield parse_event(block)
        if len(buffer) > MAX_EVENT_BYTES:
            raise GatewayError(502, "The language model's server sent an event that does not end.")


def parse_event(block: bytes) -> ServerEvent:
    name, data = "", []
    for line in block.decode("utf-8", "replace").split("\n"):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value
    return ServerEvent(block + b"\n\n", name, "\n".join(data))


def encode_event(data: dict[str, Any], name: str = "") -> bytes:
    # Escaped beyond ASCII: a lone surrogate, which a model may send in halves, has no UTF-8.
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


END = f"data: {DONE}\n\n".encode()
