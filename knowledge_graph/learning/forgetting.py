"""Removes deleted memories from the evidence in the graphs."""

import uuid
from collections.abc import Sequence

from django.db import connection

from knowledge_graph.models import ActionExample, DocumentStat, Solution
from memory.models import EndUser

DROP_LOST_CUES = """
DELETE FROM graph_solution_cue AS cue WHERE user_id = %(user)s AND signature = ANY(%(signatures)s)
AND NOT EXISTS (SELECT 1 FROM graph_solution AS left_
                WHERE left_.user_id = %(user)s AND left_.signature = cue.signature)
"""


def forget_items(user: EndUser, ids: Sequence[uuid.UUID]) -> None:
    """Remove deleted memories from examples, solutions and the record of documents. In the user's scope."""
    if not ids:
        return
    deleted = set(ids)
    # Bounded by the examples kept for each action, and without an index that every action would have to fill.
    for example in ActionExample.objects.filter(user=user, memory_ids__overlap=list(deleted)):
        example.memory_ids = [item_id for item_id in example.memory_ids if item_id not in deleted]
        example.doc_ids = [item_id for item_id in example.doc_ids if item_id not in deleted]
        if example.memory_ids:
            example.save(update_fields=["memory_ids", "doc_ids"])
        else:
            example.delete()
    solutions = Solution.objects.filter(user=user, item_id__in=list(deleted))
    signatures = list(solutions.values_list("signature", flat=True))
    solutions.delete()
    drop_lost_cues(user, signatures)
    DocumentStat.objects.filter(user=user, item_id__in=list(deleted)).delete()


FORGET_QUESTIONS = """
UPDATE graph_example AS example SET query_preview = '' FROM action_taken AS taken
WHERE example.user_id = %(user)s AND example.query_preview <> ''
AND taken.user_id = %(user)s AND taken.id = example.taken_id AND taken.query = ''
"""


def forget_questions(user: EndUser) -> None:
    """Remove deleted questions from the examples that quote them."""
    with connection.cursor() as cursor:
        cursor.execute(FORGET_QUESTIONS, {"user": user.pk})


def forget_problems(user: EndUser, signatures: Sequence[str]) -> None:
    given = [signature for signature in signatures if signature]
    Solution.objects.filter(user=user, signature__in=given).delete()
    drop_lost_cues(user, given)


def drop_lost_cues(user: EndUser, signatures: Sequence[str]) -> None:
    """Delete the cues of problems without any solution left."""
    if signatures:
        with connection.cursor() as cursor:
            cursor.execute(DROP_LOST_CUES, {"user": user.pk, "signatures": sorted(set(signatures))})
