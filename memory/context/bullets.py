"""The last section of a context: bullets of the hot path, as far as nothing else in it says the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.context.blocks import ContextSection, KnownLine, build_section
from memory.context.budget import TokenBudget
from memory.context.told import ToldContent
from memory.facts.since import word_doubt
from memory.language.framing import frame_lines, quote_as_line
from memory.retrieval.results import SearchHit

SECTION: Final = "hot_bullets"
MOST: Final = 5


@dataclass(frozen=True, slots=True)
class HotLine:
    """A bullet, the fact it words, and the bank item that the fact was published as or read from."""

    text: str
    statement: str
    fact_id: UUID
    memory_id: UUID | None = None
    is_doubted: bool = False


def build_bullets(
    lines: Sequence[HotLine],
    known: Sequence[KnownLine],
    hits: Sequence[SearchHit],
    shown: Sequence[ContextSection],
    budget: TokenBudget,
    fence: str,
) -> list[ContextSection]:
    """One section; none where all of it is told already, or a client's limit has no room for it."""
    left = drop_told_bullets(lines, known, hits)
    text = frame_lines("KNOWN OF THIS", [f"• {quote_as_line(line, fence)}" for line in left[:MOST]], "END KNOWN", fence)
    section = build_section(SECTION, text)
    is_too_long = budget.is_hard and section.tokens > budget.tokens - sum(part.tokens for part in shown)
    return [] if not text or is_too_long else [section]


def doubt_bullets(lines: Sequence[HotLine], doubted: Mapping[UUID, datetime]) -> list[HotLine]:
    """With until when they held, where something said later most likely took their place."""
    return [
        replace(line, text=word_doubt(line.text, doubted[line.fact_id]), is_doubted=True)
        if line.fact_id in doubted and not line.is_doubted
        else line
        for line in lines
    ]


def drop_told_bullets(lines: Sequence[HotLine], known: Sequence[KnownLine], hits: Sequence[SearchHit]) -> list[str]:
    """The bullets whose fact, bank item and words stand nowhere else in the context."""
    told = ToldContent(known, hits)
    fresh = (line.text for line in lines if not told.holds(line.fact_id, (line.memory_id,), line.statement))
    return list(dict.fromkeys(fresh))
