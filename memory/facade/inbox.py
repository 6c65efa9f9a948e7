"""What waits for a person's decision: counting, reading, deciding and taking back."""

from datetime import datetime
from uuid import UUID

from memory.access.scope import user_scope
from memory.facade.actor import FacadePart
from memory.inbox import deciding, duplicates, matters
from memory.inbox.matters import Matter
from memory.models import DecidedMatter, EndUser
from memory.models.inbox import MatterDecision, MatterKind


class InboxVerbs(FacadePart):
    def count_waiting(self, user: EndUser, *, now: datetime) -> dict[MatterKind, int]:
        """At most a thousand of each kind."""
        with user_scope(user):
            return matters.count_waiting(user, now)

    def list_waiting(
        self, user: EndUser, kind: MatterKind, *, now: datetime, after: tuple[datetime, str] | None = None, limit: int
    ) -> list[Matter]:
        """Of one kind; what is urgent first by its time, else the latest first. ``after``: time and id of the last."""
        with user_scope(user):
            return matters.list_waiting(user, kind, now=now, after=after, limit=limit)

    def decide_matter(
        self,
        user: EndUser,
        kind: MatterKind,
        matter_id: str,
        decision: MatterDecision,
        *,
        now: datetime,
        reason: str = "",
    ) -> DecidedMatter | None:
        """None where nothing of the kind waits by this id. Raises WriteRefused; nothing was changed then."""
        return deciding.decide_matter(user, kind, matter_id, decision, reason=reason, now=now, actor=self.actor)

    def decide_all(
        self, user: EndUser, kind: MatterKind, decision: MatterDecision, *, now: datetime
    ) -> list[DecidedMatter]:
        """The first hundred of a kind, all or none. Raises WriteRefused."""
        return deciding.decide_all(user, kind, decision, now=now, actor=self.actor)

    def undo_decision(self, user: EndUser, decided_id: UUID, *, now: datetime) -> DecidedMatter | None:
        """What it changed is as it was, and it waits again. Raises WriteRefused where that would be refused now."""
        return deciding.undo_decision(user, decided_id, now=now, actor=self.actor)

    def undo_decided_together(self, user: EndUser, decided_id: UUID, *, now: datetime) -> list[DecidedMatter]:
        """With all that were decided of its kind at the same moment; all or none. Raises WriteRefused."""
        return deciding.undo_decided_together(user, decided_id, now=now, actor=self.actor)

    def list_decided(self, user: EndUser, *, limit: int, kind: MatterKind | None = None) -> list[DecidedMatter]:
        """What can be taken back, the latest first; of one kind where one is given."""
        return deciding.list_decided(user, limit=limit, kind=kind)

    def look_for_duplicates(self, user: EndUser, *, now: datetime) -> int:
        """Compare what is kept for good; each night it is done anyway. Returns how many pairs are new."""
        return duplicates.look_for_duplicates(user, now=now)
