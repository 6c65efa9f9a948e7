"""How the parts of the installation do, in words an operator can act on."""

from dataclasses import dataclass

from memory.conf import memory_conf
from memory.indexes import vector_index
from memory.redis import attempt
from memory.resilience import Unavailable, breaker_states

EFFECTS = {
    "vector": "Search compares words only.",
    "embedder": "New memories wait for their vector; search compares words only.",
    "lexical": "Search compares meaning only.",
    "redis": "Work continues without caches; the worker finds waiting rows by itself.",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """``state`` is good, watch or bad."""

    name: str
    state: str
    note: str


def conditions() -> list[Condition]:
    return [index_condition(), redis_condition(), *breaker_conditions()]


def index_condition() -> Condition:
    try:
        state = vector_index().state()
    except Unavailable as error:
        return Condition("Vector index", "bad", f"{error.reason}. {EFFECTS['vector']}")
    if not state.ok:
        return Condition("Vector index", "bad", f"{state.problem or 'not usable'}. {EFFECTS['vector']}")
    width = f", {state.dimensions} dimensions" if state.dimensions else ""
    return Condition("Vector index", "good", f"{state.backend}{width}")


def redis_condition() -> Condition:
    answers = attempt(lambda client: bool(client.ping()), otherwise=False)
    return Condition("Redis", "good", "answers") if answers else Condition("Redis", "watch", EFFECTS["redis"])


def breaker_conditions() -> list[Condition]:
    paused = [name for name, state in breaker_states().items() if state != "closed" and name != "vector"]
    found = [
        Condition(name.capitalize(), "watch", f"Paused after failures. {EFFECTS.get(name, '')}") for name in paused
    ]
    if "embedder" not in paused:
        found.insert(0, Condition("Embedding model", "good", memory_conf().embedding.model.rsplit("/", 1)[-1]))
    return found
