"""Calls about facts that the tests of facts share: to tell, to state, to list, to be refused, to open a review."""

import uuid
from collections.abc import Sequence
from typing import Any

from memory.access.scope import user_scope
from memory.models import EndUser, FactReview, MemoryItem
from memory.models.facts import ReviewKind
from memory.tiers import Status, Tier
from outcomes.exchanges import profiling
from tests.api_client import ApiClient
from tests.conftest import Clock

SHAPE = {
    "id", "statement", "subject", "relation", "object", "category", "confidence", "state", "valid_from", "valid_to",
    "first_seen", "last_seen", "evidence_count", "superseded_by", "merged_into", "bank_item_id", "lang", "agent_id",
    "project_id", "polarity", "tense",
}  # fmt: skip
NOBODY = str(uuid.uuid4())


def state(api: ApiClient, statement: str, **fields: Any) -> dict[str, Any]:
    answer = api.post("facts", {"statement": statement, **fields})
    assert answer.status_code == 201, answer.content
    return dict(answer.json())


def tell(api: ApiClient, user: EndUser, clock: Clock, turns: Sequence[str], *, thread: str = "") -> None:
    """Each turn ten days behind the one before, in a thread of its own unless one is named."""
    for message in turns:
        said = {"user_message": message, "assistant_message": "I see.", "occurred_at": clock().isoformat()}
        answer = api.post(f"threads/{thread or uuid.uuid4()}/exchanges", said)
        assert answer.status_code == 201, answer.content
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=10)


def list_held(api: ApiClient, *relations: str) -> list[tuple[str, str, str]]:
    """What holds and is affirmed: the subject, the relation and the value of each."""
    rows = api.get("facts", {"limit": "100"}).json()["items"]
    held = ((row["subject"], row["relation"], row["object"]) for row in rows if row["polarity"] == "positive")
    return sorted(one for one in held if not relations or one[1] in relations)


def list_bank(user: EndUser) -> list[str]:
    with user_scope(user):
        items = MemoryItem.objects.for_user(user).filter(tier=Tier.MEMORY_BANK, status=Status.ACTIVE)
        return sorted(items.values_list("text", flat=True))


def listed(api: ApiClient, **query: Any) -> list[str]:
    answer = api.get("facts", query)
    assert answer.status_code == 200, answer.content
    return [fact["statement"] for fact in answer.json()["items"]]


def refused(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    return [error["field"] for error in answer.json()["errors"]]


def open_review(user: EndUser, newer: str, older: str, clock: Clock) -> str:
    with user_scope(user):
        made = FactReview.objects.create(
            user=user, fact_id=newer, other_id=older, kind=ReviewKind.UNSURE, cosine=0.71, created_at=clock()
        )
    return str(made.pk)
