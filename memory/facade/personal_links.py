"""Links by which a person opens their own page."""

import uuid
from datetime import datetime, timedelta

from django.db import transaction

from memory.access import personal_links
from memory.access.audit import record_change
from memory.facade.actor import FacadePart
from memory.models import EndUser, PersonalLink
from memory.models.administration import AuditAction


class PersonalLinkVerbs(FacadePart):
    def make_personal_link(self, user: EndUser, life: timedelta, *, now: datetime) -> tuple[PersonalLink, str]:
        """A link and its token, which nobody can read again. Raises LinkRefused."""
        with transaction.atomic():
            made = personal_links.make_link(user, life, now=now, actor=self.actor)
            # By number: whoever has the link can do what an export and an erasure do, and the person may be erased.
            hours, action = life // timedelta(hours=1), AuditAction.LINK_MADE
            record_change(user.organization_id, action, actor=self.actor, now=now, person=user.pk, hours=hours)
        return made

    def list_personal_links(self, user: EndUser, *, now: datetime) -> list[PersonalLink]:
        """Those that open the page, the latest first."""
        return personal_links.list_links(user, now=now)

    def revoke_personal_links(self, user: EndUser, *, now: datetime, link_id: uuid.UUID | None = None) -> int:
        """One, or all of a person; the pages they opened end with the next request. How many that were."""
        return personal_links.revoke_links(user, now=now, actor=self.actor, link_id=link_id)
