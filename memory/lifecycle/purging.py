"""Purges a source: everything it wrote and everything derived from that, transitively.

A memory with a wording by somebody else is reverted to the newest one the source had no part in; all others are
deleted. Children are deleted before parents, so that an interrupted purge can be repeated and finds the rest.
"""

import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q

from memory.access.scope import user_scope
from memory.facts.changes import lock_facts
from memory.models import EndUser, MemoryItem, MemoryVersion
from memory.models.sources import split_source
from memory.store import archiving, rows
from memory.store.admission import WriteRefused

# Items in one transaction: each is locked, reworded or deleted, and its graph rows with it.
BATCH = 200
# The place of an item's own wording among its versions, whose numbers are their keys.
CURRENT_PLACE = 0
SCRUB_EVENTS = (
    "UPDATE memory_event SET before = before - 'text', after = after - 'text' WHERE user_id = %s AND item_id = ANY(%s)"
)

# Other modules that delete related data in the same transaction.
AlsoDelete = Callable[[Sequence[uuid.UUID], Sequence[uuid.UUID]], None]


@dataclass(frozen=True, slots=True)
class PurgeFilter:
    """Conditions that must all hold. ``source`` is a type or name of a source, or an object the source contains."""

    source: str | dict[str, Any] = ""
    principal: str = ""
    thread_id: str = ""
    memory_id: uuid.UUID | None = None

    @property
    def wording(self) -> Q:
        """What rows and versions have in common."""
        found = Q()
        kind, described = split_source(self.source) if self.source else (None, {})
        if kind:
            found &= Q(source_type=kind)
        if described:
            found &= Q(source__contains=described)
        if self.principal:
            found &= Q(principal=self.principal)
        if self.thread_id:
            found &= Q(thread_id=self.thread_id)
        return found


@dataclass(slots=True)
class PurgeResult:
    """``matched`` memories contain text of the source, ``derived`` ones were derived from them.

    Of both, ``removed`` were deleted and ``reverted`` got an earlier wording. ``versions`` counts wordings that were
    removed from memories that stay, ``shared`` the copies that went from spaces.
    """

    matched: int = 0
    derived: int = 0
    removed: int = 0
    reverted: int = 0
    versions: int = 0
    shared: int = 0
    memory_ids: list[uuid.UUID] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ItemWording:
    """``place`` is CURRENT_PLACE or the key of a version.

    ``has_successor``: the next wording was made from it. A side version was merged in and nothing was made from it.
    """

    place: int
    has_successor: bool
    is_side_version: bool
    replaced_at: datetime | None


# What an item says now: the last of its wordings.
CURRENT_WORDING = ItemWording(CURRENT_PLACE, has_successor=False, is_side_version=False, replaced_at=None)


@dataclass(frozen=True, slots=True)
class PurgeDecision:
    """``keeps`` is the version an item goes back to, CURRENT when its own wording is clean, None when nothing is.

    What was derived from it is gone too, from the moment ``since`` on when the item itself was sound before.
    """

    keeps: int | None
    dropped: tuple[int, ...] = ()
    since: datetime | None = None


class PurgeTraversal:
    """Follows purged wordings from version to version and from parent to child.

    A version records whose wording it is: without that a purge would have to delete a person's own memory because
    somebody else reworded it, or keep the poison.
    """

    def __init__(self, user: EndUser) -> None:
        self.user = user
        self.purged_places: dict[uuid.UUID, set[int]] = defaultdict(set)
        self.decisions: dict[uuid.UUID, PurgeDecision] = {}
        self.children: dict[uuid.UUID, list[tuple[uuid.UUID, int, datetime]]] = defaultdict(list)
        self.versions: dict[uuid.UUID, list[ItemWording]] = defaultdict(list)
        for child, place, born, parents in iterate_derived_wordings(user):
            for parent in parents:
                self.children[parent].append((child, place, born))
        for item_id, wording in iterate_version_wordings(user):
            self.versions[item_id].append(wording)

    def follow(self, seeds: Collection[tuple[uuid.UUID, int]]) -> None:
        for item_id, place in seeds:
            self.purged_places[item_id].add(place)
        reached = list(dict.fromkeys(item_id for item_id, _ in seeds))
        while reached:
            reached = list(dict.fromkeys(child for item_id in reached for child in self.decide_item(item_id)))

    def decide_item(self, item_id: uuid.UUID) -> Iterator[uuid.UUID]:
        """Decide about an item; yields the children that are newly affected."""
        decision = self.decisions[item_id] = decide_purge(
            [*self.versions[item_id], CURRENT_WORDING], self.purged_places[item_id]
        )
        if decision.keeps == CURRENT_PLACE:
            return
        yield from self.mark_children(item_id, decision.since)

    def mark_children(self, parent: uuid.UUID, since: datetime | None) -> Iterator[uuid.UUID]:
        for child, place, born in self.children[parent]:
            if (since is None or born >= since) and place not in self.purged_places[child]:
                self.purged_places[child].add(place)
                yield child


def iterate_derived_wordings(user: EndUser) -> Iterator[tuple[uuid.UUID, int, datetime, list[uuid.UUID]]]:
    """Item, place, a moment it was there at the latest, and parents."""
    items = MemoryItem.objects.for_user(user).exclude(parents=[])
    for pk, version, created, updated, parents in items.values_list(
        "pk", "version", "created_at", "updated_at", "parents"
    ).iterator():
        yield pk, CURRENT_PLACE, created if version == 1 else updated, parents
    versions = MemoryVersion.objects.filter(user=user).exclude(parents=[])
    yield from versions.values_list("item_id", "pk", "archived_at", "parents").iterator()


def iterate_version_wordings(user: EndUser) -> Iterator[tuple[uuid.UUID, ItemWording]]:
    """Of each item oldest first."""
    versions = MemoryVersion.objects.filter(user=user).order_by("item_id", "version")
    for item_id, pk, reason, moment in versions.values_list("item_id", "pk", "reason", "archived_at").iterator():
        yield item_id, ItemWording(pk, reason == "revised", reason == "merged", moment)


def decide_purge(wordings: Sequence[ItemWording], purged_places: Collection[int]) -> PurgeDecision:
    """What becomes of an item with purged wordings; a wording made from a purged one is purged as well."""
    tainted: set[int] = set()
    before: ItemWording | None = None
    for wording in wordings:
        inherits = (
            before is not None and before.has_successor and before.place in tainted and not wording.is_side_version
        )
        if wording.place in purged_places or inherits:
            tainted.add(wording.place)
        if not wording.is_side_version:
            before = wording
    dropped = tuple(place for place in tainted if place != CURRENT_PLACE)
    if CURRENT_PLACE not in tainted:
        return PurgeDecision(CURRENT_PLACE, dropped)
    clean = [wording for wording in wordings if wording.place not in tainted]
    if not clean:
        return PurgeDecision(None)
    last = clean[-1]
    return PurgeDecision(last.place, dropped, None if last.is_side_version else last.replaced_at)


def purge_source(
    user: EndUser, criteria: PurgeFilter, *, now: datetime, actor: str, also: AlsoDelete, dry_run: bool = False
) -> PurgeResult:
    """Remove a source. Raises WriteRefused when nothing says which."""
    if criteria == PurgeFilter():
        raise WriteRefused("source", "name what to purge: a source, a principal, a thread or a memory")
    result = PurgeResult()
    with user_scope(user):
        traversal, seeds = PurgeTraversal(user), find_source_wordings(user, criteria)
        traversal.follow(seeds)
    matched = {item_id for item_id, _ in seeds}
    result.matched, result.derived = len(matched), len(traversal.decisions) - len(matched)
    add_purge_counts(result, traversal.decisions)
    if dry_run or not traversal.decisions:
        return result
    apply_purge(user, traversal.decisions, now=now, actor=actor, also=also)
    # The plan was read before the transactions: what was derived meanwhile still had its parent, and is found now.
    late = find_late_descendants(user, traversal.decisions)
    while late:
        result.derived += len(late)
        add_purge_counts(result, late)
        apply_purge(user, late, now=now, actor=actor, also=also)
        late = find_late_descendants(user, late)
    return result


def find_source_wordings(user: EndUser, criteria: PurgeFilter) -> list[tuple[uuid.UUID, int]]:
    """The wordings of the source."""
    items = MemoryItem.objects.for_user(user).filter(criteria.wording)
    versions = MemoryVersion.objects.filter(criteria.wording, user=user)
    if criteria.memory_id is not None:
        items, versions = items.filter(pk=criteria.memory_id), versions.filter(item_id=criteria.memory_id)
    return [
        *((item_id, CURRENT_PLACE) for item_id in items.values_list("pk", flat=True)),
        *versions.values_list("item_id", "pk"),
    ]


def find_late_descendants(user: EndUser, purged: dict[uuid.UUID, PurgeDecision]) -> dict[uuid.UUID, PurgeDecision]:
    with user_scope(user):
        traversal = PurgeTraversal(user)
        orphans = [
            (child, place)
            for parent, decision in purged.items()
            if decision.keeps != CURRENT_PLACE
            for child, place, born in traversal.children[parent]
            if decision.since is None or born >= decision.since
        ]
        traversal.follow(orphans)
    return traversal.decisions


def add_purge_counts(result: PurgeResult, decisions: dict[uuid.UUID, PurgeDecision]) -> None:
    deleted = [item_id for item_id, decision in decisions.items() if decision.keeps is None]
    result.removed += len(deleted)
    result.memory_ids += deleted
    stays = [decision for decision in decisions.values() if decision.keeps is not None]
    result.reverted += sum(decision.keeps != CURRENT_PLACE for decision in stays)
    result.versions += sum(len(decision.dropped) for decision in stays)


def apply_purge(
    user: EndUser, decisions: dict[uuid.UUID, PurgeDecision], *, now: datetime, actor: str, also: AlsoDelete
) -> None:
    """Apply the plan in short transactions, starting with the most derived items."""
    # Children before parents: an interrupted purge that is repeated still finds them by their parents.
    last_first = list(reversed(decisions.items()))
    for start in range(0, len(last_first), BATCH):
        part = last_first[start : start + BATCH]
        with user_scope(user):
            # Before the rows, as whoever records facts does: what these had replaced holds again.
            lock_facts(user)
            deleted = [item_id for item_id, decision in part if decision.keeps is None]
            staying = {item_id: decision for item_id, decision in part if decision.keeps is not None}
            for item_id, decision in staying.items():
                purge_item(user, item_id, decision, now=now, actor=actor)
            # Events keep what a revision replaced, and so the purged words.
            with connection.cursor() as cursor:
                cursor.execute(SCRUB_EVENTS, [user.pk, list(staying)])
            also(deleted, list(staying))
            archiving.delete_memories(user, deleted, now=now)


def purge_item(user: EndUser, item_id: uuid.UUID, decision: PurgeDecision, *, now: datetime, actor: str) -> None:
    """Remove purged wordings from an item that stays, and revert its own to a clean one if necessary."""
    item = rows.lock_item(user, item_id)
    if item is None:
        return
    versions = MemoryVersion.objects.filter(user=user, item_id=item_id)
    if decision.keeps:
        clean = versions.get(pk=decision.keeps)
        rows.restore_version(item, clean)
        clean.delete()
        item.updated_at = now
        item.save()
    versions.filter(pk__in=decision.dropped).delete()
    rows.record_event(item, "purged", reason="words of a purged source were removed", now=now, actor=actor)
    rows.mark_index_due_if_pending(item, now)
    rows.announce_change(user, "revised", [item])
