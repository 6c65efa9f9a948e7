"""Questions that somebody labelled with the memories that should be found."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.guard import redact_secrets
from memory.language.text import InvalidText, validate_text
from memory.models import EndUser, EvaluationCase, MemoryItem
from memory.models.evaluation import QUESTION_CHARS
from memory.retrieval.variants import BadSetting, parse_settings
from memory.store.admission import WriteRefused

MOST_CASES: Final = 1_000
MOST_EXPECTED: Final = 50


@dataclass(frozen=True, slots=True)
class NewCase:
    """``expected_ids`` are memories of the person. ``asked_at`` is the moment it is asked at; None is whenever it is
    measured. ``turn_id`` is the turn it was taken from: when its exchange is deleted the question goes too."""

    question: str
    expected_ids: Sequence[uuid.UUID]
    settings: Mapping[str, Any] = field(default_factory=dict)
    thread_id: str = ""
    turn_id: uuid.UUID | None = None
    asked_at: datetime | None = None


def save_case(user: EndUser, new: NewCase, *, now: datetime, actor: str) -> EvaluationCase:
    """Keep a question to measure with, without secrets. The same question with the same memories is kept once.

    Raises WriteRefused.
    """
    try:
        question = validate_text(redact_secrets(new.question).text, QUESTION_CHARS)
        settings = parse_settings(new.settings).as_json()
    except InvalidText as error:
        raise WriteRefused("question", str(error)) from error
    except BadSetting as error:
        raise WriteRefused(f"settings.{error.field}", error.rule) from error
    expected = list(dict.fromkeys(new.expected_ids))
    if not 1 <= len(expected) <= MOST_EXPECTED:
        raise WriteRefused("expected_ids", f"name from 1 to {MOST_EXPECTED} memories that should be found")
    with user_scope(user):
        # Two at once may not both be the last.
        lock_for_transaction("evaluation", user)
        if MemoryItem.objects.for_user(user).filter(pk__in=expected).count() != len(expected):
            raise WriteRefused("expected_ids", "names a memory that this person does not have")
        own = EvaluationCase.objects.filter(user=user)
        same = own.filter(question=question, expected_ids=expected, asked_at=new.asked_at).first()
        if same is not None:
            return same
        if own.count() >= MOST_CASES:
            raise WriteRefused("question", f"a person has at most {MOST_CASES:,} saved questions; delete one first")
        return EvaluationCase.objects.create(
            user=user,
            question=question,
            expected_ids=expected,
            settings=settings,
            thread_id=new.thread_id,
            turn_id=new.turn_id,
            asked_at=new.asked_at,
            actor=actor,
            created_at=now,
        )


def list_cases(user: EndUser) -> list[EvaluationCase]:
    """All of them, the latest first."""
    with user_scope(user):
        return list(EvaluationCase.objects.filter(user=user).order_by("-created_at", "-pk")[:MOST_CASES])


def delete_case(user: EndUser, case_id: uuid.UUID) -> bool:
    with user_scope(user):
        return bool(EvaluationCase.objects.filter(user=user, pk=case_id).delete()[0])


def drop_expectations(user: EndUser, gone: Collection[uuid.UUID]) -> None:
    """Memories were deleted: no question expects them any more, and one that expected nothing else goes."""
    for case in EvaluationCase.objects.filter(user=user, expected_ids__overlap=list(gone)):
        case.expected_ids = [item_id for item_id in case.expected_ids if item_id not in gone]
        if case.expected_ids:
            case.save(update_fields=["expected_ids"])
        else:
            case.delete()
