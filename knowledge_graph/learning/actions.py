"""Learns which actions help in which kind of work, from the outcomes of the turns they were used in."""

import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence

from django.db import connection
from django.db.models import F, Q

from knowledge_graph.extraction.context_types import classify_context
from knowledge_graph.learning.counters import ACTIONS, Counts
from knowledge_graph.learning.verdicts import DOCUMENT_TIERS, read_memory_tiers
from knowledge_graph.models import PREVIEW_CHARS, ActionExample
from knowledge_graph.work import lock_graphs
from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from outcomes.models import ActionTaken, OutcomeEvent

BATCH = 100
# Evidence to show, not to count: the counters keep every use.
MOST_EXAMPLES = 20
MOST_MEMORIES = 20

ActionKey = tuple[str, str, str]

DROP_OLD_EXAMPLES = """
DELETE FROM graph_example WHERE user_id = %(user)s AND id IN (
    SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY context_type, action, tier ORDER BY at DESC, id DESC) AS place
        FROM graph_example WHERE user_id = %(user)s AND (context_type, action, tier) IN
            (SELECT * FROM unnest(%(contexts)s::text[], %(actions)s::text[], %(tiers)s::text[]))
    ) AS ranked WHERE place > %(most)s)
"""


def learn_actions(user: EndUser, *, limit: int = BATCH) -> int:
    """Learn from actions whose verdict changed. Returns how many."""
    with user_scope(user):
        lock_graphs(user)
        changed = ActionTaken.objects.filter(user=user).exclude(verdict=F("learned"))
        # Locked until the end: a verdict that changes meanwhile is learned as another change.
        actions = list(changed.order_by("id").select_for_update(no_key=True)[:limit])
        if not actions:
            return 0
        counts: dict[tuple[str, ...], Counts] = defaultdict(Counts)
        for taken in actions:
            for key in list_action_keys(taken):
                if taken.learned:
                    counts[key].add(taken.learned, -1, taken.at)
                if taken.verdict:
                    counts[key].add(taken.verdict, 1, taken.at)
        ACTIONS.add(user, counts)
        store_examples(user, actions)
        for taken in actions:
            taken.learned = taken.verdict
        ActionTaken.objects.bulk_update(actions, ["learned"])
    return len(actions)


def list_action_keys(taken: ActionTaken) -> Iterator[ActionKey]:
    """Kind of work, action and tier of a row."""
    # From the row alone: a reversal must hit the counters that the first verdict hit.
    kind = classify_context(taken.query, (taken.action,))
    for tier in taken.tiers or [""]:
        yield kind, taken.action, tier


def store_examples(user: EndUser, actions: Sequence[ActionTaken]) -> None:
    ActionExample.objects.filter(user=user, taken_id__in=[taken.pk for taken in actions]).delete()
    judged = [taken for taken in actions if taken.verdict]
    memories = find_action_memories(user, judged)
    ActionExample.objects.bulk_create(
        ActionExample(
            user=user,
            context_type=kind,
            action=action,
            tier=tier,
            taken_id=taken.pk,
            thread_id=taken.thread_id,
            turn_id=taken.turn_id,
            exchange_id=taken.exchange_id,
            query_preview=taken.query[:PREVIEW_CHARS],
            outcome=taken.verdict,
            memory_ids=[item_id for item_id, _ in memories[taken.pk]],
            doc_ids=[item_id for item_id, at_tier in memories[taken.pk] if at_tier in DOCUMENT_TIERS],
            ok=taken.ok,
            ms=taken.ms,
            error=taken.error,
            at=taken.at,
        )
        for taken in judged
        for kind, action, tier in list_action_keys(taken)
    )
    keys = sorted({key for taken in judged for key in list_action_keys(taken)})
    with connection.cursor() as cursor:
        cursor.execute(
            DROP_OLD_EXAMPLES,
            {
                "user": user.pk,
                "contexts": [context_type for context_type, _, _ in keys],
                "actions": [action for _, action, _ in keys],
                "tiers": [tier for _, _, tier in keys],
                "most": MOST_EXAMPLES,
            },
        )


def find_action_memories(user: EndUser, actions: Sequence[ActionTaken]) -> dict[int, list[tuple[uuid.UUID, str]]]:
    """The existing memories that the current verdicts on each action's turn refer to."""
    turns = {taken.turn_id for taken in actions if taken.turn_id}
    exchanges = {taken.exchange_id for taken in actions if taken.exchange_id}
    current = OutcomeEvent.objects.filter(
        Q(turn_id__in=turns) | Q(exchange_id__in=exchanges), user=user, sign=1, replaced_at=None
    )
    by_turn: dict[uuid.UUID, dict[uuid.UUID, str]] = defaultdict(dict)
    for event in current.order_by("id"):
        for subject in {event.turn_id, event.exchange_id} - {None}:
            if subject is not None:
                by_turn[subject].update(read_memory_tiers(event))
    item_ids = {item_id for found in by_turn.values() for item_id in found}
    present = set(MemoryItem.objects.for_user(user).filter(pk__in=item_ids).values_list("pk", flat=True))
    memories: dict[int, list[tuple[uuid.UUID, str]]] = {}
    for taken in actions:
        found: dict[uuid.UUID, str] = {}
        for subject in (taken.turn_id, taken.exchange_id):
            found.update(by_turn.get(subject, {}) if subject else {})
        memories[taken.pk] = [pair for pair in found.items() if pair[0] in present][:MOST_MEMORIES]
    return memories
