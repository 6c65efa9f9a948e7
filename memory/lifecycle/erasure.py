"""Erases a user (GDPR): unreachable at once, removed by a task, with only the counts kept."""

import json
import uuid
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Model, Q

from memory import signals
from memory.access.grants import erase_grants
from memory.access.membership import act_as_service
from memory.access.scope import user_scope, visit_space
from memory.access.users import delete_rows
from memory.indexes import vector_index
from memory.inference import prefixes
from memory.models import (
    DecidedMatter,
    EndUser,
    Erasure,
    EvaluationCase,
    EvaluationRun,
    Fact,
    FactEpisode,
    FactEvent,
    FactEvidence,
    FactReview,
    FactRun,
    FactStream,
    FactTombstone,
    IdempotencyRecord,
    LabelledTerm,
    MemoryEvent,
    MemoryItem,
    MemoryVector,
    MemoryVersion,
    MessageLabel,
    PersonalLink,
    SpaceMember,
    SpaceShare,
    Speaker,
    TokenVectors,
    Tombstone,
    Transfer,
    TransferPart,
    Turn,
    UserData,
)
from memory.store.archiving import delete_memories
from memory.store.sharing import list_contributions

ERASED_WITH_USER: tuple[type[Model], ...] = (
    PersonalLink,
    IdempotencyRecord,
    Turn,
    MemoryVector,
    TokenVectors,
    LabelledTerm,
    MessageLabel,
    DecidedMatter,
    FactReview,
    FactEvent,
    FactEvidence,
    Fact,
    FactEpisode,
    FactRun,
    FactStream,
    FactTombstone,
    MemoryEvent,
    MemoryVersion,
    SpaceMember,
    SpaceShare,
    MemoryItem,
    Speaker,
    Tombstone,
    UserData,
    EvaluationCase,
    EvaluationRun,
    TransferPart,
    Transfer,
)


RECALL_PART = "diagnostics"
# Parts of answers that only show: of a search, a context, insights, a recall.
READ_PARTS = frozenset({"results", "injection", "directives", RECALL_PART})
BLANK_ITEM_FIELDS: dict[str, Any] = {
    "text": "",
    "content": "",
    "title": "",
    "body": "",
    "tags": [],
    "metadata": {},
    "speaker": None,
    "source": None,
}


def redact_stored_answers(user: EndUser, item_ids: Collection[uuid.UUID]) -> None:
    """Remove the text of deleted or cleansed items from the stored answers of idempotent requests.

    The answer of a read is dropped. That of a write keeps its ids without the text, or a late repeat would write again.
    """
    named = {str(item_id) for item_id in item_ids}
    with user_scope(user):
        holding = IdempotencyRecord.objects.filter(user=user, response__has_key="body")
        if len(named) == 1:
            holds_it = Q(response__body__icontains=next(iter(named)))
            holding = holding.filter(holds_it | Q(response__body__icontains=RECALL_PART))
        for record in holding:
            body = json.loads(record.response["body"])
            # A tool's answer has what it did inside, and the same in words beside it.
            done = body["result"] if isinstance(body.get("result"), dict) else body
            if not READ_PARTS.isdisjoint(done):
                # A recall names the messages of an exchange, not the memory that went with it.
                if RECALL_PART in done or any(name in record.response["body"] for name in named):
                    record.delete()
            elif done.get("id", done.get("memory_id")) in named:
                for part in (body, done):
                    part.update({name: value for name, value in BLANK_ITEM_FIELDS.items() if part.get(name)})
                record.response["body"] = json.dumps(body)
                record.save(update_fields=["response"])


def request_erasure(user: EndUser, *, now: datetime) -> Erasure:
    """Frees the external id, which makes the rows unreachable before they are removed."""
    with transaction.atomic():
        # What a client was allowed of this person is not allowed of whoever is given the id next.
        erase_grants(user)
        erasure = Erasure.objects.create(organization_id=user.organization_id, end_user_id=user.pk, requested_at=now)
        # "#" is outside the alphabet of external ids, so no client can name the row again.
        EndUser.objects.filter(pk=user.pk).update(external_id=f"#erased-{erasure.pk}")
    return erasure


def withdraw_contributions(person: EndUser, *, now: datetime, of: Collection[uuid.UUID] | None = None) -> int:
    """Delete what a person shared, in every space, also in one they have left. How many memories that were.

    With ``of`` the copies of these memories alone. May be called in the person's scope: it goes or stays with that.
    """
    by_space: dict[int, list[uuid.UUID]] = {}
    for share in list_contributions(person, of):
        by_space.setdefault(share.user_id, []).append(share.item_id)
    for space_id, ids in by_space.items():
        space = EndUser(pk=space_id, organization_id=person.organization_id)
        with act_as_service(), visit_space(space_id):
            delete_memories(space, ids, now=now)
            members = [row.user for row in SpaceMember.objects.filter(space_id=space_id).select_related("user")]
        transaction.on_commit(partial(redact_answers_of, members, ids))
    return sum(map(len, by_space.values()))


def redact_answers_of(members: Sequence[EndUser], ids: Sequence[uuid.UUID]) -> None:
    """What is kept of deleted memories of a space beside their rows."""
    for member in members:
        redact_stored_answers(member, ids)


def finish_erasure(erasure_id: uuid.UUID, *, now: datetime) -> None:
    """Remove rows and vectors; safe to run again after any interruption. Raises Unavailable while the index is down."""
    erasure = Erasure.objects.get(pk=erasure_id)
    if erasure.finished_at is not None:
        return
    user = EndUser.objects.filter(pk=erasure.end_user_id).first()
    if user is not None:
        # Again: something may have been shared after the request.
        withdraw_contributions(user, now=now)
        removed = erase_rows(user)
        # A run that was cut off after the rows went keeps the numbers it counted then.
        erasure.removed = {name: count + erasure.removed.get(name, 0) for name, count in removed.items()}
        erasure.save(update_fields=["removed"])
        vector_index().erase(user.pk)
        prefixes.delete_cache(user.pk)
        user.delete()
    erasure.finished_at = now
    erasure.save(update_fields=["finished_at"])


def list_unfinished_erasures() -> list[uuid.UUID]:
    return list(Erasure.objects.filter(finished_at=None).values_list("pk", flat=True))


def erase_rows(user: EndUser) -> dict[str, int]:
    """Remove every row of a user, in one transaction. Returns how many, by table."""
    removed: dict[str, int] = {}
    # One transaction, however long: no request waits for it.
    with user_scope(user, settings={"statement_timeout": "0"}):
        signals.user_erased.send(EndUser, user=user, removed=removed)
        removed |= delete_rows(user, ERASED_WITH_USER)
    return removed
