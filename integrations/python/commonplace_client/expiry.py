"""When an item of a store ends: its minutes to live and its last moment stand beside its value."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from commonplace_client.client import Memory, NotRemembered, Person

# Of its time that has to pass before reading an item gives it all of it anew: each is a write.
WORTH_A_WRITE = 0.05

Mark = dict[str, Any]


def describe_life(minutes: float | None) -> Mark:
    """What is kept of it; nothing for an item that stays."""
    if minutes is None:
        return {}
    return {"ttl": minutes, "until": (datetime.now(UTC) + timedelta(minutes=minutes)).isoformat()}


def is_over(mark: Mark) -> bool:
    return "until" in mark and datetime.fromisoformat(mark["until"]) <= datetime.now(UTC)


def prolong(person: Person, memory: Memory, name: str) -> None:
    """Give an item that was read all of its time anew."""
    mark = memory["metadata"][name]
    if "ttl" not in mark:
        return
    left = datetime.fromisoformat(mark["until"]) - datetime.now(UTC)
    if left < (1 - WORTH_A_WRITE) * timedelta(minutes=mark["ttl"]):
        person.change(memory["id"], metadata={**memory["metadata"], name: {**mark, **describe_life(mark["ttl"])}})


def drop(person: Person, memory: Memory) -> None:
    """An item that is over or was put again, which another may have dropped already."""
    with suppress(NotRemembered):
        person.delete(memory["id"])


def drop_all(person: Person, memories: Iterable[Memory]) -> None:
    for memory in memories:
        drop(person, memory)
