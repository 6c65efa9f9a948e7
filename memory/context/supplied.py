"""What a context is given to tell beside what its search finds."""

import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.context.bullets import HotLine
from memory.context.digest import ConversationSoFar
from memory.facts.streaming import StreamedLine

NO_INSIGHTS: dict[str, Any] = {
    "matched_concepts": [],
    "active_concepts": [],
    "tier_recommendations": None,
    "you_already_know": None,
    "directives": None,
}


@dataclass(frozen=True, slots=True)
class ContextInsights:
    """Insights for the context: lines to include, their part of the metadata, and the bullets of the hot path.

    ``lines`` is given the memories that are known already. ``errors`` name what could not be asked, and is missing.
    """

    lines: Callable[[Collection[uuid.UUID]], Sequence[str]] = lambda known_ids: ()
    context_type: str | None = None
    meta: dict[str, Any] = field(default_factory=lambda: dict(NO_INSIGHTS))
    ms: float | None = None
    errors: tuple[dict[str, str | None], ...] = ()
    bullets: Sequence[HotLine] = ()
    thread: ConversationSoFar | None = None
    streamed: Sequence[StreamedLine] = ()
