"""Labels beside their memories: made in the background, made anew where the text or the vocabulary changed."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection

from memory.access.scope import user_scope
from memory.enrichment.entities import find_mentions
from memory.enrichment.labels import MessageLabels
from memory.enrichment.rules import label_message
from memory.language.exchanges import take_question
from memory.models import EndUser, LabelledTerm, MemoryItem, MessageLabel
from memory.tiers import Status, Tier
from memory.vocabulary.terms import ControlledVocabulary, TermKind

# A message from longer ago is hardly asked for by what it was about; `manage.py enrich --since` labels older ones.
LOOKS_BACK: Final = timedelta(days=30)
BATCH: Final = 100
RULES: Final = "rules"
TOPIC, ENTITY = "topic", "entity"
# Before which everything stands.
LAST: Final = datetime.max.replace(tzinfo=UTC)
NO_ID: Final = UUID(int=0)
LABELLED_TIERS: Final = (Tier.WORKING.value, Tier.HISTORY.value, Tier.PATTERNS.value, Tier.MEMORY_BANK.value)
KEPT: Final = (Status.ACTIVE.value, Status.DORMANT.value)
DUE: Final = """
SELECT m.id, m.text, m.content_hash, m.occurred_at FROM memory_item m
WHERE m.user_id = %(user)s AND m.status = ANY(%(kept)s) AND m.tier = ANY(%(tiers)s) AND m.occurred_at >= %(since)s
  AND NOT EXISTS (
    SELECT FROM message_label l WHERE l.user_id = m.user_id AND l.item_id = m.id
      AND l.preset = %(preset)s AND l.version = %(version)s AND l.content_hash = m.content_hash
  )
ORDER BY m.occurred_at DESC LIMIT %(limit)s
"""
FOUND: Final = """
SELECT l.item_id FROM labelled_term l JOIN memory_item m ON m.user_id = l.user_id AND m.id = l.item_id
WHERE l.user_id = %(user)s AND l.kind = %(kind)s AND l.term = ANY(%(terms)s) AND m.status = ANY(%(kept)s)
  AND (l.occurred_at, l.item_id) < (%(before)s, %(after)s)
GROUP BY l.item_id, l.occurred_at ORDER BY l.occurred_at DESC, l.item_id DESC LIMIT %(limit)s
"""


def label_due(user: EndUser, vocabulary: ControlledVocabulary, *, now: datetime, since: datetime | None = None) -> int:
    """Label the latest messages that have no label of this vocabulary. Returns how many; 0 when none is left."""
    given: dict[str, Any] = {
        "user": user.pk,
        "kept": list(KEPT),
        "tiers": list(LABELLED_TIERS),
        "since": since or now - LOOKS_BACK,
        "preset": vocabulary.preset,
        "version": vocabulary.version,
        "limit": BATCH,
    }
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(DUE, given)
        due = cursor.fetchall()
    # Outside of the transaction: a hundred messages take half a second to read.
    labelled = [(*row, label_memory(row[1], vocabulary)) for row in due]
    if labelled:
        write_labels(user, vocabulary, labelled, now=now)
    return len(labelled)


def label_memory(text: str, vocabulary: ControlledVocabulary) -> MessageLabels:
    """By what the person said; what the answer to it names is found by it as well."""
    labels = label_message(take_question(text), vocabulary)
    mentioned = find_mentions(text, vocabulary.list_names(TermKind.ENTITY_TYPE))
    return MessageLabels(
        labels.topics,
        labels.category,
        labels.message_type,
        labels.importance,
        mentioned,
        labels.confidence,
        labels.suggested_topic,
    )


def write_labels(
    user: EndUser,
    vocabulary: ControlledVocabulary,
    labelled: Sequence[tuple[UUID, str, str, datetime, MessageLabels]],
    *,
    now: datetime,
    reader: str = RULES,
    asked_at: datetime | None = None,
) -> None:
    wanted = [item_id for item_id, *_ in labelled]
    with user_scope(user):
        # What was deleted or reworded meanwhile keeps no label of its old words; the lock holds it still until the end.
        rows = MemoryItem.objects.for_user(user).filter(pk__in=wanted).select_for_update(of=("self",))
        hashes = dict(rows.values_list("pk", "content_hash"))
        kept = [one for one in labelled if hashes.get(one[0]) == one[2]]
        ids = [item_id for item_id, *_ in kept]
        MessageLabel.objects.filter(user=user, item_id__in=ids).delete()
        LabelledTerm.objects.filter(user=user, item_id__in=ids).delete()
        MessageLabel.objects.bulk_create(
            build_label(user, item_id, digest, labels, vocabulary, now, reader, asked_at)
            for item_id, _, digest, _, labels in kept
        )
        LabelledTerm.objects.bulk_create(
            LabelledTerm(user=user, item_id=item_id, kind=kind, term=term, occurred_at=at)
            for item_id, _, _, at, labels in kept
            for kind, term in dict.fromkeys(list_terms(labels))
        )


def build_label(
    user: EndUser,
    item_id: UUID,
    digest: str,
    labels: MessageLabels,
    vocabulary: ControlledVocabulary,
    now: datetime,
    reader: str,
    asked_at: datetime | None,
) -> MessageLabel:
    return MessageLabel(
        user=user,
        item_id=item_id,
        topics=list(labels.topics),
        category=labels.category,
        message_type=labels.message_type,
        importance=labels.importance.value,
        entities=[{"type": one.type, "value": one.value} for one in labels.entities],
        confidence=labels.confidence.value,
        suggested_topic=labels.suggested_topic,
        preset=vocabulary.preset,
        version=vocabulary.version,
        reader=reader,
        content_hash=digest,
        asked_at=asked_at,
        labelled_at=now,
    )


def list_terms(labels: MessageLabels) -> list[tuple[str, str]]:
    return [(TOPIC, topic) for topic in labels.topics] + [(ENTITY, one.key) for one in labels.entities]


def find_labelled(
    user: EndUser,
    *,
    terms: Sequence[str],
    kind: str,
    place: tuple[datetime, UUID] | None,
    limit: int,
) -> list[tuple[MemoryItem, MessageLabel]]:
    """Memories with any of the terms, the latest first, after the ``place`` of one in that order."""
    before, after = place or (LAST, NO_ID)
    given: dict[str, Any] = {"user": user.pk, "kind": kind, "terms": list(terms), "kept": list(KEPT)}
    with user_scope(user):
        with connection.cursor() as cursor:
            cursor.execute(FOUND, {**given, "before": before, "after": after, "limit": limit})
            ids = [item_id for (item_id,) in cursor.fetchall()]
        items = MemoryItem.objects.for_user(user).in_bulk(ids)
        labels = {row.item_id: row for row in MessageLabel.objects.filter(user=user, item_id__in=ids)}
    return [(items[one], labels[one]) for one in ids if one in items and one in labels]
