"""The older part of the conversation in a few points, for a client that no longer shows it, and the person's tone."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.context.blocks import ContextSection, build_section
from memory.context.budget import TokenBudget
from memory.language.framing import frame_lines, quote_as_line

NAME = "conversation_so_far"
# Outside the fences: it is the product's own sentence, with a word from its own list.
TONES = {
    "formal": "formally",
    "casual": "casually",
    "empathetic": "as somebody who wants to be heard before being advised",
    "concise": "tersely, and wants short answers",
    "detailed": "as somebody who wants reasons and steps",
    "playful": "playfully",
}


@dataclass(frozen=True, slots=True)
class ConversationSoFar:
    """``opening`` is the beginning of the first message that the points are about."""

    bullets: Sequence[str] = ()
    opening: str = ""
    tone: str = ""


def build_digest(thread: ConversationSoFar | None, room: int, budget: TokenBudget, fence: str) -> list[ContextSection]:
    if thread is None:
        return []
    lines = [f"• {quote_as_line(bullet, fence)}" for bullet in thread.bullets]
    parts = [frame_lines("CONVERSATION SO FAR", lines, "END CONVERSATION", fence)] if lines else []
    if thread.tone in TONES:
        parts.append(f"The person writes {TONES[thread.tone]}; answer in keeping, unless they ask otherwise.")
    section = build_section(NAME, "\n".join(part for part in parts if part))
    return [section] if section.text and not (budget.is_hard and section.tokens > room) else []
