"""What was said since of a sentence that told facts: what ended one of them, and what speaks against one."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from memory.language.text import format_date
from memory.models import EndUser, Fact, FactReview
from memory.models.facts import FactState, ReviewKind
from memory.tiers import Trust

ENDED: Final = (FactState.SUPERSEDED, FactState.RETRACTED)


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


def select_contradicting() -> "QuerySet[FactReview, UUID]":
    """What contradicts a fact of an outer query, the earliest first, as far as nobody has decided it yet."""
    open_pairs = FactReview.objects.filter(user=OuterRef("user"), other=OuterRef("pk"), decision="")
    contradicted = open_pairs.filter(kind=ReviewKind.CONTRADICTION, fact__state=FactState.ACTIVE)
    later = contradicted.filter(fact__first_seen__gte=OuterRef("last_seen"))
    return later.order_by("fact__first_seen").values_list("fact_id", flat=True)


def find_contradicted(user: EndUser, fact_ids: Collection[UUID]) -> dict[UUID, Fact]:
    """What contradicts each of some facts that hold, while nobody has decided. In the user's scope."""
    if not fact_ids:
        return {}
    facts = Fact.objects.for_user(user).active().filter(pk__in=fact_ids)
    pairs = facts.annotate(by=Subquery(select_contradicting()[:1])).values_list("pk", "by")
    return read_contradicting(user, {fact_id: by for fact_id, by in pairs if by})


def read_contradicting(user: EndUser, told_by: Mapping[UUID, UUID]) -> dict[UUID, Fact]:
    """The facts themselves of what ``select_contradicting`` found, by the fact they contradict. In the user's scope."""
    if not told_by:
        return {}
    newer = Fact.objects.for_user(user).filter(trust__gt=Trust.EXTERNAL).defer("vector").in_bulk(set(told_by.values()))
    return {fact_id: newer[by] for fact_id, by in told_by.items() if by in newer}


def word_doubt(words: str, since: datetime, later: str = "") -> str:
    """Words of a fact that most likely has ended, by when it has, and what was said against it."""
    return f"perhaps until {format_date(since)}: {words}" + (f" (said since: {later})" if later else "")
