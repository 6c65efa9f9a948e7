"""Receivers of the core's signals: they enqueue tasks, and tell the index of words that its cache is stale."""

from typing import Any

from django.dispatch import receiver

from memory import tasks
from memory.indexes import lexical_index
from memory.platform.queue import enqueue
from memory.signals import index_due, promotion_due, words_changed


@receiver(index_due, dispatch_uid="memory.index")
def enqueue_indexing(sender: type, user_id: int, **kwargs: Any) -> None:
    enqueue(tasks.index_user, user_id)


@receiver(promotion_due, dispatch_uid="memory.promote")
def enqueue_promotion(sender: type, user_id: int, **kwargs: Any) -> None:
    enqueue(tasks.promote_user, user_id)


@receiver(words_changed, dispatch_uid="memory.words")
def invalidate_lexical_cache(sender: type, user_id: int, **kwargs: Any) -> None:
    lexical_index().invalidate(user_id)
