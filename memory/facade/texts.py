"""Texts that a language model makes on demand: what is worth keeping of one, and one of several."""

from collections.abc import Sequence
from datetime import datetime

from knowledge_graph.content import extracting
from knowledge_graph.content.extracting import ExtractedContent
from memory.conf import memory_conf
from memory.context import blending
from memory.context.blending import Blend, BlendSource
from memory.facade.actor import FacadePart
from memory.guard import redact_secrets
from memory.language.text import format_date
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.slots import leave_slot
from memory.retrieval import search
from memory.retrieval.results import SearchRequest

# Somebody waits for it, and for half a minute of the background they would not.
WAITED_FOR_S = 20.0


class TextVerbs(FacadePart):
    def extract_content(self, user: EndUser, text: str) -> ExtractedContent:
        """Quotes, concepts, insights and terms of a text, which is stored nowhere. Waits without a slot."""
        leave_slot()
        return extracting.extract_content(user, redact_secrets(text).text, deadline=start_deadline())

    def blend_sources(
        self, user: EndUser, query: str, given: Sequence[BlendSource], *, now: datetime, limit: int
    ) -> tuple[list[BlendSource], Blend]:
        """The sources in their order, what the memory finds first, and one text of them. Waits without a slot."""
        query = redact_secrets(query).text
        request = SearchRequest(query, limit=limit)
        hits = search.search(user, request, now=now, remember=False).hits if limit else []
        found = [BlendSource(f"memory of {format_date(hit.item.occurred_at)}", hit.item.text) for hit in hits]
        sources = [*found, *(BlendSource(one.label, redact_secrets(one.text).text) for one in given)]
        leave_slot()
        return sources, blending.blend_sources(user, query, sources, start_deadline())


def start_deadline() -> Deadline:
    return Deadline(min(WAITED_FOR_S, memory_conf().llm.timeout_s))
