"""Writes the single statements of an import into the memory bank, as a statement from anywhere else is written."""

from datetime import datetime
from enum import StrEnum

from memory.access.confinement import RowScope
from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.indexes.duplicates import find_near_duplicate
from memory.language.text import hash_content
from memory.lifecycle import bank
from memory.models import EndUser, MemoryItem, MemoryVersion
from memory.platform.deadline import Deadline
from memory.store import writing
from memory.store.admission import NewMemory, WriteRefused, validate_memory
from memory.tiers import Status, Tier


class Telling(StrEnum):
    """What became of a memory of the file."""

    NEW = "new"
    THERE = "there"
    REFUSED = "refused"


def store_statement(user: EndUser, new: NewMemory, *, now: datetime, actor: str) -> Telling:
    """One transaction. What the bank tells already, in these words or merged into others, gets no further mention."""
    try:
        checked = validate_memory(new)
    except WriteRefused:
        return Telling.REFUSED
    if is_known(user, checked):
        return Telling.THERE
    # Asks the embedder, so with no transaction open.
    similar_to = find_near_duplicate(
        user, checked.text, RowScope.of(checked), Deadline(memory_conf().deadlines.default_s)
    )
    try:
        with user_scope(user):
            lock_for_transaction("import", user)
            if is_known(user, checked):
                return Telling.THERE
            stored = writing.store_memory(user, new, now=now, actor=actor, similar_to=similar_to)
            if stored.duplicate_of is not None:
                return Telling.THERE
            bank.make_room(user, now=now, keep=[stored.item.pk])
    except WriteRefused:
        return Telling.REFUSED
    return Telling.NEW


def is_known(user: EndUser, checked: NewMemory) -> bool:
    with user_scope(user):
        return bool(checked.origin and writing.find_known_origins(user, [checked.origin])) or is_told(user, checked)


def is_told(user: EndUser, checked: NewMemory) -> bool:
    """Whether an active statement of the bank has these words, or had them merged into it. In the user's scope."""
    scope = RowScope.of(checked)
    active = MemoryItem.objects.for_user(user).filter(tier=Tier.MEMORY_BANK, status=Status.ACTIVE)
    active = active.filter(agent_id=scope.agent_id, project_id=scope.project_id)
    if active.filter(content_hash=hash_content(checked.text)).exists():
        return True
    return MemoryVersion.objects.filter(user=user, item__in=active, reason="merged", text=checked.text).exists()
