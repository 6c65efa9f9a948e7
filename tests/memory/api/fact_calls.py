"""Calls about facts that the tests of facts share: to state, to list, to be refused, to open a review."""

import uuid
from typing import Any

from memory.access.scope import user_scope
from memory.models import EndUser, FactReview
from memory.models.facts import ReviewKind
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
