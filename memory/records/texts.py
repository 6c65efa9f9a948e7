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
FADES_IN_DAYS = 14.0
TOKENS = 1200
EXCERPT = 200
# What is not text in a page: its scripts and styles with their content, comments, and every tag.
NOT_TEXT = re.compile(r"<(script|style)\b[^>]*>.*?</\1\s*>|<!--.*?-->|</?[a-zA-Z][^<>]*>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Words:
    """``embedded`` is what the vector is made of, ``snippet`` what a hit shows."""

    embedded: str
    snippet: str


def plain(text: str) -> str:
    """Without markup and runs of white space; case and punctuation stay."""
    return SPACES.sub(" ", unescape(NOT_TEXT.sub(" ", text))).strip()


def journal_words(title: str, body: str) -> Words:
    whole = "\n\n".join(part for part in (plain(title), plain(body)) if part)
    return Words(whole, " ".join(part for part in (plain(title), plain(body)[:EXCERPT]) if part))


def todo_words(title: str) -> Words:
    return Words(plain(title), plain(title))


def gratitude_words(text: str) -> Words:
    return Words(plain(text), plain(text)[:EXCERPT])


def message_words(role: str, text: str) -> Words:
    return Words(plain(text), f"({role}) {plain(text)}")


def preference_words(language: str, religion: str | None, flags: Mapping[str, Any]) -> Words:
    """``language=en; religion=general``, then the flags by name."""
    pairs = [("language", language), ("religion", religion), *sorted(flags.items())]
    blob = "; ".join(f"{name}={as_value(value)}" for name, value in pairs if value not in (None, ""))
    return Words(blob, blob)


def as_value(value: Any) -> str:  # noqa: ANN401 -- any JSON
    return plain(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


# --- which hits --------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Candidate:
    kind: Kind
    ref_id: uuid.UUID
    snippet: str
    similarity: float
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Hit:
    kind: Kind
    ref_id: uuid.UUID
    snippet: str
    score: float
    created_at: datetime


def boosted(similarity: float, age_days: float) -> float:
    """The score with a recency boost of up to 15 %."""
    return similarity * (1 + BOOST * math.exp(-max(0.0, age_days) / FADES_IN_DAYS))


def chosen(candidates: Sequence[Candidate], *, now: datetime, top_k: int) -> list[Hit]:
    """The best hits above the floor and within the token budget, each record once; ties by age and id."""
    hits = [
        Hit(
            one.kind,
            one.ref_id,
            one.snippet,
            boosted(one.similarity, (now - one.created_at).total_seconds() / 86_400),
            one.created_at,
        )
        for one in candidates
    ]
    hits.sort(key=lambda hit: (-hit.score, -hit.created_at.timestamp(), hit.ref_id))
    best: dict[uuid.UUID, Hit] = {}
    left = TOKENS
    for hit in hits:
        if hit.score < MIN_SCORE or len(best) == top_k:
            break
        if hit.ref_id in best:
            continue
        left -= estimate_tokens(hit.snippet)
        if left < 0:
            break
        best[hit.ref_id] = hit
    return list(best.values())
