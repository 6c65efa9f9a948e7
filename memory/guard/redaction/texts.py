"""Takes secrets out of a text before anything keeps it: ``[redacted: wifi password]`` stands where one stood.

Pure. What is redacted once is redacted for good: the second time finds nothing, so whoever is not sure may ask again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from threading import Lock
from typing import Any, Final

from memory.guard.redaction.forms import SecretSpan, find_forms
from memory.guard.redaction.told import find_answer, find_asked_kind, find_told_secrets

MARK: Final = re.compile(r"\[redacted: ([a-z][a-z ]{1,30})\]")
# Of the private use area: a mark stands there as one strange word, in which nothing is found.
COVER: Final = "\ue001"
# Names of a question and of its answer that are said in one object.
TURNS: Final = (("user_message", "assistant_message"), ("user", "assistant"), ("question", "answer"))
LONGEST_NAME, LONGEST_NAMED_VALUE = 60, 200
# Where a text stands at the edge of what a field may hold, marks must not carry it over: it is cut instead.
FIELD_LIMITS: Final = (32_768, 500_000)
# Reading a name of two words takes 35 µs, its digest one: the fields of a book say the same in each of its passages.
SHORTEST_KEPT: Final = 3
CUT_MARK: Final = " […]"


@dataclass(frozen=True, slots=True)
class RedactedText:
    """``kinds`` are those of the secrets taken out now, each once, in order."""

    text: str
    kinds: tuple[str, ...] = ()


def redact_secrets(text: str) -> RedactedText:
    return replace_spans(text, find_secrets(text))


def replace_spans(text: str, spans: Sequence[SecretSpan]) -> RedactedText:
    if not spans:
        return RedactedText(text)
    pieces, at = [], 0
    for span in spans:
        pieces += [text[at : span.start], render_mark(span.kind)]
        at = span.end
    redacted = "".join([*pieces, text[at:]])
    limit = next((limit for limit in FIELD_LIMITS if len(text) <= limit < len(redacted)), None)
    if limit:
        redacted = redacted[: limit - len(CUT_MARK)] + CUT_MARK
    return RedactedText(redacted, tuple(dict.fromkeys(span.kind for span in spans)))


def render_mark(kind: str) -> str:
    return f"[redacted: {kind}]"


class CleanTexts:
    """Texts that were read and hold no secret, by digest: each door and each room behind it asks again.

    An exchange was read five times on its way to its row. Digests of clean texts alone are kept, never a text.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._digests: dict[bytes, None] = {}
        self._lock = Lock()

    def __contains__(self, text: str) -> bool:
        return digest_text(text) in self._digests

    def add(self, text: str) -> None:
        with self._lock:
            self._digests[digest_text(text)] = None
            if len(self._digests) > self._most:
                del self._digests[next(iter(self._digests))]


def digest_text(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


CLEAN = CleanTexts(16_384)


def find_secrets(text: str) -> list[SecretSpan]:
    """In their order, none within another."""
    if len(text) < SHORTEST_KEPT:
        return read_secrets(text)
    if text in CLEAN:
        return []
    found = read_secrets(text)
    if not found:
        CLEAN.add(text)
    return found


def read_secrets(text: str) -> list[SecretSpan]:
    covered = MARK.sub(lambda match: COVER * len(match[0]), text) if "[redacted: " in text else text
    found = sorted(
        [*find_forms(covered, covered.lower()), *find_told_secrets(covered)],
        key=lambda span: (span.rank, span.start - span.end, span.start),
    )
    kept: list[SecretSpan] = []
    taken = bytearray(len(text))
    for span in found:
        if COVER in covered[span.start : span.end]:
            continue
        if span.start < span.end and not any(taken[span.start : span.end]):
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
            kept.append(span)
    return sorted(kept, key=lambda span: span.start)


def list_marked_kinds(text: str) -> list[str]:
    """What was taken out of a text, by the marks in it."""
    return list(dict.fromkeys(MARK.findall(text))) if "[redacted: " in text else []


def has_mark(text: str) -> bool:
    return "[redacted: " in text and MARK.search(text) is not None


def find_reply(question: str, answer: str) -> list[SecretSpan]:
    """The secret that an answer begins with when it was asked for: "What is the wifi password?" - "It's ..."."""
    kind = find_asked_kind(question)
    return [SecretSpan(*span, kind) for span in find_answer(answer, kind)] if kind else []


def redact_reply(question: str, answer: str) -> RedactedText:
    """``answer`` redacted, with what it tells because the question asked for it."""
    replied = find_reply(question, answer)
    first = replace_spans(answer, replied)
    second = redact_secrets(first.text)
    return RedactedText(second.text, tuple(dict.fromkeys([*first.kinds, *second.kinds])))


class JsonRedaction:
    """Redacts every string of a JSON value, names and nested values included, and notes where.

    ``{"wifi password": "sunflower"}`` is read as "wifi password: sunflower". ``found`` maps a path to kinds.
    """

    def __init__(self) -> None:
        self.found: dict[tuple[str | int, ...], tuple[str, ...]] = {}

    @property
    def kinds(self) -> list[str]:
        return list(dict.fromkeys(kind for kinds in self.found.values() for kind in kinds))

    def redact(self, value: Any, path: tuple[str | int, ...] = ()) -> Any:  # noqa: ANN401 -- any JSON
        if isinstance(value, str):
            return self._note(redact_secrets(value), path)
        if isinstance(value, dict):
            return self._redact_object(value, path)
        if isinstance(value, list):
            return self._redact_list(value, path)
        return value

    def _redact_object(self, value: dict[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
        redacted: dict[str, Any] = {}
        for name, inner in value.items():
            new_name = self._note(redact_secrets(name), (*path, "name"))
            redacted[new_name] = self._redact_named(name, inner, (*path, new_name))
        for question, answer in TURNS:
            asked, told = value.get(question), redacted.get(answer)
            if isinstance(asked, str) and isinstance(told, str):
                redacted[answer] = self._note(redact_reply(asked, told), (*path, answer))
        return redacted

    def _redact_named(self, name: str, value: Any, path: tuple[str | int, ...]) -> Any:  # noqa: ANN401 -- any JSON
        if isinstance(value, bool) or not isinstance(value, str | int):
            return self.redact(value, path)
        redacted = self.redact(value, path)
        # The name says what it is: {"pin": 4471}. Long texts say it themselves.
        if len(name) > LONGEST_NAME or len(str(value)) > LONGEST_NAMED_VALUE or redacted != value:
            return redacted
        lead = f"{name}: "
        told = [span for span in find_secrets(lead + str(value)) if span.start >= len(lead)]
        if not told:
            return redacted
        shifted = [span.move(-len(lead)) for span in told]
        return self._note(replace_spans(str(value), shifted), path)

    def _redact_list(self, value: list[Any], path: tuple[str | int, ...]) -> list[Any]:
        redacted = [self.redact(inner, (*path, at)) for at, inner in enumerate(value)]
        for at, (before, after) in enumerate(pairwise(value), 1):
            # Messages of a conversation: what one asks, the next may tell.
            if isinstance(before, dict) and isinstance(after, dict):
                asked, told = before.get("content"), redacted[at].get("content")
                if isinstance(asked, str) and isinstance(told, str):
                    redacted[at]["content"] = self._note(redact_reply(asked, told), (*path, at, "content"))
        return redacted

    def _note(self, redacted: RedactedText, path: tuple[str | int, ...]) -> str:
        if redacted.kinds:
            self.found[path] = tuple(dict.fromkeys([*self.found.get(path, ()), *redacted.kinds]))
        return redacted.text


def list_marked_kinds_in(*values: Any) -> list[str]:
    """What was taken out of texts and nested values, by the marks in them."""
    found: dict[str, None] = {}
    for value in values:
        if isinstance(value, str):
            found.update(dict.fromkeys(list_marked_kinds(value)))
        elif isinstance(value, dict):
            found.update(dict.fromkeys(list_marked_kinds_in(*value, *value.values())))
        elif isinstance(value, list | tuple):
            found.update(dict.fromkeys(list_marked_kinds_in(*value)))
    return list(found)
