"""What a context tells beside what its search finds: experience, bullets, what a thread is reminded of, its digest.

Any one may be missing: what fails, or finds no time left in the request, is named in the metadata.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final, TypeVar

import structlog

from knowledge_graph import insights
from knowledge_graph.hotmem.beside import list_context_bullets
from knowledge_graph.insights import Insights
from memory.access.cursors import open_bounded_scope
from memory.context.digest import ConversationSoFar
from memory.context.request import ContextRequest
from memory.context.supplied import ContextInsights
from memory.facts import streaming
from memory.facts.streaming import StreamedLine
from memory.models import EndUser
from memory.platform import metrics
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from outcomes.exchanges import digests

logger = structlog.get_logger(__name__)
T = TypeVar("T")
# Of the time that is left, for each: the search that they stand beside must find most of it.
SHARE: Final = 0.25


@dataclass(slots=True)
class Supplements:
    """Read one after the other. ``failures`` are those that are missing, as the metadata tell them."""

    deadline: Deadline
    failures: list[dict[str, str | None]] = field(default_factory=list)

    def read_or_skip(self, stage: str, read: Callable[[Deadline], T], missing: T) -> T:
        try:
            return read(self.deadline.slice(self.deadline.require(stage) * SHARE))
        except Exception as error:  # noqa: BLE001 - whatever went wrong there, the search can still answer
            logger.warning("supplement skipped", stage=stage, reason=repr(error))
            metrics.count("fallbacks", stage)
            kind = type(error).__name__
            code = error.code if isinstance(error, Unavailable) else kind
            self.failures.append({"stage": stage, "message": str(error)[:200] or kind, "code": code})
            return missing


def gather_supplements(
    user: EndUser, asked: ContextRequest, ask_experience: Callable[[Deadline], Insights], *, now: datetime
) -> ContextInsights:
    """Within the deadline of the request."""
    beside, started = Supplements(asked.deadline), time.perf_counter()
    found = describe_experience(beside.read_or_skip("insights", ask_experience, None))
    ms = round((time.perf_counter() - started) * 1000, 3)
    list_bullets = partial(list_context_bullets, user, asked.query, thread_id=asked.thread_id, now=now)
    return replace(
        found,
        ms=ms,
        bullets=beside.read_or_skip("hot", list_bullets, []),
        streamed=beside.read_or_skip("stream", partial(read_stream, user, asked.thread_id, now), ()),
        thread=beside.read_or_skip("digest", partial(read_digest, user, asked.thread_id), None),
        errors=tuple(beside.failures),
    )


def describe_experience(found: Insights | None) -> ContextInsights:
    if found is None:
        return ContextInsights()
    return ContextInsights(partial(insights.render_insights, found), found.context_type, found.as_meta())


def read_stream(user: EndUser, thread_id: str, now: datetime, deadline: Deadline) -> Sequence[StreamedLine]:
    if not streaming.is_streaming_for(user):
        return ()
    with open_bounded_scope(user, deadline):
        return streaming.read_stream(user, thread_id, now).lines


def read_digest(user: EndUser, thread_id: str, deadline: Deadline) -> ConversationSoFar | None:
    """What a language model summed up of the thread."""
    if not digests.are_asked_for():
        return None
    with open_bounded_scope(user, deadline):
        found = digests.find_digest(user, thread_id)
    return ConversationSoFar(found.bullets, found.opening, found.tone) if found else None
