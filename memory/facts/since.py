"""What was said since of a sentence that told facts: what ended one of them, and what speaks against one."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import OuterRef, Subquery

from memory.language.text import format_date
from memory.models import EndUser, Fact
from memory.models.facts import FactState
from memory.tiers import Trust

ENDED: Final = (FactState.SUPERSEDED, FactState.RETRACTED)
# What contradicts a fact of the statement around it, the first of what was said later, while nobody has decided.
CONTRADICTED_BY: Final = """(
    SELECT pair.fact_id FROM fact_review AS pair
    JOIN fact AS later ON later.user_id = pair.user_id AND later.id = pair.fact_id
    WHERE pair.user_id = fact.user_id AND pair.other_id = fact.id AND pair.decision = '' AND pair.kind = 'contradiction'
      AND later.state = 'active' AND later.first_seen >= fact.last_seen
    ORDER BY later.first_seen LIMIT 1
)"""
CONTRADICTED: Final = f"""
SELECT id, {CONTRADICTED_BY} FROM fact WHERE user_id = %(user)s AND state = 'active' AND id = ANY(%(ids)s)
"""  # noqa: S608 -- text of our own


def read_changes(user: EndUser, statements: Collection[str]) -> dict[str, str]:
    """What ended a part of what the sentences tell: of "my husband Rob is diabetic" that Rob died. In the user's
    scope."""
    if not statements:
        return {}
    closed = Fact.objects.for_user(user).filter(statement__in=statements, state__in=ENDED)
    successor = Fact.objects.for_user(user).active().filter(pk=OuterRef("superseded_by"), trust__gt=Trust.EXTERNAL)
    pairs = closed.annotate(later=Subquery(successor.values("statement")[:1])).order_by("archived_at")
    told_since = pairs.values_list("statement", "later")
    return {statement: later for statement, later in told_since if later and later != statement}


def find_contradicted(user: EndUser, fact_ids: Collection[UUID]) -> dict[UUID, Fact]:
    """What contradicts each of some facts that hold, while nobody has decided. In the user's scope."""
    if not fact_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(CONTRADICTED, {"user": user.pk, "ids": list(fact_ids)})
        return read_contradicting(user, {fact_id: by for fact_id, by in cursor.fetchall() if by})


def read_contradicting(user: EndUser, told_by: Mapping[UUID, UUID]) -> dict[UUID, Fact]:
    """The facts themselves of what ``CONTRADICTED_BY`` found, by the fact they contradict. In the user's scope."""
    if not told_by:
        return {}
    newer = Fact.objects.for_user(user).filter(trust__gt=Trust.EXTERNAL).defer("vector").in_bulk(set(told_by.values()))
    return {fact_id: newer[by] for fact_id, by in told_by.items() if by in newer}


def word_doubt(words: str, since: datetime, later: str = "") -> str:
    """Words of a fact that most likely has ended, by when it has, and what was said against it."""
    return f"perhaps until {format_date(since)}: {words}" + (f" (said since: {later})" if later else "")
