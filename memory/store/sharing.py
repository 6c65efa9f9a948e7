"""Brings memories into a space: a person's act, each copy with who shared it and from which memory of theirs.

A copy keeps the words, tags and trust of the memory it was made of, and nothing that tells of the person's own store:
no thread, no agent or project, no outcomes. What one person brought is never merged with what another did, so that
each can take back their own.
"""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.language.text import hash_content
from memory.models import EndUser, MemoryItem, SpaceShare
from memory.store import rows
from memory.store.admission import NewMemory, WriteRefused, validate_memory
from memory.store.writing import StoreResult, count_writes
from memory.tiers import SourceType, Status, Tier, Trust

# What is shared is meant to last: a day or a month would be too short for it.
LASTING = {Tier.WORKING: Tier.PATTERNS, Tier.HISTORY: Tier.PATTERNS}
SHARED = "shared"


@dataclass(frozen=True, slots=True)
class SpaceContribution:
    """Who brings a memory into a space, and of which of their own it is a copy."""

    contributor: EndUser
    source_item_id: uuid.UUID | None = None


def copy_for_space(item: MemoryItem, contributor: EndUser) -> NewMemory:
    """Raises WriteRefused for what may not be passed on as it is."""
    if item.status == Status.ARCHIVED:
        raise WriteRefused("memory_id", "is archived: restore it before it is shared")
    if item.review:
        raise WriteRefused("memory_id", "waits for review: confirm it before it is shared")
    if item.trust <= Trust.EXTERNAL and item.tier != Tier.BOOKS:
        raise WriteRefused("memory_id", "is text from outside: vouch for it before it is shared")
    return NewMemory(
        text=item.text,
        tier=LASTING.get(Tier(item.tier), Tier(item.tier)),
        tags=list(item.tags),
        importance=item.importance,
        confidence=item.confidence,
        speaker=item.speaker or contributor.external_id,
        source_type=SourceType(item.source_type),
        source={"kind": SHARED},
        occurred_at=item.occurred_at,
        trust=Trust(item.trust),
        is_vouched=item.trust >= Trust.USER,
    )


def store_shared(space: EndUser, new: NewMemory, by: SpaceContribution, *, now: datetime, actor: str) -> StoreResult:
    """A memory of the space. The same words again, or the same memory, answer with the one that is there."""
    new = validate_memory(replace(new, always_inject=False, agent_id="", project_id=""))
    item = rows.build_row(space, new, now, actor)
    with user_scope(space):
        lock_for_transaction("share", space)
        if known := find_shared(space, new.text, by.source_item_id):
            return StoreResult(known, duplicate_of=known.pk)
        item.save(force_insert=True)
        SpaceShare.objects.create(
            user=space,
            item=item,
            contributor_id=by.contributor.pk,
            contributor_name=by.contributor.external_id,
            source_item_id=by.source_item_id,
            at=now,
        )
        after = {"tier": item.tier, "contributor": by.contributor.external_id}
        rows.record_event(item, SHARED, after=after, now=now, actor=actor)
        rows.mark_index_due(space, now)
        rows.announce_change(space, "stored", [item])
        count_writes([item])
    return StoreResult(item)


def find_shared(space: EndUser, text: str, source_item_id: uuid.UUID | None) -> MemoryItem | None:
    """What already says it in the space, or was made of the same memory. In the space's scope."""
    items = MemoryItem.objects.for_user(space).filter(status__in=[Status.ACTIVE, Status.DORMANT])
    same = items.filter(content_hash=hash_content(text)).order_by("created_at").first()
    if same is not None or source_item_id is None:
        return same
    shared = SpaceShare.objects.filter(user=space, source_item_id=source_item_id).values_list("item_id", flat=True)
    return items.filter(pk__in=list(shared)).first()


def read_shares(space: EndUser, ids: Collection[uuid.UUID]) -> dict[uuid.UUID, SpaceShare]:
    """Who shared each of these."""
    with user_scope(space):
        return {share.item_id: share for share in SpaceShare.objects.filter(user=space, item_id__in=list(ids))}


def list_contributions(contributor: EndUser, of: Collection[uuid.UUID] | None = None) -> Sequence[SpaceShare]:
    """What a person shared into any space, also into one they have left; with ``of`` the copies of these alone."""
    with user_scope(contributor):
        shares = SpaceShare.objects.filter(contributor_id=contributor.pk).order_by("pk")
        return list(shares if of is None else shares.filter(source_item_id__in=list(of)))
