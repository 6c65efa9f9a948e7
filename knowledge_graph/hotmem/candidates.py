"""Reads from the store of facts what a turn may be about: a few rows out of thousands, in plain SQL.

No process keeps facts of its own. Of 5,000 facts one statement finds the candidates in the time it takes to ask whether
a copy in memory is still current, and what another process has just retracted is never told.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from knowledge_graph.hotmem.cues import TurnCue
from knowledge_graph.hotmem.edges import HotEdge
from knowledge_graph.hotmem.gating import FAVORITE, HAS
from memory.claims.constraints import KIND_OF_RELATION
from memory.facts.confidence import LEAST_USED, decay_confidence, is_lasting
from memory.facts.keys import OPEN_RELATIONS
from memory.language import build_tsquery
from memory.models import EndUser
from memory.tiers import Trust

# Of what the person must not or will not have; until its exchange is read a diet is what somebody "is".
LIMITING: Final = frozenset({*KIND_OF_RELATION, "diet", "dislikes", "is"})
# Rows of a statement: of 200 the reading took 3 ms.
MOST_READ: Final = 100
SHORTEST_STEM: Final = 3
MOST_STEMS: Final = 16

COLUMNS: Final = (
    "id, subject, relation, object, subject_key, object_key, statement, lang, base_confidence, "
    # Reading two moments a row took as long as all else.
    "extract(epoch FROM evidence_at)::float8, extract(epoch FROM last_seen)::float8, "
    "polarity, thread_id, bank_item_id, category, is_confirmed, "
    # Few are: to look for what speaks against each that is said was a tenth of a turn's time.
    "id IN (SELECT other_id FROM fact_review WHERE user_id = %(user)s AND decision = '')"
)
HELD: Final = "user_id = %(user)s AND state = 'active' AND trust > %(trust)s"
TYPED: Final = "NOT (relation = ANY(%(open)s))"
# The column of words stands in migration 0030 alone: nothing but this reads it.
FIND: Final = f"""
SELECT {COLUMNS} FROM fact WHERE {HELD} AND (
  id = ANY(%(ids)s) OR {TYPED} AND (
    (subject_key = 'you' AND relation = ANY(%(relations)s)) OR subject_key = ANY(%(keys)s)
    OR words @@ %(named)s::tsquery
  )
)
ORDER BY last_seen DESC, id LIMIT {MOST_READ}
"""  # noqa: S608 -- names of our own
ABOUT: Final = f"""
SELECT {COLUMNS} FROM fact WHERE {HELD} AND {TYPED} AND subject_key = ANY(%(keys)s)
ORDER BY last_seen DESC, id LIMIT {MOST_READ}
"""  # noqa: S608
# "Started on levothyroxine 25 mcg" still tells the medicine, and no longer its dose. What was merged, or forgotten, was
# not wrong.
BY_ID: Final = f"""
SELECT {COLUMNS}, EXISTS (
  SELECT 1 FROM fact told WHERE told.user_id = %(user)s AND md5(told.statement) = md5(fact.statement)
    AND told.statement = fact.statement AND told.state IN ('superseded', 'retracted')
) FROM fact WHERE {HELD} AND id = ANY(%(ids)s)
"""  # noqa: S608


def find_candidates(
    user: EndUser, cue: TurnCue, ids: Collection[UUID], mentions: Sequence[str], now: datetime
) -> list[HotEdge]:
    """What the turn may be about, and the facts of some ids, as far as they hold. In the user's scope.

    What was kept without a relation comes by its id alone: its words are those of a whole sentence.
    """
    asked = cue.relations if cue.is_asking else frozenset()
    # "Recomiéndame una cena": no word is shared with what limits the answer.
    limiting = LIMITING if cue.wants_advice and cue.topics else frozenset[str]()
    # "Ho figli?": that there are none is told as what one has not.
    had = {HAS} if cue.is_asking and cue.people else set[str]()
    relations = [*asked, *cue.people, *(FAVORITE + name for name in asked), *limiting, *had]
    # No stem is no query, and so nothing that is named.
    named = build_tsquery(list_stems(cue), user.pk, is_beginning=True)
    return read_edges(
        FIND, build_values(user, ids=list(ids), relations=relations, keys=list(mentions), named=named), now
    )


def find_about(user: EndUser, keys: Collection[str], now: datetime) -> list[HotEdge]:
    """What is known of somebody whom the turn names by what they are: "my brother" is Kofi, who lives in Kumasi."""
    return read_edges(ABOUT, build_values(user, keys=list(keys)), now) if keys else []


def find_current_sentences(user: EndUser, ids: Collection[UUID], now: datetime) -> list[HotEdge]:
    """The facts of some ids whose sentences tell nothing that has ended since."""
    with connection.cursor() as cursor:
        cursor.execute(BY_ID, build_values(user, ids=list(ids)))
        return keep_believed(build_edge(row, now) for *row, is_outdated in cursor.fetchall() if not is_outdated)


def build_values(user: EndUser, **values: Any) -> dict[str, Any]:
    return {"user": user.pk, "trust": int(Trust.EXTERNAL), "open": list(OPEN_RELATIONS), **values}


def read_edges(statement: str, values: dict[str, Any], now: datetime) -> list[HotEdge]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return keep_believed(build_edge(row, now) for row in cursor.fetchall())


def keep_believed(edges: Iterable[HotEdge]) -> list[HotEdge]:
    return [edge for edge in edges if edge.confidence >= LEAST_USED]


def build_edge(row: Sequence[Any], now: datetime) -> HotEdge:
    *told, base, evidence_at, said_at, polarity, thread_id, bank_item, category, is_confirmed, is_in_review = row
    stays = is_lasting(told[2], category, is_confirmed=is_confirmed, is_published=bank_item is not None)
    confidence = base if stays else decay_confidence(base, datetime.fromtimestamp(evidence_at, UTC), now)
    spoken_at = datetime.fromtimestamp(said_at, UTC)
    # In the order of the fields, the last two as they are when nothing is in doubt.
    return HotEdge._make((*told, confidence, spoken_at, polarity, thread_id, bank_item, is_in_review, None, ""))


def list_stems(cue: TurnCue) -> list[str]:
    """Beginnings of words to look for in values and names: the turn's own words, and words that mean the same."""
    stems = [term.partition(":")[2] or term for term in cue.terms]
    # The turn's own words first, so that a long one loses translations alone.
    words = dict.fromkeys(word for word in (*sorted(cue.words), *sorted(stems)) if len(word) >= SHORTEST_STEM)
    kept = list(words)[:MOST_STEMS]
    # What begins with another of them is found by that one.
    return [word for word in kept if not any(word != one and word.startswith(one) for one in kept)]


def list_named(edges: Iterable[HotEdge], entities: Collection[str]) -> frozenset[str]:
    """The entities that are the object of a fact read so far: what is known of them takes another statement."""
    return frozenset(edge.object_key for edge in edges if edge.object_key in entities)
