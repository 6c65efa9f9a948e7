"""Rows that no verb of the facade returns, for tests that look at what was written."""

import uuid

from memory.access.scope import user_scope
from memory.models import EndUser, Turn


def find_turn(user: EndUser, turn_id: uuid.UUID) -> Turn | None:
    with user_scope(user):
        return Turn.objects.filter(user=user, turn_id=turn_id).first()
