"""The text of a record to embed, and the snippet to show. Pure: no framework."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from html import unescape
from typing import Any

from memory.language.text import SPACES


class Kind(StrEnum):
    MESSAGE = "message"
    JOURNAL = "journal"
    TODO = "todo"
    PREFERENCE = "preference"
    GRATITUDE = "gratitude"

    @classmethod
    def _missing_(cls, value: object) -> "Kind | None":
        # As the addresses call them: "todos".
        return next((kind for kind in cls if value == f"{kind}s"), None)


EXCERPT = 200
# What is not text in a page: its scripts and styles with their content, comments, and every tag.
BLOCK_START = re.compile(r"<(script|style)\b[^<>]*>|<!--", re.IGNORECASE)
BLOCK_ENDS = {
    "script": re.compile(r"</script\s*>", re.IGNORECASE),
    "style": re.compile(r"</style\s*>", re.IGNORECASE),
    "": re.compile(r"-->"),
}
TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


@dataclass(frozen=True, slots=True)
class RecordText:
    """``embedded`` is what the vector is made of, ``snippet`` what a hit shows."""

    embedded: str
    snippet: str


def strip_markup(text: str) -> str:
    """Without markup and runs of white space; case and punctuation stay."""
    return SPACES.sub(" ", unescape(TAG.sub(" ", drop_blocks(text)))).strip()


def drop_blocks(text: str) -> str:
    """Without scripts, styles and comments. One that is never closed stays.

    Looked for by hand and not by one pattern: with ``.*?`` each opening reads on to the end for its closing, and 4,000
    openings in a text of 32,768 characters took as many passes over it.
    """
    kept, end = [], 0
    unclosed = set()
    for opening in BLOCK_START.finditer(text):
        kind = (opening[1] or "").lower()
        if opening.start() < end or kind in unclosed:
            continue
        closing = BLOCK_ENDS[kind].search(text, opening.end())
        if closing is None:
            unclosed.add(kind)
            continue
        kept += [text[end : opening.start()], " "]
        end = closing.end()
    return "".join([*kept, text[end:]])


def build_journal_text(title: str, body: str) -> RecordText:
    whole = "\n\n".join(part for part in (strip_markup(title), strip_markup(body)) if part)
    return RecordText(whole, " ".join(part for part in (strip_markup(title), strip_markup(body)[:EXCERPT]) if part))


def build_todo_text(title: str) -> RecordText:
    return RecordText(strip_markup(title), strip_markup(title))


def build_gratitude_text(text: str) -> RecordText:
    return RecordText(strip_markup(text), strip_markup(text)[:EXCERPT])


def build_message_text(role: str, text: str) -> RecordText:
    return RecordText(strip_markup(text), f"({role}) {strip_markup(text)}")


def build_preference_text(language: str, religion: str | None, flags: Mapping[str, Any]) -> RecordText:
    """``language=en; religion=general``, then the flags by name."""
    pairs = [("language", language), ("religion", religion), *sorted(flags.items())]
    blob = "; ".join(f"{name}={render_value(value)}" for name, value in pairs if value not in (None, ""))
    return RecordText(blob, blob)


def render_value(value: Any) -> str:  # noqa: ANN401 -- any JSON
    return strip_markup(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
