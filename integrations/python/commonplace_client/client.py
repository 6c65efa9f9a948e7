"""The REST interface, for one person at a time. Every call has a time limit and may raise CommonplaceError."""

import json
import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote
from uuid import uuid4

import httpx

Json = dict[str, Any]
Memory = Json

TIMEOUT_S = 5.0
# How long the server waits where it is asked to, and a file may take, beside the time of any call.
WAIT_S, UPLOAD_S = 10.0, 60.0
PAGE = 200
API = "/api/v1"
SERVER_FAULT, NOT_FOUND, TOO_LARGE, INVALID, TOO_MANY = 500, 404, 413, 422, 429
NO_THREAD = re.compile(r"[\x00-\x1f\x7f-\x9f]")
THREAD_CHARS = 200
TAGS = ("tags", "tags_any")
THREAD_FIELDS = ("thread_id", "in_thread")
# What every sender of addresses resolves: "users/ann/memories/.." is the person, whom DELETE erases.
STEPS = re.compile(r"(?:^|/)\.{1,2}(?:[/?#]|$)")
NO_ADDRESS = "What answers at {} is no Commonplace: is that the address of the installation?"
# Nothing was sent: there is nothing to send again.
NOT_REACHED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
logger = logging.getLogger("commonplace")


class CommonplaceError(Exception):
    """What the memory answered instead of a result. ``errors`` names the fields and the rules that they broke."""

    def __init__(self, detail: str, *, status: int = 0, code: str = "", errors: tuple[Json, ...] = ()) -> None:
        super().__init__(detail)
        self.status, self.code, self.errors = status, code, errors

    @property
    def is_about_content(self) -> bool:
        """What was sent will never be taken: sending it again, or waiting for a better time, is of no use."""
        return self.status in (TOO_LARGE, INVALID)


class MemoryRefused(CommonplaceError):
    """The request will not be taken as it is: the key, the person or a value is wrong."""


class NotRemembered(MemoryRefused):
    """What was named is not there, or is somebody else's."""


class MemoryUnavailable(CommonplaceError):
    """No answer in time, or one that says to try again later."""


class Commonplace:
    """A connection, to be kept and shared: threads may use it at the same time."""

    def __init__(
        self, url: str, key: str, *, timeout: float = TIMEOUT_S, transport: httpx.BaseTransport | None = None
    ) -> None:
        headers = {"Authorization": f"Bearer {key}", "User-Agent": "commonplace-client/0.1"}
        # Of a person who knows the address of the interface it stands before that of every call.
        base, self.timeout = url.rstrip("/").removesuffix(API), timeout
        self.http = httpx.Client(base_url=base, headers=headers, timeout=timeout, transport=transport)

    @classmethod
    def from_environment(cls) -> Self:
        """By COMMONPLACE_URL, COMMONPLACE_KEY and, in seconds, COMMONPLACE_TIMEOUT. Raises KeyError without a key."""
        url = os.environ.get("COMMONPLACE_URL", "http://127.0.0.1:8000")
        return cls(url, os.environ["COMMONPLACE_KEY"], timeout=float(os.environ.get("COMMONPLACE_TIMEOUT", TIMEOUT_S)))

    def person(self, user: str, *, project: str = "", agent: str = "") -> "Person":
        return Person(self, user, project, agent)

    def list_tools(self) -> list[Json]:
        """The seven tools, as OpenAI's chat API takes them."""
        tools: list[Json] = self.call("GET", "/api/v1/tools")
        return tools

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        idempotency_key: str = "",
        takes_s: float = 0.0,
        **options: Any,
    ) -> Any:
        """The answer's JSON, None where it has none.

        With an ``idempotency_key`` what gets no answer in time is sent once more: it is done once, by whichever comes
        first. ``takes_s`` is what the answer may take beside the time of any call. Options are those of httpx.
        """
        if STEPS.search(path):
            raise MemoryRefused(f"That cannot be sent: {path} would lead to another address.")
        if idempotency_key:
            options["headers"] = {**options.get("headers", {}), "Idempotency-Key": idempotency_key}
        if takes_s:
            options["timeout"] = self.timeout + takes_s
        answer = self.send(method, path, tries=2 if idempotency_key else 1, json=body, **options)
        if not answer.is_success:
            raise read_problem(answer, self.http.base_url)
        try:
            return answer.json() if answer.content else None
        except ValueError as error:
            raise MemoryUnavailable(NO_ADDRESS.format(self.http.base_url)) from error

    def send(self, method: str, path: str, *, tries: int, **options: Any) -> httpx.Response:
        try:
            request = self.http.build_request(method, path, **options)
        except (TypeError, ValueError, httpx.InvalidURL) as error:
            raise MemoryRefused(f"That cannot be sent: {error}") from error
        try:
            return self.http.send(request)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            if tries > 1 and not isinstance(error, NOT_REACHED):
                return self.send(method, path, tries=tries - 1, **options)
            raise MemoryUnavailable(f"The memory does not answer: {error or type(error).__name__}") from error

    def close(self) -> None:
        self.http.close()


def name_thread(name: str) -> str:
    """As the memory keeps it, wherever it is named: at most 200 characters, and a dash for a line break in it."""
    return NO_THREAD.sub("-", name)[:THREAD_CHARS]


def name_threads(fields: Any) -> Any:
    """A body or a query with its threads, and those of its filters, by the names that the memory keeps."""
    if not isinstance(fields, dict):
        return fields
    named = {name: name_thread(fields[name]) for name in THREAD_FIELDS if isinstance(fields.get(name), str)}
    filters = {"filters": name_threads(fields["filters"])} if "filters" in fields else {}
    return {**fields, **named, **filters}


def quote_part(name: str) -> str:
    """An id or a key as one part of an address, whatever it holds; none is empty."""
    if not name:
        raise MemoryRefused("That cannot be sent: an id or key is empty.")
    return quote(str(name), safe="")


def name_scope(project: str, agent: str) -> dict[str, str]:
    named = {"X-Project-Id": project, "X-Agent-Id": agent}
    for header, name in named.items():
        if not name.isascii():
            raise MemoryRefused(f"That cannot be sent: {header} {name!r} must be 1-128 of A-Z a-z 0-9 _ . @ : / -")
    return {header: name for header, name in named.items() if name}


def new_key() -> str:
    """For a write of its own: sent twice under one key it is done once."""
    return uuid4().hex


def read_problem(answer: httpx.Response, address: httpx.URL) -> CommonplaceError:
    try:
        problem = answer.json()
    except ValueError:
        problem = None
    problem = problem if isinstance(problem, dict) else {}
    if answer.status_code >= SERVER_FAULT or answer.status_code == TOO_MANY:
        kind: type[CommonplaceError] = MemoryUnavailable
    else:
        kind = NotRemembered if answer.status_code == NOT_FOUND and "code" in problem else MemoryRefused
    if answer.status_code == NOT_FOUND and "code" not in problem:
        return kind(NO_ADDRESS.format(address), status=NOT_FOUND)
    detail = problem.get("detail") or problem.get("title") or f"The memory answered {answer.status_code}."
    errors = tuple(error for error in problem.get("errors") or () if isinstance(error, dict))
    return kind(str(detail), status=answer.status_code, code=str(problem.get("code", "")), errors=errors)


@dataclass(frozen=True, slots=True)
class Person:
    """One person's memory; with ``project`` or ``agent`` what belongs to those, and the person's own."""

    memory: Commonplace
    user: str
    project: str = ""
    agent: str = ""

    def within(self, *, project: str = "", agent: str = "") -> "Person":
        return replace(self, project=project, agent=agent)

    def call(self, method: str, path: str, body: object = None, *, idempotency_key: str = "", **query: Any) -> Any:
        """``path`` as it stands behind ``/api/v1/users/{user_id}/``."""
        part = path.strip("/")
        if not part:
            raise MemoryRefused('That cannot be sent: name what of the person, such as "facts"; erase() erases them.')
        return self.memory.call(
            method,
            f"{API}/users/{quote_part(self.user)}/{part}",
            name_threads(body),
            idempotency_key=idempotency_key,
            takes_s=WAIT_S if query.get("wait") else 0.0,
            params=name_threads({name: value for name, value in query.items() if value is not None}),
            headers=name_scope(self.project, self.agent),
        )

    def call_books(self, method: str, path: str, body: object = None, **options: Any) -> Any:
        """``path`` as it stands behind ``/api/v1/books/``."""
        headers = {"X-User-Id": self.user, **name_scope(self.project, self.agent)}
        return self.memory.call(method, f"{API}/books/{path.strip('/')}", body, headers=headers, **options)

    def erase(self) -> Json:
        """The whole person, for good: gone from every answer at once, from the disk by the job that is answered."""
        if self.project or self.agent:
            raise MemoryRefused("A person is erased as a whole, not within a project or an agent.")
        erased: Json = self.memory.call("DELETE", f"{API}/users/{quote_part(self.user)}")
        return erased

    # --- a turn --------------------------------------------------------------------------------------------------
    def get_context(self, query: str, **options: Any) -> Json:
        """What to tell a model about a question: ``injection``, or its halves ``stable`` and ``turn``."""
        context: Json = self.call("POST", "context", body={"query": query, **options})
        return context

    def store_exchange(
        self, thread: str, said: str, answered: str, *, idempotency_key: str = "", **options: Any
    ) -> Json:
        body, path = {"user_message": said, "assistant_message": answered, **options}, quote_part(name_thread(thread))
        stored: Json = self.call(
            "POST", f"threads/{path}/exchanges", body, idempotency_key=idempotency_key or new_key()
        )
        return stored

    def record_outcome(self, outcome: str, **options: Any) -> Json:
        """``worked``, ``failed``, ``partial`` or ``unknown``, of a ``turn_id`` or an ``exchange_id``."""
        recorded: Json = self.call("POST", "outcomes", {"outcome": outcome, **options}, idempotency_key=new_key())
        return recorded

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The result in words, to be handed to the model."""
        return str(self.call("POST", f"tools/{quote_part(name)}", body=dict(arguments))["content"])

    # --- memories ------------------------------------------------------------------------------------------------
    def store(self, text: str, *, wait: str | None = None, idempotency_key: str = "", **fields: Any) -> Memory:
        """``wait="index"`` returns when it can be found by its meaning, after ten seconds at most."""
        key = idempotency_key or new_key()
        stored: Memory = self.call("POST", "memories", {"text": text, **fields}, idempotency_key=key, wait=wait)
        return stored

    def change(self, memory_id: str, **fields: Any) -> Memory:
        changed: Memory = self.call("PATCH", f"memories/{quote_part(memory_id)}", body=fields)
        return changed

    def delete(self, memory_id: str) -> None:
        self.call("DELETE", f"memories/{quote_part(memory_id)}")

    def delete_many(
        self, *, ids: Sequence[str] | None = None, filters: Json | None = None, everything: bool = False, **options: Any
    ) -> Json:
        """One of the three. ``dry_run=True`` only tells what would go; ``remaining`` are left to the next call."""
        wanted = {"ids": list(ids) if ids is not None else None, "filters": filters, "all": everything or None}
        given = {name: value for name, value in wanted.items() if value is not None}
        deleted: Json = self.call("POST", "memories/delete", {**given, **options}, idempotency_key=new_key())
        return deleted

    def search(self, query: str, **options: Any) -> list[Json]:
        found: list[Json] = self.call("POST", "search", body={"query": query, **options})["results"]
        return found

    def list_memories(
        self,
        *,
        metadata: Json | None = None,
        source: str | Json | None = None,
        limit: int | None = None,
        **filters: Any,
    ) -> Iterator[Memory]:
        """The newest first, ``limit`` of them or all, a page at a time as they are asked for."""
        wanted = json.dumps(metadata) if metadata else None
        origin = json.dumps(source) if isinstance(source, dict) else source
        # Several in an address are parted by commas.
        given = {name: filters[name] for name in TAGS if filters.get(name) is not None}
        listed = {name: one if isinstance(one, str) else ",".join(one) for name, one in given.items()}
        pages = self.list_pages("memories", most=limit, metadata=wanted, source=origin, **{**filters, **listed})
        return islice(pages, limit)

    def list_facts(self, *, limit: int | None = None, **filters: Any) -> Iterator[Json]:
        """What holds, the latest mention first, ``limit`` of them or all; by ``state``, ``relation``, ``as_of``."""
        return islice(self.list_pages("facts", most=limit, **filters), limit)

    def upload_book(self, file: str | Path, **fields: Any) -> Json:
        """A document, such as a PDF, with its ``title``; the job that is answered says how far its reading is."""
        path = Path(file)
        given = {"files": {"file": (path.name, path.read_bytes())}, "data": fields}
        job: Json = self.call_books("POST", "upload", idempotency_key=new_key(), takes_s=UPLOAD_S, **given)
        return job

    # --- own data ------------------------------------------------------------------------------------------------
    def list_data(self, prefix: str) -> Iterator[Json]:
        return self.list_pages("data", prefix=prefix)

    def put_data(self, key: str, value: object, **options: Any) -> Json:
        """With ``replaces``, the ``updated_at`` of a value, only in its place; with None, only where there is none."""
        kept: Json = self.call("PUT", f"data/{quote_part(key)}", body={"value": value, **options})
        return kept

    def delete_data(self, key: str) -> None:
        self.call("DELETE", f"data/{quote_part(key)}")

    def list_pages(self, path: str, *, most: int | None = None, **filters: Any) -> Iterator[Json]:
        cursor, size = filters.pop("cursor", None), min(PAGE, most or PAGE)
        while True:
            page = self.call("GET", path, cursor=cursor, limit=size, **filters)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return
