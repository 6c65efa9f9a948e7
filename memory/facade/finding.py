"""What is found for a question, and what an assistant is handed before it answers."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from memory.access import user_scope
from memory.facade.door import Door
from memory.models import EndUser, Turn
from memory.retrieval import context, search
from memory.retrieval.context import Context, Message
from memory.retrieval.search import SearchRequest, SearchResult
from outcomes import exchanges


class Finding(Door):
    def search(self, user: EndUser, request: SearchRequest, *, now: datetime, remember: bool = True) -> SearchResult:
        """``remember`` False is for looking on: no turn is kept and nothing counts as shown."""
        return search.search(user, request, now=now, remember=remember)

    def context(
        self,
        user: EndUser,
        query: str,
        *,
        now: datetime,
        thread_id: str = "",
        recent_messages: Sequence[Message] = (),
        limit: int | None = None,
        has_documents: bool = False,
    ) -> Context:
        return context.compose(
            user,
            query,
            now=now,
            thread_id=thread_id,
            recent_messages=recent_messages,
            limit=limit,
            has_documents=has_documents,
            is_new_thread=exchanges.is_new_thread(user, thread_id, now=now),
            required_scoring=exchanges.awaits_scoring(user, thread_id),
        )

    def turn(self, user: EndUser, turn_id: uuid.UUID) -> Turn | None:
        with user_scope(user):
            return Turn.objects.filter(user=user, turn_id=turn_id).first()
