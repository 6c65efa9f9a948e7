"""A slow language model, and readers of its streams: programs of their own, which take no time of the measure's.

``python -m memory.benchmarks.slow_model serve`` answers every request with a stream; its first token comes after a
moment of thought and says how long that was. ``... read`` opens streams at an address, one after the other, tells by a
line that all are open, reads them to their end, and tells what it saw, each as one line of JSON.
"""

import argparse
import asyncio
import json
import sys
import time
from typing import Any, Final
from urllib.parse import urlsplit

THOUGHT_S: Final = 0.05
OPENED_A_SECOND: Final = 8.0
LARGEST_LINE: Final = 1 << 20
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
FIRST = "first token after "


def build_event(text: str, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": reason}
    chunk = {"id": "slow", "object": "chat.completion.chunk", "created": 1, "model": "slow", "choices": [choice]}
    return f"data: {json.dumps(chunk)}\n\n".encode()


async def read_request(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        (line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")), b"0"
    )
    await reader.readexactly(int(length))


async def serve(port: int, events: float, seconds: float) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await read_request(reader)
            arrived = time.monotonic()
            await asyncio.sleep(THOUGHT_S)
            writer.write(HEAD + build_event(f"{FIRST}{time.monotonic() - arrived:.6f}"))
            until = arrived + seconds
            while time.monotonic() < until:
                await writer.drain()
                await asyncio.sleep(1 / events)
                writer.write(build_event("word "))
            writer.write(build_event("", "stop") + b"data: [DONE]\n\n")
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # a reader that went away
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port, backlog=512)
    async with server:
        await server.serve_forever()


async def read_all(url: str, key: str, streams: int, user: str) -> None:
    opened, tasks = asyncio.Semaphore(0), []
    for number in range(streams):
        tasks.append(asyncio.create_task(read_stream(url, key, f"{user}-{number}", opened)))
        await asyncio.sleep(1 / OPENED_A_SECOND)
    for _ in range(streams):
        await opened.acquire()
    tell({"open": streams})
    found = await asyncio.gather(*tasks)
    tell(
        {
            "first_ms": [one["first_ms"] for one in found if one["first_ms"] is not None],
            "events": sum(one["events"] for one in found),
            "complete": sum(one["complete"] for one in found),
        }
    )


async def read_stream(url: str, key: str, thread: str, opened: asyncio.Semaphore) -> dict[str, Any]:
    """``first_ms``: from sending the request to its first token, without what the model thought."""
    place = urlsplit(url)
    question = f"What did I say about {thread} and the garden?"
    body = json.dumps({"model": "slow", "stream": True, "messages": [{"role": "user", "content": question}]}).encode()
    head = (
        f"POST {place.path}/chat/completions HTTP/1.1\r\nhost: {place.netloc}\r\nauthorization: Bearer {key}\r\n"
        f"content-type: application/json\r\nx-user-id: measured\r\nx-thread-id: {thread}\r\n"
        f"connection: close\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=LARGEST_LINE)
    sent = time.monotonic()
    writer.write(head.encode() + body)
    found: dict[str, Any] = {"first_ms": None, "events": 0, "complete": False}
    try:
        while line := await reader.readline():
            if not line.startswith(b"data: "):
                continue
            found["events"] += 1
            found["complete"] = line.startswith(b"data: [DONE]")
            if found["first_ms"] is None and FIRST.encode() in line:
                thought = float(json.loads(line[6:])["choices"][0]["delta"]["content"].removeprefix(FIRST))
                found["first_ms"] = (time.monotonic() - sent - thought) * 1000
                opened.release()
    finally:
        if found["first_ms"] is None:
            opened.release()
        writer.close()
    return found


def tell(found: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["serve", "read"])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--events", type=float, default=5.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--url", default="")
    parser.add_argument("--key", default="")
    parser.add_argument("--streams", type=int, default=1)
    parser.add_argument("--user", default="stream")
    given = parser.parse_args()
    if given.what == "serve":
        asyncio.run(serve(given.port, given.events, given.seconds))
    else:
        asyncio.run(read_all(given.url, given.key, given.streams, given.user))


if __name__ == "__main__":
    main()
