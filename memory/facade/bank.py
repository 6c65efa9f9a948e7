"""The memory bank as a whole: its numbers, and what is done to many of its statements at once."""

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facade.memories import MemoryVerbs
from memory.models import EndUser, MemoryItem
from memory.models.items import ItemQuerySet
from memory.store import archiving
from memory.store.admission import NewMemory, WriteRefused, validate_memory, validate_tags
from memory.tiers import Status, Tier

# Of an archive as large as can be, the tags of the latest are told.
TAGS_READ = 5_000


@dataclass(frozen=True, slots=True)
class BankStats:
    """``tags`` are those of the statements of one status, the most frequent first."""

    active: int
    archived: int
    always: int
    review: int
    capacity: int
    tags: list[tuple[str, int]]

    @property
    def share(self) -> float:
        """Of its capacity."""
        return self.active / max(1, self.capacity)


class BankVerbs(MemoryVerbs):
    def get_bank_stats(self, user: EndUser, status: Status = Status.ACTIVE) -> BankStats:
        with user_scope(user):
            bank = filter_bank(user)
            is_active = Q(status=Status.ACTIVE)
            counts = bank.aggregate(
                active=Count("pk", filter=is_active),
                archived=Count("pk", filter=Q(status=Status.ARCHIVED)),
                always=Count("pk", filter=is_active & Q(always_inject=True)),
                review=Count("pk", filter=is_active & Q(review=True)),
            )
            latest = bank.filter(status=status).order_by("-occurred_at").values_list("tags", flat=True)[:TAGS_READ]
            tags = Counter(tag for row in latest for tag in row)
        ranked = sorted(tags.items(), key=lambda one: (-one[1], one[0]))
        return BankStats(**counts, capacity=memory_conf().limits.bank_capacity, tags=ranked)

    def judge_statement(self, new: NewMemory) -> NewMemory:
        """As the bank would take it, with its ``warnings`` and without secrets. Raises WriteRefused."""
        return validate_memory(new)

    def archive_many(self, user: EndUser, ids: Sequence[uuid.UUID], *, now: datetime) -> list[uuid.UUID]:
        """All of them or none; those that were active, and are archived now."""
        with user_scope(user):
            found = list_ids(filter_bank(user).filter(pk__in=ids, status=Status.ACTIVE))
            archiving.retire_memories(user, dict.fromkeys(found, "asked"), Status.ARCHIVED, now=now, actor=self.actor)
        return found

    def restore_many(self, user: EndUser, ids: Sequence[uuid.UUID], *, now: datetime) -> list[uuid.UUID]:
        """All of them or none. Raises WriteRefused where one would be refused now."""
        with user_scope(user):
            found = list_ids(filter_bank(user).filter(pk__in=ids, status=Status.ARCHIVED))
            for item_id in found:
                self.restore(user, item_id, now=now)
        return found

    def tag_many(
        self, user: EndUser, ids: Sequence[uuid.UUID], tag: str, *, now: datetime, remove: bool = False
    ) -> list[uuid.UUID]:
        """All of them or none; those that changed. Raises WriteRefused, also where a statement would lose its last."""
        [tag] = validate_tags([tag]) or [""]
        if not tag:
            raise WriteRefused("tag", "must contain something to read")
        changed = []
        with user_scope(user):
            for item in filter_bank(user).active().filter(pk__in=ids).order_by("pk"):
                if (tag in item.tags) != remove:
                    continue
                tags = [one for one in item.tags if one != tag] if remove else [*item.tags, tag]
                self.revise(user, item.pk, {"tags": tags}, now=now)
                changed.append(item.pk)
        return changed

    def set_always_many(
        self, user: EndUser, ids: Sequence[uuid.UUID], *, always: bool, now: datetime
    ) -> list[uuid.UUID]:
        """Whether they come with every question; all of them or none. Raises WriteRefused."""
        with user_scope(user):
            found = list_ids(filter_bank(user).active().filter(pk__in=ids, always_inject=not always))
            for item_id in found:
                self.revise(user, item_id, {"always_inject": always}, now=now)
        return found


def filter_bank(user: EndUser) -> ItemQuerySet:
    return MemoryItem.objects.for_user(user).filter(tier=Tier.MEMORY_BANK)


def list_ids(rows: ItemQuerySet) -> list[uuid.UUID]:
    return list(rows.order_by("pk").values_list("pk", flat=True))
