"""Spaces that people share: the verbs of their members, each with the rights of the member who acts."""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory import tasks
from memory.access.confinement import EVERYTHING, confine_to
from memory.access.membership import act_as_member, act_as_service
from memory.access.scope import user_scope
from memory.access.spaces import SpaceAccess, find_membership, list_memberships
from memory.facade.actor import FacadePart
from memory.facade.removal import RemovalVerbs
from memory.lifecycle import erasure, spaces
from memory.models import EndUser, MemoryItem, SpaceMember, SpaceShare
from memory.models.spaces import Role
from memory.platform.queue import enqueue
from memory.store import archiving, listing, sharing, writing
from memory.store.admission import NewMemory
from memory.store.listing import ItemCursor, ItemFilter
from memory.store.sharing import SpaceContribution
from memory.store.writing import StoreResult


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """``share`` is None for what came into the space in no person's name."""

    item: MemoryItem
    share: SpaceShare | None


@contextmanager
def work_in_space(member: EndUser | None) -> Iterator[None]:
    """As this member, or as an operator; a space knows no agents and projects."""
    with act_as_service() if member is None else act_as_member(member.pk), confine_to(EVERYTHING):
        yield


class SpaceVerbs(FacadePart):
    """``member`` None stands for an operator. Raises NotAllowed where a role does not reach so far."""

    def list_spaces(self, member: EndUser) -> list[SpaceAccess]:
        """Those the person belongs to, by name."""
        return list_memberships(member)

    def find_space(self, member: EndUser, slug: str) -> SpaceAccess | None:
        """None also where the person does not belong to it."""
        return find_membership(member, slug)

    def make_space(self, organization_id: int, name: str, curator: EndUser | None, *, now: datetime) -> SpaceAccess:
        with confine_to(EVERYTHING):
            return spaces.make_space(organization_id, name, curator=curator, actor=self.actor, now=now)

    def rename_space(self, access: SpaceAccess, name: str) -> SpaceAccess:
        return spaces.rename_space(access, name)

    def delete_space(self, access: SpaceAccess, member: EndUser | None, *, now: datetime) -> uuid.UUID:
        """Unreachable at once; its rows and vectors go in the background."""
        with work_in_space(member):
            requested = spaces.delete_space(access, now=now)
        enqueue(tasks.erase_user, str(requested.pk))
        return requested.pk

    def list_members(self, access: SpaceAccess, member: EndUser | None) -> list[SpaceMember]:
        with work_in_space(member):
            return spaces.list_members(access)

    def set_member(
        self, access: SpaceAccess, member: EndUser | None, whom: EndUser, role: Role, *, now: datetime
    ) -> SpaceMember:
        """Invite, or give another role."""
        with work_in_space(member):
            return spaces.set_member(access, whom, role, actor=self.actor, now=now)

    def remove_member(self, access: SpaceAccess, member: EndUser | None, whom: EndUser) -> bool:
        """By a curator, or by the person who leaves. Out at once, stored answers included."""
        with work_in_space(member):
            return spaces.remove_member(access, whom, is_self=member is not None and member.pk == whom.pk)

    def share(self, access: SpaceAccess, member: EndUser, item_id: uuid.UUID, *, now: datetime) -> StoreResult | None:
        """A copy of one's own memory in the space; the memory stays one's own. None for what is not there."""
        spaces.require_role(access, Role.WRITER, Role.CURATOR)
        with user_scope(member):
            item = MemoryItem.objects.for_user(member).filter(pk=item_id).first()
        if item is None:
            return None
        return self.write_in_space(
            access, sharing.copy_for_space(item, member), SpaceContribution(member, item_id), now=now
        )

    def write_in_space(
        self, access: SpaceAccess, new: NewMemory, by: SpaceContribution, *, now: datetime
    ) -> StoreResult:
        """A memory of the space that is nobody's own."""
        spaces.require_role(access, Role.WRITER, Role.CURATOR)
        with work_in_space(by.contributor):
            return sharing.store_shared(access.partition, new, by, now=now, actor=self.actor)

    def list_shared(
        self,
        access: SpaceAccess,
        member: EndUser | None,
        wanted: ItemFilter,
        *,
        sort: str = listing.RECENT,
        after: ItemCursor | None = None,
        limit: int,
    ) -> list[SharedMemory]:
        with work_in_space(member):
            rows = listing.list_items(access.partition, wanted, sort=sort, after=after, limit=limit)
            shares = sharing.read_shares(access.partition, [row.pk for row in rows])
        return [SharedMemory(row, shares.get(row.pk)) for row in rows]

    def get_shared(self, access: SpaceAccess, member: EndUser | None, item_id: uuid.UUID) -> SharedMemory | None:
        with work_in_space(member), user_scope(access.partition):
            item = MemoryItem.objects.for_user(access.partition).filter(pk=item_id).first()
            shares = sharing.read_shares(access.partition, [item_id])
        return None if item is None else SharedMemory(item, shares.get(item_id))

    def revise_shared(
        self,
        access: SpaceAccess,
        member: EndUser | None,
        item_id: uuid.UUID,
        changes: dict[str, Any],
        *,
        now: datetime,
    ) -> SharedMemory | None:
        """By whoever shared it, or a curator."""
        if not self._may_change(access, member, item_id):
            return None
        with work_in_space(member):
            writing.revise_memory(access.partition, item_id, changes, now=now, actor=self.actor)
        self._forget_answers(access, [item_id])
        return self.get_shared(access, member, item_id)

    def archive_shared(
        self, access: SpaceAccess, member: EndUser | None, item_id: uuid.UUID, *, now: datetime
    ) -> SharedMemory | None:
        if not self._may_change(access, member, item_id):
            return None
        with work_in_space(member):
            archiving.archive_memory(access.partition, item_id, now=now, actor=self.actor)
        return self.get_shared(access, member, item_id)

    def unshare(self, access: SpaceAccess, member: EndUser | None, item_id: uuid.UUID, *, now: datetime) -> bool:
        """For good, with versions and events. The memory it was made of stays."""
        if not self._may_change(access, member, item_id):
            return False
        with work_in_space(member):
            gone = RemovalVerbs(self.actor).remove(access.partition, item_id, now=now)
        self._forget_answers(access, [item_id])
        return gone

    def withdraw_contributions(self, person: EndUser, *, now: datetime) -> int:
        """What a person shared, out of every space."""
        with work_in_space(None):
            return erasure.withdraw_contributions(person, now=now)

    def _may_change(self, access: SpaceAccess, member: EndUser | None, item_id: uuid.UUID) -> bool:
        """False for what is not there."""
        found = self.get_shared(access, member, item_id)
        if found is None:
            return False
        own = member is not None and found.share is not None and found.share.contributor_id == member.pk
        if not (own and access.role.may_write):
            spaces.require_curator(access)
        return True

    def _forget_answers(self, access: SpaceAccess, ids: Sequence[uuid.UUID]) -> None:
        """Answers to repeated requests would tell members the words as they were."""
        with work_in_space(None):
            members = spaces.list_members(access)
        for row in members:
            erasure.redact_stored_answers(row.user, ids)
