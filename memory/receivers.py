"""Receivers of the core's signals: they enqueue tasks, mark caches as stale, and have facts follow their memories."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.dispatch import receiver
from django.utils import timezone

from memory import tasks
from memory.facts.changes import mark_facts_due
from memory.facts.episodes import drop_episodes_of
from memory.facts.streaming import is_streaming_for
from memory.indexes import lexical_index
from memory.lifecycle import publishing
from memory.measuring.cases import drop_expectations
from memory.models import EndUser
from memory.platform.queue import enqueue, enqueue_once
from memory.signals import facts_due, index_due, items_changed, promotion_due, words_changed
from memory.tiers import Tier
from outcomes.signals import exchange_stored

PROMOTED_AFTER_S = 2.0
# The vectors of what a turn told are made while its answer is, and not while the turn itself waits for a processor; of
# turns that come at once they are made together.
COMPLETED_AFTER_S = 0.5


@receiver(index_due, dispatch_uid="memory.index")
def enqueue_indexing(sender: type, user_id: int, **kwargs: Any) -> None:
    enqueue(tasks.index_user, user_id)


@receiver(promotion_due, dispatch_uid="memory.promote")
def enqueue_promotion(sender: type, user_id: int, **kwargs: Any) -> None:
    # Nobody waits for a pass, and in a burst of exchanges one is enough.
    enqueue(tasks.promote_user, user_id, after_s=PROMOTED_AFTER_S)


@receiver(words_changed, dispatch_uid="memory.words")
def invalidate_lexical_cache(sender: type, user_id: int, **kwargs: Any) -> None:
    lexical_index().invalidate(user_id)


@receiver(facts_due, dispatch_uid="memory.facts")
def enqueue_fact_work(sender: type, user_id: int, **kwargs: Any) -> None:
    enqueue(tasks.complete_facts, user_id, after_s=COMPLETED_AFTER_S)


@receiver(exchange_stored, dispatch_uid="memory.stream")
def enqueue_stream(sender: type, user: EndUser, exchange: Any, **kwargs: Any) -> None:  # noqa: ANN401 -- not our row
    if exchange.thread_id and is_streaming_for(user):
        enqueue_once(tasks.stream_thread, user.pk, exchange.thread_id, exchange.agent_id, exchange.project_id)


@receiver(items_changed, dispatch_uid="memory.facts_follow")
def follow_memories(
    sender: type,
    user: EndUser,
    kind: str,
    items: Sequence[tuple[UUID, Tier]],
    *,
    gives_back: bool = True,
    **kwargs: Any,
) -> None:
    """Facts follow the memories they rest on, and the bank items they were published as, in the same transaction."""
    now = timezone.now()
    if kind in {"removed", "revised", "archived"}:
        drop_episodes_of(user, [item_id for item_id, _ in items])
    if kind == "removed":
        publishing.follow_removal(user, [item_id for item_id, _ in items], gives_back=gives_back, now=now)
        drop_expectations(user, {item_id for item_id, _ in items})
    banked = [item_id for item_id, tier in items if tier is Tier.MEMORY_BANK]
    if banked and kind in {"archived", "restored", "revised"}:
        publishing.follow_bank_change(user, kind, banked, now=now)
    if banked and kind in {"stored", "restored", "confirmed"} and publishing.has_unpublished(user, banked):
        mark_facts_due(user, now)
