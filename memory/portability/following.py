"""Which rows of a file are here already, and what else is made of a row that is written."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db.models import Model, Q

from books.models import Book
from knowledge_graph.models import HotTurn
from memory.models import EndUser, Fact, MemoryItem
from memory.models.facts import FactState
from memory.portability.checking import ReadLine
from memory.portability.identities import Identities
from memory.portability.tables import PortableTable
from memory.records import queue
from memory.records.models import Gratitude, Journal, Preference, Todo
from memory.records.queue import RecordWords
from memory.records.receivers import IMPORTED, ROLES, list_exchange_words
from memory.records.records import WRITERS
from memory.records.texts import Kind, build_message_text
from memory.tiers import Status
from outcomes.models import Exchange

KIND_OF: Final[Mapping[type[Model], Kind]] = {
    Journal: Kind.JOURNAL,
    Todo: Kind.TODO,
    Gratitude: Kind.GRATITUDE,
    Preference: Kind.PREFERENCE,
}


def find_known_ids(
    user: EndUser, table: PortableTable, batch: Sequence[ReadLine], ids: Identities
) -> dict[uuid.UUID, uuid.UUID]:
    """The ids of the file whose rows are here, with their ids here."""
    given = [line.key for line in batch if isinstance(line.key, uuid.UUID)]
    derived = {ids.derive(key): key for key in given}
    own = table.model._default_manager.filter(user=user)
    here = own.filter(pk__in=[*given, *derived]).values_list("pk", flat=True)
    known = {derived.get(key, key): key for key in here}
    left = [line for line in batch if line.key not in known]
    if table.model is MemoryItem:
        known |= find_same_messages(user, left)
    elif table.model is Fact:
        known |= find_same_facts(user, left)
    elif table.model is Book:
        known |= find_same_files(user, left)
    elif table.model is HotTurn:
        known |= find_same_turns(user, left)
    elif table.model is Preference and left and own.exists():
        known |= {key: own.get().pk for line in left if isinstance(key := line.key, uuid.UUID)}
    return known


def find_same_messages(user: EndUser, batch: Sequence[ReadLine]) -> dict[uuid.UUID, uuid.UUID]:
    """Messages that were imported from the same chat before: the origin tells."""
    named = ((line.values["origin"], line.key) for line in batch if line.values["origin"])
    origins = {origin: key for origin, key in named if isinstance(key, uuid.UUID)}
    if not origins:
        return {}
    here = MemoryItem.objects.for_user(user).filter(origin__in=origins).values_list("origin", "pk")
    return {origins[origin]: key for origin, key in here}


def find_same_files(user: EndUser, batch: Sequence[ReadLine]) -> dict[uuid.UUID, uuid.UUID]:
    """Books of files that were read here too."""
    names = ("agent_id", "project_id", "thread_id", "content_hash")
    hashes = {line.values["content_hash"] for line in batch}
    here = Book.objects.filter(user=user, content_hash__in=hashes).values_list("pk", *names)
    known = {tuple(place): key for key, *place in here}
    same = {line.key: known.get(tuple(line.values[name] for name in names)) for line in batch}
    return {key: book for key, book in same.items() if book is not None and isinstance(key, uuid.UUID)}


def find_same_turns(user: EndUser, batch: Sequence[ReadLine]) -> dict[uuid.UUID, uuid.UUID]:
    """Turns of a thread that went on here by itself: two of one number cannot be."""
    names = ("agent_id", "project_id", "thread_id", "number")
    threads = {line.values["thread_id"] for line in batch}
    own = HotTurn.objects.filter(user=user, thread_id__in=threads).values_list("pk", *names)
    here = {tuple(place): key for key, *place in own}
    places = {line.key: here.get(tuple(line.values[name] for name in names)) for line in batch}
    return {key: turn for key, turn in places.items() if turn is not None and isinstance(key, uuid.UUID)}


SLOT: Final = ("subject_key", "relation", "object_key", "polarity")


def find_same_facts(user: EndUser, batch: Sequence[ReadLine]) -> dict[uuid.UUID, uuid.UUID]:
    """Facts that are known here by their own ways: the same subject, relation and object."""
    active = [line for line in batch if line.values["state"] == FactState.ACTIVE]
    subjects = {line.values["subject_key"] for line in active}
    known = Fact.objects.for_user(user).active().filter(subject_key__in=subjects)
    known = known.exclude(relation__in=["", "about", "asked_to_remember"])
    slots = {tuple(slot): key for key, *slot in known.values_list("pk", *SLOT)} if active else {}
    same = {line.key: slots.get(tuple(line.values[name] for name in SLOT)) for line in active}
    return {key: here for key, here in same.items() if here is not None and isinstance(key, uuid.UUID)}


def match_rows(user: EndUser, table: PortableTable, batch: Sequence[dict[str, Any]]) -> list[int | None]:
    """For each row without an id, the row here that says the same, at most once each; None for a new one."""
    names = table.natural or tuple(
        column.attname for column in table.columns if column.attname not in table.moving | {"thread_id"}
    )
    if table.is_learned:
        # Nothing was there to compare with when the import began.
        return [None] * len(batch)
    if table.is_single:
        own = table.model._default_manager.filter(user=user).values_list("pk", flat=True).first()
        # A second line of a file is not written either.
        return [own, *[own or 0] * (len(batch) - 1)]
    first = "at" if "at" in names else names[0]
    here: dict[Any, list[int]] = defaultdict(list)
    wanted = Q(user=user, **{f"{first}__in": {row[first] for row in batch}})
    for key, *values in table.model._default_manager.filter(wanted).order_by("-pk").values_list("pk", *names):
        here[freeze(values)].append(key)
    found: list[int | None] = []
    for row in batch:
        same = here[freeze([row[name] for name in names])]
        if table.natural:
            found.append(same[0] if same else None)
            # A second line with the same key is not written either.
            here[freeze([row[name] for name in names])] = same or [0]
        else:
            found.append(same.pop() if same else None)
    return found


def freeze(value: Any) -> Any:  # noqa: ANN401 -- any JSON
    if isinstance(value, dict):
        return tuple(sorted((name, freeze(one)) for name, one in value.items()))
    return tuple(freeze(one) for one in value) if isinstance(value, list | tuple) else value


def date_exchanges(user: EndUser, made: Sequence[Any]) -> None:
    """Those of a file that does not tell when they were said: their memories do."""
    undated = [row for row in made if row.said_at is None]
    memories = MemoryItem.objects.for_user(user).filter(pk__in=[row.memory_id for row in undated if row.memory_id])
    told = dict(memories.values_list("pk", "occurred_at")) if undated else {}
    for row in undated:
        row.said_at = told.get(row.memory_id, row.created_at)


def queue_texts(user: EndUser, made: Sequence[Any], now: datetime) -> None:
    """Records and messages are embedded from what was written, as if they had just been said."""
    row = made[0]
    if isinstance(row, Exchange):
        said = [words for one in made for words in list_exchange_words(one)]
        queue.enqueue_texts(user, Kind.MESSAGE, said, now=now, is_import=True)
    elif isinstance(row, MemoryItem):
        kept = [one for one in made if one.origin and is_message(one)]
        words = [
            RecordWords(one.pk, build_message_text(one.speaker or ROLES[0], one.text), one.occurred_at, one.pk)
            for one in kept
        ]
        queue.enqueue_texts(user, Kind.MESSAGE, words, now=now, is_import=True)
    elif type(row) in KIND_OF:
        kind = KIND_OF[type(row)]
        texts = [(one, WRITERS[kind](one)) for one in made]
        words = [RecordWords(one.pk, text, one.created_at) for one, text in texts if text is not None]
        queue.enqueue_texts(user, kind, words, now=now, is_import=True)


def is_message(item: MemoryItem) -> bool:
    return item.source.get("type") == IMPORTED and item.status != Status.ARCHIVED
