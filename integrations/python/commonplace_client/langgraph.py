"""A LangGraph store: an item is a memory, so it is found by meaning, has versions, and stands in the console."""

import asyncio
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from commonplace_client.client import Commonplace, Memory, MemoryRefused, NotRemembered, Person
from commonplace_client.expiry import describe_life, drop, drop_all, is_over, prolong

Namespace = tuple[str, ...]
# The one tier from which nothing moves and in which two items that say the same stay two.
TIER = "books"
MARK = "langgraph"
# What a search of the memory returns at most.
MOST_FOUND = 50
MOST_CHARS = 32_768
PERSON = re.compile(r"[A-Za-z0-9_.@:+|-]{1,128}")
# What the id of a project may not hold, and what stands for it.
NO_PROJECT = re.compile(r"[^A-Za-z0-9_.@:/-]|@:")
PROJECT_CHARS, KEPT_CHARS = 128, 62


class CommonplaceStore(BaseStore):
    """Namespaces begin ``(user, project, ...)``: ``user_at`` and ``project_at`` say where else the two stand.

    ``user`` is for graphs of one person, whose namespaces do not name one. ``wait_for_index`` makes a put return when
    the item can be found by its meaning; without it that is a moment later, and by its words at once. ``ttl`` as of
    LangGraph's own stores.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Commonplace,
        *,
        user: str | None = None,
        user_at: int = 0,
        project_at: int | None = 1,
        wait_for_index: bool = False,
        ttl: TTLConfig | None = None,
    ) -> None:
        self.ttl_config = ttl
        self.memory, self.user, self.user_at = memory, user, user_at
        self.project_at = None if user is not None else project_at
        self.wait = "index" if wait_for_index else None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """In the order given, so that what a batch puts is there for what it asks for next."""
        return [self.run(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def run(self, op: Op) -> Result:
        validate_op_namespace(op)
        if isinstance(op, GetOp):
            found = self.find(op.namespace, op.key)
            if found and op.refresh_ttl:
                prolong(self.find_person(op.namespace), found, MARK)
            return as_item(found) if found else None
        if isinstance(op, PutOp):
            return self.write(op)
        if isinstance(op, SearchOp):
            wanted = (one for one in self.list_found(op) if is_match(one.value, op.filter or {}))
            # Pages and hits are asked for as they are needed: a store may hold ten thousand items.
            return list(islice(wanted, op.offset, op.offset + op.limit))
        return self.list_paths(op)

    def find_person(self, namespace: Namespace) -> Person:
        if self.user is not None:
            return self.memory.person(self.user)
        if len(namespace) <= self.user_at or namespace[self.user_at] == "*":
            raise ValueError(f"The namespace {namespace} does not name a person at place {self.user_at}.")
        label = namespace[self.user_at]
        if not PERSON.fullmatch(label):
            told = f"The label {label!r} at place {self.user_at} of the namespace {namespace} names a person:"
            raise MemoryRefused(f"{told} it must be 1-128 of A-Z a-z 0-9 _ . @ : + | -")
        return self.memory.person(label)

    def find(self, namespace: Namespace, key: str) -> Memory | None:
        return next(self.list_held(namespace, key), None)

    def list_held(self, namespace: Namespace, key: str) -> Iterator[Memory]:
        """The item, the newest first where several put it at once: the others go with the next that meets them."""
        wanted = {**describe(namespace), "depth": len(namespace), "key": key}
        return self.list_living(self.find_person(namespace), wanted)

    def list_living(self, person: Person, wanted: dict[str, Any]) -> Iterator[Memory]:
        """Those of the marks whose time is not over; what is over goes when it is met."""
        for memory in person.list_memories(metadata={MARK: wanted}, tier=TIER):
            if not is_over(memory["metadata"][MARK]):
                yield memory
            else:
                drop(person, memory)

    def sweep_ttl(self, user: str = "") -> int:
        """Delete a person's items whose time is over and that nobody has read since; how many those were."""
        person = self.memory.person(user or self.user or "")
        over = [one for one in person.list_memories(metadata={MARK: {}}, tier=TIER) if is_over(one["metadata"][MARK])]
        for memory in over:
            drop(person, memory)
        return len(over)

    def write(self, op: PutOp) -> None:
        person = self.find_person(op.namespace)
        if op.value is None:
            # Until none is left: another may have put it meanwhile.
            while held := list(self.list_held(op.namespace, op.key)):
                drop_all(person, held)
        else:
            self.keep(person, op, describe_item(op, dict(op.value)))

    def keep(self, person: Person, op: PutOp, fields: dict[str, Any]) -> None:
        while held := list(self.list_held(op.namespace, op.key)):
            # Of several the newest: whoever put it has seen the others, or will.
            with suppress(NotRemembered):
                person.change(held[0]["id"], **fields)
                drop_all(person, held[1:])
                return
        # Reading names no project: the namespace alone says what is seen, and a longer one is below a shorter.
        within = person.within(project=self.choose_project(op.namespace))
        within.store(tier=TIER, source="assistant", wait=self.wait, **fields)
        drop_all(person, list(self.list_held(op.namespace, op.key))[1:])

    def choose_project(self, namespace: Namespace) -> str:
        place = self.project_at
        return name_project(namespace[place]) if place is not None and len(namespace) > place else ""

    def list_found(self, op: SearchOp) -> Iterator[SearchItem]:
        person, told = self.find_person(op.namespace_prefix), set()
        for memory, score in self.list_matching(op, person):
            item = (read_namespace(memory), memory["metadata"][MARK]["key"])
            if item in told:
                continue
            told.add(item)
            if op.refresh_ttl:
                prolong(person, memory, MARK)
            yield as_found(memory, score)

    def list_matching(self, op: SearchOp, person: Person) -> Iterator[tuple[Memory, float | None]]:
        inside = describe(op.namespace_prefix)
        if exact := {name: one for name, one in (op.filter or {}).items() if not isinstance(one, (dict, list, tuple))}:
            inside["value"] = exact
        if not op.query:
            yield from ((memory, None) for memory in self.list_living(person, inside))
            return
        wanted = {MARK: {**inside, "indexed": True}}
        most = MOST_FOUND if len(exact) < len(op.filter or {}) else max(1, min(op.offset + op.limit, MOST_FOUND))
        for hit in person.search(op.query, metadata=wanted, collections=[TIER], limit=most):
            # A hit is short. What it stands for has the value, and so has each that says the same under another key.
            for memory_id in (hit["memory_id"], *hit.get("duplicates", ())):
                try:
                    memory = person.call("GET", f"memories/{memory_id}")
                except NotRemembered:
                    continue
                if is_over(memory["metadata"][MARK]):
                    drop(person, memory)
                else:
                    yield memory, hit["score_summary"]["final_score"]

    def list_paths(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        prefix: Namespace = next((tuple(one.path) for one in conditions if one.match_type == "prefix"), ())
        inside = describe(prefix[: prefix.index("*")] if "*" in prefix else prefix)
        found = {read_namespace(one) for one in self.list_living(self.find_person(prefix), inside)}
        paths = {path[: op.max_depth] for path in found if all(is_under(path, one) for one in conditions)}
        return sorted(paths)[op.offset : op.offset + op.limit]


def describe_item(op: PutOp, value: dict[str, Any]) -> dict[str, Any]:
    mark = {**describe(op.namespace), "depth": len(op.namespace), "key": op.key, "indexed": op.index is not False}
    mark |= describe_life(op.ttl)
    return {"text": render_text(op.key, value, op.index), "metadata": {MARK: {**mark, "value": value}}}


def name_project(label: str) -> str:
    """The id of a project for any label: "my project" is "my@:20project", no two are the same."""
    named = NO_PROJECT.sub(lambda found: "".join(f"@:{byte:02X}" for byte in found[0].encode()), label)
    return named if len(named) <= PROJECT_CHARS else f"{named[:KEPT_CHARS]}@:{sha256(label.encode()).hexdigest()}"


def describe(namespace: Namespace) -> dict[str, Any]:
    # By place: metadata is matched by what it contains, so a beginning matches everything below it.
    return {"ns": {str(place): label for place, label in enumerate(namespace)}}


def read_namespace(memory: Memory) -> Namespace:
    mark = memory["metadata"][MARK]
    return tuple(mark["ns"][str(place)] for place in range(mark["depth"]))


def as_item(memory: Memory) -> Item:
    mark = memory["metadata"][MARK]
    return Item(
        value=mark["value"],
        key=mark["key"],
        namespace=read_namespace(memory),
        created_at=memory["created_at"],
        updated_at=memory["updated_at"],
    )


def as_found(memory: Memory, score: float | None) -> SearchItem:
    item = as_item(memory)
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)


def render_text(key: str, value: dict[str, Any], index: object) -> str:
    """What is read and searched: the fields of ``index``, else all of them, a line each."""
    if isinstance(index, list):
        parts = [text for path in index for text in get_text_at_path(value, tokenize_path(path))]
    else:
        plain = {name: one if isinstance(one, str) else json.dumps(one) for name, one in value.items()}
        parts = list(plain.values()) if len(plain) == 1 else [f"{name}: {text}" for name, text in plain.items()]
    return ("\n".join(parts).strip() or key)[:MOST_CHARS]


def is_under(path: Namespace, condition: MatchCondition) -> bool:
    wanted = condition.path
    if len(path) < len(wanted):
        return False
    part = path[: len(wanted)] if condition.match_type == "prefix" else path[len(path) - len(wanted) :]
    return all(label in ("*", one) for one, label in zip(part, wanted, strict=True))


def is_match(value: Any, wanted: Any) -> bool:
    """As LangGraph's own stores compare: operators by name, objects by what they contain."""
    if not isinstance(wanted, dict):
        return bool(value == wanted)
    if any(name.startswith("$") for name in wanted):
        return all(compare(value, name, other) for name, other in wanted.items())
    return isinstance(value, dict) and all(is_match(value.get(name), other) for name, other in wanted.items())


def compare(value: Any, name: str, other: Any) -> bool:
    if name in ("$eq", "$ne"):
        return bool(value == other) is (name == "$eq")
    if name not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {name}")
    if value is None:
        return False
    left, right = float(value), float(other)
    return {"$gt": left > right, "$gte": left >= right, "$lt": left < right, "$lte": left <= right}[name]
