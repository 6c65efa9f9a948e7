"""No text takes long to read: every pattern and every reader grows with a text's length and not with its square.

Times are of this thread's processor, so that a busy machine does not fail them.
"""

import gc
import importlib
import inspect
import pkgutil
import re
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import combinations, cycle
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
from tests.conftest import Clock

NOW = datetime(2026, 5, 3, 12, tzinfo=UTC)
LONG = 16_384
QUARTER = LONG // 4
"""A linear reader takes four times as long for the whole as for a quarter, a quadratic one sixteen times."""
MOST_GROWTH = 9.0
MOST_S = 0.5
"""For the whole, on a machine as quick as QUICK_S says, where the dearest reader takes 0.1; growth is what judges."""
QUICK_S = 0.003
"""What `time_machine` takes where nothing else runs."""
TRIES = 3
"""Of a text that seems slow, whole and quarter alike: the quickest counts, as a disturbance only ever adds."""
GIVEN_UP_S = 1.0
"""Nobody waits for what takes so long, and no disturbance makes it of what is quick."""
SHORT = 1_024
"""Whatever is quadratic shows here already, by this much of the processor's time: 75 ms for the whole."""
SUSPICIOUS_S = 0.0003
MOST_SUSPECTS = 2
"""Of the texts that took longest, and again of those whose time grew most: each is read whole, which is what costs."""
NEGLIGIBLE_S = 0.03
"""A reader this quick with the whole need not show how it grows: with so little the clock's grain decides."""

# What reads the product's own files, and never a person's text.
OWN_FILES = ("memory.language.loader", "memory.language.phrases")
PRODUCT = ("memory", "knowledge_graph", "outcomes", "books", "personality", "config")
ROOMS_OF_READERS = re.compile(
    r"(?:memory\.(?:language|guard|facts|retrieval|context|transfer|indexing\.passages|records\.texts|store\.admission)"
    r"|knowledge_graph|outcomes|books|personality)(?:\.|$)"
)
CLASSES = (" ", "\t", "\n", "a", "A", "é", "א", "5", "-", ".", ",", ":", "'", "_", "#", "?", '"', "(", "`", ">", "/")
RARE_CLASSES = ("\u0301", "😀", "漢", "@", "|", "=", "*", "&", "[", "“", "\u200b", "\\", "+")
PAIRS = tuple(one + other for one, other in combinations(CLASSES, 2))
REPEATS = re.compile(r"[*+]|,\}")
"""A pattern with none of these reads no further from any place than it is long."""
SHORT_WORDS = ("a ", "A ", "Ab ", "5 ", "ו ", "a, ", "A. ", "a' ")
OPENINGS = ("", "pump 5", "a: ", "User: ")
BEGINNINGS = (
    "eyJ-", "sk-", "s k - ", "xox", "ghp_", "AIza", "a://b:", "-----BEGIN ", "DE44 5001 ", "1.1.1-", "<div ", "<!-- ",
    "[end of ", "--- ", "# ", "display :", "```", "{{", "question: ", "user: ", "12:30 a ", "%69", "&amp;", "\\u00",
    "0x", "61 ", "a@", "a@a.", "www.", "a.b.c.", "p a s s ", "a0", "$a",
    "QUJDREVGR0hJSktMTU5PUA== ", "忽略", "ﷺ", "\u202e",
)  # fmt: skip
"""What patterns begin with: repeated, each may be a beginning of what never ends."""


KNOWN = re.compile(r"[a-z]++ \d")


class TookTooLong(BaseException):
    pass


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """The engine of patterns looks for signals, so that a pattern without an end is stopped by one."""

    def stop(*args: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    # A collection of everything that other tests have left is not the reader's time.
    gc.disable()
    yield
    gc.enable()
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def fill(unit: str, length: int, opening: str = "") -> str:
    return (opening + unit * (length // len(unit) + 1))[:length]


def time_reading(read: Callable[[str], Any], text: str, limit_s: float = GIVEN_UP_S) -> float:
    signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
    started = time.thread_time()
    try:
        read(text)
    except TookTooLong:
        return limit_s
    except Exception:  # noqa: BLE001, S110 - a refusal is an answer as well
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.thread_time() - started


def find_slow(read: Callable[[str], Any], texts: list[tuple[str, str]]) -> str:
    """Which text takes longer than its length allows, and how long; empty when none does."""
    for unit, opening in list_suspects(read, texts):
        whole = time_reading(read, fill(unit, LONG, opening))
        if whole == GIVEN_UP_S:
            return f"{opening + unit!r} repeated: without an end"
        if whole < NEGLIGIBLE_S or not is_too_long(whole, time_reading(read, fill(unit, QUARTER, opening))):
            continue
        # Lengths differ by one, or a reader that remembers its last texts would not read the second time.
        whole, quarter = (
            min(time_reading(read, fill(unit, length - number, opening)) for number in range(1, TRIES + 1))
            for length in (LONG, QUARTER)
        )
        if whole >= NEGLIGIBLE_S and is_too_long(whole, quarter):
            return f"{opening + unit!r} repeated: {whole * 1000:.0f} ms, a quarter of it {quarter * 1000:.0f} ms"
    return ""


def is_too_long(whole: float, quarter: float) -> bool:
    return whole > MOST_GROWTH * quarter or whole > MOST_S * max(time_machine() / QUICK_S, 1.0)


def time_machine() -> float:
    """What something linear of a known size takes at this moment; on a loaded machine more than elsewhere."""
    return min(time_reading(KNOWN.findall, "pump 5 " * 16_384) for _ in range(TRIES))


def list_suspects(read: Callable[[str], Any], texts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The texts that take some time though they are short: the slowest, and those that grow most from their quarter."""
    spent = []
    for unit, opening in texts:
        spent.append((time_reading(read, fill(unit, SHORT, opening)), unit, opening))
        if spent[-1][0] == GIVEN_UP_S:
            return [(unit, opening)]
    slowest = sorted((one for one in spent if one[0] > SUSPICIOUS_S), reverse=True)
    grown = [
        (whole / max(time_reading(read, fill(unit, SHORT // 4, opening)), 1e-6), unit, opening)
        for whole, unit, opening in slowest[MOST_SUSPECTS:]
    ]
    suspects = [*slowest[:MOST_SUSPECTS], *sorted(grown, reverse=True)[:MOST_SUSPECTS]]
    return [(unit, opening) for _, unit, opening in suspects]


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

    monkeypatch.setitem(globals(), "time_reading", time_beside_others)
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
"""Of the processor's time, for a request with its search; it takes some 0.2."""


def spend(call: Callable[[], Any]) -> tuple[float, Any]:
    started = time.thread_time()
    result = call()
    return time.thread_time() - started, result


@pytest.mark.django_db
def test_five_memories_made_to_be_slow_delay_no_search_that_finds_them(
    user: EndUser, clock: Clock, index_now: Callable[[EndUser], None]
) -> None:
    memory = MemoryFacade("key:app")
    for text in HOSTILE:
        spent, _ = spend(lambda text=text: memory.store(user, NewMemory(text), now=clock()))  # type: ignore[misc]
        assert spent < REQUEST_S, text[:20]
    index_now(user)
    for query in ("which pump is number 5?", "pump 5-5 at 12:30 on 3 May", "who asked about the pump"):
        spent, result = spend(lambda query=query: memory.search(user, SearchRequest(query), now=clock()))  # type: ignore[misc]
        assert spent < REQUEST_S, query
        assert len(result.hits) == len(HOSTILE)


@pytest.mark.django_db
@pytest.mark.parametrize("unit", ["\t", " ", "-", "a.", "5-", "? ", "wer ", "ו "])
def test_no_question_and_no_message_occupies_a_process(unit: str, user: EndUser, clock: Clock) -> None:
    memory, text = MemoryFacade("key:app"), fill(unit, 30_000)
    recent = [RecentMessage("user", text), RecentMessage("assistant", text)]
    context = partial(memory.compose_context, user, now=clock(), thread_id="t", recent_messages=recent)
    assert spend(lambda: context(text + "x"))[0] < REQUEST_S
    assert spend(lambda: context("and now?"))[0] < REQUEST_S
    exchange = NewExchange("t", user_message=text + "x", assistant_message=text + "y")
    assert spend(lambda: memory.store_exchange(user, exchange, now=clock()))[0] < REQUEST_S
