"""The words behind a run, which keeps ids alone: looked up where the questions are from, as long as they are there."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.access.scope import user_scope
from memory.language.text import preview_text
from memory.models import EndUser, EvaluationCase, MemoryItem
from outcomes.models import OutcomeEvent


@dataclass(frozen=True, slots=True)
class RunWords:
    """Questions by the id of their case or turn, and memories by theirs, without what is gone."""

    questions: Mapping[str, str]
    memories: Mapping[str, str]

    def find_question(self, result: Mapping[str, Any]) -> str:
        found = (self.questions.get(str(result.get(name, ""))) for name in ("case_id", "turn_id"))
        return next((text for text in found if text), "")


def read_words(user: EndUser, results: Sequence[Mapping[str, Any]]) -> RunWords:
    cases = {result["case_id"] for result in results if "case_id" in result}
    turns = {result["turn_id"] for result in results if "turn_id" in result and "case_id" not in result}
    items = {item_id for result in results for item_id in result["expected"]}
    items |= {found[0] for result in results for side in ("a", "b") if (found := result[side]["found"])}
    with user_scope(user):
        asked = EvaluationCase.objects.filter(user=user, pk__in=cases).values_list("pk", "question")
        turned = OutcomeEvent.objects.filter(user=user, turn_id__in=turns, sign=1).exclude(query="")
        told = MemoryItem.objects.for_user(user).filter(pk__in=[uuid.UUID(item_id) for item_id in items])
        questions = [*asked, *turned.order_by("pk").values_list("turn_id", "query")]
        memories = {str(key): preview_text(text) for key, text in told.values_list("pk", "text")}
    return RunWords({str(key): text for key, text in questions}, memories)
