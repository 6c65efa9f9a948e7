"""Counters of the graphs: a batch of changes is added with one statement per table; never below zero."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection

from knowledge_graph.extraction.concepts import ExtractedConcept
from knowledge_graph.models import KEY_CHARS
from memory.models import EndUser

MOST_ALIASES = 8
# What a known name takes from being met again, at most ``most`` other spellings.
SEEN_AGAIN = """
    aliases = CASE
        WHEN EXCLUDED.label = known.label OR EXCLUDED.label = ANY(known.aliases)
             OR cardinality(known.aliases) >= %(most)s THEN known.aliases
        ELSE known.aliases || EXCLUDED.label END,
    first_seen = LEAST(known.first_seen, EXCLUDED.first_seen),
    last_seen = GREATEST(known.last_seen, EXCLUDED.last_seen)
"""
# Rounding error that may remain after shares were added and removed.
TINY = 1e-6


@dataclass(slots=True)
class Counts:
    """Counts of each outcome; for solutions, sums of shares."""

    worked: float = 0
    failed: float = 0
    partial: float = 0
    unknown: float = 0
    # When the latest of them was given.
    at: datetime | None = None

    def add(self, outcome: str, amount: float, at: datetime) -> None:
        setattr(self, outcome, getattr(self, outcome) + amount)
        self.at = max(self.at or at, at)

    @property
    def is_empty(self) -> bool:
        return not (self.worked or self.failed or self.partial or self.unknown)


@dataclass(frozen=True, slots=True)
class CountTable:
    """A table of counters: what identifies a row with the types in the database, and which outcomes it counts.

    ``beside`` are columns a new row gets; they follow the identity in the keys of changes.
    """

    name: str
    identity: Mapping[str, str]
    outcomes: Sequence[str]
    beside: Mapping[str, str] = field(default_factory=dict)

    def add(self, user: EndUser, changes: Mapping[tuple[Any, ...], Counts]) -> None:
        """Add these changes and drop the rows they leave empty. Needs the user's scope and lock."""
        changed = sorted((key for key, counts in changes.items() if not counts.is_empty), key=str)
        if not changed:
            return
        values: dict[str, Any] = {"user": user.pk, "tiny": TINY, "at": [changes[key].at for key in changed]}
        for place, column in enumerate((*self.identity, *self.beside)):
            values[column] = [key[place] for key in changed]
        for outcome in self.outcomes:
            values[outcome] = [getattr(changes[key], outcome) for key in changed]
        with connection.cursor() as cursor:
            cursor.execute(self.insert_statement, values)
            cursor.execute(self.delete_statement, values)

    @property
    def insert_statement(self) -> str:
        written = ", ".join((*self.identity, *self.beside, *self.outcomes, "last_used_at"))
        arrays = [f"%({column})s::{kind}[]" for column, kind in (*self.identity.items(), *self.beside.items())]
        arrays += [*(f"%({outcome})s::int[]" for outcome in self.outcomes), "%(at)s::timestamptz[]"]
        sums = [f"{outcome} = GREATEST(0, known.{outcome} + EXCLUDED.{outcome})" for outcome in self.outcomes]
        return (
            f"INSERT INTO {self.name} AS known (user_id, {written}) "  # noqa: S608
            f"SELECT %(user)s, {written} FROM unnest({', '.join(arrays)}) AS new({written}) "
            f"ON CONFLICT (user_id, {', '.join(self.identity)}) DO UPDATE SET {', '.join(sums)}, "
            "last_used_at = GREATEST(known.last_used_at, EXCLUDED.last_used_at)"
        )

    @property
    def delete_statement(self) -> str:
        identity = ", ".join(self.identity)
        arrays = ", ".join(f"%({column})s::{kind}[]" for column, kind in self.identity.items())
        nothing = " AND ".join(f"{outcome} <= %(tiny)s" for outcome in self.outcomes)
        return (
            f"DELETE FROM {self.name} WHERE user_id = %(user)s AND ({identity}) IN "  # noqa: S608
            f"(SELECT * FROM unnest({arrays})) AND {nothing}"
        )


ALL = ("worked", "failed", "partial", "unknown")
VERDICTS = ("worked", "failed", "partial")
ROUTING = CountTable("graph_routing", {"key": "text", "tier": "text"}, ALL)
ACTIONS = CountTable("graph_action", {"context_type": "text", "action": "text", "tier": "text"}, ALL)
DOCUMENTS = CountTable("graph_document", {"item_id": "uuid"}, VERDICTS, beside={"tier": "text"})

# A share of a verdict carries the problem it was tried on; otherwise as the tables above.
ADD_SOLUTIONS = """
INSERT INTO graph_solution AS known
    (user_id, signature, size, query, item_id, tier, worked, failed, partial, last_used_at)
SELECT %(user)s, signature, size, query, item_id, tier, worked, failed, partial, last_used_at
FROM unnest(%(signature)s::text[], %(size)s::int[], %(query)s::text[], %(item_id)s::uuid[], %(tier)s::text[],
            %(worked)s::float8[], %(failed)s::float8[], %(partial)s::float8[], %(last_used_at)s::timestamptz[])
     AS new(signature, size, query, item_id, tier, worked, failed, partial, last_used_at)
ON CONFLICT (user_id, signature, item_id) DO UPDATE SET
    worked = GREATEST(0, known.worked + EXCLUDED.worked), failed = GREATEST(0, known.failed + EXCLUDED.failed),
    partial = GREATEST(0, known.partial + EXCLUDED.partial), tier = EXCLUDED.tier,
    last_used_at = GREATEST(known.last_used_at, EXCLUDED.last_used_at)
"""
DROP_SOLUTIONS = """
DELETE FROM graph_solution WHERE user_id = %(user)s AND signature = ANY(%(signature)s)
AND worked <= %(tiny)s AND failed <= %(tiny)s AND partial <= %(tiny)s
"""
# What nobody wrote as a word begins below what is a node; the first who writes it so lifts it up to there.
UNSAID = -1
# New concepts get their row first; then uses and importance are read off the counters by tier.
ADD_CONCEPTS = f"""
INSERT INTO graph_concept AS known (user_id, key, label, aliases, uses, importance, topicality, first_seen, last_seen)
SELECT %(user)s, key, label, '{{}}', change, 0, coalesce(votes, {UNSAID}), at, at
FROM unnest(%(keys)s::text[], %(labels)s::text[], %(changes)s::int[], %(votes)s::int[], %(at)s::timestamptz[])
     AS new(key, label, change, votes, at)
ON CONFLICT (user_id, key) DO UPDATE SET
    topicality = known.topicality + CASE WHEN known.key = ANY(%(unsaid)s) THEN 0 ELSE EXCLUDED.topicality END,
    uses = GREATEST(0, known.uses + EXCLUDED.uses), {SEEN_AGAIN}
"""  # noqa: S608
WEIGH_CONCEPTS = """
UPDATE graph_concept AS known SET importance = ln(1 + known.uses) * coalesce(
    (SELECT CASE WHEN sum(worked + failed) > 0 THEN sum(worked)::float / sum(worked + failed) ELSE 0.5 END
     FROM graph_routing AS tiers WHERE tiers.user_id = %(user)s AND tiers.key = known.key), 0.5)
WHERE known.user_id = %(user)s AND known.key = ANY(%(keys)s)
"""
DROP_CONCEPTS = "DELETE FROM graph_concept WHERE user_id = %(user)s AND key = ANY(%(keys)s) AND uses <= 0"


def add_concepts(
    user: EndUser,
    uses: Mapping[str, int],
    labels: Mapping[str, ExtractedConcept],
    at: Mapping[str, datetime],
    votes: Mapping[str, int] | None = None,
) -> None:
    """Count queries per concept, after its counters by tier have changed. ``votes`` tell whether it names a matter;
    of what stood nowhere as a word there is none."""
    keys = sorted(key for key, change in uses.items() if change or key in labels)
    if not keys:
        return
    given = votes or {}
    values: dict[str, Any] = {
        "user": user.pk,
        "at": [at[key] for key in keys],
        "keys": keys,
        # What is only taken back has its label in its row.
        "labels": [labels[key].label[:KEY_CHARS] if key in labels else key for key in keys],
        "changes": [uses[key] for key in keys],
        "votes": [given.get(key) for key in keys],
        "unsaid": [key for key in keys if key not in given],
        "most": MOST_ALIASES,
    }
    with connection.cursor() as cursor:
        cursor.execute(ADD_CONCEPTS, values)
        cursor.execute(DROP_CONCEPTS, {"user": user.pk, "keys": keys})
        cursor.execute(WEIGH_CONCEPTS, {"user": user.pk, "keys": keys})


def add_solutions(user: EndUser, rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Add attempts to solve problems. Returns the signatures that may have lost their last one."""
    tries = list(rows)
    if not tries:
        return []
    columns = ("signature", "size", "query", "item_id", "tier", "last_used_at", *VERDICTS)
    values: dict[str, Any] = {name: [row[name] for row in tries] for name in columns}
    values |= {"user": user.pk, "tiny": TINY}
    with connection.cursor() as cursor:
        cursor.execute(ADD_SOLUTIONS, values)
        cursor.execute(DROP_SOLUTIONS, values)
        return list(values["signature"]) if cursor.rowcount else []
