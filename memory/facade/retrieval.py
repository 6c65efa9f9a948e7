"""Search, insights, recall, and the context an assistant gets before it answers."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Literal

from knowledge_graph import insights
from knowledge_graph.insights import Insights
from memory.access.users import is_stranger
from memory.conf import memory_conf
from memory.context import compose
from memory.context.compose import ClientLimits, Context, RecentMessage, UnscoredExchange
from memory.context.request import ContextRequest
from memory.enrichment.handing import choose_staged
from memory.facade.actor import FacadePart
from memory.facade.supplements import gather_supplements
from memory.facts import streaming
from memory.facts.streaming import ThreadStream
from memory.guard import redact_secrets
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.tracing import trace_calls
from memory.records import recall
from memory.records.choosing import RecallOptions
from memory.records.recall import RecallResult
from memory.retrieval import search, turns
from memory.retrieval.results import SearchRequest, SearchResult
from outcomes.exchanges import storing

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
            within_s=memory_conf().deadlines.default_s if within_s is None else within_s,
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

        Whatever of it fails or is late is left out and named in the metadata. ``asks_outcome`` False: the assistant has
        no tool to tell the last outcome by. Raises WriteRefused for one of ``spaces`` they do not belong to.
        """
        deadline = Deadline(memory_conf().deadlines.default_s)
        # A turn keeps its query, and so does what is learned from its outcome.
        query, keeps = redact_secrets(query).text, remember and not is_stranger(user)
        asked = ContextRequest(query, deadline, thread_id, recent_messages, limit, has_documents, room, spaces, keeps)
        context = compose.compose_context(
            user,
            asked,
            gather_supplements(user, asked, partial(self._ask_experience, user, asked, now), now=now),
            now=now,
            is_new_thread=storing.is_new_thread(user, thread_id, now=now),
            unscored=self.find_unscored_exchange(user, thread_id) if asks_outcome else None,
            choose_hits=partial(choose_staged, user, now=now) if retrieval == "staged" else None,
        )
        return record_handed(user, context) if asked.remember else context

    def find_unscored_exchange(self, user: EndUser, thread_id: str) -> UnscoredExchange | None:
        """The thread's last exchange, while its outcome is asked for and not known."""
        last = storing.find_unscored_exchange(user, thread_id)
        return (
            UnscoredExchange(last.pk, storing.render_scoring_request(last), storing.is_scoring_enforced())
            if last
            else None
        )

    def read_stream(self, user: EndUser, thread_id: str, *, now: datetime) -> ThreadStream:
        """What the next turn of a thread is reminded of, whether or not this person is told."""
        return streaming.read_stream(user, thread_id, now)

    def _ask_experience(self, user: EndUser, asked: ContextRequest, now: datetime, deadline: Deadline) -> Insights:
        return self.get_insights(
            user,
            asked.query,
            now=now,
            thread_id=asked.thread_id,
            recent_messages=asked.recent_messages,
            within_s=min(deadline.remaining(), memory_conf().deadlines.graph_s),
        )

    def recall_records(
        self, user: EndUser, query: str, *, now: datetime, options: RecallOptions = recall.DEFAULTS
    ) -> RecallResult:
        """The nearest of the personal records. Raises RecallFailed."""
        return recall.recall_records(user, query, now=now, options=options)


def record_handed(user: EndUser, context: Context) -> Context:
    turns.record_context(user, context.turn_id, context.handed, context.positions)
    return context
