"""How the parts of the installation do, in words an operator can act on."""

from dataclasses import dataclass

from django.utils.translation import gettext_noop

from memory.console.reason_wordings import word_reason
from memory.operations import health, prometheus
from memory.operations.health import Component
from memory.platform.breakers import get_breaker
from memory.web.sentences import compile_sentences
from memory.web.wordings import translate as _

NAMES = {
    "postgres": _("Database"),
    "redis": "Redis",
    "embedder": _("Embedding model"),
    "vector_index": _("Vector index"),
    "vector": _("Vector index"),
    "lexical": _("Word index"),
    "queue": _("Queue"),
    "mcp": _("MCP server"),
    "reranker": _("Reranker"),
    "llm": _("Language model"),
}
# An operator wants to know what still works before what is broken.
EFFECTS = {
    "postgres": _("Nothing can be read or written."),
    "redis": _("Work goes on without caches; the worker finds waiting rows by itself."),
    "embedder": _("New memories wait for their vector; search compares words only."),
    "vector_index": _("Search compares words only."),
    "vector": _("Search compares words only."),
    "lexical": _("Search compares meaning only."),
    "queue": _("New memories are found by their words, not yet by their meaning."),
    "mcp": _("Assistants that use MCP cannot ask; the API goes on."),
}
# What parts say of themselves to programs too, in English.
DETAILS = compile_sentences(
    (
        gettext_noop("memories have waited {number} s for the index: is a worker running?"),
        gettext_noop("oldest waiting memory {number} s"),
        gettext_noop("queue empty"),
        gettext_noop("running"),
        gettext_noop("{model}, {number} dimensions"),
        gettext_noop("{backend}, about {number} vectors"),
        gettext_noop("only {amount} free, writes will fail; free space now"),
        gettext_noop("{amount} free, very low"),
    )
)
BREAKER_STATES = {
    "closed": ("good", _("closed: asked as usual")),
    "half-open": ("watch", _("asked once more, to see whether it answers again")),
    "open": ("watch", _("open: not asked for a moment after repeated failures")),
}
NOT_RECALLED = _("They are kept, and recall does not find them.")


@dataclass(frozen=True, slots=True)
class ComponentHealth:
    """``state`` is good, watch or bad; ``effect`` says what a part that fails means for the answers."""

    name: str
    state: str
    note: str
    effect: str = ""


def list_component_health() -> list[ComponentHealth]:
    seen = health.current()
    found = [describe_component(name, part) for name, part in seen.components.items()]
    found += [
        ComponentHealth(
            NAMES.get(name, name), "watch", _("Not asked for a moment after repeated failures."), EFFECTS.get(name, "")
        )
        for name, state in seen.breakers.items()
        if state != "closed" and not is_known_bad(name, seen.components)
    ]
    found += [
        ComponentHealth(_("Disk"), "watch", describe_reason(text.removeprefix("disk: ")))
        for text in seen.warnings
        if text.startswith("disk")
    ]
    found += [
        ComponentHealth(
            _("Vector index"),
            "bad",
            describe_reason(text.removeprefix("index: ")),
            _("Nobody was shown them: the rows decide."),
        )
        for text in seen.warnings
        if text.startswith("index: ")
    ]
    found += [
        ComponentHealth(_("Personal records"), "watch", describe_reason(text.removeprefix("records: ")), NOT_RECALLED)
        for text in seen.warnings
        if text.startswith("records: ")
    ]
    return found


def list_breaker_health() -> list[ComponentHealth]:
    """Each service that is left alone for a while when it fails, and whether it is asked now."""
    return [
        ComponentHealth(NAMES[name], *BREAKER_STATES[get_breaker(name).state])
        for name in prometheus.list_breaker_names()
    ]


def describe_component(name: str, part: Component) -> ComponentHealth:
    if part.ok:
        return ComponentHealth(NAMES.get(name, name), "good", word_reason(part.detail, DETAILS))
    state = "bad" if part.required else "watch"
    return ComponentHealth(NAMES.get(name, name), state, describe_reason(part.detail), EFFECTS.get(name, ""))


def describe_reason(detail: str) -> str:
    """What went wrong as a sentence, without the technical name in front: the part is named beside it."""
    # Adapters begin their reasons with their own name, which stands beside it on the page.
    name, colon, rest = detail.partition(": ")
    text = word_reason(rest if colon and name in NAMES else detail, DETAILS)
    return f"{text[:1].upper()}{text[1:]}" + ("" if not text or text[-1] in ".?!" else ".")


def is_known_bad(breaker: str, components: dict[str, Component]) -> bool:
    part = components.get("vector_index" if breaker == "vector" else breaker)
    return part is not None and not part.ok
