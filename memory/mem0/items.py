"""One memory by its id: reading, changing, deleting, its history, several at once, and what a person thought of it."""

from collections import defaultdict
from http import HTTPStatus
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from memory.access.scope import user_scope
from memory.guard import redact_secrets
from memory.mem0.adding import Day
from memory.mem0.door import Mem0Call, render_message
from memory.mem0.people import find_memory_or_404
from memory.mem0.scopes import EXPIRES, replace_metadata
from memory.mem0.shapes import render_history, render_memory
from memory.models import EndUser, MemoryItem
from memory.tiers import MAX_BATCH, SCORED_TIERS, Outcome, Tier
from memory.web.fields import Metadata, Text, UuidText
from memory.web.idempotency import run_once
from memory.web.problems import Problem, invalid_field, not_found

POSITIVE, NEGATIVE, VERY_NEGATIVE = "POSITIVE", "NEGATIVE", "VERY_NEGATIVE"
# A statement of less than one half is doubted by the ranking; each complaint takes it further down.
DOUBTED: Final = 0.4
TRUSTED: Final = 0.9
LONGEST_HISTORY: Final = 1_000


class ChangeIn(BaseModel):
    text: Text | None = Field(default=None, validation_alias=AliasChoices("text", "data", "memory"))
    metadata: Metadata | None = None
    timestamp: Any = None
    expiration_date: Day | None = None


class BatchChangeIn(ChangeIn):
    memory_id: UuidText


class BatchUpdateIn(BaseModel):
    memories: list[BatchChangeIn] = Field(min_length=1, max_length=MAX_BATCH)


class NamedMemoryIn(BaseModel):
    memory_id: UuidText


class BatchDeleteIn(BaseModel):
    memories: list[NamedMemoryIn] = Field(min_length=1, max_length=MAX_BATCH)


# As long as the reason of an event may be.
LONGEST_NOTE: Final = 300


def read_grade(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


class FeedbackIn(BaseModel):
    memory_id: UuidText
    feedback: Annotated[Literal["POSITIVE", "NEGATIVE", "VERY_NEGATIVE"] | None, BeforeValidator(read_grade)] = None
    feedback_reason: str | None = Field(default=None, max_length=10_000)


def get_memory(call: Mem0Call, memory_id: str) -> HttpResponse:
    owner, item = find_memory_or_404(call, memory_id)
    return JsonResponse(render_memory(item, owner.external_id))


def get_history(call: Mem0Call, memory_id: str) -> HttpResponse:
    owner, item = find_memory_or_404(call, memory_id)
    versions = call.memory.list_versions(owner, item.pk, limit=LONGEST_HISTORY)
    return JsonResponse(render_history(item, versions, owner.external_id), safe=False)


def update_memory(call: Mem0Call, memory_id: str) -> HttpResponse:
    owner, item = find_memory_or_404(call, memory_id)
    changed = apply_change(call, owner, item, call.read(ChangeIn))
    return JsonResponse({"message": "Memory updated successfully!", **render_memory(changed, owner.external_id)})


def apply_change(call: Mem0Call, owner: EndUser, item: MemoryItem, asked: ChangeIn) -> MemoryItem:
    changes = build_changes(item, asked)
    twin = call.memory.find_duplicate_of(owner, item.pk, text=asked.text) if asked.text else None
    changed = call.memory.revise(owner, item.pk, changes, now=timezone.now(), similar_to=twin)
    if changed is None:
        raise not_found()
    return changed


def build_changes(item: MemoryItem, asked: ChangeIn) -> dict[str, Any]:
    """Raises Problem for a change of nothing, or of what cannot be changed."""
    if asked.timestamp is not None:
        raise invalid_field("timestamp", "cannot be changed: it is when the memory was said")
    changes: dict[str, Any] = {"text": asked.text} if asked.text is not None else {}
    if asked.metadata is not None:
        changes["metadata"] = replace_metadata(item, asked.metadata)
    if EXPIRES in asked.model_fields_set:
        metadata = {**changes.get("metadata", item.metadata), EXPIRES: asked.expiration_date}
        changes["metadata"] = {name: value for name, value in metadata.items() if value is not None or name != EXPIRES}
    if not changes:
        raise invalid_field("", "name text, metadata or expiration_date to change")
    return changes


def delete_memory(call: Mem0Call, memory_id: str) -> HttpResponse:
    """With ``delete_linked`` also what it took the place of."""
    owner, item = find_memory_or_404(call, memory_id)
    linked = list_replaced(call, owner, item) if call.query.get("delete_linked", "").lower() == "true" else []
    with user_scope(owner):
        for one in [item.pk, *linked]:
            call.memory.remove_with_sources(owner, one, now=timezone.now())
    return render_message("Memory deleted successfully!")


def list_replaced(call: Mem0Call, owner: EndUser, item: MemoryItem) -> list[UUID]:
    """The statements of what held before, in the place of which this one stands."""
    facts = call.memory.list_facts_of_memory(owner, item.pk)
    chain = [before for fact in facts if fact.bank_item_id == item.pk for before in call.memory.trace_fact(owner, fact)]
    return list({one.bank_item_id for one in chain if one.bank_item_id} - {item.pk})


def update_batch(call: Mem0Call) -> HttpResponse:
    asked = call.read(BatchUpdateIn).memories
    found = [find_named(call, place, one.memory_id) for place, one in enumerate(asked)]
    # Before anything is written: all of a person's or none, and nobody's where one is not there.
    for (_, item), one in zip(found, asked, strict=True):
        build_changes(item, one)
    for (owner, item), one in zip(found, asked, strict=True):
        apply_change(call, owner, item, one)
    return render_message(f"Successfully updated {len(found)} memories")


def find_named(call: Mem0Call, place: int, memory_id: str) -> tuple[EndUser, MemoryItem]:
    """As ``find_memory_or_404``; of several, the answer names the one that is not there."""
    try:
        return find_memory_or_404(call, memory_id)
    except Problem as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        detail = f"memories[{place}].memory_id: there is no memory {memory_id}"
        raise Problem(HTTPStatus.NOT_FOUND, "not_found", detail) from error


def delete_batch(call: Mem0Call) -> HttpResponse:
    """All of them, or none where one is not there."""
    named = [one.memory_id for one in call.read(BatchDeleteIn).memories]
    owned: dict[int, dict[UUID, None]] = defaultdict(dict)
    owners: dict[int, EndUser] = {}
    for place, memory_id in enumerate(named):
        owner, item = find_named(call, place, memory_id)
        owners[owner.pk] = owner
        owned[owner.pk][item.pk] = None
    for key, owner in owners.items():
        with user_scope(owner):
            for item_id in owned[key]:
                call.memory.remove_with_sources(owner, item_id, now=timezone.now())
    return render_message(f"Successfully deleted {sum(map(len, owned.values()))} memories")


def give_feedback(call: Mem0Call) -> HttpResponse:
    """An outcome of the memory, which moves it in the ranking. ``feedback`` null takes the last one back."""
    asked = call.read(FeedbackIn)
    owner, item = find_memory_or_404(call, asked.memory_id)

    def record() -> HttpResponse:
        if asked.feedback is None:
            withdraw_feedback(call, owner, item)
        elif Tier(item.tier) in SCORED_TIERS:
            outcome = Outcome.WORKED if asked.feedback == POSITIVE else Outcome.FAILED
            reason = asked.feedback_reason or ""
            call.memory.record_outcome(owner, outcome, now=timezone.now(), related=[str(item.pk)], reason=reason)
        else:
            rate_statement(call, owner, item, asked)
        return JsonResponse(
            {
                "message": "Feedback recorded",
                "id": str(item.pk),
                "feedback": asked.feedback,
                "feedback_reason": asked.feedback_reason,
            }
        )

    return run_once(call.request, owner, record)


def withdraw_feedback(call: Mem0Call, owner: EndUser, item: MemoryItem) -> None:
    event = call.memory.find_withdrawable_verdict(owner, item.pk)
    if event is not None:
        call.memory.undo(owner, item.pk, event.pk, now=timezone.now())


def rate_statement(call: Mem0Call, owner: EndUser, item: MemoryItem, asked: FeedbackIn) -> None:
    """A statement is no attempt that works or fails: it is believed more, doubted, or taken out of all answers."""
    now, feedback = timezone.now(), asked.feedback
    # Into its history, which holds the first of it; an outcome keeps it whole.
    reason = redact_secrets(asked.feedback_reason or "").text[:LONGEST_NOTE]
    if feedback == VERY_NEGATIVE:
        # With what it was read from, which would tell it again.
        for one in [item.pk, *item.parents]:
            call.memory.archive(owner, one, now=now, reason=reason or "asked")
        return
    if feedback == POSITIVE:
        for fact in call.memory.list_facts_of_memory(owner, item.pk):
            call.memory.confirm_fact(owner, fact.pk, now=now)
    believed = max(item.confidence, TRUSTED) if feedback == POSITIVE else min(item.confidence, 1.0) * DOUBTED
    call.memory.revise(owner, item.pk, {"confidence": round(believed, 4)}, now=now, reason=reason)
