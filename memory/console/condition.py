"""How the parts of the installation do, in words an operator can act on."""

from dataclasses import dataclass

from memory.operations import health
from memory.operations.health import Component

NAMES = {
    "postgres": "Database",
    "redis": "Redis",
    "embedder": "Embedding model",
    "vector_index": "Vector index",
    "vector": "Vector index",
    "lexical": "Word index",
    "queue": "Queue",
    "mcp": "MCP server",
}
EFFECTS = {
    "postgres": "Nothing can be read or written.",
    "redis": "Work goes on without caches; the worker finds waiting rows by itself.",
    "embedder": "New memories wait for their vector; search compares words only.",
    "vector_index": "Search compares words only.",
    "vector": "Search compares words only.",
    "lexical": "Search compares meaning only.",
    "queue": "New memories are found by their words, not yet by their meaning.",
    "mcp": "Assistants that use MCP cannot ask; the API goes on.",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """``state`` is good, watch or bad; ``effect`` says what a part that fails means for the answers."""

    name: str
    state: str
    note: str
    effect: str = ""


def conditions() -> list[Condition]:
    seen = health.current()
    found = [of_component(name, part) for name, part in seen.components.items()]
    found += [
        Condition(
            NAMES.get(name, name), "watch", "Not asked for a moment after repeated failures.", EFFECTS.get(name, "")
        )
        for name, state in seen.breakers.items()
        if state != "closed" and not is_known_bad(name, seen.components)
    ]
    found += [
        Condition("Disk", "watch", reason(text.removeprefix("disk: ")))
        for text in seen.warnings
        if text.startswith("disk")
    ]
    found += [
        Condition(
            "Vector index", "bad", reason(text.removeprefix("index: ")), "Nobody was shown them: the rows decide."
        )
        for text in seen.warnings
        if text.startswith("index: ")
    ]
    return found


def of_component(name: str, part: Component) -> Condition:
    if part.ok:
        return Condition(NAMES.get(name, name), "good", part.detail)
    state = "bad" if part.required else "watch"
    return Condition(NAMES.get(name, name), state, reason(part.detail), EFFECTS.get(name, ""))


def reason(detail: str) -> str:
    """What went wrong as a sentence, without the technical name in front: the part is named beside it."""
    name, colon, rest = detail.partition(": ")
    said = rest if colon and name in NAMES else detail
    return f"{said[:1].upper()}{said[1:]}" + ("" if not said or said[-1] in ".?!" else ".")


def is_known_bad(breaker: str, components: dict[str, Component]) -> bool:
    part = components.get("vector_index" if breaker == "vector" else breaker)
    return part is not None and not part.ok
