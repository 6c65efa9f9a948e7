"""The content graph: the entities that memories name, and their co-occurrence.

A memory is processed again whenever it changes, and its earlier contribution is removed in the same transaction, so
processing is idempotent.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations
from typing import Any

import structlog
from django.db import connection

from knowledge_graph.content.told_names import add_told_names, read_told_names
from knowledge_graph.extraction.entities import DATASET, TOPIC, ExtractedEntity, extract_entities
from knowledge_graph.learning.counters import MOST_ALIASES, SEEN_AGAIN
from knowledge_graph.learning.forgetting import forget_items, forget_questions
from knowledge_graph.learning.verdicts import unlearn_forgotten
from knowledge_graph.models import KEY_CHARS, GraphedItem, GraphWork, Mention
from knowledge_graph.models import Entity as EntityRow
from knowledge_graph.work import ARCHIVED, CONTENT_TIERS, REMOVED, lock_graphs
from memory.access.scope import user_scope
from memory.language.folding import fold_name
from memory.language.names import ROLES
from memory.models import EndUser, MemoryItem
from memory.scoring import bank_quality
from memory.store import speakers
from memory.tiers import SourceType, Tier

logger = structlog.get_logger(__name__)

BATCH = 100
TOGETHER = "together"
RULES = "rules"
# Entities of a memory that are linked to each other; all pairs of a long list would mean nothing.
MOST_TOGETHER = 12

HAS_DATASET = "HAS_DATASET"
READ_FIELDS = (
    *("id", "tier", "text", "content_hash", "importance", "confidence", "occurred_at", "source_type", "metadata"),
)

EdgeKey = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """The entities found in a text, and relations between their keys other than co-occurrence."""

    entities: Sequence[ExtractedEntity]
    relations: Sequence[EdgeKey] = ()
    reader: str = RULES
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class Contribution:
    """The contribution of one memory to the graph."""

    item_id: uuid.UUID
    tier: str
    content_hash: str
    quality: float
    seen_at: datetime
    entities: Sequence[ExtractedEntity]
    edges: Sequence[EdgeKey]
    reader: str


@dataclass(slots=True)
class GraphChanges:
    """What a batch changes: keys that lost mentions, and the edges by how much."""

    lost: set[str] = field(default_factory=set)
    edges: Counter[EdgeKey] = field(default_factory=Counter)


def list_next_items(user: EndUser, limit: int = BATCH) -> list[uuid.UUID]:
    """The next changed memories, in order of their change."""
    with user_scope(user):
        waiting = GraphWork.objects.filter(user=user).order_by("id").values_list("item_id", flat=True)
        return list(dict.fromkeys(waiting[:limit]))


def process_items(
    user: EndUser, ids: Sequence[uuid.UUID], readings: Mapping[uuid.UUID, MemoryReading] | None = None
) -> int:
    """Add these memories to the graph as they are now, and remove them from the work list. Returns how many.

    ``readings`` come from a language model; one made from another wording is ignored.
    """
    if not ids:
        return 0
    with user_scope(user):
        lock_graphs(user)
        work = GraphWork.objects.filter(user=user, item_id__in=list(ids))
        kinds = list(work.values_list("pk", "item_id", "kind"))
        removed = {item_id for _, item_id, kind in kinds if kind == REMOVED}
        # An archived book leaves the record of documents, though its rows stay for its owner.
        archived = [item_id for _, item_id, kind in kinds if kind == ARCHIVED]
        books = GraphedItem.objects.filter(user=user, item_id__in=archived, tier=Tier.BOOKS)
        removed.update(books.values_list("item_id", flat=True))
        replace_contributions(user, ids, readings or {})
        forget_items(user, sorted(removed))
        if removed:
            forget_questions(user)
            unlearn_forgotten(user)
        GraphWork.objects.filter(user=user, pk__in=[pk for pk, _, _ in kinds]).delete()
    return len(ids)


def replace_contributions(user: EndUser, ids: Sequence[uuid.UUID], readings: Mapping[uuid.UUID, MemoryReading]) -> None:
    """Replace the contributions of these memories. Needs the user's scope and the graphs' lock."""
    graphed = {row.item_id: row for row in GraphedItem.objects.filter(user=user, item_id__in=list(ids))}
    known_names = frozenset(speakers.list_speaker_names(user)) - ROLES
    present = (
        MemoryItem.objects.for_user(user).active().filter(pk__in=list(ids), tier__in=CONTENT_TIERS).only(*READ_FIELDS)
    )
    told = read_told_names(user, ids)
    new = [build_contribution(item, known_names, readings.get(item.pk), told.get(item.pk, ())) for item in present]
    same = {one.item_id for one in new if (row := graphed.get(one.item_id)) and is_unchanged(row, one)}
    changes = GraphChanges()
    remove_contributions(user, [row for item_id, row in graphed.items() if item_id not in same], changes)
    add_contributions(user, [one for one in new if one.item_id not in same], changes)
    settle_entities(user, changes.lost)
    settle_edges(user, changes.edges)


def is_unchanged(row: GraphedItem, new: Contribution) -> bool:
    """Whether nothing would change."""
    # A model's reading is not replaced by one of the rules: it cost a call and knows relations.
    before = (row.tier, row.content_hash, row.quality, row.seen_at)
    return before == (new.tier, new.content_hash, new.quality, new.seen_at) and new.reader in {row.reader, RULES}


def build_contribution(
    item: MemoryItem,
    known_names: frozenset[str],
    reading: MemoryReading | None,
    told: Sequence[ExtractedEntity],
) -> Contribution:
    if catalogued := read_catalogue_entry(item):
        reading = catalogued
    elif reading is None or reading.content_hash != item.content_hash:
        reading = MemoryReading(extract_by_rules(item, known_names))
    entities = [one for one in add_told_names(reading.entities, told) if len(one.key) <= KEY_CHARS]
    present = {one.key for one in entities}
    keys = sorted(one.key for one in entities[:MOST_TOGETHER])
    related = [edge for edge in reading.relations if edge[0] in present and edge[1] in present and edge[0] != edge[1]]
    return Contribution(
        item_id=item.pk,
        tier=item.tier,
        content_hash=item.content_hash,
        quality=round(bank_quality(item.importance, item.confidence), 6),
        seen_at=item.occurred_at,
        entities=entities,
        edges=[*((first, second, TOGETHER) for first, second in combinations(keys, 2)), *dict.fromkeys(related)],
        reader=reading.reader,
    )


def read_catalogue_entry(item: MemoryItem) -> MemoryReading | None:
    """Of a data set that a catalogue describes, the data set and what it is about; None for any other memory."""
    dataset, concepts = item.metadata.get("dataset"), item.metadata.get("concepts")
    if item.source_type != SourceType.SYSTEM or not isinstance(dataset, str) or not isinstance(concepts, list):
        return None
    own = ExtractedEntity(dataset, f"dataset:{fold_name(dataset)}"[:KEY_CHARS], DATASET)
    topics_by_key = {
        fold_name(name): ExtractedEntity(name, fold_name(name), TOPIC) for name in concepts if isinstance(name, str)
    }
    topics = [one for key, one in topics_by_key.items() if key and len(key) <= KEY_CHARS]
    return MemoryReading([own, *topics], [(one.key, own.key, HAS_DATASET) for one in topics])


def extract_by_rules(item: MemoryItem, known_names: frozenset[str]) -> Sequence[ExtractedEntity]:
    """The entities found by rules."""
    # Anything may be written in a memory: an error in one text must not stop the others of the batch.
    try:
        return extract_entities(item.text, known_names)
    except Exception as error:  # noqa: BLE001 - anything may be written in a memory
        logger.warning("entities not read", item_id=str(item.pk), reason=repr(error)[:200])
        return []


def remove_contributions(user: EndUser, graphed: Sequence[GraphedItem], changes: GraphChanges) -> None:
    if not graphed:
        return
    mentions = Mention.objects.filter(user=user, item_id__in=[row.item_id for row in graphed])
    changes.lost.update(mentions.values_list("key", flat=True))
    mentions.delete()
    for row in graphed:
        changes.edges.subtract((source, target, kind) for source, target, kind in row.edges)
    GraphedItem.objects.filter(user=user, pk__in=[row.pk for row in graphed]).delete()


def add_contributions(user: EndUser, new: Sequence[Contribution], changes: GraphChanges) -> None:
    if not new:
        return
    GraphedItem.objects.bulk_create(
        GraphedItem(
            user=user,
            item_id=one.item_id,
            tier=one.tier,
            content_hash=one.content_hash,
            quality=one.quality,
            seen_at=one.seen_at,
            edges=[list(edge) for edge in one.edges],
            reader=one.reader,
        )
        for one in new
    )
    Mention.objects.bulk_create(
        Mention(
            user=user,
            key=entity.key,
            item_id=one.item_id,
            tier=one.tier,
            quality=one.quality,
            seen_at=one.seen_at,
        )
        for one in new
        for entity in one.entities
    )
    for one in new:
        changes.edges.update(one.edges)
    add_entities(user, new)


ADD_ENTITIES = f"""
INSERT INTO graph_entity AS known
    (user_id, key, label, kind, aliases, mentions, quality_sum, avg_quality, first_seen, last_seen)
SELECT %(user)s, key, label, kind, '{{}}', mentions, total, total / mentions, first_seen, last_seen
FROM unnest(%(keys)s::text[], %(labels)s::text[], %(kinds)s::text[], %(mentions)s::int[], %(totals)s::float8[],
            %(first)s::timestamptz[], %(last)s::timestamptz[])
     AS new(key, label, kind, mentions, total, first_seen, last_seen)
ORDER BY key
ON CONFLICT (user_id, key) DO UPDATE SET
    mentions = known.mentions + EXCLUDED.mentions,
    quality_sum = known.quality_sum + EXCLUDED.quality_sum,
    avg_quality = (known.quality_sum + EXCLUDED.quality_sum) / (known.mentions + EXCLUDED.mentions),
    kind = CASE WHEN known.kind = 'thing' THEN EXCLUDED.kind ELSE known.kind END, {SEEN_AGAIN}
"""  # noqa: S608


def add_entities(user: EndUser, new: Sequence[Contribution]) -> None:
    found: dict[str, EntityRow] = {}
    for one in new:
        for entity in one.entities:
            row = found.setdefault(
                entity.key,
                EntityRow(
                    key=entity.key,
                    label=entity.name[:KEY_CHARS],
                    kind=entity.kind,
                    first_seen=one.seen_at,
                    last_seen=one.seen_at,
                ),
            )
            row.mentions += 1
            row.quality_sum += one.quality
            row.first_seen, row.last_seen = min(row.first_seen, one.seen_at), max(row.last_seen, one.seen_at)
    if not found:
        return
    entities = [found[key] for key in sorted(found)]
    with connection.cursor() as cursor:
        cursor.execute(
            ADD_ENTITIES,
            {
                "user": user.pk,
                "keys": [row.key for row in entities],
                "labels": [row.label for row in entities],
                "kinds": [row.kind for row in entities],
                "mentions": [row.mentions for row in entities],
                "totals": [row.quality_sum for row in entities],
                "first": [row.first_seen for row in entities],
                "last": [row.last_seen for row in entities],
                "most": MOST_ALIASES,
            },
        )


RECOUNT_ENTITIES = """
UPDATE graph_entity AS known SET mentions = left_.mentions, quality_sum = left_.total,
    avg_quality = left_.total / left_.mentions, first_seen = left_.first_seen, last_seen = left_.last_seen
FROM (SELECT key, count(*) AS mentions, sum(quality) AS total, min(seen_at) AS first_seen, max(seen_at) AS last_seen
      FROM graph_mention WHERE user_id = %(user)s AND key = ANY(%(keys)s) GROUP BY key) AS left_
WHERE known.user_id = %(user)s AND known.key = left_.key
"""
DROP_UNNAMED = """
DELETE FROM graph_entity AS known WHERE user_id = %(user)s AND key = ANY(%(keys)s)
AND NOT EXISTS (SELECT 1 FROM graph_mention AS left_ WHERE left_.user_id = %(user)s AND left_.key = known.key)
"""

# Whoever has all memories of a name deleted wants the name gone.
DROP_DECISIONS = """
DELETE FROM graph_name_decision AS said WHERE user_id = %(user)s AND (first = ANY(%(keys)s) OR second = ANY(%(keys)s))
AND 2 > (SELECT count(*) FROM graph_entity AS known
         WHERE known.user_id = said.user_id AND known.key IN (said.first, said.second))
"""


def settle_entities(user: EndUser, lost: Iterable[str]) -> None:
    """Recount entities that lost a mention."""
    keys = sorted(lost)
    # Counted anew and not subtracted: sums of floats would drift.
    if keys:
        with connection.cursor() as cursor:
            cursor.execute(RECOUNT_ENTITIES, {"user": user.pk, "keys": keys})
            cursor.execute(DROP_UNNAMED, {"user": user.pk, "keys": keys})
            cursor.execute(DROP_DECISIONS, {"user": user.pk, "keys": keys})


CHANGE_EDGES = """
INSERT INTO graph_edge AS known (user_id, source, target, kind, weight)
SELECT %(user)s, source, target, kind, change
FROM unnest(%(sources)s::text[], %(targets)s::text[], %(kinds)s::text[], %(changes)s::int[])
     AS new(source, target, kind, change)
ORDER BY source, target, kind
ON CONFLICT (user_id, source, target, kind) DO UPDATE SET weight = known.weight + EXCLUDED.weight
"""
DROP_EDGES = """
DELETE FROM graph_edge WHERE user_id = %(user)s AND weight <= 0
AND (source, target, kind) IN (SELECT * FROM unnest(%(sources)s::text[], %(targets)s::text[], %(kinds)s::text[]))
"""


def settle_edges(user: EndUser, changes: Mapping[EdgeKey, int]) -> None:
    changed = sorted(edge for edge, change in changes.items() if change)
    if not changed:
        return
    values: dict[str, Any] = {
        "user": user.pk,
        "sources": [source for source, _, _ in changed],
        "targets": [target for _, target, _ in changed],
        "kinds": [kind for _, _, kind in changed],
        "changes": [changes[edge] for edge in changed],
    }
    with connection.cursor() as cursor:
        cursor.execute(CHANGE_EDGES, values)
        if any(changes[edge] < 0 for edge in changed):
            cursor.execute(DROP_EDGES, {name: value for name, value in values.items() if name != "changes"})
