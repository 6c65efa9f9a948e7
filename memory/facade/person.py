"""What is kept of a person by name: their goals and values in the bank, and a client's own data."""

import uuid
from datetime import datetime
from types import EllipsisType
from typing import Any, Final

from memory.access.scope import user_scope
from memory.claims.claim import SPEAKER
from memory.facade.actor import FacadePart
from memory.models import EndUser, Fact, MemoryItem, UserData
from memory.store import archiving, userdata
from memory.tiers import Tier

NAME: Final = "name"


class PersonVerbs(FacadePart):
    def archive_aim(self, user: EndUser, tag: str, item_id: uuid.UUID, *, now: datetime) -> MemoryItem | None:
        """None when the user has no such goal or value."""
        with user_scope(user):
            aims = MemoryItem.objects.for_user(user).filter(tier=Tier.MEMORY_BANK, tags__contains=[tag])
            # Else any memory could be archived under the name of a goal.
            if not aims.filter(pk=item_id).exists():
                return None
            return archiving.archive_memory(user, item_id, now=now, actor=self.actor)

    def find_name(self, user: EndUser) -> str:
        """What the person said they are called, "Mia Berg"; empty where they did not."""
        with user_scope(user):
            told = Fact.objects.for_user(user).active().filter(subject_key=SPEAKER, relation=NAME, polarity=True)
            name = told.order_by("-last_seen", "pk").values_list("object", flat=True).first() or ""
        return name.title() if name.islower() else name

    def put_data(
        self,
        user: EndUser,
        key: str,
        value: Any,  # noqa: ANN401 -- any JSON
        *,
        now: datetime,
        replaces: datetime | EllipsisType | None = ...,
    ) -> UserData:
        """In the place of what the key held; with ``replaces`` only if that is of then, None: if it held nothing.

        Never searched, learned from or shown to a model. Raises ValueChanged.
        """
        return userdata.put_value(user, key, value, now=now, replaces=replaces)

    def get_data(self, user: EndUser, key: str) -> UserData | None:
        return userdata.get_value(user, key)

    def delete_data(self, user: EndUser, key: str) -> bool:
        return userdata.delete_value(user, key)

    def list_data(self, user: EndUser, *, prefix: str = "", after: str = "", limit: int) -> list[UserData]:
        """In the order of the keys, those that follow ``after``."""
        return userdata.list_values(user, prefix=prefix, after=after, limit=limit)
