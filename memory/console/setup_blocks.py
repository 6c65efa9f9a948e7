"""What the connect page shows for a client: blocks to copy and buttons to press."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

BLOCK_DEPTH = 2


@dataclass(frozen=True, slots=True)
class Access:
    """``base`` without a slash at its end; ``key`` is a placeholder until one is made."""

    base: str
    key: str
    person: str

    @property
    def authorization(self) -> str:
        return f"Bearer {self.key}"


@dataclass(frozen=True, slots=True)
class SetupStep:
    """A block to copy, or with ``link`` a button of these words. ``where`` says what to do with it."""

    where: str
    text: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class ClientSetup:
    slug: str
    name: str
    does: str
    door: str
    steps: Callable[[Access], list[SetupStep]]
    then: str
    # Whether it is given a key; else it asks an operator for consent.
    needs_key: bool = True


@dataclass(frozen=True, slots=True)
class SetupGroup:
    name: str
    clients: list[ClientSetup]


def as_block(value: Mapping[str, Any], depth: int = 0) -> str:
    """JSON as people write settings: two levels on lines of their own, what is deeper on one."""
    if depth == BLOCK_DEPTH:
        return json.dumps(value, ensure_ascii=False)
    indent = "  " * (depth + 1)
    lines = (
        f"{indent}{json.dumps(name)}: "
        + (as_block(inner, depth + 1) if isinstance(inner, dict) else json.dumps(inner, ensure_ascii=False))
        for name, inner in value.items()
    )
    return "{\n" + ",\n".join(lines) + "\n" + "  " * depth + "}"
