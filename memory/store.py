"""The write path: the only module that writes a memory's text, status and versions.

Every function is one transaction in the user's scope; what must happen in the index is left in the rows themselves
(``indexing = pending``, an unpurged tombstone), so a lost message or a killed process loses nothing.
"""

import re
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Min

from memory import metrics, rows
from memory.access import user_scope
from memory.admission import NewMemory, Refused, admitted, check_trust, checked_tags, checked_text, guard_bank
from memory.conf import memory_conf
from memory.models import EndUser, MemoryEvent, MemoryItem, Tombstone
from memory.scoring import quality
from memory.speakers import keep_names
from memory.text import content_hash
from memory.tiers import POLICIES, Indexing, Status, Tier, Trust

NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True)
class Stored:
    item: MemoryItem
    duplicate_of: uuid.UUID | None = None


def store(
    user: EndUser, new: NewMemory, *, now: datetime, actor: str = "", similar_to: uuid.UUID | None = None
) -> Stored:
    """Store one memory. ``similar_to`` names the bank item its vector fell on, if any: the two become one."""
    new = admitted(new)
    with user_scope(user):
        if new.tier is Tier.MEMORY_BANK and (twin := bank_twin(user, new, similar_to)):
            return Stored(merge_into(twin, new, now=now, actor=actor), duplicate_of=twin.pk)
        item = rows.new_row(user, with_least_trust(user, new), now, actor)
        item.save(force_insert=True)
        keep_names(user, [item.speaker])
        rows.note(item, "stored", after={"tier": item.tier}, now=now, actor=actor)
        rows.mark_index_due(user, now)
        rows.tell(user, "stored", [item])
        count_writes([item])
    return Stored(item)


def with_least_trust(user: EndUser, new: NewMemory) -> NewMemory:
    """What is derived deserves the trust of the least of what it comes from. Raises Refused for unknown parents."""
    if not new.parents:
        return new
    found = MemoryItem.objects.for_user(user).filter(pk__in=new.parents)
    least = found.aggregate(least=Min("trust"), found=Count("pk"))
    if least["found"] < len(set(new.parents)):
        raise Refused("parents", "every parent must be a memory of the same user")
    trust = Trust(min(new.trust or Trust.USER, least["least"]))
    check_trust(trust, new.tier, always_inject=new.always_inject)
    return replace(new, trust=trust)


def store_many(user: EndUser, batch: Iterable[NewMemory], *, now: datetime, actor: str = "") -> list[uuid.UUID | None]:
    """Store all or none, in order. None stands where an import's row exists already or was deleted by its owner."""
    drafts = []
    for position, new in enumerate(batch):
        try:
            drafts.append(admitted(new))
        except Refused as error:
            raise Refused(f"items[{position}].{error.field}", error.rule) from error
    with user_scope(user):
        known = known_origins(user, [new.origin for new in drafts if new.origin])
        ids: list[uuid.UUID | None] = []
        added: list[MemoryItem] = []
        for new in drafts:
            if new.origin and new.origin in known:
                ids.append(None)
                continue
            if new.origin:
                known.add(new.origin)
            if new.tier is Tier.MEMORY_BANK:
                ids.append(store(user, new, now=now, actor=actor).item.pk)
                continue
            row = rows.new_row(user, with_least_trust(user, new), now, actor)
            added.append(row)
            ids.append(row.pk)
        MemoryItem.objects.bulk_create(added, batch_size=memory_conf().limits.batch)
        keep_names(user, [row.speaker for row in added])
        MemoryEvent.objects.bulk_create(
            MemoryEvent(user=user, item=row, kind="stored", after={"tier": row.tier}, actor=actor, at=now)
            for row in added
        )
        if added:
            rows.mark_index_due(user, now)
            rows.tell(user, "stored", added)
            count_writes(added)
    return ids


def count_writes(written: Sequence[MemoryItem]) -> None:
    """Once they are there: what is rolled back was never written."""
    for tier, number in Counter(row.tier for row in written).items():
        transaction.on_commit(partial(metrics.count, "writes", tier, number))


def known_origins(user: EndUser, origins: Sequence[str]) -> set[str]:
    if not origins:
        return set()
    take_turns("import", user)
    present = MemoryItem.objects.for_user(user).filter(origin__in=origins).values_list("origin", flat=True)
    deleted = Tombstone.objects.filter(user=user, origin__in=origins).values_list("origin", flat=True)
    return {origin for origin in (*present, *deleted) if origin}


def bank_twin(user: EndUser, new: NewMemory, similar_to: uuid.UUID | None) -> MemoryItem | None:
    """The active bank item that says the same: the same words, or a neighbour that holds the same numbers."""
    take_turns("bank", user)
    active = MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK)
    # Locked, so that the merge starts from what a revision or an archiving under way leaves.
    bank = active.select_for_update(no_key=True)
    if same := bank.filter(content_hash=content_hash(new.text)).order_by("created_at").first():
        return same
    near = bank.filter(pk=similar_to).first() if similar_to else None
    # "Gate 12" and "gate 14" are neighbours to any embedding and still two facts.
    return near if near and set(NUMBERS.findall(near.text)) == set(NUMBERS.findall(new.text)) else None


def take_turns(subject: str, user: EndUser) -> None:
    """Until the transaction ends, later writers of the same subject wait, and then see what this one wrote."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", [subject, user.pk])


def merge_into(item: MemoryItem, new: NewMemory, *, now: datetime, actor: str) -> MemoryItem:
    """One item of two that say the same: the better wording stays, the other becomes a version, the id is kept."""
    better = quality(new.importance, new.confidence) > quality(item.importance, item.confidence)
    before = {"text": item.text, "mentions": item.mentions}
    rows.keep_version(item, "merged", now, wording=None if better else new)
    item.mentions += 1
    item.trust = min(item.trust, new.trust or item.trust) if better else item.trust
    item.tags = list(dict.fromkeys([*item.tags, *new.tags]))[: memory_conf().limits.tags]
    item.always_inject = item.always_inject or new.always_inject
    if better:
        item.importance, item.confidence = new.importance, new.confidence
    rows.set_text(item, new.text if better else item.text)
    item.updated_at = now
    item.save()
    rows.note(item, "merged", reason="says the same as an existing item", before=before, now=now, actor=actor)
    rows.mark_index_due_if(item, now)
    rows.tell(item.user, "revised", [item])
    return item


REVISABLE = ("tags", "importance", "confidence", "always_inject", "metadata")


def revise(
    user: EndUser, item_id: uuid.UUID, changes: dict[str, Any], *, now: datetime, actor: str = ""
) -> MemoryItem | None:
    """Change text, tags, importance, confidence, always_inject or metadata; a new text makes a new version.

    None when the user has no such item.
    """
    with user_scope(user):
        item = rows.locked(user, item_id)
        if item is None:
            return None
        text = checked_text(changes["text"], memory_conf().limits.text) if "text" in changes else item.text
        tags = checked_tags(changes["tags"]) if "tags" in changes else item.tags
        if item.tier == Tier.MEMORY_BANK:
            guard_bank(text, tags)
        elif changes.get("always_inject"):
            raise Refused("always_inject", "only memory_bank items can always be injected")
        check_trust(item.trust, Tier(item.tier), always_inject=bool(changes.get("always_inject")))
        before = {name: getattr(item, name) for name in ("text", *REVISABLE) if name in changes}
        if text != item.text:
            rows.keep_version(item, "revised", now)
        for name in REVISABLE:
            if name in changes:
                setattr(item, name, tags if name == "tags" else changes[name])
        if text != item.text or tags != before.get("tags", tags):
            rows.set_text(item, text)
        item.updated_at = now
        item.save()
        after = {name: getattr(item, name) for name in before}
        rows.note(item, "revised", before=before, after=after, now=now, actor=actor)
        rows.mark_index_due_if(item, now)
        rows.tell(user, "revised", [item])
    return item


def archive(
    user: EndUser, item_id: uuid.UUID, *, now: datetime, reason: str = "asked", actor: str = ""
) -> MemoryItem | None:
    """Out of every answer, kept for its owner. Archiving twice changes nothing. None when there is no such item."""
    with user_scope(user):
        item = rows.locked(user, item_id)
        if item is not None and item.status == Status.ACTIVE:
            item.status = Status.ARCHIVED
            item.archived_at = item.updated_at = now
            rows.await_index(item)
            item.save()
            rows.note(item, "archived", reason=reason, before={"status": "active"}, now=now, actor=actor)
            rows.mark_index_due(user, now)
            rows.tell(user, "archived", [item])
    return item


def archive_many(user: EndUser, reasons: Mapping[uuid.UUID, str], *, now: datetime, actor: str = "") -> None:
    """Archive active items, each with its reason in an event; ids that are not active are passed over."""
    if not reasons:
        return
    with user_scope(user):
        active = MemoryItem.objects.for_user(user).active().filter(pk__in=list(reasons))
        found = list(active.select_for_update(no_key=True).order_by("pk").only("pk", "tier"))
        ids = [item.pk for item in found]
        MemoryItem.objects.for_user(user).filter(pk__in=ids).update(
            status=Status.ARCHIVED, archived_at=now, updated_at=now, indexing=Indexing.PENDING, index_after=now
        )
        MemoryEvent.objects.bulk_create(
            MemoryEvent(
                user=user,
                item_id=item_id,
                kind="archived",
                reason=reasons[item_id],
                before={"status": Status.ACTIVE},
                after={"status": Status.ARCHIVED},
                actor=actor,
                at=now,
            )
            for item_id in ids
        )
        if ids:
            rows.mark_index_due(user, now)
            rows.tell(user, "archived", found)


def restore(user: EndUser, item_id: uuid.UUID, *, now: datetime, actor: str = "") -> MemoryItem | None:
    """Back into its tier, with a fresh time to live. None when there is no such item."""
    with user_scope(user):
        item = rows.locked(user, item_id)
        if item is not None and item.status == Status.ARCHIVED:
            ttl = POLICIES[Tier(item.tier)].ttl
            item.status = Status.ACTIVE
            item.archived_at = None
            item.updated_at = now
            item.expires_at = now + ttl if ttl else None
            rows.await_index(item)
            item.save()
            rows.note(item, "restored", before={"status": "archived"}, now=now, actor=actor)
            rows.mark_index_due(user, now)
            rows.tell(user, "restored", [item])
    return item


def remove(user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
    """Delete for good: text, versions and events go now; a tombstone without text sees to the vector."""
    with user_scope(user):
        item = rows.locked(user, item_id)
        if item is None:
            return False
        Tombstone.objects.create(user=user, item_id=item.pk, origin=item.origin, deleted_at=now)
        rows.tell(user, "removed", [item])
        item.delete()
        rows.mark_index_due(user, now)
    return True


COUNT_RETRIEVALS = """
WITH free AS (
    SELECT id FROM memory_item WHERE user_id = %s AND id = ANY(%s) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE memory_item SET retrieved = retrieved + 1 FROM free WHERE memory_item.user_id = %s AND memory_item.id = free.id
"""


def count_retrievals(user: EndUser, ids: Sequence[uuid.UUID]) -> None:
    """Add one to ``retrieved`` of what a search showed. Rows busy elsewhere are passed over: it is a statistic."""
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(COUNT_RETRIEVALS, [user.pk, list(ids), user.pk])
