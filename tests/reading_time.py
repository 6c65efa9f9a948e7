"""How long a reader of texts takes: it must grow with a text's length and not with its square.

Times are of this thread's processor, so that a busy machine does not fail them.
"""

import gc
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any

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

CLASSES = (" ", "\t", "\n", "a", "A", "é", "א", "5", "-", ".", ",", ":", "'", "_", "#", "?", '"', "(", "`", ">", "/")
RARE_CLASSES = ("\u0301", "😀", "漢", "@", "|", "=", "*", "&", "[", "“", "\u200b", "\\", "+")
PAIRS = tuple(one + other for one, other in combinations(CLASSES, 2))
SHORT_WORDS = ("a ", "A ", "Ab ", "5 ", "ו ", "a, ", "A. ", "a' ")
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


@contextmanager
def stopped_after(limit_s: float) -> Iterator[None]:
    """The engine of patterns looks for signals, so that a pattern without an end is stopped by one."""

    def stop(*args: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    # A collection of everything that other tests have left is not the reader's time.
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)


def fill(unit: str, length: int, opening: str = "") -> str:
    return (opening + unit * (length // len(unit) + 1))[:length]


def time_reading(read: Callable[[str], Any], text: str, limit_s: float = GIVEN_UP_S) -> float:
    with stopped_after(limit_s):
        started = time.thread_time()
        try:
            read(text)
        except TookTooLong:
            return limit_s
        except Exception:  # noqa: BLE001, S110 - a refusal is an answer as well
            pass
        return time.thread_time() - started


def spend(call: Callable[[], Any]) -> tuple[float, Any]:
    """What a call takes of the processor's time, in threads of its own too, and what it returns."""
    started = time.process_time()
    result = call()
    return time.process_time() - started, result


def find_slow(read: Callable[[str], Any], texts: list[tuple[str, str]]) -> str:
    """Which text takes longer than its length allows, and how long; empty when none does."""
    found = (explain_slowness(read, unit, opening) for unit, opening in list_suspects(read, texts))
    return next(filter(None, found), "")


def explain_slowness(read: Callable[[str], Any], unit: str, opening: str = "", most_s: float = MOST_S) -> str:
    """How long the unit repeated takes, where that is longer than its length allows; empty where it is not."""
    limit_s = max(GIVEN_UP_S, 2 * most_s)
    whole = time_reading(read, fill(unit, LONG, opening), limit_s)
    if whole == limit_s:
        return f"{opening + unit!r} repeated: without an end"
    if whole < NEGLIGIBLE_S or not is_too_long(whole, time_reading(read, fill(unit, QUARTER, opening)), most_s):
        return ""
    # Lengths differ by one, or a reader that remembers its last texts would not read the second time.
    whole, quarter = (
        min(time_reading(read, fill(unit, length - number, opening), limit_s) for number in range(1, TRIES + 1))
        for length in (LONG, QUARTER)
    )
    if whole < NEGLIGIBLE_S or not is_too_long(whole, quarter, most_s):
        return ""
    return f"{opening + unit!r} repeated: {whole * 1000:.0f} ms, a quarter of it {quarter * 1000:.0f} ms"


def is_too_long(whole: float, quarter: float, most_s: float) -> bool:
    return whole > MOST_GROWTH * quarter or exceeds(whole, most_s)


def exceeds(spent_s: float, most_s: float) -> bool:
    """Whether something took more than it may on a machine as quick as QUICK_S says, and on this one accordingly."""
    return spent_s > most_s * max(time_machine() / QUICK_S, 1.0)


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
