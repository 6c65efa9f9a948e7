"""Signal receivers: exchanges become messages; deleted memories and users take their records with them."""

import uuid
from typing import Any

from django.dispatch import receiver

from memory.access.users import delete_rows
from memory.models import EndUser
from memory.platform.queue import enqueue
from memory.records import queue, tasks
from memory.records.models import Gratitude, Journal, Preference, RecallLog, RecordEmbedding, Todo
from memory.records.texts import Kind, message_text
from memory.signals import items_changed, user_erased
from outcomes.signals import exchange_stored, exchanges_dropped

ERASED = (RecordEmbedding, Journal, Todo, Gratitude, Preference, RecallLog)


ROLES = ("user", "assistant")
GATHERED_FOR_S = 1.0


@receiver(exchange_stored, dispatch_uid="kinds.messages")
def add_messages(sender: type, user: EndUser, exchange: Any, **kwargs: Any) -> None:  # noqa: ANN401 -- not our row
    # Ids follow from the exchange: announced twice, it is stored once.
    is_first = False
    for role, text in zip(ROLES, (exchange.user_message, exchange.assistant_message), strict=True):
        is_first |= queue.enqueue_text(
            user,
            Kind.MESSAGE,
            uuid.uuid5(exchange.pk, role),
            message_text(role, text),
            created_at=exchange.created_at,
            now=exchange.created_at,
            memory_id=exchange.memory_id,
        )
    # What waits already has its message. Nobody asks for a message the moment it was said, so a burst is one task.
    if is_first:
        enqueue(tasks.embed_user_records, user.pk, after_s=GATHERED_FOR_S)


@receiver(exchanges_dropped, dispatch_uid="kinds.drop")
def drop_messages(sender: type, user: EndUser, ids: list[uuid.UUID], **kwargs: Any) -> None:
    queue.delete_embeddings(
        user, Kind.MESSAGE, [uuid.uuid5(exchange_id, role) for exchange_id in ids for role in ROLES]
    )


@receiver(items_changed, dispatch_uid="kinds.forget")
def delete_messages(sender: type, user: EndUser, kind: str, items: list[tuple[uuid.UUID, Any]], **kwargs: Any) -> None:
    if kind == "removed":
        queue.delete_memory_embeddings(user, [item_id for item_id, _ in items])


@receiver(user_erased, dispatch_uid="kinds.erase")
def erase_records(sender: type, user: EndUser, removed: dict[str, int], **kwargs: Any) -> None:
    removed.update(delete_rows(user, ERASED))
