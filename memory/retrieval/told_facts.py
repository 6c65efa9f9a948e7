"""The facts that the memories found tell, read in one statement."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import connection

from memory.access.cursors import fetch_prepared
from memory.indexes.nearest import format_vector
from memory.inference.base import QuestionVector
from memory.models import EndUser
from memory.models.facts import FactState

CLOSED: Final = frozenset({FactState.SUPERSEDED, FactState.RETRACTED})

FACTS_OF_MEMORIES = """
SELECT told.memory_id, fact.id, fact.state, fact.relation, fact.subject_key, fact.object_key, {cosine}
FROM (
    SELECT memory_id, fact_id FROM fact_evidence
    WHERE user_id = %(user)s AND memory_id = ANY((SELECT %(ids)s::uuid[])::uuid[]) AND stance = 1
    UNION SELECT bank_item_id, id FROM fact
    WHERE user_id = %(user)s AND bank_item_id = ANY((SELECT %(ids)s::uuid[])::uuid[])
) AS told JOIN fact ON fact.user_id = %(user)s AND fact.id = told.fact_id
"""
# After a change of the embedding model some facts still have a vector of the other, perhaps of another width.
COSINE = "CASE WHEN fact.model = %(model)s THEN 1 - (fact.vector <=> (SELECT %(vector)s::halfvec)) END"


@dataclass(frozen=True, slots=True)
class ToldFact:
    """A fact that a memory tells, and how near the question is to it; None where that is not known."""

    fact_id: UUID
    is_closed: bool
    relation: str
    subject: str
    object: str
    cosine: float | None


def read_told_facts(user: EndUser, ids: Sequence[UUID], vector: QuestionVector | None) -> dict[UUID, list[ToldFact]]:
    if not ids:
        return {}
    values: dict[str, Any] = {"user": user.pk, "ids": f"{{{','.join(map(str, ids))}}}"}
    if vector is not None:
        values |= {"vector": format_vector(vector.vector, len(vector.vector), "embedder"), "model": vector.model}
    sql = FACTS_OF_MEMORIES.format(cosine="NULL" if vector is None else COSINE)
    told: dict[UUID, list[ToldFact]] = defaultdict(list)
    with connection.cursor() as cursor:
        for memory_id, fact_id, state, *rest in fetch_prepared(cursor, sql, values):
            told[memory_id].append(ToldFact(fact_id, state in CLOSED, *rest))
    return dict(told)
