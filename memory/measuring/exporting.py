"""A person's labelled questions as lines that `bench quality` reads: each with the memories it chooses among."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from memory.access.scope import user_scope
from memory.measuring.asking import ask_question
from memory.measuring.labels import LabelledQuestion
from memory.models import EndUser, MemoryItem
from memory.retrieval.variants import MOST_ASKED, SearchSettings

DAY_S: Final = 86_400
# What stands in an answer beside what was expected: a question alone with its answer would measure nothing.
AMONG: Final = SearchSettings(limit=MOST_ASKED)


def iterate_scenarios(user: EndUser, questions: Iterable[LabelledQuestion], now: datetime) -> Iterator[dict[str, Any]]:
    """A search for each. Outside any transaction."""
    for number, question in enumerate(questions, start=1):
        found = ask_question(user, question, AMONG, now).found
        expected = {str(item_id) for item_id in question.expected}
        with user_scope(user):
            rows = list(MemoryItem.objects.for_user(user).filter(pk__in={*found, *expected}).order_by("pk"))
        yield {
            "id": f"{question.source}-{number}",
            "query": question.question,
            "family": question.source.value,
            "lang": "any",
            "memories": [describe_memory(row, question.asked_at or now) for row in rows],
            "relevant": {str(row.pk): 1 for row in rows if str(row.pk) in expected},
            "must_not_top1": [],
        }


def describe_memory(row: MemoryItem, asked_at: datetime) -> dict[str, Any]:
    return {
        "key": str(row.pk),
        "text": row.text,
        "tier": row.tier,
        "tags": list(row.tags),
        "importance": row.importance,
        "confidence": row.confidence,
        "days_ago": max(0.0, round((asked_at - row.occurred_at).total_seconds() / DAY_S, 2)),
        "speaker": row.speaker,
        "thread_id": row.thread_id,
    }
