"""Learning as the worker would do it, and turns whose outcome somebody tells."""

import uuid
from collections.abc import Callable, Sequence

import pytest
from django.utils import timezone

from knowledge_graph import tasks
from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem, Turn

LearnNow = Callable[[EndUser], int]


@pytest.fixture
def learn_now(db: None) -> LearnNow:
    """Learns all that waits. Returns how much that was."""

    def learn(user: EndUser) -> int:
        return tasks.learn_everything(user, now=timezone.now())

    return learn


def record_turn(user: EndUser, query: str, items: Sequence[MemoryItem], thread_id: str = "") -> uuid.UUID:
    """A turn that asked this and was shown these, in this order."""
    with user_scope(user):
        positions = [[str(item.pk), item.tier] for item in items]
        turn = Turn.objects.create(
            user=user, query=query, positions=positions, thread_id=thread_id, created_at=timezone.now()
        )
    return turn.turn_id
