"""Signal receivers: they record work to do and do none of it.

They run inside the transaction of the write, so a killed process loses nothing and no write waits for a graph.
"""

import uuid
from collections.abc import Sequence
from typing import Any

from django.dispatch import receiver
from django.utils import timezone

from knowledge_graph import tasks, work
from knowledge_graph.hotmem import threads, triples, usefulness
from knowledge_graph.models import DECISION_TABLES, GRAPH_TABLES, HOT_TABLES, Lesson
from memory.access.users import delete_rows
from memory.conf import memory_conf
from memory.models import EndUser, Fact
from memory.platform.queue import enqueue
from memory.signals import facts_forgotten, items_changed, learning_due, user_erased
from memory.tiers import Tier
from outcomes.models import Exchange
from outcomes.signals import exchange_stored, verdicts_dropped


@receiver(items_changed, dispatch_uid="knowledge_graph.items")
def record_graph_work(
    sender: type, user: EndUser, kind: str, items: list[tuple[uuid.UUID, Tier]], **kwargs: Any
) -> None:
    if kind == work.REMOVED:
        threads.drop_turns_of(user, [item_id for item_id, _ in items])
    if memory_conf().flags["kg"]:
        work.enqueue_changes(user, kind, items, timezone.now())


@receiver(exchange_stored, dispatch_uid="knowledge_graph.hot_turns")
def link_hot_turn(sender: type, user: EndUser, exchange: Exchange, **kwargs: Any) -> None:
    turn = threads.link_exchange(user, exchange)
    if turn is not None:
        usefulness.count_use(user, turn, exchange.assistant_message)


@receiver(facts_forgotten, dispatch_uid="knowledge_graph.hot_words")
def forget_hot_words(sender: type, user: EndUser, facts: Sequence[Fact], **kwargs: Any) -> None:
    triples.forget_in_threads(user, facts)


@receiver(learning_due, dispatch_uid="knowledge_graph.learn")
def enqueue_learning(sender: type, user_id: int, **kwargs: Any) -> None:
    if memory_conf().flags["kg"]:
        enqueue(tasks.learn_user, user_id)


@receiver(verdicts_dropped, dispatch_uid="knowledge_graph.lessons")
def drop_lessons(sender: type, user: EndUser, ids: list[int], **kwargs: Any) -> None:
    """The concepts a verdict was learned under are only needed to reverse it."""
    Lesson.objects.filter(user=user, event_id__in=ids).delete()


@receiver(user_erased, dispatch_uid="knowledge_graph.erase")
def erase_graphs(sender: type, user: EndUser, removed: dict[str, int], **kwargs: Any) -> None:
    removed.update(delete_rows(user, [*GRAPH_TABLES, *HOT_TABLES, *DECISION_TABLES]))
