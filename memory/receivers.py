"""Receivers of the core's signals; they enqueue tasks and do nothing else."""

from typing import Any

from django.dispatch import receiver

from memory import tasks
from memory.platform.queue import enqueue
from memory.signals import index_due, promotion_due


@receiver(index_due, dispatch_uid="memory.index")
def enqueue_indexing(sender: type, user_id: int, **kwargs: Any) -> None:
    enqueue(tasks.index_user, user_id)


@receiver(promotion_due, dispatch_uid="memory.promote")
def enqueue_promotion(sender: type, user_id: int, **kwargs: Any) -> None:
    enqueue(tasks.promote_user, user_id)
