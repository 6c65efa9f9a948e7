"""The rows that the known context is chosen from: facts and what nobody has made a fact of yet."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Exists, OuterRef, Q, Subquery

from memory.claims.constraints import CONSTRAINT
from memory.claims.questions import AskedFor
from memory.facts.nearest import find_nearest
from memory.facts.since import read_changes, read_contradicting, select_contradicting
from memory.inference.base import QuestionVector
from memory.models import EndUser, Fact, MemoryItem
from memory.models.facts import FactState
from memory.tiers import Tier, Trust

# Who somebody is, in the order of what an assistant needs.
BASICS: Final = ("name", "goes_by", "works_as", "lives_in", "works_at")
# What lies near the search finds as well: more of it would be told twice.
MOST_NEAR: Final = 2
NEAREST: Final = 100
# Cosine from which a fact is told though its relation is not asked for.
NEAR: Final = 0.6
# A person who pins more than this has pinned nothing; the least important are left to the search.
MOST_PINNED: Final = 20
# Rows that are looked at: constraints and facts of the asked relations, and bank items that no fact stands behind yet.
MOST_READ: Final = 200
MOST_UNREAD: Final = 100


class KnownItem(NamedTuple):
    """A bank item as far as a line is made of it: models of 320 take 9 ms of the process, these 4."""

    pk: uuid.UUID
    text: str
    tags: Sequence[str]
    occurred_at: datetime
    importance: float
    always_inject: bool
    review: bool
    trust: int
    source_type: str
    speaker: str


@dataclass(slots=True)
class KnownRows:
    facts: Sequence[Fact] = ()
    items: Sequence[KnownItem] = ()
    cosines: Mapping[uuid.UUID, float] = field(default_factory=dict)
    # What contradicts a fact while nobody has decided, by the fact.
    doubts: Mapping[uuid.UUID, Fact] = field(default_factory=dict)
    # What ended another fact of the same sentence, by the sentence.
    changes: Mapping[str, str] = field(default_factory=dict)


def read_known_rows(user: EndUser, asked: AskedFor, vector: QuestionVector | None, *, is_cold: bool) -> KnownRows:
    """In four statements, however many lines come of them, and one more where a fact is contradicted. In the user's
    scope."""
    told = [FactState.ACTIVE, FactState.SUPERSEDED] if asked.is_past else [FactState.ACTIVE]
    near = find_nearest(user, *vector, asked=True, states=told, limit=NEAREST) if vector is not None else {}
    nearest = [fact_id for fact_id, cosine in near.items() if cosine >= NEAR][:MOST_NEAR]
    active = Q(state=FactState.ACTIVE) & (
        Q(category=CONSTRAINT) | Q(relation__in=[*asked.relations, *(BASICS if is_cold else ())])
    )
    pinned = MemoryItem.objects.for_user(user).active().filter(always_inject=True, review=False)
    behind_pinned = Q(state=FactState.ACTIVE, bank_item_id__in=pinned.values("pk"))
    wanted = Q(pk__in=nearest) | active | behind_pinned | Q(state=FactState.SUPERSEDED, relation__in=asked.relations)
    facts = Fact.objects.for_user(user).filter(wanted, trust__gt=Trust.EXTERNAL).defer("vector")
    facts = facts.annotate(doubted_by=Subquery(select_contradicting()[:1]))
    known = list(facts.order_by("-last_seen", "pk")[:MOST_READ])
    behind = {fact.bank_item_id for fact in known if fact.bank_item_id}
    unread = ~Exists(Fact.objects.for_user(user).filter(bank_item_id=OuterRef("pk")))
    bank = MemoryItem.objects.for_user(user).active().filter(trust__gt=Trust.EXTERNAL)
    # What the guard suspects is found by search alone: told unasked it could pass for an instruction.
    told_unread = (Q(always_inject=True) | (Q(tier=Tier.MEMORY_BANK) & unread)) & Q(review=False)
    chosen = told_unread | Q(pk__in=behind)
    items = bank.filter(chosen).order_by("-always_inject", "-importance", "-confidence", "occurred_at")
    rows = items.values_list(*KnownItem._fields)[: MOST_PINNED + MOST_READ + MOST_UNREAD]
    told_of = [KnownItem._make(row) for row in rows]
    told_by = {fact.pk: by for fact in known if (by := getattr(fact, "doubted_by", None))}
    changes = read_changes(user, {fact.statement for fact in known})
    return KnownRows(known, told_of, near, read_contradicting(user, told_by), changes)
