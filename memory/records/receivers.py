"""Signal receivers: exchanges become messages; deleted memories and users take their records with them."""

import uuid
from typing import Any

from django.dispatch import receiver

from memory.models import EndUser
from memory.platform.queue import enqueue
from memory.records import queue, tasks
from memory.records.models import Embedded, Gratitude, Journal, Preference, Recalled, Todo
from memory.records.texts import Kind, message_words
from memory.signals import items_changed, user_erased
from outcomes.signals import exchange_stored, exchanges_dropped

ERASED = (Embedded, Journal, Todo, Gratitude, Preference, Recalled)


ROLES = ("user", "assistant")


@receiver(exchange_stored, dispatch_uid="kinds.messages")
def leave_messages(sender: type, user: EndUser, exchange: Any, **kwargs: Any) -> None:  # noqa: ANN401 -- not our row
    for role, text in zip(ROLES, (exchange.user_message, exchange.assistant_message), strict=True):
        queue.leave(
            user,
            Kind.MESSAGE,
            uuid.uuid5(exchange.pk, role),
            message_words(role, text),
            created_at=exchange.created_at,
            now=exchange.created_at,
            memory_id=exchange.memory_id,
        )
    enqueue(tasks.embed_user, user.pk)


@receiver(exchanges_dropped, dispatch_uid="kinds.drop")
def drop_messages(sender: type, user: EndUser, ids: list[uuid.UUID], **kwargs: Any) -> None:
    queue.forget(user, Kind.MESSAGE, [uuid.uuid5(exchange_id, role) for exchange_id in ids for role in ROLES])


@receiver(items_changed, dispatch_uid="kinds.forget")
def forget_messages(sender: type, user: EndUser, kind: str, items: list[tuple[uuid.UUID, Any]], **kwargs: Any) -> None:
    if kind == "removed":
        queue.forget_memories(user, [item_id for item_id, _ in items])


@receiver(user_erased, dispatch_uid="kinds.erase")
def erase(sender: type, user: EndUser, removed: dict[str, int], **kwargs: Any) -> None:
    for model in ERASED:
        rows = model._default_manager.filter(user_id=user.pk)
        removed[model._meta.db_table] = rows._raw_delete(rows.db)
