"""Signal receivers: exchanges and imports become messages, which go with their memories; users take all with them."""

import uuid
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet, Sum
from django.dispatch import receiver
from django.utils import timezone

from memory.access.users import delete_rows
from memory.models import EndUser, MemoryItem
from memory.platform.queue import enqueue
from memory.records import queue, tasks
from memory.records.models import Gratitude, Journal, Preference, RecallLog, RecordEmbedding, RecordsDue, Todo
from memory.records.queue import RecordWords
from memory.records.texts import Kind, build_message_text
from memory.signals import health_probed, items_changed, messages_imported, user_erased
from memory.tiers import Status
from outcomes.signals import exchange_stored, exchanges_dropped

# What the importer of chats writes as the source of a memory.
IMPORTED = "import"
ERASED = (RecordEmbedding, Journal, Todo, Gratitude, Preference, RecallLog)

ROLES = ("user", "assistant")
GATHERED_FOR_S = 1.0
# Of an imported message the memory is all there is, so its message follows it; an exchange keeps its own words.
FOLLOWED = frozenset({"revised", "restored"})


@receiver(exchange_stored, dispatch_uid="kinds.messages")
def add_messages(sender: type, user: EndUser, exchange: Any, **kwargs: Any) -> None:  # noqa: ANN401 -- not our row
    queue_messages(user, list_exchange_words(exchange), exchange.created_at)


def list_exchange_words(exchange: Any) -> list[RecordWords]:  # noqa: ANN401 -- not our row
    """Both messages, with who said them: "(Bob) I live in Rome"."""
    said = ((exchange.speaker or ROLES[0], exchange.user_message), (ROLES[1], exchange.assistant_message))
    # Ids follow from the exchange: announced twice, it is stored once.
    return [
        RecordWords(uuid.uuid5(exchange.pk, role), build_message_text(*one), exchange.created_at, exchange.memory_id)
        for role, one in zip(ROLES, said, strict=True)
    ]


@receiver(messages_imported, dispatch_uid="kinds.imported")
def add_imported_messages(sender: type, user: EndUser, origins: list[str], **kwargs: Any) -> None:
    queue_memories(user, MemoryItem.objects.for_user(user).filter(origin__in=origins))


def queue_memories(user: EndUser, memories: QuerySet[MemoryItem]) -> None:
    kept = memories.exclude(status=Status.ARCHIVED).only("pk", "speaker", "text", "occurred_at", "created_at")
    said = [
        RecordWords(item.pk, build_message_text(item.speaker or ROLES[0], item.text), item.occurred_at, item.pk)
        for item in kept
    ]
    queue_messages(user, said, timezone.now(), is_import=True)


def queue_messages(user: EndUser, said: list[RecordWords], now: datetime, *, is_import: bool = False) -> None:
    # What waits already has its message. Nobody asks for a message the moment it was said, so a burst is one task.
    if queue.enqueue_texts(user, Kind.MESSAGE, said, now=now, is_import=is_import):
        enqueue(tasks.embed_user_records, user.pk, after_s=GATHERED_FOR_S)


@receiver(exchanges_dropped, dispatch_uid="kinds.drop")
def drop_messages(sender: type, user: EndUser, ids: list[uuid.UUID], **kwargs: Any) -> None:
    queue.delete_embeddings(
        user, Kind.MESSAGE, [uuid.uuid5(exchange_id, role) for exchange_id in ids for role in ROLES]
    )


@receiver(items_changed, dispatch_uid="kinds.follow")
def follow_memories(sender: type, user: EndUser, kind: str, items: list[tuple[uuid.UUID, Any]], **kwargs: Any) -> None:
    ids = [item_id for item_id, _ in items]
    if kind == "removed":
        queue.delete_memory_embeddings(user, ids)
    elif kind == "archived":
        queue.delete_embeddings(user, Kind.MESSAGE, ids)
    elif kind in FOLLOWED:
        queue_memories(
            user, MemoryItem.objects.for_user(user).filter(pk__in=ids, origin__isnull=False, source__type=IMPORTED)
        )


@receiver(user_erased, dispatch_uid="kinds.erase")
def erase_records(sender: type, user: EndUser, removed: dict[str, int], **kwargs: Any) -> None:
    removed.update(delete_rows(user, ERASED))


@receiver(health_probed, dispatch_uid="kinds.health")
def report_failures(sender: type, warnings: list[str], **kwargs: Any) -> None:
    failing = RecordsDue.objects.filter(failed__gt=0).aggregate(people=Count("pk"), failed=Sum("failed"))
    if failing["people"]:
        number, people = failing["failed"], failing["people"]
        of_whom = "one person" if people == 1 else f"{people} people"
        warnings.append(f"records: {number} text{'s' * (number != 1)} of {of_whom} could not be embedded")
