"""Puts the stores of a data set into fresh users, and takes the users out again whatever happens."""

import hashlib
import secrets
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import IntegrityError, OperationalError
from django.utils import timezone

from knowledge_graph.tasks import learn_everything
from memory.access.scope import user_scope
from memory.access.users import get_or_create_user
from memory.evaluation.datasets import DatasetMemory, DatasetStore
from memory.facade import MemoryFacade
from memory.indexing import queue
from memory.lifecycle import learning
from memory.lifecycle.erasure import finish_erasure, request_erasure
from memory.models import EndUser, FactEvidence, Organization, Turn
from memory.store.admission import NewMemory, WriteRefused, validate_memory
from memory.tiers import Outcome, Tier
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange

ACTOR = "command:bench"
BATCH = 500
ERASURE_TRIES = 5


class NotIndexedError(Exception):
    """Some memories could not be indexed, so no figure over them would mean anything."""


@dataclass(slots=True)
class LoadedStore:
    """A store in its user. Memories that the bank merged share one item and its place in a ranking."""

    user: EndUser
    keys: dict[uuid.UUID, list[str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def rank_keys(self, found: Sequence[uuid.UUID]) -> list[str]:
        return list(dict.fromkeys(key for item in found for key in self.keys.get(item, ())))


@contextmanager
def create_benchmark_organization(now: datetime, kept_as: str = "") -> Iterator[Organization]:
    """An organisation of this run's own: no key and no user of it is anybody else's. Erased at the end, unless it is to
    be kept under a name for later runs."""
    slug = f"benchmark-{kept_as or uuid.uuid4().hex[:12]}"
    organization, _ = Organization.objects.get_or_create(slug=slug, defaults={"name": "Benchmark", "created_at": now})
    try:
        yield organization
    finally:
        if not kept_as:
            for user in EndUser.objects.filter(organization=organization):
                erase_user(user)
            organization.delete()


def erase_user(user: EndUser) -> None:
    now = timezone.now()
    request = request_erasure(user, now=now)
    for attempt in range(ERASURE_TRIES):
        try:
            finish_erasure(request.pk, now=now)
        except (IntegrityError, OperationalError):
            # A worker beside was just writing down what the last exchange is near to.
            if attempt == ERASURE_TRIES - 1:
                raise
        else:
            break


@contextmanager
def load_store(organization: Organization, store: DatasetStore, asked_at: datetime) -> Iterator[LoadedStore]:
    """The store in a user of its own at one moment, fully indexed and with its outcomes; erased afterwards."""
    user = get_or_create_user(organization, uuid.uuid4().hex)
    try:
        content = write_memories(user, store, asked_at)
        record_outcomes(content, store, asked_at)
        index_pending(user)
        read_exchanges(content)
        learn_everything(user, now=asked_at)
        yield content
    finally:
        erase_user(user)


def write_memories(user: EndUser, store: DatasetStore, asked_at: datetime) -> LoadedStore:
    """Store what the write guard lets through, and keep the reasons for what it refuses."""
    content = LoadedStore(user)
    fit: list[tuple[str, NewMemory]] = []
    facade = MemoryFacade(ACTOR)
    for memory in store.memories:
        if memory.reply:
            stored = facade.store_exchange(user, build_new_exchange(memory, asked_at), now=timezone.now())
            content.keys[stored.memory_id] = [memory.key]
            continue
        new = build_new_memory(memory, derive_repeatable_id(store, memory), asked_at)
        try:
            validate_memory(new)
        except WriteRefused as error:
            content.refused[memory.key] = error.rule
        else:
            fit.append((memory.key, new))
    # Through the facade, as an import goes: what is measured has passed the guard and the bank's merging.
    for start in range(0, len(fit), BATCH):
        part = fit[start : start + BATCH]
        ids = facade.store_many(user, [new for _, new in part], now=timezone.now())
        for (key, _), item in zip(part, ids, strict=True):
            if item is not None:
                content.keys.setdefault(item, []).append(key)
    return content


def build_new_memory(memory: DatasetMemory, item: uuid.UUID, asked_at: datetime) -> NewMemory:
    """The memory as an import stores it."""
    # What is old was said long ago and is stored now: no time to live runs out on it.
    said_at = memory.occurred_at
    if said_at is None and memory.days_ago is not None:
        said_at = asked_at - timedelta(days=memory.days_ago)
    unset = NewMemory(memory.text)
    return NewMemory(
        text=memory.text,
        tier=Tier(memory.tier),
        tags=memory.tags,
        importance=unset.importance if memory.importance is None else memory.importance,
        confidence=unset.confidence if memory.confidence is None else memory.confidence,
        thread_id=memory.thread_id,
        speaker=memory.speaker,
        occurred_at=said_at,
        id=item,
    )


def build_new_exchange(memory: DatasetMemory, asked_at: datetime) -> NewExchange:
    said_at = asked_at - timedelta(days=memory.days_ago or 0.0)
    return NewExchange(memory.thread_id, memory.text, memory.reply, occurred_at=said_at)


def read_exchanges(content: LoadedStore) -> None:
    """Read facts of what was exchanged, as the worker does. What is published of an exchange answers as it does."""
    while profiling.profile_due_exchanges(content.user):
        pass
    index_pending(content.user)
    with user_scope(content.user):
        told = FactEvidence.objects.filter(user=content.user, stance=1, memory_id__in=list(content.keys))
        published = list(told.values_list("memory_id", "fact__bank_item_id"))
    for memory_id, item_id in published:
        if item_id and memory_id and item_id != memory_id:
            content.keys.setdefault(item_id, []).extend(content.keys[memory_id])


def derive_repeatable_id(store: DatasetStore, memory: DatasetMemory) -> uuid.UUID:
    """An id that follows from the data set."""
    # Ids order what is equal otherwise, so two runs must order them alike; their ends differ, so that two runs at once
    # do not meet.
    head = hashlib.blake2b(f"{store.key}/{memory.key}".encode(), digest_size=10).digest()
    return uuid.UUID(bytes=head + secrets.token_bytes(6), version=4)


def record_outcomes(content: LoadedStore, store: DatasetStore, asked_at: datetime) -> None:
    items = {key: item for item, keys in content.keys.items() for key in keys}
    facade = MemoryFacade(ACTOR)
    for memory in store.memories:
        if memory.key in items:
            for outcome in memory.outcomes:
                facade.record_outcome(content.user, Outcome(outcome), now=asked_at, related=[str(items[memory.key])])
            for outcome, question in memory.judged_turns:
                turn_id = record_shown_turn(content.user, question, items[memory.key], memory.tier, asked_at)
                facade.record_outcome(content.user, Outcome(outcome), now=asked_at, turn_id=turn_id, related=[1])


def record_shown_turn(user: EndUser, question: str, item: uuid.UUID, tier: str, asked_at: datetime) -> uuid.UUID:
    """A turn as a search leaves it that showed this memory alone."""
    with user_scope(user):
        positions = [[str(item), tier]]
        return Turn.objects.create(user=user, query=question, positions=positions, created_at=asked_at).turn_id


def index_pending(user: EndUser) -> None:
    """Index until nothing is pending. Raises NotIndexedError."""
    # Here and now, whether or not a worker runs beside: both may take the same rows and end the same.
    while queue.index_batch(user, now=timezone.now()):
        pass
    # What stands in the bank is read into facts, as the worker does.
    while learning.learn_bank_items(user, now=timezone.now()):
        pass
    state = queue.count_indexing(user)
    if state.pending or state.failed:
        raise NotIndexedError(f"{state.pending} memories still wait for the index and {state.failed} failed")
