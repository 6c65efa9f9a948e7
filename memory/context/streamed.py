"""What the conversation is reminded of, where nothing else in the context says it and there is room left."""

from collections.abc import Sequence
from typing import Final

from memory.context.blocks import ContextSection, KnownLine, build_section
from memory.context.budget import TokenBudget, select_fitting
from memory.context.bullets import HotLine
from memory.context.told import ToldContent
from memory.facts.streaming import StreamedLine
from memory.language.framing import frame_lines, quote_as_line
from memory.language.text import estimate_tokens, format_date
from memory.retrieval.results import SearchHit

SECTION: Final = "streamed_memories"
# The two fences and their titles.
FRAME_TOKENS: Final = 24


def build_streamed(
    lines: Sequence[StreamedLine],
    known: Sequence[KnownLine],
    hits: Sequence[SearchHit],
    bullets: Sequence[HotLine],
    shown: Sequence[ContextSection],
    budget: TokenBudget,
    fence: str,
) -> list[ContextSection]:
    """One section of whole lines; nothing that is asked for makes room for it, under a soft budget either."""
    left = [render_streamed_line(line, fence) for line in drop_told_lines(lines, known, hits, bullets)]
    room = budget.tokens - sum(part.tokens for part in shown) - FRAME_TOKENS
    kept = [left[place] for place in select_fitting(map(estimate_tokens, left), room, keeps_first=False)]
    text = frame_lines("BROUGHT TO MIND", kept, "END BROUGHT TO MIND", fence)
    return [build_section(SECTION, text)] if text else []


def render_streamed_line(line: StreamedLine, fence: str) -> str:
    when = format_date(line.said_at)
    said = quote_as_line(line.text, fence)
    return f"• {said} (told {when})" if line.kind == "fact" else f"• talked about on {when}: {said}"


def drop_told_lines(
    lines: Sequence[StreamedLine],
    known: Sequence[KnownLine],
    hits: Sequence[SearchHit],
    bullets: Sequence[HotLine],
) -> list[StreamedLine]:
    """Those whose fact, memories and words stand nowhere else in the context."""
    told = ToldContent(known, hits)
    for bullet in bullets:
        told.add(bullet.fact_id, (bullet.memory_id,), bullet.statement)
    return [line for line in lines if not told.holds(line.id, line.memory_ids, line.text)]
