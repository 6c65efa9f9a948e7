"""How a user's recall does: what waits for its vector, what was given up, and the calls of the last thirty days."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from memory.access.scope import user_scope
from memory.models import EndUser
from memory.records.embedding import name_embedding_model
from memory.records.models import RecallLog, RecordEmbedding
from memory.tiers import Indexing

SHOWN_FAILURES = 20


@dataclass(frozen=True, slots=True)
class RecallState:
    """``failures`` are the latest of those given up."""

    model: str
    pending: int = 0
    ready: int = 0
    failed: int = 0
    failures: tuple[RecordEmbedding, ...] = ()


def load_recall_state(user: EndUser | None) -> RecallState:
    if user is None:
        return RecallState(name_embedding_model())
    with user_scope(user):
        rows = RecordEmbedding.objects.filter(user=user)
        counted = rows.aggregate(**{state.value: Count("pk", filter=Q(state=state)) for state in Indexing})
        given_up = rows.filter(state=Indexing.FAILED).defer("vector", "text") if counted["failed"] else rows.none()
        return RecallState(name_embedding_model(), failures=tuple(given_up.order_by("-pk")[:SHOWN_FAILURES]), **counted)


@dataclass(frozen=True, slots=True)
class RecallPlace:
    """Where a page of the log ended."""

    at: datetime
    log_id: int


def list_recalls(user: EndUser | None, *, before: RecallPlace | None = None, limit: int) -> list[RecallLog]:
    """Newest first."""
    if user is None:
        return []
    with user_scope(user):
        rows = RecallLog.objects.filter(user=user)
        if before is not None:
            rows = rows.filter(at__lte=before.at).exclude(at=before.at, pk__gte=before.log_id)
        return list(rows.order_by("-at", "-pk")[:limit])
