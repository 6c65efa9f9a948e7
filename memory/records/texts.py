"""The text of a record to embed, the snippet to show, and the choice of hits. Pure: no framework."""

import json
import math
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from html import unescape
from typing import Any

from memory.language.text import SPACES, estimate_tokens


class Kind(StrEnum):
    MESSAGE = "message"
    JOURNAL = "journal"
    TODO = "todo"
    PREFERENCE = "preference"
    GRATITUDE = "gratitude"


MIN_SCORE = 0.35
BOOST = 0.15
BOOST_DECAY_DAYS = 14.0
TOKENS = 1200
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


def journal_text(title: str, body: str) -> RecordText:
    whole = "\n\n".join(part for part in (strip_markup(title), strip_markup(body)) if part)
    return RecordText(whole, " ".join(part for part in (strip_markup(title), strip_markup(body)[:EXCERPT]) if part))


def todo_text(title: str) -> RecordText:
    return RecordText(strip_markup(title), strip_markup(title))


def gratitude_text(text: str) -> RecordText:
    return RecordText(strip_markup(text), strip_markup(text)[:EXCERPT])


def message_text(role: str, text: str) -> RecordText:
    return RecordText(strip_markup(text), f"({role}) {strip_markup(text)}")


def preference_text(language: str, religion: str | None, flags: Mapping[str, Any]) -> RecordText:
    """``language=en; religion=general``, then the flags by name."""
    pairs = [("language", language), ("religion", religion), *sorted(flags.items())]
    blob = "; ".join(f"{name}={render_value(value)}" for name, value in pairs if value not in (None, ""))
    return RecordText(blob, blob)


def render_value(value: Any) -> str:  # noqa: ANN401 -- any JSON
    return strip_markup(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


# --- which hits --------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class RecordCandidate:
    kind: Kind
    ref_id: uuid.UUID
    snippet: str
    similarity: float
    created_at: datetime


@dataclass(frozen=True, slots=True)
class RecordHit:
    kind: Kind
    ref_id: uuid.UUID
    snippet: str
    score: float
    created_at: datetime


def boost_recent(similarity: float, age_days: float) -> float:
    """The score with a recency boost of up to 15 %."""
    return similarity * (1 + BOOST * math.exp(-max(0.0, age_days) / BOOST_DECAY_DAYS))


def choose_hits(candidates: Sequence[RecordCandidate], *, now: datetime, top_k: int) -> list[RecordHit]:
    """The best hits above the floor and within the token budget, each record once; ties by age and id."""
    hits = [
        RecordHit(
            one.kind,
            one.ref_id,
            one.snippet,
            boost_recent(one.similarity, (now - one.created_at).total_seconds() / 86_400),
            one.created_at,
        )
        for one in candidates
    ]
    hits.sort(key=lambda hit: (-hit.score, -hit.created_at.timestamp(), hit.ref_id))
    best: dict[uuid.UUID, RecordHit] = {}
    left = TOKENS
    for hit in hits:
        if hit.score < MIN_SCORE or len(best) == top_k:
            break
        if hit.ref_id in best:
            continue
        # Ends with the hit that no longer fits: a smaller one after it would be shown for its size alone.
        left -= estimate_tokens(hit.snippet)
        if left < 0:
            break
        best[hit.ref_id] = hit
    return list(best.values())
