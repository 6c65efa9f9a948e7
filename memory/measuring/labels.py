"""A person's labelled questions: those of turns that worked, and those somebody saved.

A memory that was stored after the question was asked is never expected: the answer of an exchange holds its own
question, and would be found first by any setting.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from memory.access.confinement import RowScope
from memory.access.scope import user_scope
from memory.models import EndUser, EvaluationCase, MemoryItem, Turn
from memory.tiers import Outcome, Status
from outcomes.models import Exchange, OutcomeEvent, Source

# The latest; 500 questions under two settings take about a minute.
MOST_QUESTIONS: Final = 500
FOUND: Final = frozenset({Status.ACTIVE, Status.DORMANT})


class LabelSource(StrEnum):
    """Where a labelled question is from."""

    OUTCOME = "outcome"
    SAVED = "saved"


class ChosenQuestions(StrEnum):
    """Which of them are asked. ``NAMED`` leaves out turns whose outcome was on all that was shown."""

    ALL = "all"
    NAMED = "named"
    SAVED = "saved"


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """``case_id`` or ``turn_id`` says where it is from. ``asked_at`` is the moment it is asked at, None now.

    ``is_named``: somebody said which memories helped; else all that the turn showed count.
    """

    source: LabelSource
    question: str
    expected: tuple[uuid.UUID, ...]
    asked_at: datetime | None
    scope: RowScope
    is_named: bool = True
    case_id: uuid.UUID | None = None
    turn_id: uuid.UUID | None = None

    @property
    def key(self) -> tuple[str, frozenset[uuid.UUID]]:
        return self.question.strip().casefold(), frozenset(self.expected)


@dataclass(slots=True)
class QuestionSet:
    """``left_out`` counts questions that cannot be asked, by why: nothing of what they expect is there any more
    (`gone`), all of it was stored after they were asked (`later`), or the same is asked already (`repeated`)."""

    questions: list[LabelledQuestion] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def count(self, source: LabelSource) -> int:
        return sum(one.source is source for one in self.questions)

    @property
    def named(self) -> int:
        return sum(one.is_named for one in self.questions)


def read_questions(
    user: EndUser, chosen: ChosenQuestions = ChosenQuestions.ALL, *, most: int = MOST_QUESTIONS
) -> QuestionSet:
    """In the scope of the caller, saved ones first, then the latest turns; at most so many of each."""
    with user_scope(user):
        drafts = read_saved(user, most=most)
        if chosen is not ChosenQuestions.SAVED:
            drafts += read_turns(user, named=chosen is ChosenQuestions.NAMED, most=most)
        known = read_known(user, {item_id for one in drafts for item_id in one.expected})
    return admit_questions(drafts, known)


def read_saved(user: EndUser, *, most: int = MOST_QUESTIONS) -> list[LabelledQuestion]:
    cases = EvaluationCase.objects.filter(user=user).order_by("-created_at", "-pk")[:most]
    return [label_case(case) for case in cases]


def label_case(case: EvaluationCase) -> LabelledQuestion:
    return LabelledQuestion(
        LabelSource.SAVED,
        case.question,
        tuple(case.expected_ids),
        case.asked_at,
        RowScope.of(case),
        case_id=case.pk,
        turn_id=case.turn_id,
    )


def read_turns(user: EndUser, *, named: bool, most: int = MOST_QUESTIONS) -> list[LabelledQuestion]:
    """Turns of which a person, their client or their assistant said that it worked, the latest first."""
    events = OutcomeEvent.objects.filter(
        user=user, outcome=Outcome.WORKED, source=Source.EXPLICIT, sign=1, replaced_at=None
    ).exclude(turn_id=None)
    events = events.exclude(query="").filter(**({"whole": False} if named else {})).order_by("-at", "-pk")
    latest = list(events[:most])
    asked = read_moments(user, [one.turn_id for one in latest])
    # Without a moment nothing tells an answer from what came of it.
    return [label_event(event, moment) for event in latest if (moment := asked.get(event.turn_id))]


def read_moments(user: EndUser, turns: Iterable[uuid.UUID | None]) -> dict[uuid.UUID | None, datetime]:
    """When turns were asked; of one that is purged, when its exchange was stored."""
    known = [turn_id for turn_id in turns if turn_id is not None]
    told = Exchange.objects.filter(user=user, turn_id__in=known).values_list("turn_id", "created_at")
    asked = Turn.objects.filter(user=user, turn_id__in=known).values_list("turn_id", "created_at")
    return {**dict(told), **dict(asked)}


def label_event(event: OutcomeEvent, asked_at: datetime) -> LabelledQuestion:
    return LabelledQuestion(
        LabelSource.OUTCOME,
        event.query,
        tuple(uuid.UUID(item_id) for item_id, *_ in event.memories),
        asked_at,
        RowScope.of(event),
        is_named=not event.whole,
        turn_id=event.turn_id,
    )


def find_question(user: EndUser, result: Mapping[str, Any]) -> LabelledQuestion | None:
    """The question behind a line of a run, with what was expected then; None when its words are gone."""
    expected = tuple(uuid.UUID(item_id) for item_id in result["expected"])
    with user_scope(user):
        if "case_id" in result:
            case = EvaluationCase.objects.filter(user=user, pk=result["case_id"]).first()
            return replace(label_case(case), expected=expected) if case else None
        events = OutcomeEvent.objects.filter(user=user, turn_id=result["turn_id"], sign=1).exclude(query="")
        event = events.order_by("-pk").first()
        moment = read_moments(user, [event.turn_id]).get(event.turn_id) if event else None
    return replace(label_event(event, moment), expected=expected) if event and moment else None


def read_known(user: EndUser, ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, datetime]:
    """Those that a search can find, with when they were stored."""
    rows = MemoryItem.objects.for_user(user).filter(pk__in=list(ids), status__in=FOUND)
    return dict(rows.values_list("pk", "created_at"))


def admit_questions(drafts: Sequence[LabelledQuestion], known: dict[uuid.UUID, datetime]) -> QuestionSet:
    found, seen = QuestionSet(), set[Any]()
    for draft in drafts:
        present = [item_id for item_id in draft.expected if item_id in known]
        in_time = [item_id for item_id in present if draft.asked_at is None or known[item_id] < draft.asked_at]
        if not in_time:
            found.left_out["later" if present else "gone"] += 1
            continue
        question = replace(draft, expected=tuple(in_time))
        if question.key in seen:
            found.left_out["repeated"] += 1
        elif len(found.questions) < MOST_QUESTIONS:
            seen.add(question.key)
            found.questions.append(question)
    return found
