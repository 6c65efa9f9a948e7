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
from memory.models import EndUser, MemoryItem, MemoryVersion
from memory.store import rows, writing
from memory.store.admission import WriteRefused
from memory.tiers import SourceType

BATCH = 200
CURRENT_PLACE = 0
"""The place of an item's own wording among its versions, whose numbers are their keys."""
SCRUB_EVENTS = (
    "UPDATE memory_event SET before = before - 'text', after = after - 'text' WHERE user_id = %s AND item_id = ANY(%s)"
)

AlsoDelete = Callable[[Sequence[uuid.UUID], Sequence[uuid.UUID]], None]
"""Other modules that delete related data in the same transaction."""


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
        if isinstance(self.source, dict):
            found &= Q(source__contains=self.source)
        elif self.source in set(SourceType):
            found &= Q(source_type=self.source)
        elif self.source:
            found &= Q(source__type=self.source)
        if self.principal:
            found &= Q(principal=self.principal)
        if self.thread_id:
            found &= Q(thread_id=self.thread_id)
        return found


@dataclass(slots=True)
class PurgeResult:
    """``matched`` memories contain text of the source, ``derived`` ones were derived from them.

    Of both, ``removed`` were deleted and ``reverted`` got an earlier wording. ``versions`` counts wordings that were
    removed from memories that stay.
    """

    matched: int = 0
    derived: int = 0
    removed: int = 0
    reverted: int = 0
    versions: int = 0
    memory_ids: list[uuid.UUID] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ItemWording:
    """``place`` is CURRENT or the key of a version; the next wording was made from it when it ``led_on``."""

    place: int
    led_on: bool
    is_beside: bool
    replaced_at: datetime | None


CURRENT_WORDING = ItemWording(CURRENT_PLACE, led_on=False, is_beside=False, replaced_at=None)
"""What an item says now: the last of its wordings."""


@dataclass(frozen=True, slots=True)
class PurgeDecision:
    """``keeps`` is the version an item goes back to, CURRENT when its own wording is clean, None when nothing is.

    What was derived from it is gone too, from the moment ``since`` on when the item itself was sound before.
    """

    keeps: int | None
    dropped: tuple[int, ...] = ()
    since: datetime | None = None


class PurgeTraversal:
    """Follows purged wordings from version to version and from parent to child."""

    def __init__(self, user: EndUser) -> None:
        self.user = user
        self.unwanted: dict[uuid.UUID, set[int]] = defaultdict(set)
        self.fates: dict[uuid.UUID, PurgeDecision] = {}
        self.children: dict[uuid.UUID, list[tuple[uuid.UUID, int, datetime]]] = defaultdict(list)
        self.kept: dict[uuid.UUID, list[ItemWording]] = defaultdict(list)
        for child, place, born, parents in iterate_derived_wordings(user):
            for parent in parents:
                self.children[parent].append((child, place, born))
        for item_id, wording in iterate_version_wordings(user):
            self.kept[item_id].append(wording)

    def follow(self, seeds: Collection[tuple[uuid.UUID, int]]) -> None:
        for item_id, place in seeds:
            self.unwanted[item_id].add(place)
        reached = list(dict.fromkeys(item_id for item_id, _ in seeds))
        while reached:
            reached = list(dict.fromkeys(child for item_id in reached for child in self.pass_on(item_id)))

    def pass_on(self, item_id: uuid.UUID) -> Iterator[uuid.UUID]:
        """Judge an item; the children that its fate newly touches."""
        fate = self.fates[item_id] = decide_purge([*self.kept[item_id], CURRENT_WORDING], self.unwanted[item_id])
        if fate.keeps == CURRENT_PLACE:
            return
        yield from self.orphan(item_id, fate.since)

    def orphan(self, parent: uuid.UUID, since: datetime | None) -> Iterator[uuid.UUID]:
        for child, place, born in self.children[parent]:
            if (since is None or born >= since) and place not in self.unwanted[child]:
                self.unwanted[child].add(place)
                yield child


def iterate_derived_wordings(user: EndUser) -> Iterator[tuple[uuid.UUID, int, datetime, list[uuid.UUID]]]:
    """Item, place, a moment it was there at the latest, and parents."""
    items = MemoryItem.objects.for_user(user).exclude(parents=[])
    for pk, version, created, updated, parents in items.values_list(
        "pk", "version", "created_at", "updated_at", "parents"
    ).iterator():
        yield pk, CURRENT_PLACE, created if version == 1 else updated, parents
    kept = MemoryVersion.objects.filter(user=user).exclude(parents=[])
    yield from kept.values_list("item_id", "pk", "archived_at", "parents").iterator()


def iterate_version_wordings(user: EndUser) -> Iterator[tuple[uuid.UUID, ItemWording]]:
    """Of each item oldest first."""
    kept = MemoryVersion.objects.filter(user=user).order_by("item_id", "version")
    for item_id, pk, reason, moment in kept.values_list("item_id", "pk", "reason", "archived_at").iterator():
        yield item_id, ItemWording(pk, reason == "revised", reason == "merged", moment)


def decide_purge(wordings: Sequence[ItemWording], unwanted: Collection[int]) -> PurgeDecision:
    """The fate of an item with purged wordings; a wording made from a purged one is purged as well."""
    tainted: set[int] = set()
    before: ItemWording | None = None
    for wording in wordings:
        inherits = before is not None and before.led_on and before.place in tainted and not wording.is_beside
        if wording.place in unwanted or inherits:
            tainted.add(wording.place)
        if not wording.is_beside:
            before = wording
    dropped = tuple(place for place in tainted if place != CURRENT_PLACE)
    if CURRENT_PLACE not in tainted:
        return PurgeDecision(CURRENT_PLACE, dropped)
    clean = [wording for wording in wordings if wording.place not in tainted]
    if not clean:
        return PurgeDecision(None)
    last = clean[-1]
    return PurgeDecision(last.place, dropped, None if last.is_beside else last.replaced_at)


def purge_source(
    user: EndUser, wanted: PurgeFilter, *, now: datetime, actor: str, also: AlsoDelete, dry_run: bool = False
) -> PurgeResult:
    """Remove a source. Raises Refused when nothing says which."""
    if wanted == PurgeFilter():
        raise WriteRefused("source", "name what to purge: a source, a principal, a thread or a memory")
    done = PurgeResult()
    with user_scope(user):
        spread, seeds = PurgeTraversal(user), find_source_wordings(user, wanted)
        spread.follow(seeds)
    matched = {item_id for item_id, _ in seeds}
    done.matched, done.derived = len(matched), len(spread.fates) - len(matched)
    add_purge_counts(done, spread.fates)
    if dry_run or not spread.fates:
        return done
    apply_purge(user, spread.fates, now=now, actor=actor, also=also)
    # What was derived while this was under way had its parent still, and is found now.
    late = find_late_descendants(user, spread.fates)
    while late:
        done.derived += len(late)
        add_purge_counts(done, late)
        apply_purge(user, late, now=now, actor=actor, also=also)
        late = find_late_descendants(user, late)
    return done


def find_source_wordings(user: EndUser, wanted: PurgeFilter) -> list[tuple[uuid.UUID, int]]:
    """The wordings of the source."""
    items = MemoryItem.objects.for_user(user).filter(wanted.wording)
    kept = MemoryVersion.objects.filter(wanted.wording, user=user)
    if wanted.memory_id is not None:
        items, kept = items.filter(pk=wanted.memory_id), kept.filter(item_id=wanted.memory_id)
    return [
        *((item_id, CURRENT_PLACE) for item_id in items.values_list("pk", flat=True)),
        *kept.values_list("item_id", "pk"),
    ]


def find_late_descendants(user: EndUser, gone: dict[uuid.UUID, PurgeDecision]) -> dict[uuid.UUID, PurgeDecision]:
    with user_scope(user):
        spread = PurgeTraversal(user)
        orphans = [
            (child, place)
            for parent, fate in gone.items()
            if fate.keeps != CURRENT_PLACE
            for child, place, born in spread.children[parent]
            if fate.since is None or born >= fate.since
        ]
        spread.follow(orphans)
    return spread.fates


def add_purge_counts(done: PurgeResult, fates: dict[uuid.UUID, PurgeDecision]) -> None:
    gone = [item_id for item_id, fate in fates.items() if fate.keeps is None]
    done.removed += len(gone)
    done.memory_ids += gone
    stays = [fate for fate in fates.values() if fate.keeps is not None]
    done.reverted += sum(fate.keeps != CURRENT_PLACE for fate in stays)
    done.versions += sum(len(fate.dropped) for fate in stays)


def apply_purge(
    user: EndUser, fates: dict[uuid.UUID, PurgeDecision], *, now: datetime, actor: str, also: AlsoDelete
) -> None:
    """Apply the plan in short transactions, starting with the most derived items."""
    last_first = list(reversed(fates.items()))
    for start in range(0, len(last_first), BATCH):
        part = last_first[start : start + BATCH]
        with user_scope(user):
            gone = [item_id for item_id, fate in part if fate.keeps is None]
            staying = {item_id: fate for item_id, fate in part if fate.keeps is not None}
            for item_id, fate in staying.items():
                purge_item(user, item_id, fate, now=now, actor=actor)
            with connection.cursor() as cursor:
                cursor.execute(SCRUB_EVENTS, [user.pk, list(staying)])
            also(gone, list(staying))
            writing.delete_memories(user, gone, now=now)


def purge_item(user: EndUser, item_id: uuid.UUID, fate: PurgeDecision, *, now: datetime, actor: str) -> None:
    """Remove purged wordings from an item that stays, and revert its own to a clean one if necessary."""
    item = rows.lock_item(user, item_id)
    if item is None:
        return
    kept = MemoryVersion.objects.filter(user=user, item_id=item_id)
    if fate.keeps:
        clean = kept.get(pk=fate.keeps)
        rows.restore_version(item, clean)
        clean.delete()
        item.updated_at = now
        item.save()
    kept.filter(pk__in=fate.dropped).delete()
    rows.record_event(item, "purged", reason="words of a purged source were removed", now=now, actor=actor)
    rows.mark_index_due_if_pending(item, now)
    rows.announce_change(user, "revised", [item])
