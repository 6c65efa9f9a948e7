"""The rows that the known context is chosen from: facts and what nobody has made a fact of yet."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import connection

from memory.claims.constraints import CONSTRAINT
from memory.claims.questions import AskedFor
from memory.facts.nearest import FACT_COLUMNS, find_nearest
from memory.facts.since import CONTRADICTED_BY, read_changes, read_contradicting
from memory.inference.base import QuestionVector
from memory.models import EndUser, Fact
from memory.models.facts import FactState
from memory.models.items import HAS_ENDED
from memory.tiers import Trust

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

    id: uuid.UUID
    text: str
    tags: Sequence[str]
    occurred_at: datetime
    importance: float
    always_inject: bool
    review: bool
    trust: int
    source_type: str
    speaker: str


# What no row has, in the place of an empty list: of that the planner takes anything for implied, and would read every
# imported memory of a person by an index that has no more to do with it.
NO_ID: Final = uuid.UUID(int=0)
NO_RELATION: Final = "-"
# Composed by the mapper the two took 4 ms of each context, of a person of whom nothing is known as well.
FACTS: Final = f"""
SELECT {", ".join(FACT_COLUMNS)}, {CONTRADICTED_BY} FROM fact
WHERE user_id = %(user)s AND trust > %(external)s AND (
    id = ANY(%(nearest)s)
    OR (state = 'active' AND (category = '{CONSTRAINT}' OR relation = ANY(%(told)s) OR bank_item_id IN (
        SELECT id FROM memory_item AS pinned
        WHERE user_id = %(user)s AND status = 'active' AND always_inject AND NOT review AND NOT {HAS_ENDED}
    )))
    OR (state = 'superseded' AND relation = ANY(%(asked)s))
)
ORDER BY last_seen DESC, id LIMIT {MOST_READ}
"""  # noqa: S608 -- columns and numbers of our own
# What the guard suspects is found by search alone: told unasked it could pass for an instruction.
ITEMS: Final = f"""
SELECT {", ".join(KnownItem._fields)}, {HAS_ENDED} FROM memory_item AS item
WHERE user_id = %(user)s AND status = 'active' AND trust > %(external)s AND (
    id = ANY(%(behind)s)
    OR (NOT review AND NOT {HAS_ENDED} AND (always_inject OR (tier = 'memory_bank' AND NOT EXISTS (
        SELECT FROM fact WHERE fact.user_id = %(user)s AND fact.bank_item_id = item.id
    ))))
)
ORDER BY always_inject DESC, importance DESC, confidence DESC, occurred_at
LIMIT {MOST_PINNED + MOST_READ + MOST_UNREAD}
"""  # noqa: S608


@dataclass(slots=True)
class KnownRows:
    facts: Sequence[Fact] = ()
    items: Sequence[KnownItem] = ()
    cosines: Mapping[uuid.UUID, float] = field(default_factory=dict)
    # What contradicts a fact while nobody has decided, by the fact.
    doubts: Mapping[uuid.UUID, Fact] = field(default_factory=dict)
    # What ended another fact of the same sentence, by the sentence.
    changes: Mapping[str, str] = field(default_factory=dict)


def read_known_rows(
    user: EndUser, asked: AskedFor, vector: QuestionVector | None, *, now: datetime, is_cold: bool
) -> KnownRows:
    """In four statements, however many lines come of them, and one more where a fact is contradicted. In the user's
    scope."""
    told = [FactState.ACTIVE, FactState.SUPERSEDED] if asked.is_past else [FactState.ACTIVE]
    near = find_nearest(user, *vector, asked=True, states=told, limit=NEAREST) if vector is not None else {}
    values: dict[str, Any] = {
        "user": user.pk,
        "now": now,
        "external": int(Trust.EXTERNAL),
        "nearest": [fact_id for fact_id, cosine in near.items() if cosine >= NEAR][:MOST_NEAR] or [NO_ID],
        "asked": sorted(asked.relations) or [NO_RELATION],
        "told": sorted({*asked.relations, *(BASICS if is_cold else ())}) or [NO_RELATION],
    }
    with connection.cursor() as cursor:
        cursor.execute(FACTS, values)
        rows = cursor.fetchall()
        facts = [Fact.from_db(connection.alias, FACT_COLUMNS, row[:-1]) for row in rows]
        behind = list({fact.bank_item_id for fact in facts if fact.bank_item_id}) or [NO_ID]
        cursor.execute(ITEMS, values | {"behind": behind})
        found = cursor.fetchall()
    items = [KnownItem._make(known) for *known, is_ended in found if not is_ended]
    ended = {known[0] for *known, is_ended in found if is_ended}
    told_by = {fact.pk: row[-1] for fact, row in zip(facts, rows, strict=True) if row[-1]}
    facts = [fact for fact in facts if fact.bank_item_id not in ended]
    changes = read_changes(user, {fact.statement for fact in facts})
    return KnownRows(facts, items, near, read_contradicting(user, told_by), changes)
