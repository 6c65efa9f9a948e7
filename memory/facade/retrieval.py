"""Search, insights, recall, and the context an assistant gets before it answers."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Literal

import structlog

from knowledge_graph import insights
from knowledge_graph.hotmem.beside import list_context_bullets
from knowledge_graph.insights import Insights
from memory.access.users import is_stranger
from memory.conf import memory_conf
from memory.context import compose
from memory.context.bullets import HotLine
from memory.context.compose import ClientLimits, Context, ContextInsights, RecentMessage, UnscoredExchange
from memory.context.digest import ConversationSoFar
from memory.enrichment.handing import choose_staged
from memory.facade.actor import FacadePart
from memory.facts import streaming
from memory.facts.streaming import StreamedLine, ThreadStream
from memory.guard import redact_secrets
from memory.models import EndUser
from memory.platform import metrics
from memory.platform.tracing import trace_calls
from memory.records import recall
from memory.records.choosing import RecallOptions
from memory.records.recall import RecallResult
from memory.retrieval import search, turns
from memory.retrieval.results import SearchRequest, SearchResult
from outcomes.exchanges import digests, storing

logger = structlog.get_logger(__name__)

RetrievalMode = Literal["hybrid", "staged"]


class RetrievalVerbs(FacadePart):
    @trace_calls("search")
    def search(self, user: EndUser, request: SearchRequest, *, now: datetime, remember: bool = True) -> SearchResult:
        """With ``remember`` False (previews) no turn is stored and no retrieval is counted; never for a stranger."""
        request = replace(request, query=redact_secrets(request.query).text)
        return search.search(user, request, now=now, remember=remember and not is_stranger(user))

    @trace_calls("insights")
    def get_insights(
        self,
        user: EndUser | None,
        query: str,
        *,
        now: datetime,
        thread_id: str = "",
        recent_messages: Sequence[RecentMessage] = (),
        within_s: float | None = None,
    ) -> Insights:
        """What was learned about such questions, without a search or an embedding; empty for an unknown user.

        Raises Unavailable.
        """
        return insights.gather_insights(
            user,
            query,
            now=now,
            thread_id=thread_id,
            recent_messages=[message.content for message in recent_messages],
            asked_before=[message.content for message in recent_messages if message.role == "user"],
            within_s=within_s or memory_conf().deadlines.default_s,
        )

    @trace_calls("context")
    def compose_context(
        self,
        user: EndUser,
        query: str,
        *,
        now: datetime,
        thread_id: str = "",
        recent_messages: Sequence[RecentMessage] = (),
        limit: int | None = None,
        has_documents: bool = False,
        room: ClientLimits | None = None,
        remember: bool = True,
        asks_outcome: bool = True,
        spaces: frozenset[str] | None = None,
        retrieval: RetrievalMode = "hybrid",
    ) -> Context:
        """What to hand an assistant before it answers, within the time of a request.

        Experience or search that fails is left out and named in the metadata. ``asks_outcome`` False: the assistant has
        no tool to tell the last outcome by. Raises WriteRefused for one of ``spaces`` they do not belong to.
        """
        # A turn keeps its query, and so does what is learned from its outcome.
        query, remembers = redact_secrets(query).text, remember and not is_stranger(user)
        context = compose.compose_context(
            user,
            query,
            now=now,
            thread_id=thread_id,
            recent_messages=recent_messages,
            limit=limit,
            has_documents=has_documents,
            is_new_thread=storing.is_new_thread(user, thread_id, now=now),
            unscored=self.find_unscored_exchange(user, thread_id) if asks_outcome else None,
            insights=self._gather_beside(user, query, now, thread_id, recent_messages),
            limits=room,
            remember=remembers,
            spaces=spaces,
            choose_hits=partial(choose_staged, user, now=now) if retrieval == "staged" else None,
        )
        return record_handed(user, context) if remembers else context

    def find_unscored_exchange(self, user: EndUser, thread_id: str) -> UnscoredExchange | None:
        """The thread's last exchange, while its outcome is asked for and not known."""
        last = storing.find_unscored_exchange(user, thread_id)
        return (
            UnscoredExchange(last.pk, storing.render_scoring_request(last), storing.is_scoring_enforced())
            if last
            else None
        )

    def _list_bullets(self, user: EndUser, query: str, now: datetime, thread_id: str) -> Sequence[HotLine]:
        """What the hot path would lay beside the question. Fails open, as insights do."""
        try:
            return list_context_bullets(user, query, thread_id=thread_id, now=now)
        except Exception as error:  # noqa: BLE001 - whatever went wrong there, the search can still answer
            logger.warning("hot bullets skipped", reason=repr(error))
            metrics.count("fallbacks", "hot")
            return ()

    def read_stream(self, user: EndUser, thread_id: str, *, now: datetime) -> ThreadStream:
        """What the next turn of a thread is reminded of, whether or not this person is told."""
        return streaming.read_stream(user, thread_id, now)

    def _read_stream(self, user: EndUser, now: datetime, thread_id: str) -> Sequence[StreamedLine]:
        """Fails open, as insights do."""
        try:
            return streaming.read_stream(user, thread_id, now).lines if streaming.is_streaming_for(user) else ()
        except Exception as error:  # noqa: BLE001 - whatever went wrong there, the search can still answer
            logger.warning("stream skipped", reason=repr(error))
            metrics.count("fallbacks", "stream")
            return ()

    def _read_digest(self, user: EndUser, thread_id: str) -> ConversationSoFar | None:
        """What a language model summed up of the thread. Fails open, as insights do."""
        try:
            found = digests.find_digest(user, thread_id)
        except Exception as error:  # noqa: BLE001 - whatever went wrong there, the search can still answer
            logger.warning("conversation so far skipped", reason=repr(error))
            return None
        return ConversationSoFar(found.bullets, found.opening, found.tone) if found else None

    def _gather_beside(
        self, user: EndUser, query: str, now: datetime, thread_id: str, recent_messages: Sequence[RecentMessage]
    ) -> ContextInsights:
        """What a context tells beside what its search finds."""
        return replace(
            self._gather_insights(user, query, now, thread_id, recent_messages),
            bullets=self._list_bullets(user, query, now, thread_id),
            streamed=self._read_stream(user, now, thread_id),
            thread=self._read_digest(user, thread_id),
        )

    def _gather_insights(
        self, user: EndUser, query: str, now: datetime, thread_id: str, recent_messages: Sequence[RecentMessage]
    ) -> ContextInsights:
        """Insights as lines for the context. Fails open: without them the rest of the context is returned."""
        started = time.perf_counter()
        try:
            found = self.get_insights(
                user,
                query,
                now=now,
                thread_id=thread_id,
                recent_messages=recent_messages,
                # Experience is a supplement: the search it stands beside must find time left.
                within_s=memory_conf().deadlines.graph_s,
            )
        except Exception as error:  # noqa: BLE001 - whatever went wrong there, the search can still answer
            logger.warning("insights skipped", reason=repr(error))
            metrics.count("fallbacks", "insights")
            kind = type(error).__name__
            failure: dict[str, str | None] = {"stage": "insights", "message": str(error)[:200] or kind, "code": kind}
            return ContextInsights(ms=measure_ms(started), errors=(failure,))
        return ContextInsights(
            lines=partial(insights.render_insights, found),
            context_type=found.context_type,
            meta=found.as_meta(),
            ms=measure_ms(started),
        )

    def recall_records(
        self, user: EndUser, query: str, *, now: datetime, options: RecallOptions = recall.DEFAULTS
    ) -> RecallResult:
        """The nearest of the personal records. Raises RecallFailed."""
        return recall.recall_records(user, query, now=now, options=options)


def measure_ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def record_handed(user: EndUser, context: Context) -> Context:
    turns.record_sections(user, context.turn_id, context.handed)
    return context
