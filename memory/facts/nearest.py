"""Facts near a vector. A person has some ten thousand at most, so every vector is compared."""

from collections.abc import Collection
from typing import Any, Final
from uuid import UUID

from django.db import connection

from memory.access.confinement import EVERYTHING, RowScope
from memory.conf import memory_conf
from memory.embedding_conf import EmbeddingConf
from memory.facts.keys import OPEN_RELATIONS
from memory.indexes.nearest import format_vector
from memory.inference.base import Vector
from memory.inference.emphasis import Emphasis
from memory.models import EndUser, Fact
from memory.models.facts import FactState

# What the judge is shown beside the facts of the same slot.
MOST_NEAR: Final = 20
MOST_IN_SLOT: Final = 50
MOST_VALUE_WORDS: Final = 8
DEPENDENCY: Final = "embedder"

NEAREST: Final = """
SELECT id, 1 - (vector <=> %(vector)s::halfvec) AS cosine FROM fact
WHERE user_id = %(user)s AND state = ANY(%(states)s) AND model = %(model)s AND vector IS NOT NULL{within}
ORDER BY cosine DESC, id LIMIT %(limit)s
"""

WITHIN: Final = " AND agent_id = %(agent_id)s AND project_id = %(project_id)s"

NEAREST_EPISODES: Final = """
SELECT id, 1 - (vector <=> %(vector)s::halfvec) AS cosine FROM fact_episode
WHERE user_id = %(user)s AND model = %(model)s AND vector IS NOT NULL
ORDER BY cosine DESC, id LIMIT %(limit)s
"""

COSINES: Final = """
SELECT id, 1 - (vector <=> %(vector)s::halfvec) AS cosine FROM fact
WHERE user_id = %(user)s AND id = ANY(%(ids)s) AND model = %(model)s AND vector IS NOT NULL
"""

# What a statement of another slot ends: a diet by what is eaten again.
ENDED_BY: Final = {"eats": ("diet",), "diet": ("eats",)}
# All but the vector, for statements in plain SQL: the mapper took a fifth of the hot path's time to record a fact.
FACT_COLUMNS: Final = tuple(field.attname for field in Fact._meta.concrete_fields if field.name != "vector")
SLOT: Final = f"""
SELECT {", ".join(FACT_COLUMNS)} FROM fact
WHERE user_id = %(user)s AND state = 'active' AND subject_key = %(subject)s AND relation = %(relation)s
  AND agent_id = %(agent_id)s AND project_id = %(project_id)s
  AND (%(any)s OR object_key = ANY(%(values)s) OR position(%(value)s IN object_key) > 0)
ORDER BY last_seen DESC, id LIMIT %(limit)s
"""  # noqa: S608 -- columns of our own


def find_nearest(
    user: EndUser,
    vector: Vector,
    model: str,
    *,
    asked: bool,
    states: Collection[str] = (FactState.ACTIVE,),
    limit: int = MOST_NEAR,
    scope: RowScope | None = None,
) -> dict[UUID, float]:
    """Ids and calibrated cosines of the facts nearest to a vector, best first. In the user's scope.

    ``asked``: the vector is a question's and not a statement's. With a ``scope`` those of that very one.
    """
    among: dict[str, Any] = {"states": [str(state) for state in states], "limit": limit}
    if scope is not None:
        among |= name_scope(scope)
    statement = NEAREST.format(within="" if scope is None else WITHIN)
    return read_cosines(user, statement, vector, model, asked=asked, **among)


def find_nearest_episodes(user: EndUser, vector: Vector, model: str, *, limit: int = MOST_NEAR) -> dict[UUID, float]:
    """Ids and calibrated cosines of the episodes nearest to a question or a conversation. In the user's scope."""
    return read_cosines(user, NEAREST_EPISODES, vector, model, asked=True, limit=limit)


def measure_cosines(user: EndUser, vector: Vector | None, model: str, ids: Collection[UUID]) -> dict[UUID, float]:
    """Of these facts, whatever their state, as far as both have a vector of the model. In the user's scope."""
    if vector is None or not ids:
        return {}
    return read_cosines(user, COSINES, vector, model, asked=False, ids=list(ids))


def read_cosines(
    user: EndUser, statement: str, vector: Vector, model: str, *, asked: bool, **among: Any
) -> dict[UUID, float]:
    conf = embedding_of(model)
    emphasis = Emphasis.as_stored(conf) if asked else None
    compared, read = (emphasis.weigh(vector), emphasis.read_cosine) if emphasis else (vector, conf.calibrate_cosine)
    literal = format_vector(compared, len(vector), DEPENDENCY)
    with connection.cursor() as cursor:
        cursor.execute(statement, {"user": user.pk, "model": model, "vector": literal, **among})
        return {row[0]: read(float(row[1])) for row in cursor.fetchall()}


def list_vector_models(user: EndUser) -> list[str]:
    """The models of the vectors of active facts. In the user's scope."""
    embedded = Fact.objects.for_user(user).active().filter(vector__isnull=False)
    return list(embedded.order_by("model").values_list("model", flat=True).distinct())


def name_scope(scope: RowScope) -> dict[str, str]:
    return {"agent_id": scope.agent_id, "project_id": scope.project_id}


def embedding_of(model: str) -> EmbeddingConf:
    conf = memory_conf()
    return conf.embedding_of(model) or conf.embedding


def find_candidates(
    user: EndUser,
    relation: str,
    subject_key: str,
    vector: Vector | None,
    model: str,
    scope: RowScope = EVERYTHING,
) -> list[tuple[Fact, float | None]]:
    """The active facts that a new statement may be about, with their cosines: those of its slot, and the nearest.

    All of the statement's own scope.
    Without a vector only slots are compared: a fact of no slot is then found again by its words alone.
    """
    near = find_nearest(user, vector, model, asked=False, scope=scope) if vector is not None else {}
    active = Fact.objects.for_user(user).active().of_scope(scope).defer("vector")
    found = {fact.pk: fact for fact in active.filter(pk__in=list(near))}
    if relation not in OPEN_RELATIONS:
        relations = (relation, *ENDED_BY.get(relation, ()))
        slot = active.filter(relation__in=relations).order_by("-last_seen", "pk")[:MOST_IN_SLOT]
        found |= {fact.pk: fact for fact in slot}
    else:
        about = active.filter(subject_key=subject_key).order_by("-last_seen", "pk")[:MOST_NEAR]
        found |= {fact.pk: fact for fact in about}
    return [(fact, near.get(fact.pk)) for fact in found.values()]


def list_value_parts(value: str) -> list[str]:
    """A value and every run of its words: "the green tent" is of a tent too."""
    words = value.split()[:MOST_VALUE_WORDS]
    parts = {" ".join(words[at:end]) for at in range(len(words)) for end in range(at + 1, len(words) + 1)}
    return sorted({*parts, value})


def find_in_slot(
    user: EndUser, keys: tuple[str, str, str], scope: RowScope = EVERYTHING, *, holds_one: bool
) -> list[tuple[Fact, float | None]]:
    """The active facts of a statement's own slot; of one that may hold several values those within or around its own:
    a tent, and the green tent.
    """
    subject, relation, value = keys
    among: dict[str, Any] = {"user": user.pk, "subject": subject, "relation": relation, "limit": MOST_IN_SLOT}
    among |= name_scope(scope) | {"any": holds_one, "values": list_value_parts(value), "value": value}
    with connection.cursor() as cursor:
        cursor.execute(SLOT, among)
        return [(Fact.from_db(connection.alias, FACT_COLUMNS, row), None) for row in cursor.fetchall()]
