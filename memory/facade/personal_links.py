"""Links by which a person opens their own page."""

import uuid
from datetime import datetime, timedelta

from memory.access import personal_links
from memory.facade.actor import FacadePart
from memory.models import EndUser, PersonalLink


class PersonalLinkVerbs(FacadePart):
    def make_personal_link(self, user: EndUser, life: timedelta, *, now: datetime) -> tuple[PersonalLink, str]:
        """A link and its token, which nobody can read again. Raises LinkRefused."""
        return personal_links.make_link(user, life, now=now, actor=self.actor)

    def list_personal_links(self, user: EndUser, *, now: datetime) -> list[PersonalLink]:
        """Those that open the page, the latest first."""
        return personal_links.list_links(user, now=now)

    def revoke_personal_links(self, user: EndUser, *, now: datetime, link_id: uuid.UUID | None = None) -> int:
        """One, or all of a person; the pages they opened end with the next request. How many that were."""
        return personal_links.revoke_links(user, now=now, actor=self.actor, link_id=link_id)
