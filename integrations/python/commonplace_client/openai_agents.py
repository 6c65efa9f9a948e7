"""OpenAI Agents: a session kept by the memory, its tools as function tools, and its context beside the question."""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from agents import FunctionTool
from agents.run import CallModelData, ModelInputData

from commonplace_client.client import CommonplaceError, Json, NotRemembered, Person

SESSION_ID = re.compile(r"[A-Za-z0-9_.@:-]{1,100}")
# A value of own data holds 16 KiB; what the memory puts around the items takes a part.
PAGE_BYTES = 15_000
# What is left at least of a text that is cut; more where it fits.
LEAST_LEFT = 500
LONG_FIELDS = ("output", "text", "content", "arguments")
CONFLICT = 409
MOST_TRIES = 50
Found = TypeVar("Found")
logger = logging.getLogger("commonplace")


@dataclass(slots=True)
class Page:
    """Items under one key; ``written_at`` None: nothing is there yet."""

    number: int
    items: list[Json]
    written_at: str | None


class CommonplaceSession:
    """Keeps the items of a session as own data of the person, and each answered question as an exchange.

    Neither stops a run: items that cannot be stored are held, and stored with the next. Of several that add to one
    session at once, tasks, threads or processes, each loses nothing.
    """

    session_settings: Any = None

    def __init__(self, session_id: str, person: Person, *, learn: bool = True) -> None:
        if not SESSION_ID.fullmatch(session_id):
            raise ValueError("A session id is 1-100 of A-Z a-z 0-9 _ . @ : -")
        self.session_id, self.person, self.learn = session_id, person, learn
        self.prefix = f"agents:{session_id}:"
        self.pages: list[Page] = []
        # The turn of which the model was told what is known: its answer says of what the outcome will be.
        self.turn_id: str | None = None
        # What was added together is held together.
        self.held: list[list[Json]] = []
        # Steps run in threads: one at a time reads the pages, and writes what is held.
        self.lock = Lock()

    async def get_items(self, limit: int | None = None) -> list[Any]:
        items = await asyncio.to_thread(self.read_items)
        limit = getattr(self.session_settings, "limit", None) if limit is None else limit
        return items if limit is None else items[len(items) - min(limit, len(items)) :]

    async def add_items(self, items: list[Any]) -> None:
        if added := [dict(item) for item in items]:
            self.held.append(added)
        try:
            await asyncio.to_thread(self.append_held)
        except CommonplaceError as error:
            logger.warning("session %s holds %d items: %s", self.session_id, sum(map(len, self.held)), error)

    async def pop_item(self) -> Any:
        return await asyncio.to_thread(self.drop_last)

    async def clear_session(self) -> None:
        """The conversation, not what was learned from it. Raises CommonplaceError where that did not happen."""
        await asyncio.to_thread(self.drop_all)

    def read_items(self) -> list[Json]:
        with self.lock:
            try:
                self.read_pages()
            except CommonplaceError as error:
                logger.warning("session %s goes on with what it last read: %s", self.session_id, error)
            return [*self.list_kept(), *(item for added in self.held for item in added)]

    def list_kept(self) -> list[Json]:
        return [item for page in self.pages for item in page.items]

    def read_pages(self) -> None:
        # A session whose name goes on where this one ends has other keys, which the same prefix finds.
        found = [one for one in self.person.list_data(self.prefix) if one["key"][len(self.prefix) :].isdigit()]
        self.pages = [Page(int(one["key"][len(self.prefix) :]), one["value"], one["updated_at"]) for one in found]

    def append_held(self) -> None:
        with self.lock:
            if self.held:
                self.read_pages()
            while self.held:
                added = self.held[0]
                while added:
                    self.append_item(fit_item(added[0]))
                    del added[0]
                self.learn_turn()
                del self.held[0]

    def learn_turn(self) -> None:
        turn = find_turn(self.list_kept()) if self.learn else None
        if turn is None:
            return
        try:
            self.person.store_exchange(self.session_id, *turn, **({"turn_id": self.turn_id} if self.turn_id else {}))
            self.turn_id = None
        except CommonplaceError as error:
            if not error.is_about_content:
                raise
            logger.warning("session %s: a turn is not learned from: %s", self.session_id, error)

    def append_item(self, item: Json) -> None:
        try:
            self.write_until_done(partial(self.write_behind_last, item))
        except CommonplaceError as error:
            if not error.is_about_content:
                raise
            # It would stand in the way of all that come after it.
            logger.warning("session %s lost an item: %s", self.session_id, error)

    def write_behind_last(self, item: Json) -> None:
        page = self.pages[-1] if self.pages else Page(0, [], None)
        if page.items and measure([*page.items, item]) > PAGE_BYTES:
            page = Page(page.number + 1, [], None)
        self.write_page(page, [*page.items, item])

    def write_until_done(self, write: Callable[[], Found]) -> Found:
        """Once more, on what is there by then, where another came first: one of all who write is always done."""
        for _ in range(MOST_TRIES):
            try:
                return write()
            except CommonplaceError as error:
                if error.status != CONFLICT:
                    raise
                self.read_pages()
        return write()

    def write_page(self, page: Page, items: list[Json]) -> None:
        written = self.person.put_data(f"{self.prefix}{page.number:06}", items, replaces=page.written_at)
        kept = [one for one in self.pages if one.number != page.number]
        # As the memory keeps it, without its secrets.
        kept.append(Page(page.number, written["value"], written["updated_at"]))
        self.pages = sorted(kept, key=lambda one: one.number)

    def drop_last(self) -> Json | None:
        with self.lock:
            if added := next((one for one in reversed(self.held) if one), None):
                last = added.pop()
                self.held = [one for one in self.held if one or one is not added]
                return last
            self.read_pages()
            return self.write_until_done(self.write_without_last)

    def write_without_last(self) -> Json | None:
        """A page that has none left stays for what comes next: deleting it might take that along."""
        page = next((page for page in reversed(self.pages) if page.items), None)
        if page is None:
            return None
        *rest, last = page.items
        self.write_page(page, rest)
        return last

    def drop_all(self) -> None:
        with self.lock:
            self.held.clear()
            self.read_pages()
            # From the end: what a fault leaves is a beginning.
            while self.pages:
                with suppress(NotRemembered):
                    self.person.delete_data(f"{self.prefix}{self.pages[-1].number:06}")
                self.pages.pop()


def measure(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def fit_item(item: Json) -> Json:
    """The item, its long texts cut to as much as a page holds."""
    if measure([item]) <= PAGE_BYTES:
        return item
    least, most = LEAST_LEFT, PAGE_BYTES
    while least < most:
        tried = (least + most + 1) // 2
        if measure([cut_texts(item, tried)]) <= PAGE_BYTES:
            least = tried
        else:
            most = tried - 1
    return dict(cut_texts(item, least))


def cut_texts(value: Any, most: int, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: cut_texts(one, most, key) for key, one in value.items()}
    if isinstance(value, list):
        return [cut_texts(one, most, name) for one in value]
    if isinstance(value, str) and name in LONG_FIELDS and len(value) > most:
        return f"{value[:most]} [cut: {len(value) - most} more characters]"
    return value


def find_turn(items: list[Json]) -> tuple[str, str] | None:
    """The last question and its answer, once the answer is there: a message with no call of a tool after it."""
    if not items or items[-1].get("role") != "assistant":
        return None
    asked = next((place for place in range(len(items) - 1, -1, -1) if items[place].get("role") == "user"), None)
    if asked is None:
        return None
    said = read_text(items[asked])
    answered = "\n\n".join(read_text(item) for item in items[asked:] if item.get("role") == "assistant").strip()
    return (said, answered) if said and answered else None


def read_text(item: Json) -> str:
    content = item.get("content") or ""
    if isinstance(content, str):
        return content.strip()
    return "\n".join(str(part["text"]) for part in content if part.get("text")).strip()


def list_memory_tools(person: Person) -> list[FunctionTool]:
    """The memory's seven tools, for this person. Asks the memory for them."""
    functions = [tool["function"] for tool in person.memory.list_tools()]
    return [
        FunctionTool(
            name=function["name"],
            description=function["description"],
            params_json_schema=function["parameters"],
            on_invoke_tool=partial(run_tool, person, function["name"]),
            # Strict schemas need every argument; here most may be left out.
            strict_json_schema=False,
        )
        for function in functions
    ]


async def run_tool(person: Person, name: str, _context: object, arguments: str) -> str:
    try:
        return await asyncio.to_thread(person.call_tool, name, json.loads(arguments or "{}"))
    except (CommonplaceError, TypeError, ValueError) as error:
        # Said to the model, which can correct its call or go on without.
        return f"The memory did not do that: {error}"


def add_context(
    person: Person, session: CommonplaceSession | None = None
) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """For ``RunConfig(call_model_input_filter=...)``: what is known, told once for each question.

    With ``session`` the exchange that it keeps is of the same turn, so that an outcome reaches what was told.
    """
    known: dict[str, Json] = {}
    thread = {"thread_id": session.session_id} if session is not None else {}

    async def tell(data: CallModelData[Any]) -> ModelInputData:
        asked, items = data.model_data, list(data.model_data.input)
        last = next((place for place in range(len(items) - 1, -1, -1) if items[place].get("role") == "user"), None)
        question = read_text(dict(items[last])) if last is not None else ""
        if last is None or not question:
            return asked
        if question not in known:
            known.clear()
            try:
                known[question] = await asyncio.to_thread(person.get_context, question[:8_000], **thread)
            except CommonplaceError as error:
                logger.warning("answered without a context: %s", error)
            if session is not None:
                session.turn_id = known.get(question, {}).get("turn_id")
            if not known:
                return asked
        stable, turn = known[question]["stable"]["text"], known[question]["turn"]["text"]
        if turn:
            # Beside the question: what stands before it stays as it was, and so does the model's cache of it.
            items.insert(last, {"role": "system", "content": turn})
        instructions = "\n\n".join(part for part in (asked.instructions, stable) if part)
        return ModelInputData(input=items, instructions=instructions or None)

    return tell
