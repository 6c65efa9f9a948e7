"""One statement that reads everything insights need from the graphs."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.backends.utils import CursorWrapper

from knowledge_graph.queries.statistics import (
    ActionRecord,
    ConceptRouting,
    TierRecord,
    sort_best_first,
    sort_surest_first,
)
from memory.access.cursors import fetch_prepared
from memory.models import EndUser

MOST_ACTIONS = 8
MOST_RELATED = 12

STATEMENT = """
SELECT
    (SELECT json_agg(one) FROM (SELECT key, tier, worked, failed, partial, unknown, last_used_at FROM graph_routing
        WHERE user_id = %(user)s AND key = ANY(%(keys)s)) AS one),
    (SELECT json_agg(one) FROM (SELECT key, label, uses, last_seen FROM graph_concept
        WHERE user_id = %(user)s AND key = ANY(%(all_keys)s)) AS one),
    (SELECT json_agg(one) FROM (SELECT action, tier, worked, failed, partial, unknown, last_used_at FROM graph_action
        WHERE user_id = %(user)s AND context_type = %(context_type)s
        ORDER BY worked + failed + partial DESC, action, tier LIMIT %(actions)s) AS one),
    (SELECT json_agg(one) FROM (SELECT key, label, mentions, last_seen FROM graph_entity
        WHERE user_id = %(user)s AND key = ANY(%(all_keys)s)) AS one),
    (SELECT json_agg(one) FROM (
        SELECT near.key, entity.label FROM (
            SELECT source AS key, target AS other, weight FROM graph_edge
            WHERE user_id = %(user)s AND source = ANY(%(all_keys)s)
            UNION ALL
            SELECT target, source, weight FROM graph_edge WHERE user_id = %(user)s AND target = ANY(%(all_keys)s)
        ) AS near JOIN graph_entity AS entity ON entity.user_id = %(user)s AND entity.key = near.other
        WHERE near.other <> ALL(%(all_keys)s)
        ORDER BY near.weight DESC, entity.avg_quality DESC, entity.key LIMIT %(related)s) AS one)
"""


@dataclass(frozen=True, slots=True)
class KnownTopic:
    """A concept or an entity of the graphs: how often it came up, and when last."""

    label: str
    times: int
    last_at: datetime


@dataclass(slots=True)
class GraphFindings:
    routing: dict[str, ConceptRouting] = field(default_factory=dict)
    known: dict[str, KnownTopic] = field(default_factory=dict)
    actions: list[ActionRecord] = field(default_factory=list)
    related: dict[str, list[str]] = field(default_factory=dict)


def read_graphs(
    cursor: CursorWrapper, user: EndUser, context_type: str, keys: Collection[str], topics: Collection[str]
) -> GraphFindings:
    """What the graphs hold of the question's ``keys`` and of the conversation's ``topics``."""
    both = list(dict.fromkeys([*keys, *topics]))
    parameters: dict[str, Any] = {
        "keys": list(keys),
        "all_keys": both,
        "actions": MOST_ACTIONS,
        "related": MOST_RELATED,
    }
    (row,) = fetch_prepared(cursor, STATEMENT, {**parameters, "user": user.pk, "context_type": context_type})
    tiers, concepts, actions, entities, near = (part or [] for part in row)
    known = {row["key"]: KnownTopic(row["label"], row["mentions"], parse_moment(row["last_seen"])) for row in entities}
    known |= {row["key"]: KnownTopic(row["label"], row["uses"], parse_moment(row["last_seen"])) for row in concepts}
    related: dict[str, list[str]] = defaultdict(list)
    for row in near:
        related[row["key"]].append(row["label"])
    return GraphFindings(build_routing(tiers, known), known, build_actions(context_type, actions), related)


def build_routing(rows: list[dict[str, Any]], known: dict[str, KnownTopic]) -> dict[str, ConceptRouting]:
    records: dict[str, list[TierRecord]] = defaultdict(list)
    for row in rows:
        worked, failed, partial, unknown = (row[name] for name in ("worked", "failed", "partial", "unknown"))
        record = TierRecord(row["tier"], worked, failed, partial, unknown, parse_moment(row["last_used_at"]))
        records[row["key"]].append(record)
    return {
        key: ConceptRouting(key, known[key].label if key in known else key, sort_best_first(tiers))
        for key, tiers in records.items()
    }


def build_actions(context_type: str, rows: list[dict[str, Any]]) -> list[ActionRecord]:
    dated = ({**row, "last_used_at": parse_moment(row["last_used_at"])} for row in rows)
    return sort_surest_first(ActionRecord(context_type=context_type, **row) for row in dated)


def parse_moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
