"""No text takes long to read: every pattern and every reader grows with a text's length and not with its square.

Times are of this thread's processor, so that a busy machine does not fail them.
"""

import importlib
import inspect
import pkgutil
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import cycle
from typing import Any

import pytest

from memory.context.budget import estimate_task, fit_history, truncate_at_sentences
from memory.context.compose import RecentMessage
from memory.facade import MemoryFacade
from memory.language.framing import quote_as_data
from memory.language.periods import find_window
from memory.models import EndUser
from memory.retrieval.query import understand_query
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.transfer.chats.messages import split_text
from outcomes.detection.cues import find_cues
from outcomes.exchanges.storing import NewExchange
from tests import reading_time
from tests.conftest import Clock
from tests.reading_time import (
    BEGINNINGS,
    CLASSES,
    GIVEN_UP_S,
    KNOWN,
    PAIRS,
    RARE_CLASSES,
    SHORT_WORDS,
    exceeds,
    fill,
    find_slow,
    spend,
    time_reading,
)

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
# What reads the product's own files, and never a person's text.
OWN_FILES = ("memory.language.loader", "memory.language.phrases")
PRODUCT = ("memory", "knowledge_graph", "outcomes", "books", "personality", "config")
ROOMS_OF_READERS = re.compile(
    r"(?:memory\.(?:language|guard|facts|retrieval|context|transfer|indexing\.passages|records\.texts|store\.admission)"
    r"|knowledge_graph|outcomes|books|personality)(?:\.|$)"
)
REPEATS = re.compile(r"[*+]|,\}")
"""A pattern with none of these reads no further from any place than it is long."""
OPENINGS = ("", "pump 5", "a: ", "User: ")


def import_product() -> Iterator[Any]:
    for top in PRODUCT:
        package = importlib.import_module(top)
        yield package
        for module in pkgutil.walk_packages(package.__path__, f"{top}."):
            if ".migrations" not in module.name and not module.name.endswith(("__main__", *OWN_FILES)):
                yield importlib.import_module(module.name)


def find_patterns(value: Any, where: str, depth: int = 0) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns in a module's value, inside its collections and its own objects too."""
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield where, value
    elif depth <= 4:
        for name, inner in look_inside(value):
            yield from find_patterns(inner, f"{where}{name}", depth + 1)


def look_inside(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((f"[{key!r}]", inner) for key, inner in value.items())
    elif isinstance(value, list | tuple | set | frozenset):
        yield from ((f"[{number}]", inner) for number, inner in enumerate(value))
    elif is_dataclass(value) and not isinstance(value, type):
        yield from ((f".{field.name}", getattr(value, field.name, None)) for field in fields(value))
    elif hasattr(value, "cache_info") and not inspect.signature(value).parameters:
        yield "()", call_quietly(value)


def call_quietly(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except Exception:  # noqa: BLE001 - what needs a database has no pattern to show
        return None


def every_pattern() -> list[tuple[str, re.Pattern[str]]]:
    found: dict[tuple[str, int], tuple[str, re.Pattern[str]]] = {}
    for module in import_product():
        for name, value in list(vars(module).items()):
            if not name.startswith("__") and (not callable(value) or ROOMS_OF_READERS.match(module.__name__)):
                for where, pattern in find_patterns(value, f"{module.__name__}.{name}"):
                    found.setdefault((pattern.pattern, pattern.flags), (where, pattern))
    return list(found.values())


def words_of(pattern: re.Pattern[str]) -> list[str]:
    """Words that the pattern itself speaks of: repeated, they get furthest into it."""
    return list(dict.fromkeys(re.findall(r"[a-zא-ת]{3,}", pattern.pattern)))[:8]


def test_no_pattern_takes_longer_than_a_texts_length_allows() -> None:
    patterns = every_pattern()
    slow = {}
    for where, pattern in patterns:
        if not REPEATS.search(pattern.pattern):
            continue
        units = [*CLASSES, *RARE_CLASSES, *PAIRS]
        texts = [(unit, "") for unit in units]
        texts += [(unit, opening) for unit in CLASSES for opening in OPENINGS[1:]]
        texts += [(unit, "") for unit in BEGINNINGS]
        texts += [(word + gap, "") for word in words_of(pattern) for gap in ("", " ", "  ")]

        def find_all(text: str, pattern: re.Pattern[str] = pattern) -> None:
            deque(pattern.finditer(text), maxlen=0)
            pattern.fullmatch(text)

        if found := find_slow(find_all, texts):
            slow[where] = found
    assert len(patterns) > 100
    assert slow == {}, "\n".join(f"{where}: {found}" for where, found in slow.items())


def takes_one_text(function: Callable[..., Any]) -> bool:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    required = [one for one in parameters if one.default is one.empty]
    return (
        bool(parameters)
        and parameters[:1] == required
        and required[0].annotation in {str, "str"}
        and required[0].kind is not required[0].VAR_POSITIONAL
    )


def every_reader() -> list[tuple[str, Callable[[str], Any]]]:
    return [
        (f"{module.__name__}.{name}", function)
        for module in import_product()
        if ROOMS_OF_READERS.match(module.__name__)
        for name, function in inspect.getmembers(module, callable)
        if getattr(function, "__module__", "") == module.__name__
        and not name.startswith("_")
        and not inspect.isclass(function)
        and takes_one_text(function)
    ]


READERS_OF_MORE: dict[str, Callable[[str], Any]] = {
    "understand_query": lambda text: understand_query(text, ["Ann", "Ben Archer"], NOW),
    "estimate_task": estimate_task,
    "truncate_at_sentences": lambda text: truncate_at_sentences(text, 60),
    "fit_history": lambda text: fit_history([RecentMessage("user", text)], 500),
    "find_window": lambda text: find_window(text, NOW),
    "find_cues": lambda text: find_cues(text, [text, "what is it?"], text),
    "quote_as_data": lambda text: quote_as_data(text, "0123456789abcdef"),
    "split_text": lambda text: list(split_text(text, 500)),
}
"""What takes more than the text."""


def test_no_reader_takes_longer_than_a_texts_length_allows() -> None:
    readers = [*every_reader(), *READERS_OF_MORE.items()]
    texts = [(unit, "") for unit in (*CLASSES, *RARE_CLASSES, *PAIRS[::10], *SHORT_WORDS)] + [
        ("-", "pump 5"),
        ("a", "user: "),
    ]
    slow = {}
    for where, read in readers:
        if found := find_slow(read, texts):
            slow[where] = found
    assert len(readers) > 50
    assert slow == {}, "\n".join(f"{where}: {found}" for where, found in slow.items())


@pytest.mark.parametrize("bad", [r"(?=.*\d)[A-Z0-9]{4,8}", r"\s+x", r"(a+)+b"])
def test_a_pattern_that_is_too_slow_is_found(bad: str) -> None:
    assert find_slow(re.compile(bad).findall, [(unit, "") for unit in CLASSES])


def test_a_disturbance_is_not_taken_for_slowness(monkeypatch: pytest.MonkeyPatch) -> None:
    undisturbed, disturbed = time_reading, cycle((10, 1))

    def time_beside_others(read: Callable[[str], Any], text: str, limit_s: float = GIVEN_UP_S) -> float:
        return undisturbed(read, text, limit_s) * next(disturbed)

    def read(text: str) -> None:
        for _ in range(100):
            KNOWN.findall(text)

    monkeypatch.setattr(reading_time, "time_reading", time_beside_others)
    assert find_slow(read, [("pump 5 ", "")]) == ""


# --- from end to end ----------------------------------------------------------------------------------------------
HOSTILE = (
    "pump 5" + "-" * 32_700,
    "pump " + "a." * 16_000,
    "pump 5 " + ":/" * 16_000,
    "pump " + "=" * 32_700,
    "pump ?\t",
)
REQUEST_S = 2.0
"""Of a quick machine's processor, for a request with its search; it takes some 0.2."""


@pytest.mark.django_db
def test_five_memories_made_to_be_slow_delay_no_search_that_finds_them(
    user: EndUser, clock: Clock, index_now: Callable[[EndUser], None]
) -> None:
    memory = MemoryFacade("key:app")
    for text in HOSTILE:
        spent, _ = spend(lambda text=text: memory.store(user, NewMemory(text), now=clock()))  # type: ignore[misc]
        assert not exceeds(spent, REQUEST_S), text[:20]
    index_now(user)
    for query in ("which pump is number 5?", "pump 5-5 at 12:30 on 3 May", "who asked about the pump"):
        spent, result = spend(lambda query=query: memory.search(user, SearchRequest(query), now=clock()))  # type: ignore[misc]
        assert not exceeds(spent, REQUEST_S), query
        assert len(result.hits) == len(HOSTILE)


@pytest.mark.django_db
@pytest.mark.parametrize("unit", ["\t", " ", "-", "a.", "5-", "? ", "wer ", "ו "])
def test_no_question_and_no_message_occupies_a_process(unit: str, user: EndUser, clock: Clock) -> None:
    memory, text = MemoryFacade("key:app"), fill(unit, 30_000)
    recent = [RecentMessage("user", text), RecentMessage("assistant", text)]
    context = partial(memory.compose_context, user, now=clock(), thread_id="t", recent_messages=recent)
    assert not exceeds(spend(lambda: context(text + "x"))[0], REQUEST_S)
    assert not exceeds(spend(lambda: context("and now?"))[0], REQUEST_S)
    exchange = NewExchange("t", user_message=text + "x", assistant_message=text + "y")
    assert not exceeds(spend(lambda: memory.store_exchange(user, exchange, now=clock()))[0], REQUEST_S)
